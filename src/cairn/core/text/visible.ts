import type { Json } from "../log/json.ts";
import { MARKS_IN_ROW_MAX } from "../limits.ts";

/**
 * Text as a person can check it: every character that leaves no mark on the screen is written as an escape of JSON (`\u200b`), and
 * a long run of blanks is counted (`\u0020{1990}`), so that nothing hides and nothing is pushed out of view.
 */

/** blanks in a row that are shown as they are: the indentation of code */
const BLANKS_IN_ROW_MAX = 24;

/** Signs that join or color an emoji change what is seen, so they are no hidden characters there. */
const IN_EMOJI = String.raw`(?<=\p{Extended_Pictographic})\ufe0f(?!\ufe0f)|(?<=[0-9#*])\ufe0f(?=\u20e3)|(?<=\p{Extended_Pictographic}\ufe0f?)\u200d(?=\p{Extended_Pictographic})`;
/**
 * Characters that draw nothing and that Unicode does not list as ignorable: blank symbols and fillers (Braille, Khitan, Egyptian,
 * musical), the object replacement character, and signs that only change their neighbor (Tifinagh, Brahmi, Duployan, SignWriting).
 */
const BLANK = String.raw`\u2800\ufffc\u2d7f\u{1107f}\u{13440}-\u{13442}\u{16fe4}\u{1bc9d}\u{1d159}\u{1da9b}-\u{1da9f}\u{1daa1}-\u{1daaf}`;
const UNSEEN = String.raw`[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}${BLANK}]`;
/** A mark is drawn upon the character before it; at the beginning, or behind a blank or an unseen one, there is none. */
const BASE = String.raw`(?!${UNSEEN})[\p{L}\p{M}\p{N}\p{P}\p{S}]`;
const IS_KEYCAP = String.raw`(?<=[0-9#*]\ufe0f)\u20e3`;
/**
 * Signs that draw nothing and put the letter behind them below the one before (Indic_Syllabic_Category=Invisible_Stacker), by
 * their script. They are seen only where they stack two letters of it.
 */
const STACKERS = {
  Myanmar: String.raw`\u1039`,
  Khmer: String.raw`\u17d2`,
  Tai_Tham: String.raw`\u1a60`,
  Sundanese: String.raw`\u1bab`,
  Meetei_Mayek: String.raw`\uaaf6`,
  Kharoshthi: String.raw`\u{10a3f}`,
  Chakma: String.raw`\u{11133}`,
  Dives_Akuru: String.raw`\u{1193e}`,
  Zanabazar_Square: String.raw`\u{11a47}`,
  Soyombo: String.raw`\u{11a99}`,
  Masaram_Gondi: String.raw`\u{11d45}`,
  Gunjala_Gondi: String.raw`\u{11d97}`,
};
/** Tulu and Kawi are too new for the scripts that some runtimes know. */
const NEW_STACKERS = String.raw`\u{113d0}\u{11f42}`;
const STACKER = `[${Object.values(STACKERS).join("")}${NEW_STACKERS}]`;
const STACKING = Object.entries(STACKERS).map(
  ([script, sign]) =>
    String.raw`(?<=\p{Script=${script}})(?<!${STACKER})${sign}(?=(?=\p{L})\p{Script=${script}})`,
);
const OTHER_BLANK = String.raw`(?! )\p{Zs}`;

const ESCAPED = new RegExp(
  [
    `(?<emoji>${IN_EMOJI})`,
    `(?<blanks> {${BLANKS_IN_ROW_MAX + 1},})`,
    // One no-break or wide blank between words is ordinary; a row of them is not.
    `(?<row>(?= {0,${BLANKS_IN_ROW_MAX}}${OTHER_BLANK})\\p{Zs}{2,}|(?<= )${OTHER_BLANK})`,
    `(?<keycap>${IS_KEYCAP})`,
    `(?<stacking>(?=${STACKER})(?:${STACKING.join("|")}))`,
    `(?<stacker>${STACKER}+)`,
    `(?<baseless>(?=\\p{M})(?<!${BASE})\\p{M}+)`,
    `(?<=(?:\\p{M}){${MARKS_IN_ROW_MAX}})(?<marks>\\p{M}+)`,
    `(?<unseen>${UNSEEN}+)`,
  ].join("|"),
  "gu",
);

/** One line of a text with nothing hidden in it. Line breaks, tabs and control characters are escapes, too. */
export function visibleLine(text: string): string {
  return text.replace(ESCAPED, (found, ...rest: unknown[]) => {
    const { emoji, keycap, stacking, blanks } = rest.at(-1) as Partial<Record<string, string>>;
    if (emoji !== undefined || keycap !== undefined || stacking !== undefined) return found;
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

/** A quote or an escape that JSON adds: a mark behind it has no base in the text itself. */
const ADDED_BY_JSON = /(?<=^"|\\(?:["\\/bfnrt]|u[0-9a-f]{4}))\p{M}+/gu;

/** A string as JSON writes it, with nothing hidden in it. */
export const visibleString = (text: string): string =>
  visibleLine(JSON.stringify(text).replace(ADDED_BY_JSON, escapeUnits));

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

function escapeUnits(text: string): string {
  const units = Array.from({ length: text.length }, (_, at) => text.charAt(at));
  return units
    .map((unit) => NAMED[unit] ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
