import { normalize } from "../log/normalize.ts";

/**
 * A text as sentences for matching patterns: accents and case folded, quoted words and code masked, markdown removed.
 * Quoted text is content, so no pattern of the guards may read it as the model's own words.
 */

export interface Sentence {
  /** folded, in lower case; each quotation and code span is one `MASK` */
  readonly text: string;
  /** the same with its capitals, of equal length */
  readonly cased: string;
  /** folded and in lower case, with the masked text restored */
  readonly full: string;
  readonly item: boolean;
  readonly heading: boolean;
  /** line number */
  readonly line: number;
}

export const MASK = "§";

/**
 * Letters and digits of folded text, as the inside of a character class: by the blocks that hold letters, because a class
 * of Unicode properties costs a cold start half a millisecond for each pattern that has one.
 */
export const LETTERS =
  "a-z0-9\\u00df-\\u024f\\u0370-\\u1fff\\u2c00-\\u2dff\\u3040-\\ud7ff\\uf900-\\ufdff\\uff66-\\uffdc";

const FENCE = /^\s*(?:```|~~~)/u;
const RULE = /^\s*(?:-{3,}|\*{3,}|_{3,})\s*$/u;
const QUOTED =
  /`[^`\n]{1,300}`|"[^"\n]{1,300}"|“[^“”\n]{1,300}”|„[^“”\n]{1,300}[“”]|«[^«»\n]{1,300}»|»[^«»\n]{1,300}«|‘[^‘’\n]{1,100}’(?!\p{L})|(?<=^|[\s(])'[^'\n]{1,100}'(?=[\s.,;:!?)]|$)/gu;
const LINK = /!?\[([^\]\n]{1,200})\]\([^)\s]{1,500}\)/gu;
const ABBREVIATION =
  /\b(?:e\.g|i\.e|z\. ?b|d\. ?h|u\. ?a|p\. ?ex|p\. ?ej|etc|bzw|vs|nr|approx|ca|mr|mrs|dr)\./giu;
// While the text is split into sentences, a quotation is one character of the private use area.
const PRIVATE = 0xe000;
const PRIVATE_COUNT = 6_000;

/** Folds compatibility forms, accents and typographic apostrophes; preserves case. */
function foldMarks(text: string): string {
  const folded = normalize(text, "NFKC")
    .replaceAll(/[’‘ʼ]/gu, "'")
    .replaceAll("ß", "ss")
    .replaceAll("œ", "oe")
    .replaceAll("Œ", "OE")
    .replaceAll("ł", "l")
    .replaceAll("Ł", "L")
    .replaceAll("æ", "ae");
  return normalize(folded, "NFD").replaceAll(/\p{M}/gu, "");
}

export const fold = rememberLast((text) => foldMarks(text).toLowerCase());

/** The sentences in order. Code blocks and quoted lines hold none. */
export const sentencesOf = rememberLast((text): readonly Sentence[] => {
  const quotes: string[] = [];
  const clean = text.replaceAll(/[\uE000-\uF8FF]/gu, " ").replaceAll(LINK, "“$1”");
  const masked = clean.replaceAll(QUOTED, (quoted) => {
    if (quotes.length >= PRIVATE_COUNT) return quoted;
    quotes.push(quoted.slice(1, -1));
    return String.fromCharCode(PRIVATE + quotes.length - 1);
  });
  const sentences: Sentence[] = [];
  const lines = masked.split(/\r?\n/u);
  const [first, second] = lines.flatMap((raw, line) => (RULE.test(raw) ? [line] : []));
  let inFence = false;
  for (const [line, raw] of lines.entries()) {
    // Text between two rules is displayed content, such as a letter.
    if (first !== undefined && second !== undefined && line >= first && line <= second) continue;
    if (FENCE.test(raw)) {
      inFence = !inFence;
      continue;
    }
    if (inFence || /^\s*>/u.test(raw)) continue;
    const { body, item, heading } = readLine(raw);
    for (const part of splitLine(body)) sentences.push({ ...render(part, quotes), item, heading, line });
  }
  return sentences;
});

function readLine(raw: string): {
  readonly body: string;
  readonly item: boolean;
  readonly heading: boolean;
} {
  const mark = /^\s*(?:(?<item>[-*+•–]|\d{1,3}[.)])\s+|(?<heading>#{1,6})\s+)/u.exec(raw);
  const body = raw
    .slice(mark?.[0].length ?? 0)
    .replaceAll(/\[ \](?=\s)/gu, " not done: ")
    .replaceAll(/\[x\](?=\s)/giu, " ")
    .replaceAll(/[❌✗✘]\uFE0F?/gu, " failed: ")
    .replaceAll(/\*\*|__|~~|[✅✔☑🎉🚀👍]\uFE0F?/gu, " ");
  const { item, heading } = mark?.groups ?? {};
  return {
    body,
    item: item !== undefined || raw.trimStart().startsWith("|"),
    heading: heading !== undefined,
  };
}

function splitLine(body: string): readonly string[] {
  return body
    .replaceAll(ABBREVIATION, (short) => short.replaceAll(".", ""))
    .split(/(?<=[.!?…][)\]]{0,8})\s+|(?<=[。！？])/u)
    .flatMap((part) => stretchesOf(part.replaceAll(/\s+/gu, " ").trim()))
    .map((part) => part.trim())
    .filter((part) => /[\p{L}\p{N}\uE000-\uF8FF]/u.test(part));
}

function render(part: string, quotes: readonly string[]): Pick<Sentence, "text" | "cased" | "full"> {
  const masks = /[\uE000-\uF8FF]/gu;
  const cased = foldMarks(part.replaceAll(masks, MASK));
  const full = fold(part.replaceAll(masks, (mark) => ` ${quotes[mark.charCodeAt(0) - PRIVATE] ?? ""} `));
  return { cased, text: cased.toLowerCase(), full };
}

/**
 * A pattern may look around each position, so its time grows with the square of the text. Patterns are therefore
 * matched against pieces of this many characters, which no sentence of a person exceeds.
 */
const STRETCH_CHARS_MAX = 1_000;

/** The text in stretches that are cut at a line end where there is one, else at a blank. Joined they are the text. */
export function stretchesOf(text: string): readonly string[] {
  if (text.length <= STRETCH_CHARS_MAX) return [text];
  const stretches: string[] = [];
  for (let from = 0; from < text.length;) {
    const rest = text.slice(from, from + STRETCH_CHARS_MAX);
    const isLast = from + rest.length >= text.length;
    const lineEnd = rest.lastIndexOf("\n");
    const end = lineEnd < 0 ? rest.lastIndexOf(" ") : lineEnd;
    const stretch = isLast || end < 0 ? rest : rest.slice(0, end + 1);
    stretches.push(stretch);
    from += stretch.length;
  }
  return stretches;
}

/** Words of a text, folded: letters and digits. */
export function lowerCaseWords(text: string): readonly string[] {
  return fold(text).match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** the checks of one review read the answer and the request, each many times */
const TEXTS_CACHED = 8;

/** Caches a pure function of a text for the last few texts. Callers must not change its results. */
export function rememberLast<Answer>(read: (text: string) => Answer): (text: string) => Answer {
  const answers = new Map<string, Answer>();
  return (text) => {
    const known = answers.get(text);
    if (known !== undefined) return known;
    const answer = read(text);
    const [oldest] = answers.keys();
    if (answers.size >= TEXTS_CACHED && oldest !== undefined) answers.delete(oldest);
    answers.set(text, answer);
    return answer;
  };
}
