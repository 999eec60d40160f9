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
  return value
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** Likeness of texts to one text from 0 to 1: twice the shared trigrams over all of them (Dice 1945). */
export function likenessTo(wanted: string): (text: string) => number {
  const asked = new Map<string, number>();
  const grams = trigrams(wanted);
  for (const gram of grams) asked.set(gram, (asked.get(gram) ?? 0) + 1);
  return (text) => {
    const found = new Map<string, number>();
    const others = trigrams(text);
    let shared = 0;
    for (const gram of others) {
      const most = asked.get(gram);
      if (most === undefined) continue;
      const count = (found.get(gram) ?? 0) + 1;
      found.set(gram, count);
      if (count <= most) shared += 1;
    }
    const total = grams.length + others.length;
    return total === 0 ? 0 : (2 * shared) / total;
  };
}

/** The nearest of some words, best first: at most three, none below a likeness of 0.35. */
export function nearestWords(wanted: string, words: readonly string[]): string[] {
  const likeness = likenessTo(wanted);
  return words
    .map((word) => ({ word, likeness: likeness(word) }))
    .filter((one) => one.likeness >= LIKENESS_MIN)
    .sort((a, b) => b.likeness - a.likeness || (a.word < b.word ? -1 : 1))
    .slice(0, NEAREST_MAX)
    .map((one) => one.word);
}

function trigrams(value: string): string[] {
  const text = normalised(value);
  if (text === "") return [];
  const padded = `  ${text} `;
  return Array.from({ length: padded.length - 2 }, (_, i) => padded.slice(i, i + 3));
}
