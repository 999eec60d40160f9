/** suggestions in one error */
export const NEAREST_MAX = 3;
/** a suggestion is at least this like what was asked for */
export const LIKENESS_MIN = 0.35;

/** The text as it is compared: without case, marks and punctuation. */
export function normalised(value: string): string {
  return value
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** Likeness of two texts from 0 to 1: twice the shared trigrams over all of them (Dice 1945). */
export function dice(a: string, b: string): number {
  const left = trigrams(a);
  const right = trigrams(b);
  let shared = 0;
  let total = 0;
  for (const [gram, count] of left) shared += Math.min(count, right.get(gram) ?? 0);
  for (const grams of [left, right]) for (const count of grams.values()) total += count;
  return total === 0 ? 0 : (2 * shared) / total;
}

/** The nearest of some words, best first: at most three, none below a likeness of 0.35. */
export function nearestWords(wanted: string, words: readonly string[]): string[] {
  return words
    .map((word) => ({ word, likeness: dice(wanted, word) }))
    .filter((one) => one.likeness >= LIKENESS_MIN)
    .sort((a, b) => b.likeness - a.likeness || (a.word < b.word ? -1 : 1))
    .slice(0, NEAREST_MAX)
    .map((one) => one.word);
}

function trigrams(value: string): Map<string, number> {
  const text = normalised(value);
  const grams = new Map<string, number>();
  if (text === "") return grams;
  const padded = `  ${text} `;
  for (let i = 0; i + 3 <= padded.length; i++) {
    const gram = padded.slice(i, i + 3);
    grams.set(gram, (grams.get(gram) ?? 0) + 1);
  }
  return grams;
}
