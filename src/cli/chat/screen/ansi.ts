import { firstCharacters } from "../../../cairn/core/text/cut.ts";
/** Pieces of text with a meaning, and their way to a terminal. */

export type Tone = "plain" | "dim" | "call" | "good" | "bad" | "ask" | "strong";
export interface Piece {
  readonly tone: Tone;
  readonly text: string;
}

const CODES: { readonly [tone in Tone]: string | null } = {
  plain: null,
  dim: "2",
  call: "36",
  good: "32",
  bad: "31",
  ask: "33",
  strong: "1",
};

/** Text for a terminal. Nothing inside a piece can steer it: a page may hold escape codes, and an approval is read here. */
export function paint(pieces: readonly Piece[], colours: boolean): string {
  return pieces
    .map(({ tone, text }) => {
      const code = CODES[tone];
      const safe = disarm(text);
      return colours && code !== null ? `\u001b[${code}m${safe}\u001b[0m` : safe;
    })
    .join("");
}

// Control characters but tab and line feed, and the invisible ones that turn the direction of writing.
// eslint-disable-next-line no-control-regex
const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The text with every character that steers a terminal written out, such as `\u{1b}`. */
export function disarm(text: string): string {
  return text
    .replace(/\r\n/g, "\n")
    .replace(STEERING, (each) => `\\u{${(each.codePointAt(0) ?? 0).toString(16)}}`);
}

/** One line of at most `max` characters; what is cut off ends in an ellipsis. */
export function oneLine(text: string, max: number): string {
  const flat = text.replace(/\s+/g, " ").trim();
  return firstCharacters(flat, max);
}
