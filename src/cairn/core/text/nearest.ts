import { isOneEditApart } from "./one-edit.ts";
import { normalize } from "../log/normalize.ts";

/** suggestions in one error */
export const NEAREST_MAX = 3;
/** a suggestion is at least this like what was asked for */
export const LIKENESS_MIN = 0.35;

const PLAIN = /^[ -~]*$/;

/** The text as it is compared: without case, marks and punctuation. */
export function normalised(value: string): string {
  // Thousands of names are compared with one, and most of them have no marks.
  if (PLAIN.test(value))
    return value
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, " ")
      .trim();
  return normalize(value, "NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** Likeness of texts to one text from 0 to 1: twice the shared trigrams over all of them (Dice 1945). */
export function likenessTo(wanted: string): (text: string) => number {
  /** index of each trigram in `counts`, which holds how often it is wanted */
  const indexes = new Map<number, number>();
  const counts: number[] = [];
  const wantedGrams = trigrams(wanted, (gram) => {
    const index = indexes.get(gram) ?? counts.length;
    indexes.set(gram, index);
    counts[index] = (counts[index] ?? 0) + 1;
  });
  return (text) => {
    const left = [...counts];
    let shared = 0;
    const found = trigrams(text, (gram) => {
      const index = indexes.get(gram);
      const more = index === undefined ? 0 : (left[index] ?? 0);
      if (index === undefined || more === 0) return;
      left[index] = more - 1;
      shared += 1;
    });
    const total = wantedGrams + found;
    return total === 0 ? 0 : (2 * shared) / total;
  };
}

/** likeness of texts whose words are equal but for one typing mistake in a word */
const MISTYPED = 0.95;

/** The nearest of some words, best first: at most three, none below a likeness of 0.35. */
export function nearestWords(wanted: string, words: readonly string[]): string[] {
  const likeness = likenessTo(wanted);
  const wantedWords = normalised(wanted.slice(0, MISTYPED_CHARS_MAX)).split(" ");
  return words
    .map((word) => ({
      word,
      likeness: isMistyped(wantedWords, word) ? Math.max(MISTYPED, likeness(word)) : likeness(word),
    }))
    .filter((one) => one.likeness >= LIKENESS_MIN)
    .sort((a, b) => b.likeness - a.likeness || (a.word < b.word ? -1 : 1))
    .slice(0, NEAREST_MAX)
    .map((one) => one.word);
}

const MISTYPED_CHARS_MAX = 200;

/** True if the text has the same words, of which each may have one typing mistake and at least one has. */
function isMistyped(wantedWords: readonly string[], text: string): boolean {
  if (text.length > MISTYPED_CHARS_MAX) return false;
  const words = normalised(text).split(" ");
  return (
    words.length === wantedWords.length &&
    words.some((word, at) => word !== wantedWords[at]) &&
    words.every((word, at) => word === wantedWords[at] || isOneEditApart(word, wantedWords[at] ?? ""))
  );
}

/** Each three neighbours of the text, as one number, and how many there are. Numbers, because thousands of names are read. */
function trigrams(value: string, take: (gram: number) => void): number {
  const text = normalised(value);
  if (text === "") return 0;
  const padded = `  ${text} `;
  for (let i = 2; i < padded.length; i++)
    take(
      (padded.charCodeAt(i - 2) * 0x1_00_00 + padded.charCodeAt(i - 1)) * 0x1_00_00 + padded.charCodeAt(i),
    );
  return padded.length - 2;
}
