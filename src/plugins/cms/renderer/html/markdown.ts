import { startOf } from "../../../../cairn/core/text/cut.ts";
import { sanitize, type Schema } from "hast-util-sanitize";
import { toHtml } from "hast-util-to-html";
import { raw } from "hono/html";
import type { Definition, Link, Nodes, PhrasingContent, Root, RootContent, Table } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { toHast } from "mdast-util-to-hast";
import { gfm } from "micromark-extension-gfm";
import type { Json } from "../../../../cairn/core/log/json.ts";
import { isParsableMarkdown } from "../../../../cairn/core/text/markdown-bounds.ts";
import type { SiteContext } from "../context.ts";
import { levelBelow, sourceSet, type HeadingLevel, type Html } from "./html.ts";
import { addressOfText } from "../links.ts";

/**
 * Stored texts that become markup. The only file that may call `raw`: what passes through it is either the output of
 * the sanitiser, or JSON in which no `<` is left.
 *
 * The resolver runs before the sanitiser, so the sanitiser sees the final URLs.
 */

/** Allowed HTML: no ID, style or class beyond those of Markdown itself, and four protocols. */
export const SITE_SCHEMA: Schema = {
  tagNames: [
    "p",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "ul",
    "ol",
    "li",
    "blockquote",
    "pre",
    "hr",
    "br",
    "strong",
    "em",
    "del",
    "code",
    "a",
    "img",
    "input",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
  ],
  attributes: {
    a: ["href", "title", ["rel", "noopener"]],
    img: ["src", "srcSet", "sizes", "width", "height", "alt", "title", "loading", "decoding"],
    code: [["className", /^language-[\w+#.-]+$/]],
    ol: ["start", ["className", "contains-task-list"]],
    ul: [["className", "contains-task-list"]],
    li: [["className", "task-list-item"]],
    input: [["type", "checkbox"], ["disabled", true], "checked"],
    th: [["className", "align-left", "align-right", "align-center"]],
    td: [["className", "align-left", "align-right", "align-center"]],
  },
  required: { input: { type: "checkbox", disabled: true } },
  // Images are paths of the site itself. An empty list would allow every protocol.
  protocols: { href: ["http", "https", "mailto", "tel"], src: ["https"] },
  strip: ["script", "style"],
};

const IMAGE_SIZES = "(min-width: 46rem) 42rem, 100vw";

/**
 * Markdown as markup. Links by id become paths or plain text, images by id become images, foreign images become links,
 * HTML is left out, headings go on below `level` without a gap.
 */
export function renderMarkdown(source: string, level: HeadingLevel, context: SiteContext): Html {
  const tree = parseMarkdown(source);
  resolveTree(tree, level, context);
  return raw(toHtml(sanitize(toHast(tree), SITE_SCHEMA)));
}

/** CommonMark with GitHub's tables, task lists, strikethrough, notes and bare links; a text that would cost too much, as it is. */
function parseMarkdown(source: string): Root {
  if (!isParsableMarkdown(source)) return plainLines(source);
  return fromMarkdown(source, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
}

function plainLines(source: string): Root {
  const lines = source.split(/\r\n?|\n/).map((line) => line.trim());
  const children = lines
    .filter((line) => line !== "")
    .map((value): RootContent => ({ type: "paragraph", children: [{ type: "text", value }] }));
  return { type: "root", children };
}

/** The words of a markdown text, cut at a word when longer than `charsMax` characters. */
export function excerptOf(source: string, charsMax: number): string {
  const words = wordsIn(parseMarkdown(source)).replace(/\s+/g, " ").trim();
  if (words.length <= charsMax) return words;
  const cut = startOf(words, charsMax);
  const space = cut.lastIndexOf(" ");
  return `${(space > 0 ? cut.slice(0, space) : cut).replace(/[\s,;:.–-]+$/, "")}…`;
}

/** Data for search engines. Not executable, and contains no `<` that could end the element. */
export function renderJsonLd(data: Json): Html {
  const text = JSON.stringify(data).replaceAll("<", "\\u003c").replaceAll("\u2028", "\\u2028");
  return raw(`<script type="application/ld+json">${text.replaceAll("\u2029", "\\u2029")}</script>`);
}

function wordsIn(node: Nodes): string {
  if (node.type === "text" || node.type === "inlineCode") return node.value;
  if (node.type === "break") return " ";
  if (!("children" in node)) return "";
  const inner = node.children.map(wordsIn).join("");
  return node.type === "paragraph" || node.type === "heading" || node.type === "tableCell"
    ? `${inner} `
    : inner;
}

function resolveTree(tree: Root, level: HeadingLevel, context: SiteContext): void {
  const definitions = new Map<string, Definition>();
  collect(tree, definitions);
  const open: { readonly source: number; readonly shown: HeadingLevel }[] = [];
  const resolve = (node: RootContent): readonly RootContent[] => {
    if (node.type === "heading") {
      while ((open.at(-1)?.source ?? 0) >= node.depth) open.pop();
      const shown = levelBelow(open.at(-1)?.shown ?? level);
      open.push({ source: node.depth, shown });
      node.depth = shown;
    }
    if ("children" in node) replaceChildren(node, resolve);
    switch (node.type) {
      case "link":
        return resolveLink(node, context);
      case "linkReference":
        return resolveLink(
          { ...node, type: "link", url: definitions.get(node.identifier)?.url ?? "" },
          context,
        );
      case "image":
        return resolveImage(node.url, node.alt ?? "", context);
      case "imageReference":
        return resolveImage(definitions.get(node.identifier)?.url ?? "", node.alt ?? "", context);
      // Notes stay where they are written: their anchors would need ids, and those could meet on one page.
      case "footnoteReference":
        return [{ type: "text", value: `[${node.label ?? node.identifier}]` }];
      case "footnoteDefinition":
        return [
          { type: "paragraph", children: [{ type: "text", value: `[${node.label ?? node.identifier}]` }] },
          ...node.children,
        ];
      case "table":
        return [alignByClass(node)];
      case "definition":
      case "html":
        return [];
      default:
        return [node];
    }
  };
  tree.children = tree.children.flatMap(resolve);
}

/** The attribute `align` is no part of HTML any more. */
function alignByClass(table: Table): Table {
  for (const row of table.children)
    for (const [at, cell] of row.children.entries()) {
      const align = table.align?.[at] ?? null;
      if (align !== null) cell.data = { hProperties: { className: [`align-${align}`] } };
    }
  return { ...table, align: [] };
}

/** Definitions by identifier; the first of two with one name counts, as in CommonMark. */
function collect(node: Nodes, definitions: Map<string, Definition>): void {
  if (node.type === "definition" && !definitions.has(node.identifier)) definitions.set(node.identifier, node);
  if ("children" in node) for (const child of node.children) collect(child, definitions);
}

/** Replaces the children of any node by nodes that are allowed in the same position. */
function replaceChildren(
  node: { children: RootContent[] },
  resolve: (child: RootContent) => readonly RootContent[],
): void {
  node.children = node.children.flatMap(resolve);
}

function resolveLink(link: Link, context: SiteContext): readonly PhrasingContent[] {
  const address = addressOfText(link.url, context);
  if (address === null) return link.children;
  const properties = address.external ? { rel: ["noopener"] } : {};
  return [{ ...link, url: address.href, data: { hProperties: properties } }];
}

function resolveImage(url: string, alt: string, context: SiteContext): readonly PhrasingContent[] {
  const id = /^image:(\S+)$/.exec(url)?.[1];
  if (id === undefined) {
    const children: PhrasingContent[] = [{ type: "text", value: alt === "" ? url : alt }];
    return resolveLink({ type: "link", url, children }, context);
  }
  const image = context.images.get(id);
  if (image === undefined) return [];
  const sources = sourceSet(image);
  const properties = {
    ...(image.width === null ? {} : { width: image.width }),
    ...(image.height === null ? {} : { height: image.height }),
    ...(sources === null ? {} : { srcSet: sources, sizes: IMAGE_SIZES }),
    loading: "lazy",
    decoding: "async",
  };
  const words = alt.trim() === "" ? image.alt : alt;
  return [{ type: "image", url: image.path, alt: words, data: { hProperties: properties } }];
}
