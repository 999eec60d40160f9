import type { Passage } from "../core/log/receipt.ts";
import { findQuote } from "../core/text/quotes.ts";
import { rank } from "./words.ts";

/** Parts of the text of a page: what is shown of it, with its places. */

/** characters that an extractor reads at once */
export const CHUNK_CHARS = 12_000;
export const PASSAGE_CHARS_MAX = 700;
/** shorter lines are joined with the next: a heading alone has no content */
const PASSAGE_CHARS_MIN = 160;
/** a shorter quote bears nothing out */
const QUOTE_CHARS_MIN = 8;

export interface Part {
  readonly start: number;
  readonly end: number;
}

/** Parts of at most so many characters, cut at the end of a line where there is one, else at a blank. */
export function partsOf(text: string, max: number): Part[] {
  const parts: Part[] = [];
  for (let start = 0; start < text.length;) {
    const most = Math.min(text.length, start + max);
    const end = most === text.length ? most : breakBefore(text, start, most);
    parts.push({ start, end });
    start = end;
    while (/\s/u.test(text.charAt(start))) start++;
  }
  return parts;
}

function breakBefore(text: string, start: number, most: number): number {
  const part = text.slice(start, most + 1);
  for (const sign of ["\n", ". ", " "]) {
    const at = part.lastIndexOf(sign, most - start - 1);
    if (at > (most - start) / 3) return start + at + (sign === ". " ? 1 : 0);
  }
  return /[\uDC00-\uDFFF]/.test(text.charAt(most)) ? most - 1 : most;
}

/** Joins lines until they have enough content, within the maximum of a passage. */
function passagesOf(text: string): Part[] {
  const passages: Part[] = [];
  let open: Part | null = null;
  const lines = partsOfLines(text);
  for (const line of lines) {
    const joined: Part = open === null ? line : { start: open.start, end: line.end };
    if (open !== null && joined.end - joined.start > PASSAGE_CHARS_MAX) {
      passages.push(open);
      open = line;
    } else open = joined;
    if (open.end - open.start >= PASSAGE_CHARS_MIN) {
      passages.push(open);
      open = null;
    }
  }
  return open === null ? passages : [...passages, open];
}

function partsOfLines(text: string): Part[] {
  const lines: Part[] = [];
  let start = 0;
  for (const line of text.split("\n")) {
    for (const part of partsOf(line, PASSAGE_CHARS_MAX))
      lines.push({ start: start + part.start, end: start + part.end });
    start += line.length + 1;
  }
  return lines;
}

/** The passages that share most with the goal, in the order of the page; its beginning where none shares anything. */
export function bestPassages(text: string, goal: string, most: number): Passage[] {
  const passages = passagesOf(text);
  const ranked = rank(
    passages.map(({ start, end }) => text.slice(start, end)),
    goal,
  ).slice(0, most);
  const indexes = ranked.length > 0 ? ranked.toSorted((a, b) => a - b) : passages.length > 0 ? [0] : [];
  return indexes.flatMap((index) => {
    const part = passages[index];
    return part === undefined ? [] : [{ ...part, quote: text.slice(part.start, part.end) }];
  });
}

/** Returns the quotes that are on the page, each once, and how many are not. */
export function verifiedQuotes(
  text: string,
  quotes: readonly string[],
): { readonly passages: readonly Passage[]; readonly dropped: number } {
  const passages: Passage[] = [];
  let dropped = 0;
  for (const quote of quotes) {
    const position = quote.trim().length < QUOTE_CHARS_MIN ? null : findQuote(text, quote);
    if (position === null || position.end - position.start > 2 * PASSAGE_CHARS_MAX) dropped++;
    else if (!passages.some(({ start, end }) => start === position.start && end === position.end))
      passages.push({ ...position, quote: text.slice(position.start, position.end) });
  }
  return { passages: passages.toSorted((a, b) => a.start - b.start), dropped };
}
