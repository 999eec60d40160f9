import { normalize } from "../../cairn/core/log/normalize.ts";

/**
 * True if a prediction contains the answer of the file; no model is asked. The words of the answer must appear whole
 * and one after the other. A right answer in other words counts as wrong, and a prediction that names the answer and
 * denies it counts as right.
 */
export function isRight(prediction: string, answer: string): boolean {
  const [given, gold] = [normalizedWords(prediction), normalizedWords(answer)];
  if (gold === "") return prediction.trim() === answer.trim();
  return ` ${given} `.includes(` ${gold.replace(ARTICLE, "")} `);
}

/** True where a prediction is the answer of the file and nothing else, whatever its case, punctuation, first article and commas in numbers. */
export function isExact(prediction: string, answer: string): boolean {
  const [given, gold] = [normalizedWords(prediction), normalizedWords(answer)].map((words) =>
    words.replace(ARTICLE, ""),
  );
  return gold === "" ? prediction.trim() === answer.trim() : given === gold;
}

const ARTICLE = /^(?:a|an|the) /;
const MARK = /\[e\d+(?:\s*[,;]\s*e\d+)*\]/g;
const COMMA_OF_THOUSANDS = /(?<=\d),(?=\d{3}(?!\d))/g;
/** A number with its sign, point or colon; a word, such as `c++`; a letter of a script without blanks. */
const WORD =
  /(?<![\p{L}\p{N}])-?\d+(?:[.:\/]\d+)*|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]|[[\p{L}\p{N}\p{M}]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]]+[+#]*/gv;

/** In small letters, with a blank between them, without punctuation and the marks of evidence. */
function normalizedWords(text: string): string {
  const cleaned = normalize(text, "NFKC").replace(MARK, " ").replaceAll("−", "-");
  return (cleaned.replace(COMMA_OF_THOUSANDS, "").toLowerCase().match(WORD) ?? []).join(" ");
}
