import { MARKS_IN_ROW_MAX } from "../guard-limits.ts";

/**
 * Characters that a person does not see and a model reads: they carry hidden words (tags, variation selectors), turn what
 * is shown around (bidirectional controls) or break a word so that a filter misses it (zero-width). Removing them costs an
 * emoji its colour or its family and a joined script its ligatures; text from outside is data, so that is a fair price.
 */
export const HIDDEN: readonly (readonly [name: string, from: number, to: number])[] = [
  ["control characters but tab and line feed", 0x00, 0x08],
  ["control characters but tab and line feed", 0x0b, 0x1f],
  ["delete and the second set of controls", 0x7f, 0x9f],
  ["soft hyphen", 0xad, 0xad],
  ["combining grapheme joiner", 0x34f, 0x34f],
  ["Arabic letter mark (bidirectional)", 0x61c, 0x61c],
  ["Hangul fillers (blank)", 0x115f, 0x1160],
  ["Khmer inherent vowels (blank)", 0x17b4, 0x17b5],
  ["Mongolian variation selectors and vowel separator", 0x180b, 0x180f],
  ["zero-width space, non-joiner and joiner", 0x200b, 0x200d],
  ["left-to-right and right-to-left marks (bidirectional)", 0x200e, 0x200f],
  ["bidirectional embeddings and overrides", 0x202a, 0x202e],
  ["word joiner and invisible operators (zero-width)", 0x2060, 0x2065],
  ["bidirectional isolates", 0x2066, 0x2069],
  ["deprecated format characters", 0x206a, 0x206f],
  ["Hangul filler (blank)", 0x3164, 0x3164],
  ["variation selectors", 0xfe00, 0xfe0f],
  ["byte order mark (zero-width no-break space)", 0xfeff, 0xfeff],
  ["half-width Hangul filler (blank)", 0xffa0, 0xffa0],
  ["unassigned specials and interlinear annotation", 0xfff0, 0xfffb],
  ["shorthand format controls", 0x1bca0, 0x1bca3],
  ["musical format controls", 0x1d173, 0x1d17a],
  ["tags and variation selectors supplement", 0xe0000, 0xe0fff],
];

const escape = (code: number): string => `\\u{${code.toString(16)}}`;
const HIDDEN_CHARACTERS = new RegExp(
  `[${HIDDEN.map(([, from, to]) => `${escape(from)}-${escape(to)}`).join("")}]+`,
  "gu",
);
const LINE_ENDS = /\r\n?|[\u0085\u2028\u2029]/g;
const STACKED_MARKS = new RegExp(`(\\p{M}{${MARKS_IN_ROW_MAX}})\\p{M}+`, "gu");

/**
 * The text without characters that are not seen: line ends become line feeds, halves of pairs U+FFFD, stacks of combining
 * marks are cut. Doing it twice changes nothing more.
 */
export function removeHidden(text: string): string {
  return text
    .toWellFormed()
    .replace(LINE_ENDS, "\n")
    .replace(HIDDEN_CHARACTERS, "")
    .replace(STACKED_MARKS, "$1");
}

/** The text with what is not seen in sight, in the escapes of JSON (`\u200b`), so that what is approved is what was read. */
export function revealHidden(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n/g, "\n")
    .replace(HIDDEN_CHARACTERS, escapeUnits)
    .replace(/[\u2028\u2029]/g, escapeUnits);
}

const escapeUnits = (text: string): string =>
  Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
    .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
    .join("");
