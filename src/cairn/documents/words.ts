import { normalize } from "../core/log/normalize.ts";

/** Which part of a text is about what is asked: the ranking of search engines (BM25), over parts of one text. */

/** usual values of Okapi BM25: how soon a repeated word counts no more, and how much a long part is held back */
const K1 = 1.2;
const B = 0.75;

/** Returns letters and digits in lower case; characters of scripts without blanks are separate words. */
export function searchWords(text: string): string[] {
  return (
    normalize(text, "NFKC")
      .toLowerCase()
      .match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}]+/gu) ?? []
  );
}

/** Words without topical meaning, ignored if others are present. */
const COMMON = new Set(
  (
    "a an and are as at be been by can did do does for from had has have how in is it its of on or that the their there this " +
    "to was were what when where which who why will with der die das ein eine und oder ist sind im in von zu mit für auf wie " +
    "was wer wann wo den dem des"
  ).split(" "),
);

/** The places of the parts, the best first; parts with none of the words are left out. */
export function rank(parts: readonly string[], goal: string): number[] {
  const goalWords = [...new Set(searchWords(goal))];
  const wanted = goalWords.filter((word) => !COMMON.has(word));
  const words = wanted.length > 0 ? wanted : goalWords;
  const bags = parts.map((part) => {
    const counts = new Map<string, number>();
    const all = searchWords(part);
    for (const word of all) counts.set(word, (counts.get(word) ?? 0) + 1);
    return { counts, length: all.length };
  });
  const mean = bags.reduce((sum, bag) => sum + bag.length, 0) / Math.max(1, bags.length);
  const weights = words.map((word) => {
    const having = bags.filter(({ counts }) => counts.has(word)).length;
    return { word, idf: Math.log(1 + (bags.length - having + 0.5) / (having + 0.5)) };
  });
  return bags
    .map(({ counts, length }, place) => {
      const score = weights.reduce((sum, { word, idf }) => {
        const count = counts.get(word) ?? 0;
        return sum + (idf * count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / Math.max(1, mean)));
      }, 0);
      return { place, score };
    })
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || one.place - other.place)
    .map(({ place }) => place);
}
