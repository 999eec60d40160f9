import { textOfBlock, type Block } from "../text/blocks.ts";
import { escapeHtml, runHtml } from "../text/html.ts";
import { splitBlocks, type Fit } from "../text/split.ts";
import { isTight } from "../text/blocks.ts";

/**
 * Blocks as the HTML of Telegram (https://core.telegram.org/bots/api#html-style): b, i, s, u, code, pre, a,
 * blockquote. Code and links contain no other tag, and a blockquote contains no pre: Telegram would drop the inner
 * one.
 */

/** of one message, in UTF-16 units, after its entities are parsed */
export const TELEGRAM_CHARS_MAX = 4_096;

export const splitForTelegram = (
  blocks: readonly Block[],
  fit: Pick<Fit, "partsMax" | "link">,
): readonly (readonly Block[])[] =>
  splitBlocks(blocks, { ...fit, max: TELEGRAM_CHARS_MAX, cost: (block) => textOfBlock(block).length });

export function toTelegramHtml(blocks: readonly Block[]): string {
  let html = "";
  let before: Block | null = null;
  for (const [at, block] of blocks.entries()) {
    const next = blocks[at + 1];
    const opens = isQuote(block) && (before === null || !isQuote(before));
    const closes = isQuote(block) && (next === undefined || !isQuote(next));
    if (before !== null)
      html += isTight(block) || opens || (isQuote(before) && !isQuote(block)) ? "\n" : "\n\n";
    html += `${opens ? "<blockquote>" : ""}${blockHtml(block)}${closes ? "</blockquote>" : ""}`;
    before = block;
  }
  return html;
}

const isQuote = (block: Block): boolean => block.kind === "text" && block.isQuote;

function blockHtml(block: Block): string {
  if (block.kind === "text") return block.runs.map(runHtml).join("");
  const language = /^[\w+#.-]{1,32}$/.test(block.language ?? "") ? block.language : null;
  const text = escapeHtml(block.text);
  return language === null
    ? `<pre>${text}</pre>`
    : `<pre><code class="language-${language}">${text}</code></pre>`;
}
