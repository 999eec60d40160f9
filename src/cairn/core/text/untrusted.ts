import { startOf } from "./cut.ts";
import { normalize } from "../log/normalize.ts";
import { FENCED_CHARS_MAX, MARKS_IN_ROW_MAX } from "../limits.ts";

/**
 * Text from outside, marked as data: `<untrusted source="p7">` … `</untrusted>`. The content contains nothing that a
 * model could read as the end of the fence, a block of the runtime or a turn of the conversation, in any spelling, and
 * no invisible character.
 *
 * Apply it last, to text that is already cut for display: a later cut would remove the end of the fence.
 *
 * The fence tells a model what is data; it cannot enforce it. What holds is that such text taints the run
 * (core/state/safety.ts).
 */

const FENCE_START = '<untrusted source="';
const CLOSE = "\n</untrusted>";
/** `<|` becomes `&lt;|`: no text grows more */
const GROWTH_MAX = 2.6;

/** Wraps a text. What this very source has wrapped already comes back as it is; everything else is wrapped. */
export function fence(text: string, source: string): string {
  if (isFenced(text, source)) return text;
  return openingTag(source) + neutralise(cut(removeHidden(text))) + CLOSE;
}

/**
 * True if the text is exactly the output of `fence` for that source: whole, and with nothing inside that could end it.
 */
export function isFenced(text: string, source: string): boolean {
  const open = openingTag(source);
  if (!text.startsWith(open) || !text.endsWith(CLOSE) || text.length < open.length + CLOSE.length)
    return false;
  const inside = text.slice(open.length, -CLOSE.length);
  if (inside.length > GROWTH_MAX * FENCED_CHARS_MAX) return false;
  return removeHidden(inside) === inside && neutralise(inside) === inside;
}

/** True for a text with a fence somewhere in it. */
export const hasFence = (text: string): boolean => text.includes(FENCE_START);

/** Returns the content of a fence, for showing it to a person or cutting it again; unfenced text unchanged. */
export function unfence(text: string): string {
  const open = /^<untrusted source="[\w.:/-]*">\n/.exec(text)?.[0];
  if (open === undefined || !text.endsWith(CLOSE)) return text;
  return text.slice(open.length, -CLOSE.length);
}

function openingTag(source: string): string {
  const named = removeHidden(source)
    .replace(/[^\w.:/-]/g, "_")
    .slice(0, 64);
  return `${FENCE_START}${named}">\n`;
}

function cut(text: string): string {
  if (text.length <= FENCED_CHARS_MAX) return text;
  return `${startOf(text, FENCED_CHARS_MAX)}\n[cut here: the text had ${text.length} characters]`;
}

/** A sign that is read as the beginning of a tag: itself, its look-alikes, and how HTML, JSON, URLs and code write it. */
const SIGN = String.raw`[<＜﹤‹〈《⟨⟪«≺≪ᐸ❮❰⧼˂]|&(?:amp;)*(?:lt|#0*60|#x0*3c);?|\\{1,4}(?:u003c|u\{0*3c\}|x3c)|%(?:25)*3c`;
const OPENER = new RegExp(SIGN, "giu");

/** Characters allowed between the sign and the name: blanks, strokes, points, further signs. */
const BETWEEN = new RegExp(
  String.raw`^(?:\s+|${SIGN}|&(?:amp;)*(?:gt|sol|nbsp);?|%(?:25)*(?:2f|20)|\\{1,4}u00(?:2f|5c|20)|[^\p{L}\p{N}|｜]){0,64}`,
  "iu",
);
const BETWEEN_CHARS_MAX = 512;

const NAMES = ["untrusted", "cairn"];
const NAME_CHARS_MAX = 48;

/** The safe form. It is left alone when it is found again, so that doing this twice changes nothing more. */
const ESCAPED = "&lt;";

function neutralise(text: string): string {
  return text.replace(OPENER, (sign: string, index: number) =>
    sign !== ESCAPED && opensTag(text, index + sign.length) ? ESCAPED : sign,
  );
}

/** The text without hidden characters, and with nothing in it that a model could read as a mark of the runtime. */
export const escapeMarkers = (text: string): string => neutralise(removeHidden(text));

/**
 * Text from outside on one line, as a JSON string: without hidden characters, and unable to end the line, the block around
 * it or a fence. For names and short values in a block of the runtime; longer text belongs in a fence.
 */
export function quoteLine(text: string): string {
  const visible = removeHidden(text);
  const safe = visible.replace(OPENER, (sign: string, index: number) =>
    sign !== "<" && opensTag(visible, index + sign.length) ? ESCAPED : sign,
  );
  return JSON.stringify(safe).replaceAll("<", "\\u003c");
}

/** True for a word that needs no quotes in a block of the runtime: no blanks, brackets or hidden characters. */
export const isPlainWord = (word: string): boolean =>
  /^[^\s<>"]+$/u.test(word) && quoteLine(word) === JSON.stringify(word);

/** True if a reserved name follows the sign, or the bar with which chat templates mark a turn. */
function opensTag(text: string, index: number): boolean {
  const behind = text.slice(index, index + BETWEEN_CHARS_MAX + NAME_CHARS_MAX);
  if (/^[\s\p{M}]*[|｜]/u.test(behind)) return true;
  const between = BETWEEN.exec(behind)?.[0].length ?? 0;
  const word = skeleton(behind.slice(between, between + NAME_CHARS_MAX));
  return NAMES.some((name) => word.startsWith(name));
}

/** Latin letters behind their look-alikes in Greek, Cyrillic, Armenian and small capitals (Unicode TS 39, the few we need). */
const LOOK_ALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  (
    [
      ["u", "υцսᴜʋμ"],
      ["n", "пոռηɴ"],
      ["t", "тτᴛҭ†"],
      ["r", "гʀяґᴦ"],
      ["s", "ѕꜱʂ$5"],
      ["e", "еєεᴇ3℮"],
      ["d", "ԁɗᴅժ"],
      ["c", "сᴄϲ"],
      ["a", "аαᴀɑ@4"],
      ["i", "іιɪı1!"],
    ] as const
  ).flatMap(([latin, others]) => Array.from(others, (other) => [other, latin])),
);

/** Letters alone, in lower case, without marks and separators. */
function skeleton(text: string): string {
  const plain = normalize(text, "NFKD").toLowerCase();
  return Array.from(plain, (sign) => LOOK_ALIKES[sign] ?? sign)
    .join("")
    .replace(/[^a-z]/g, "");
}

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
  ["object replacement character", 0xfffc, 0xfffc],
  ["Brahmi number joiner", 0x1107f, 0x1107f],
  ["Egyptian blanks", 0x13440, 0x13442],
  ["Khitan filler (blank)", 0x16fe4, 0x16fe4],
  ["musical null notehead (blank)", 0x1d159, 0x1d159],
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
