import type { Json } from "../log/json.ts";
import { MARKS_IN_ROW_MAX } from "../limits.ts";

/**
 * Text as a person can check it: every character that leaves no mark on the screen is written as an escape of JSON (`\u200b`), and
 * a long run of blanks is counted (`\u0020{1990}`), so that nothing hides and nothing is pushed out of view.
 */

/** blanks in a row that are shown as they are: the indentation of code */
const BLANKS_IN_ROW_MAX = 24;

/** Signs that join or color an emoji change what is seen, so they are no hidden characters there. */
const IN_EMOJI = String.raw`(?<=\p{Extended_Pictographic})\ufe0f(?!\ufe0f)|(?<=\p{Extended_Pictographic}\ufe0f?)\u200d(?=\p{Extended_Pictographic})`;
/**
 * Characters that draw nothing and that Unicode does not list as ignorable: blank symbols and fillers (Braille, Khitan, Egyptian,
 * musical), the object replacement character, and signs that only change their neighbor (Tifinagh, Brahmi, Duployan, SignWriting).
 */
const BLANK = String.raw`\u2800\ufffc\u2d7f\u{1107f}\u{13440}-\u{13442}\u{16fe4}\u{1bc9d}\u{1d159}\u{1da9b}-\u{1da9f}\u{1daa1}-\u{1daaf}`;
const UNSEEN = String.raw`[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}${BLANK}]`;
const OTHER_BLANK = String.raw`(?! )\p{Zs}`;

const ESCAPED = new RegExp(
  [
    `(?<emoji>${IN_EMOJI})`,
    `(?<blanks> {${BLANKS_IN_ROW_MAX + 1},})`,
    // One no-break or wide blank between words is ordinary; a row of them is not.
    `(?<row>(?= {0,${BLANKS_IN_ROW_MAX}}${OTHER_BLANK})\\p{Zs}{2,}|(?<= )${OTHER_BLANK})`,
    `(?<=(?:\\p{M}){${MARKS_IN_ROW_MAX}})(?<marks>\\p{M}+)`,
    `(?<unseen>${UNSEEN}+)`,
  ].join("|"),
  "gu",
);

/** One line of a text with nothing hidden in it. Line breaks, tabs and control characters are escapes, too. */
export function visibleLine(text: string): string {
  return text.replace(ESCAPED, (found, ...rest: unknown[]) => {
    const { emoji, blanks } = rest.at(-1) as Partial<Record<string, string>>;
    if (emoji !== undefined) return found;
    return blanks === undefined ? escapeUnits(found) : `\\u0020{${blanks.length}}`;
  });
}

/** A text of several lines with nothing hidden in it: line breaks and tabs stay, everything else is as in `visibleLine`. */
export const visibleText = (text: string): string =>
  text.replace(/[^\n\t]+/g, (stretch) => visibleLine(stretch));

/** A value with nothing hidden in its texts, for storing what people are shown. */
export function visibleTexts<Value>(value: Value): Value {
  return walk(value as Json) as Value;
}

/** A preview with nothing hidden in what people read. Its `basis` stays as it is: the call compares it with the stored state. */
export function visiblePreview<Shown extends { readonly basis: string | null }>(preview: Shown): Shown {
  return { ...visibleTexts(preview), basis: preview.basis };
}

function walk(value: Json): Json {
  if (typeof value === "string") return visibleText(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => walk(item));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walk(item)]));
}

/** A string as JSON writes it, with nothing hidden in it. */
export const visibleString = (text: string): string => visibleLine(JSON.stringify(text));

/** True for text whose every character is seen as it is, so that it can be shown line by line without quotes. */
export function isPlainBlock(text: string): boolean {
  return (
    text.isWellFormed() &&
    !/[ \t]$/m.test(text) &&
    !/\n{4,}/.test(text) &&
    !/^\n|\n$/.test(text) &&
    text.split("\n").every((line) => visibleLine(line) === line)
  );
}

/** Line breaks by name where JSON has one: `\n`, `\t`. */
const NAMED: Readonly<Record<string, string>> = { "\n": "\\n", "\t": "\\t", "\r": "\\r" };

const escapeUnits = (text: string): string =>
  Array.from({ length: text.length }, (_, at) => text.charAt(at))
    .map((unit) => NAMED[unit] ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
