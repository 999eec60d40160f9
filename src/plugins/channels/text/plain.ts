import { boundaryBefore } from "../../../cairn/core/text/cut.ts";
import { isTight, type Block, type Run } from "./blocks.ts";

/** Blocks as text without markup: a link names its target, a quote has `>` before its lines. */
export const toPlain = (blocks: readonly Block[]): string => joined(blocks, plainOf);

export const plainOf = (block: Block): string => {
  if (block.kind === "code") return block.text;
  const text = block.runs.map(plainRunOf).join("");
  return block.isQuote ? text.replace(/^/gm, "> ") : text;
};

function plainRunOf({ text, url }: Run): string {
  if (url === null || url === text || url === `${text}/` || url === `mailto:${text}`) return text;
  return `${text} (${url})`;
}

/** With an empty line between two blocks, and none within a list. */
export function joined(blocks: readonly Block[], textOf: (block: Block) => string): string {
  return blocks
    .map((block, at) => `${at === 0 ? "" : isTight(block) ? "\n" : "\n\n"}${textOf(block)}`)
    .join("");
}

/** As much of a text as has at most `max` bytes in UTF-8, with an ellipsis where something is missing. */
export function firstBytes(text: string, max: number): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= max) return text;
  const ELLIPSIS_BYTES = 3;
  const fitting = new TextDecoder().decode(bytes.subarray(0, max - ELLIPSIS_BYTES), { stream: true });
  return `${text.slice(0, boundaryBefore(text, fitting.length))}…`;
}

/** Escapes foreign text for Markdown, so that nothing in it becomes a link or formatting. */
export function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>#|~]/g, (sign) => `\\${sign}`).replaceAll("\n", " ");
}
