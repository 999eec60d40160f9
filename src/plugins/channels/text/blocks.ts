/**
 * Markdown as chats can show it: a row of blocks, and in them runs of one look each. A run carries all of its look, so a block
 * is cut anywhere and both halves are whole: no mark is ever left open.
 */

export type Mark = "bold" | "italic" | "strike" | "underline" | "code";

export interface Run {
  readonly text: string;
  readonly marks: readonly Mark[];
  /** http, https or mailto; null where it is no link */
  readonly url: string | null;
}

export type Block =
  | {
      readonly kind: "text";
      readonly runs: readonly Run[];
      readonly isQuote: boolean;
      /** follows the block before it in the next line, as the items of a list do */
      readonly isTight: boolean;
    }
  | { readonly kind: "code"; readonly text: string; readonly language: string | null };

export const isTight = (block: Block): boolean => block.kind === "text" && block.isTight;

export const textOfBlock = (block: Block): string =>
  block.kind === "code" ? block.text : block.runs.map((run) => run.text).join("");

export const boldBlock = (text: string): Block => textBlock([{ text, marks: ["bold"], url: null }]);
export const codeBlock = (text: string): Block => ({ kind: "code", text, language: null });

export const plainBlock = (text: string): Block => textBlock([plainRun(text)]);

export const plainRun = (text: string, url: string | null = null): Run => ({ text, marks: [], url });

export const textBlock = (runs: readonly Run[], isQuote = false, tight = false): Block => ({
  kind: "text",
  runs: merged(runs),
  isQuote,
  isTight: tight,
});

export const URL_CHARS_MAX = 2_000;

/** A URL that is allowed in a link of a chat: absolute, http, https or mailto, and without markup characters. */
export function safeUrl(text: string): string | null {
  if (!/^(https?:\/\/|mailto:)/i.test(text) || !URL.canParse(text)) return null;
  const { href } = new URL(text);
  const url = href.replace(/[<>"'`|\s\\]/g, (sign) => encodeURIComponent(sign).replace("'", "%27"));
  return url.length <= URL_CHARS_MAX ? url : null;
}

/** Neighbours of one look are one run, and an empty one is none. */
function merged(runs: readonly Run[]): readonly Run[] {
  const all: Run[] = [];
  for (const run of runs) {
    const last = all.at(-1);
    if (run.text === "") continue;
    if (last !== undefined && last.url === run.url && last.marks.join() === run.marks.join())
      all[all.length - 1] = { ...last, text: last.text + run.text };
    else all.push(run);
  }
  return all;
}
