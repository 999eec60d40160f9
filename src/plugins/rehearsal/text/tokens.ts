import { normalize } from "../../../cairn/core/log/normalize.ts";

/** A piece of a message, with its position, so that names and values are taken as they were written. */
export interface Token {
  readonly kind: "word" | "quote" | "path" | "comma" | "colon" | "stop";
  /** as written; a quote without its marks; a path without its leading slash */
  readonly text: string;
  /** lower case, with a straight apostrophe and without a possessive `'s`; empty for a quote */
  readonly lower: string;
  readonly start: number;
  readonly end: number;
}

/** The words of a name, for comparing: without accents, in lower case, split at everything that is not part of a word. */
export function foldWords(text: string): string[] {
  return (
    normalize(text, "NFKD")
      // Only the marks of European letters: elsewhere a mark distinguishes two words.
      .replace(/[\u0300-\u036f]/gu, "")
      .toLowerCase()
      .split(/[^\p{L}\p{N}\p{M}]+/u)
      .filter((word) => word !== "")
  );
}

export const folded = (text: string): string => foldWords(text).join(" ");

/** The slug that the CMS would make of a name; empty where no letter is ASCII. */
export function slugify(name: string): string {
  return foldWords(name)
    .map((word) => word.replace(/[^a-z0-9]/gu, ""))
    .filter((word) => word !== "")
    .join("-")
    .slice(0, 64)
    .replace(/-+$/u, "");
}

export const wordSet = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/u));

/** Opening mark → closing marks. A straight single quote and an apostrophe look alike; their position decides. */
const QUOTES = new Map(
  ['""', "''", "``", "“”", "„“”", "‘’", "«»", "»«", "「」", "『』"].map((own) => [own[0], own.slice(1)]),
);
const QUOTE_CHARS_MAX = 2_000;
const LETTER = /[\p{L}\p{N}\p{M}]/u;
const WORD = /[\p{L}\p{N}\p{M}](?:[\p{L}\p{N}\p{M}]|['’_\-.@&+/](?=[\p{L}\p{N}\p{M}]))*/uy;
const PATH = /\/[\p{L}\p{N}][\p{L}\p{N}\-_/]*/uy;
/** A bullet or a number at the start of a line is layout, not a word. */
const BULLET = /^[ \t]{0,20}(?:[-*•–]|\d{1,2}[.)])[ \t]/gmu;

/** Splits a message into words, quotes, paths and punctuation. Any other character is a word that no form expects. */
export function tokenize(message: string): Token[] {
  const tokens: Token[] = [];
  const text = message.replace(BULLET, (bullet) => " ".repeat(bullet.length));
  for (let at = 0; at < text.length;) {
    const token = readQuote(text, at) ?? readWord(text, at) ?? readMark(text, at);
    if (token !== null) tokens.push(token);
    at = token?.end ?? at + 1;
  }
  return tokens;
}

function readQuote(message: string, at: number): Token | null {
  const close = QUOTES.get(message.charAt(at));
  if (close === undefined || (at > 0 && LETTER.test(message.charAt(at - 1)))) return null;
  for (let end = at + 1; end < message.length && end - at <= QUOTE_CHARS_MAX; end += 1) {
    const mark = message.charAt(end);
    if (mark === "\n" && close !== "”") return null;
    if (!close.includes(mark) || (mark === "'" && LETTER.test(message.charAt(end + 1)))) continue;
    const text = message.slice(at + 1, end).trim();
    return text === "" ? null : { kind: "quote", text, lower: "", start: at, end: end + 1 };
  }
  return null;
}

/** Here `'s` is a verb or a pronoun, not a possessive. */
const SHORTENED = wordSet("let's it's that's what's where's who's there's");

function readWord(message: string, at: number): Token | null {
  PATH.lastIndex = at;
  const path = PATH.exec(message);
  if (path !== null) {
    const text = path[0].replace(/^\/(?:site\/)?/u, "").replace(/\/+$/u, "");
    return { kind: "path", text, lower: text.toLowerCase(), start: at, end: at + path[0].length };
  }
  WORD.lastIndex = at;
  const word = WORD.exec(message);
  if (word === null) return null;
  const text = word[0];
  const plain = text.toLowerCase().replaceAll("’", "'");
  const lower = SHORTENED.has(plain) ? plain : plain.replace(/'s$/u, "");
  return { kind: "word", text, lower, start: at, end: at + text.length };
}

function readMark(message: string, at: number): Token | null {
  const mark = message.charAt(at);
  const token = { text: mark, start: at, end: at + 1 };
  if ("\n.;!?。！？".includes(mark)) return { kind: "stop", lower: mark, ...token };
  if (/\s/u.test(mark)) return null;
  if (",()、，—–-".includes(mark)) return { kind: "comma", lower: ",", ...token };
  return { kind: mark === ":" ? "colon" : "word", lower: mark === "&" ? "and" : mark, ...token };
}
