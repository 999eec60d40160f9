import { normalize } from "../../cairn/core/log/normalize.ts";

/** Reading of plain text. */

/** Words of a name for comparing: compatibility form, no accents, lower case, split on anything that is not of a word. */
export function foldWords(text: string): string[] {
  return (
    normalize(text, "NFKD")
      // Only the marks of European letters: elsewhere a mark is the difference between two words.
      .replace(/[\u0300-\u036f]/gu, "")
      .toLowerCase()
      .split(/[^\p{L}\p{N}\p{M}]+/u)
      .filter((word) => word !== "")
  );
}

/** The slug that the CMS would make of a name; empty when nothing of it is ASCII. */
export function slugify(name: string): string {
  return foldWords(name)
    .map((word) => word.replace(/[^a-z0-9]/gu, ""))
    .filter((word) => word !== "")
    .join("-")
    .slice(0, 64)
    .replace(/-+$/u, "");
}

/** A piece of a message, with its place in it, so that names and values can be taken as they were written. */
export interface Token {
  readonly kind: "word" | "quote" | "path" | "comma" | "colon" | "stop";
  /** as written; of a quote, what stands between the marks; of a path, without the leading slash */
  readonly text: string;
  /** lower case, with a straight apostrophe and without a possessive `'s`; of punctuation the mark, of a quote empty */
  readonly lower: string;
  readonly start: number;
  readonly end: number;
}

/** Opening mark → closing mark. Straight single quotes and apostrophes look alike; the place tells them apart. */
const QUOTES = new Map(
  ['""', "''", "``", "“”", "„“”", "‘’", "«»", "»«", "「」", "『』"].map((own) => [own[0], own.slice(1)]),
);
const QUOTE_LENGTH_MAX = 2_000;
/** A quotation mark that nothing closes, and the mark of a quoted line: no shape knows it, so nobody takes what follows for a wish. */
const STRAY = /["`“„«»「『>]/u;
const LETTER = /[\p{L}\p{N}\p{M}]/u;
const WORD = /[\p{L}\p{N}\p{M}](?:[\p{L}\p{N}\p{M}]|['’_\-.@&+/](?=[\p{L}\p{N}\p{M}]))*/uy;
const PATH = /\/[\p{L}\p{N}][\p{L}\p{N}\-_/]*/uy;
/** A bullet or a number at the start of a line is layout, not a word. */
const BULLET = /^[ \t]{0,20}(?:[-*•–]|\d{1,2}[.)])[ \t]/gmu;

/** Cuts a message into words, quotes, paths and punctuation. Never fails: what it does not know, it skips. */
export function tokenise(message: string): Token[] {
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
  for (let end = at + 1; end < message.length && end - at <= QUOTE_LENGTH_MAX; end += 1) {
    const mark = message.charAt(end);
    if (mark === "\n" && close !== "”") return null;
    if (!close.includes(mark) || (mark === "'" && LETTER.test(message.charAt(end + 1)))) continue;
    const text = message.slice(at + 1, end).trim();
    if (text === "") return null;
    return { kind: "quote", text, lower: "", start: at, end: end + 1 };
  }
  return null;
}

/** Here the `'s` is a verb or a pronoun, not a possessive. */
const SHORTENED = new Set(["let's", "it's", "that's", "what's", "where's", "who's", "there's"]);

function readWord(message: string, at: number): Token | null {
  PATH.lastIndex = at;
  const path = PATH.exec(message);
  if (path !== null) {
    const text = path[0].replace(/^\/(?:site\/)?/u, "").replace(/\/+$/u, "");
    return { kind: "path", text, lower: text.toLowerCase(), start: at, end: at + path[0].length };
  }
  if (message.charAt(at) === "&") return { kind: "word", text: "&", lower: "and", start: at, end: at + 1 };
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
  const [next, before] = [message.charAt(at + 1), message.charAt(at - 1)];
  const isEnd = "\n;!?。！？".includes(mark) || (mark === "." && /^$|[\s"'”’)]/u.test(next));
  const isDash = /[-–]/u.test(mark) && /\s/u.test(before) && /\s/u.test(next);
  const isComma = ",()、，—".includes(mark) || isDash;
  const token = { text: mark, start: at, end: at + 1 };
  if (STRAY.test(mark)) return { kind: "word", lower: mark, ...token };
  if (mark === ":") return { kind: "colon", lower: ":", ...token };
  return isEnd || isComma ? { kind: isEnd ? "stop" : "comma", lower: ",", ...token } : null;
}

/** Words as they are listed. */
export const set = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/u));

/** Words that change what the words beside them ask for. No name, value or search holds one unless it is in quotes. */
export const TURNING = set(`
  not don't dont doesn't didn't isn't won't can't cannot shouldn't wouldn't never no nope without but except excepting excluding
  besides unless if when whenever once until till while before after unlike instead rather only just wait actually sorry scratch
  cancel forget nevermind stop abort ignore disregard kidding joking mean meant tomorrow tonight later monday tuesday wednesday
  thursday friday saturday sunday week month noon midnight maybe perhaps might or either neither nor otherwise else almost unsure
  correction hold leave keep untouched unchanged already yet
  nicht kein keine keinen keiner nie niemals ohne aber außer ausser wenn falls sobald bis bevor nachdem statt stattdessen
  anstatt sondern nur warte doch halt stopp morgen später oder vielleicht erst lieber eigentlich noch sonst`);

/** Words that begin a wish. A part that is not understood and begins so stands for itself; any other may change its neighbours. */
export const VERBS = set(`
  create make build add put insert include set publish unpublish release remove delete erase drop move hide show unhide rename
  call name change update edit replace swap use list tell find search look duplicate copy clone undo revert link give take get
  send email mail write translate check remember post tweet share design generate order book buy explain describe order invite
  read open summarise summarize switch turn activate deactivate enable disable install deploy export import optimize optimise improve compress resize crop paint draw style
  erstelle erstell mach mache lege baue füge setze setz nimm lösche lösch entferne veröffentliche benenne nenne ändere änder
  schalte aktiviere deaktiviere füge ergänze zeige zeig liste verschiebe verstecke schicke sende schreibe schreib übersetze suche kopiere`);

const ORDINALS = new Map(Object.entries({ first: 1, second: 2, third: 3, fourth: 4, fifth: 5, last: -1 }));
/** The place that an ordinal names: from 1, or from the end below 0. */
export const ordinalOf = (word: string): number | null => ORDINALS.get(word) ?? null;
