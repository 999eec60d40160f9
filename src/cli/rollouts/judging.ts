import type { SiteClient } from "../site/client.ts";
import { isExact, isRight } from "./judge.ts";
import { askJudge, type Judgement } from "./model-judge.ts";
import type { Question } from "./questions.ts";
import type { Done } from "./rows.ts";

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
