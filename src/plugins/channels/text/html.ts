import type { Block } from "./blocks.ts";
import { escapeHtml, runHtml } from "./telegram.ts";

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
