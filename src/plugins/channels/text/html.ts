import type { Block, Mark, Run } from "./blocks.ts";

/** Blocks as the simple HTML of a mail: no style and no picture, so nothing is loaded when it is read. */
export function toMailHtml(blocks: readonly Block[]): string {
  return blocks
    .map((block) => {
      if (block.kind === "code") return `<pre>${escapeHtml(block.text)}</pre>`;
      const html = `<p>${block.runs.map(runHtml).join("").replaceAll("\n", "<br>\n")}</p>`;
      return block.isQuote ? `<blockquote>${html}</blockquote>` : html;
    })
    .join("\n");
}

/** the tag of each mark, from the outside in */
const TAGS: readonly (readonly [mark: Mark, tag: string])[] = [
  ["bold", "b"],
  ["italic", "i"],
  ["underline", "u"],
  ["strike", "s"],
];

export function runHtml({ text, marks, url }: Run): string {
  const escaped = escapeHtml(text);
  if (url !== null) return `<a href="${escapeHtml(url)}">${escaped}</a>`;
  if (marks.includes("code")) return `<code>${escaped}</code>`;
  const tags = TAGS.filter(([mark]) => marks.includes(mark)).map(([, tag]) => tag);
  return tags.reduceRight((inner, tag) => `<${tag}>${inner}</${tag}>`, escaped);
}

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (sign) => ESCAPES[sign] ?? sign);
