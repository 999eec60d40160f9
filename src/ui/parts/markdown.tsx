import { memo } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import { isParsableMarkdown } from "../../core/text/markdown-bounds.ts";
import { readGfm } from "./gfm.ts";

/**
 * Text of the model as a document. `react-markdown` makes elements of what it knows and text of all else, so HTML in it is
 * shown, never run; links lose every scheme but http, https and mailto. Images from elsewhere stay links: to load one would
 * tell its server that the text was read.
 */
const PLUGINS = [readGfm];
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
};

export default memo(function Markdown({ text }: { text: string }) {
  return (
    <div className="prose">
      {isParsableMarkdown(text) ? (
        <ReactMarkdown remarkPlugins={PLUGINS} components={PARTS}>
          {text}
        </ReactMarkdown>
      ) : (
        <p className="plain">{text}</p>
      )}
    </div>
  );
});
