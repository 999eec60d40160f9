/** A piece of a message, with its place in it, so that names and values can be taken as they were written. */
export interface Token {
  readonly kind: "word" | "quote" | "path" | "comma" | "colon" | "stop";
  /** as written; of a quote, what stands between the marks; of a path, without the leading slash */
  readonly text: string;
  /** lower case, with a straight apostrophe and without a possessive `'s`; empty for punctuation and quotes */
  readonly lower: string;
  readonly start: number;
  readonly end: number;
  /** stands right behind a slash that follows a word, as the second half of "News/Events" */
  readonly slashed?: true;
}

/** Opening mark → closing mark. Straight single quotes and apostrophes look alike; the place tells them apart. */
const QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  "`": "`",
  "“": "”",
  "„": "“”",
  "‘": "’",
  "«": "»",
  "»": "«",
  "「": "」",
  "『": "』",
};
const QUOTE_LENGTH_MAX = 4_000;
const LETTER = /[\p{L}\p{N}\p{M}]/u;
const WORD = /[\p{L}\p{N}\p{M}](?:[\p{L}\p{N}\p{M}]|['’_\-.@&+](?=[\p{L}\p{N}\p{M}]))*/uy;
const PATH = /\/[\p{L}\p{N}][\p{L}\p{N}\-_/]*/uy;
/** A bullet or a number at the start of a line is layout, not a word. */
const BULLET = /(?:[-*•–]|\d{1,2}[.)])[ \t]+/y;

/** Cuts a message into words, quotes, paths and punctuation. Never fails: what it does not know, it skips. */
export function tokenise(message: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let lineStart = true;
  while (at < message.length) {
    const mark = message.charAt(at);
    if (lineStart) {
      BULLET.lastIndex = at;
      const bullet = BULLET.exec(message);
      lineStart = /\s/u.test(mark);
      if (bullet !== null) {
        at += bullet[0].length;
        continue;
      }
    }
    const quote = readQuote(message, at);
    if (quote !== null) {
      tokens.push(quote);
      at = quote.end;
      continue;
    }
    const word = readWord(message, at);
    if (word !== null) {
      tokens.push(word);
      at = word.end;
      continue;
    }
    if (mark === "\n") lineStart = true;
    const kind = punctuation(mark, message.charAt(at + 1), message.charAt(at - 1));
    if (kind !== null) tokens.push({ kind, text: mark, lower: "", start: at, end: at + 1 });
    at += 1;
  }
  return tokens;
}

function readQuote(message: string, at: number): Token | null {
  const close = QUOTES[message.charAt(at)];
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
  const before = at === 0 ? " " : message.charAt(at - 1);
  PATH.lastIndex = at;
  const path = LETTER.test(before) ? null : PATH.exec(message);
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
  const slashed = before === "/" && at > 1 && LETTER.test(message.charAt(at - 2));
  return { kind: "word", text, lower, start: at, end: at + text.length, ...(slashed ? { slashed } : {}) };
}

function punctuation(mark: string, next: string, before: string): Token["kind"] | null {
  if (mark === "\n" || mark === ";" || "!?。！？".includes(mark)) return "stop";
  if (mark === ".") return next === "" || /\s|["'”’)]/u.test(next) ? "stop" : null;
  if (mark === "," || mark === "(" || mark === ")" || mark === "、" || mark === "，") return "comma";
  if ((mark === "-" || mark === "–" || mark === "—") && /\s/u.test(before) && /\s/u.test(next))
    return "comma";
  if (mark === "—") return "comma";
  return mark === ":" ? "colon" : null;
}

/** Words of a name for comparing: compatibility form, no accents, lower case, split on anything that is not of a word. */
export function foldWords(text: string): string[] {
  return (
    text
      .normalize("NFKD")
      // Only the marks of European letters: elsewhere a mark is the difference between two words.
      .replace(/[\u0300-\u036f]/gu, "")
      .toLowerCase()
      .split(/[^\p{L}\p{N}\p{M}]+/u)
      .filter((word) => word !== "")
  );
}

/** The slug that the CMS would make of a name (cms 2.2, rule 10); empty when nothing of it is ASCII. */
export function slugify(name: string): string {
  return foldWords(name)
    .map((word) => word.replace(/[^a-z0-9]/gu, ""))
    .filter((word) => word !== "")
    .join("-")
    .slice(0, 64)
    .replace(/-+$/u, "");
}

/** Likeness of two texts from 0 to 1: Dice over the pairs of neighbouring letters. */
export function likeness(a: string, b: string): number {
  const left = pairs(foldWords(a).join(" "));
  const right = pairs(foldWords(b).join(" "));
  if (left.length === 0 || right.length === 0) return a.toLowerCase() === b.toLowerCase() ? 1 : 0;
  const rest = [...right];
  let shared = 0;
  for (const pair of left) {
    const found = rest.indexOf(pair);
    if (found < 0) continue;
    rest.splice(found, 1);
    shared += 1;
  }
  return (2 * shared) / (left.length + right.length);
}

function pairs(text: string): string[] {
  return Array.from({ length: Math.max(0, text.length - 1) }, (_, index) => text.slice(index, index + 2));
}

/** The first UTF-16 units of a text, at most `max` of them; a pair of them that is one character is not torn. */
export function firstOf(text: string, max: number): string {
  const torn = /[\uD800-\uDBFF]/u.test(text.slice(0, max).slice(-1));
  return text.slice(0, torn ? max - 1 : max);
}

const SEARCH_CHARS_MAX = 200;

/** A text as the search tools take it. */
export function searchText(text: string): string {
  return firstOf(text, SEARCH_CHARS_MAX).trim();
}
