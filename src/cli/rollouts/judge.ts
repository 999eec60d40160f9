import type { SiteClient } from "../site/client.ts";
import { askJudge, type Judgement } from "./model-judge.ts";
import type { Question } from "./questions.ts";
import type { Done } from "./rows.ts";
import { normalize } from "../../cairn/core/log/normalize.ts";

/** The judge that `--judge` names: by the words of the answer, by the whole answer, or a model. */
export type Judge = (question: Question, row: Done, signal: AbortSignal) => Promise<Judgement>;

export const isOfModel = (judge: string): boolean => judge !== "words" && judge !== "exact";

export function judgeNamed(name: string, client: SiteClient): Judge {
  return async ({ question, answer }, { prediction }, signal) => {
    if (answer === null) return { correct: null, why: null };
    if (isOfModel(name)) return askJudge(client, name, { question, answer, prediction }, signal);
    const isSame = name === "exact" ? isExact : isRight;
    return { correct: isSame(prediction, answer), why: null };
  };
}

/** True for a row that a model has judged already. A row that it could not judge is judged again. */
export const isJudgedBy = (name: string, { judge, correct }: Done): boolean =>
  isOfModel(name) && judge === name && typeof correct === "boolean";

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
