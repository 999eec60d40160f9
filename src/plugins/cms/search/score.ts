import { isOneEditApart } from "../../../cairn/core/text/one-edit.ts";
import { normalize } from "../../../cairn/core/log/normalize.ts";

/**
 * Words, scores and bands of the site search. Pure: a candidate's score is arithmetic over its text, because bm25
 * shrinks to about -1e-6 in a small corpus and would mean nothing to a reader.
 */

export type Band = "strong" | "good" | "weak";
export type Match = "exact" | "text" | "fuzzy" | "semantic";

const SEARCH_TOKENS_MAX = 8;
/** candidates that one statement may return: of the hits of its words, the newest */
export const SEARCH_CANDIDATES_MAX = 50;
/** a query of so many words is also answered by what has all of them but one */
export const SEARCH_MOST_TOKENS_MIN = 3;
/** rows that the fuzzy and the substring search may look at */
export const SEARCH_SCAN_ROWS_MAX = 2_000;
export const SCORE_MIN = 0.3;
const SCORE_WITHOUT_IDENTITY_MAX = 0.97;
const BODY_CHARS_MAX = 8_192;

const COMBINING_DIACRITICS = /[\u0300-\u036f]/g;
const NOT_WORD = /[^\p{L}\p{N}]+/u;
const UNSPACED_SCRIPT =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/**
 * Lower case without diacritics. Only the Latin, Greek and Cyrillic block of marks is stripped, and the rest is composed
 * again, because that is what `unicode61 remove_diacritics 2` does to the index: Hangul and Devanagari must survive.
 */
export function normalise(text: string): string {
  const bare = normalize(text, "NFKD")
    .replace(COMBINING_DIACRITICS, "")
    .toLowerCase()
    .replace(COMBINING_DIACRITICS, "");
  return normalize(bare, "NFC");
}

/** The words of a text, normalised, in order. */
export function splitWords(text: string): readonly string[] {
  return normalise(text)
    .split(NOT_WORD)
    .filter((word) => word !== "");
}

/** Search tokens: distinct words, without one-letter ones if others exist, at most eight. */
export function tokensOf(query: string): readonly string[] {
  const words = [...new Set(splitWords(query))];
  const long = words.filter((word) => [...word].length > 1);
  return (long.length > 0 ? long : words).slice(0, SEARCH_TOKENS_MAX);
}

/** True if spaces do not separate the words, so that a word index finds only the beginning of a run. */
export function isUnspaced(query: string): boolean {
  return UNSPACED_SCRIPT.test(query);
}

export interface Candidate {
  readonly id: string;
  readonly title: string;
  readonly slug: string;
  readonly body: string;
}

interface Worth {
  readonly score: number;
  /** decides between two with one score: how much of the text was asked for, and 1 where a name begins with the query */
  readonly closeness: number;
}

/**
 * How well a candidate answers a query, 0 to 1, higher is better. 1 only when the whole query is its title, slug or id;
 * else the mean over the tokens of the best hit: title or slug word 1, prefix 0.85, body word 0.6, prefix 0.5.
 */
export function computeWorth(query: string, candidate: Candidate): Worth {
  const queryWords = splitWords(query);
  const tokens = tokensOf(query);
  const [title, slug] = [splitWords(candidate.title), splitWords(candidate.slug)];
  const names = [...title, ...slug];
  const body = splitWords(candidate.body.slice(0, BODY_CHARS_MAX));
  const hits = [...names, ...body].filter((word) => tokens.some((token) => word.startsWith(token)));
  const density = hits.length / Math.max(1, names.length + body.length);
  const closeness = density + (begins(title, queryWords) || begins(slug, queryWords) ? 1 : 0);
  const isIdentical =
    query.trim().toLowerCase() === candidate.id.toLowerCase() ||
    isSame(queryWords, title) ||
    isSame(queryWords, slug);
  if (isIdentical || tokens.length === 0) return { score: isIdentical ? 1 : 0, closeness };
  const sum = tokens.reduce((total, token) => total + worthOf(token, names, body), 0);
  const mean = sum / tokens.length;
  const inOrder = queryWords.length > 1 && contains(title, queryWords);
  const score = Math.min(
    SCORE_WITHOUT_IDENTITY_MAX,
    inOrder ? Math.max(mean, SCORE_WITHOUT_IDENTITY_MAX) : mean,
  );
  return { score, closeness };
}

/** score of a word with one typing mistake, in a name and in the text: less than any correct prefix of one */
const MISTYPED_NAME = 0.75;
const MISTYPED_TEXT = 0.4;

/**
 * The same where words of the query may have one typing mistake each: null where no word has one, so that a right word is never
 * taken for a wrong one.
 */
export function computeMistypedScore(query: string, candidate: Candidate): number | null {
  const tokens = tokensOf(query);
  const names = [...splitWords(candidate.title), ...splitWords(candidate.slug)];
  const body = splitWords(candidate.body.slice(0, MISTYPED_BODY_CHARS_MAX));
  let mistyped = false;
  const sum = tokens.reduce((total, token) => {
    const right = worthOf(token, names, body);
    // A missing blank is a mistake too: two neighbours are written as one word.
    const isMeant = (word: string, at: number, words: readonly string[]): boolean =>
      isOneEditApart(token, word) || (word !== "" && token === word + (words[at + 1] ?? " "));
    const meant = names.some(isMeant) ? MISTYPED_NAME : body.some(isMeant) ? MISTYPED_TEXT : 0;
    mistyped ||= meant > right;
    return total + Math.max(right, meant);
  }, 0);
  return mistyped ? sum / tokens.length : null;
}

const MISTYPED_BODY_CHARS_MAX = 200;

/** True if a candidate has each word of the query, or what begins with it. */
export function hasAllWords(query: string, candidate: Candidate): boolean {
  const words = [
    ...splitWords(candidate.title),
    ...splitWords(candidate.slug),
    ...splitWords(candidate.body.slice(0, BODY_CHARS_MAX)),
  ];
  return tokensOf(query).every((token) => words.some((word) => word.startsWith(token)));
}

/** The same for a query in a script without spaces: true if the text contains the whole query. */
export function computeSubstringScore(query: string, candidate: Candidate): number {
  const wanted = normalise(query.trim());
  if (wanted === "") return 0;
  const title = normalise(candidate.title);
  if (title === wanted || normalise(candidate.slug) === wanted) return 1;
  if (title.includes(wanted)) return 0.85;
  return normalise(candidate.body).includes(wanted) ? 0.5 : 0;
}

/** The band of a score, or null when it is too low to be shown. */
export function bandOf(score: number): Band | null {
  if (score >= 0.8) return "strong";
  if (score >= 0.5) return "good";
  return score >= SCORE_MIN ? "weak" : null;
}

function worthOf(token: string, names: readonly string[], body: readonly string[]): number {
  if (names.includes(token)) return 1;
  if (names.some((word) => word.startsWith(token))) return 0.85;
  if (body.includes(token)) return 0.6;
  return body.some((word) => word.startsWith(token)) ? 0.5 : 0;
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.length > 0 && a.every((word, at) => word === b[at]);
}

function begins(words: readonly string[], run: readonly string[]): boolean {
  return run.length > 0 && run.every((word, at) => words[at] === word);
}

function contains(words: readonly string[], run: readonly string[]): boolean {
  return words.some((_, start) => run.every((word, at) => words[start + at] === word));
}
