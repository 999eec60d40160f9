import { memo, type ReactNode } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import { isParsableMarkdown } from "../../../cairn/core/text/markdown-bounds.ts";
import { findMarks } from "../citations/find-marks.ts";
import { Mark } from "../citations/mark.tsx";
import { markdownBlocks } from "./blocks.ts";
import { CodeBlock } from "./code-block.tsx";
import { readGfm } from "./gfm.ts";
import { Revealed } from "../revealed.tsx";
import { stretches } from "../unseen.ts";

/**
 * Text of the model as a document. `react-markdown` renders known syntax as elements and the rest as text, so HTML in
 * it is shown, never run; links lose every scheme but http, https and mailto. Images from elsewhere stay links:
 * loading one would tell its server that the text was read.
 */
const READING = [readGfm];
const SHOWING = [() => findMarks, () => reveal];
const PARTS: Components = {
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  ),
  img: ({ src, alt }) =>
    typeof src === "string" && src.startsWith("/media/") ? (
      <img src={src} alt={alt ?? ""} loading="lazy" />
    ) : (
      <a href={typeof src === "string" ? src : undefined} target="_blank" rel="noreferrer noopener">
        {alt === undefined || alt === "" ? "image" : alt}
      </a>
    ),
  table: ({ children }) => (
    <div className="table" tabIndex={0} role="region" aria-label="table">
      <table>{children}</table>
    </div>
  ),
  cite: ({ node }) => <Mark text={textOf(node)} />,
  pre: ({ node }) => {
    const code = node?.children[0];
    const names = code?.type === "element" ? code.properties["className"] : undefined;
    const name: unknown = Array.isArray(names) ? names[0] : undefined;
    const language = typeof name === "string" ? name.replace(/^language-/, "") : "";
    return <CodeBlock text={textOf(code).replace(/\n$/, "")} language={language} />;
  },
  ...Object.fromEntries(
    (["p", "li", "h1", "h2", "h3", "h4", "h5", "h6", "td", "th", "blockquote"] as const).map((Name) => [
      Name,
      // The language of each is its own, and with it the direction.
      ({ node: _node, ...props }: { node?: unknown; children?: ReactNode }) => <Name dir="auto" {...props} />,
    ]),
  ),
};

/** Parsed piece by piece: of an answer that grows at its end only the last piece is parsed anew. */
export default memo(function Markdown({ text }: { text: string }) {
  return (
    <div className="prose">
      {markdownBlocks(text).map((block, at) => (
        <Block key={at} text={block} />
      ))}
    </div>
  );
});

const Block = memo(function Block({ text }: { text: string }) {
  return isParsableMarkdown(text) ? (
    <ReactMarkdown remarkPlugins={READING} rehypePlugins={SHOWING} components={PARTS}>
      {text}
    </ReactMarkdown>
  ) : (
    <p className="plain" dir="auto">
      <Revealed text={text} ordinary />
    </p>
  );
});

interface Node {
  readonly type: string;
  readonly value?: string;
  readonly children?: readonly Node[];
}

const textOf = ({ value = "", children = [] }: Node = { type: "text" }): string =>
  value + children.map(textOf).join("");

/** Puts marks where characters would not be seen, in the tree of the elements. */
function reveal(node: { children?: unknown[] }): void {
  node.children = (node.children as Node[] | undefined)?.flatMap((child): Node[] => {
    if (child.type !== "text") {
      reveal(child as { children?: unknown[] });
      return [child];
    }
    const found = stretches(child.value ?? "", { ordinary: true });
    return found.every(({ unseen }) => unseen === null) ? [child] : found.map(marked);
  });
}

function marked({ text, unseen }: { readonly text: string; readonly unseen: string | null }): Node {
  const node = { type: "text", value: text };
  if (unseen === null) return node;
  const properties = { className: ["unseen"], title: unseen };
  return { type: "element", tagName: "mark", properties, children: [node] } as Node;
}
