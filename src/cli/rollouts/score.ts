import { ownValue } from "../../core/log/json.ts";
import { isRight } from "./judge.ts";
import type { Question } from "./questions.ts";
import { keyOf, type Done } from "./rows.ts";

/** What the rollouts of a file come to. One that failed stays in every denominator: it has not answered. */
export interface Score {
  readonly questions: number;
  readonly graded: number;
  readonly rollouts: number;
  /** of the graded questions, between 0 and 1; null where none is graded */
  readonly passAt1: number | null;
  /** the part of them that at least one of their n rollouts answered */
  readonly passAtN: number | null;
  readonly averageCalls: number;
  readonly averageSeconds: number;
  readonly terminations: Readonly<Record<string, number>>;
}

/** `done`: rows of the file; those of other questions, and beyond `n`, do not count. */
export function scoreOf(questions: readonly Question[], n: number, done: readonly Done[]): Score {
  const rows = new Map<string, Map<number, Done>>(questions.map(({ key }) => [key, new Map()]));
  for (const row of done) if (row.rollout <= n) rows.get(keyOf(row))?.set(row.rollout, row);
  const all = [...rows.values()].flatMap((own) => [...own.values()]);
  const rights = questions.flatMap(({ key, answer }) => {
    if (answer === null) return [];
    const own = [...(rows.get(key)?.values() ?? [])];
    return [own.filter(({ prediction }) => isRight(prediction, answer)).length];
  });
  const average = (numbers: readonly number[]): number =>
    numbers.length === 0 ? 0 : numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
  const terminations: Record<string, number> = {};
  for (const { termination } of all)
    terminations[termination] = (ownValue(terminations, termination) ?? 0) + 1;
  return {
    ...{ questions: questions.length, graded: rights.length, rollouts: all.length },
    passAt1: rights.length === 0 ? null : average(rights.map((right) => right / n)),
    passAtN: rights.length === 0 ? null : average(rights.map((right) => (right > 0 ? 1 : 0))),
    averageCalls: average(all.map((row) => row.tool_calls)),
    averageSeconds: average(all.map((row) => row.seconds)),
    terminations,
  };
}

export function scoreLines(score: Score, n: number): readonly string[] {
  const { questions, graded, rollouts, passAt1, passAtN, averageCalls, averageSeconds, terminations } = score;
  const part = (value: number): string => value.toFixed(3);
  const ends = Object.entries(terminations).map(([name, count]) => `${name} ${count}`);
  return [
    `${rollouts} rollouts of ${questions} questions.`,
    ...(passAt1 === null || passAtN === null
      ? ["No question has an answer to compare with, so nothing is graded."]
      : [
          `pass@1   ${part(passAt1)}`,
          ...(n === 1 ? [] : [`pass@${n}`.padEnd(9) + part(passAtN)]),
          `Of ${graded} questions with an answer, ${n} rollouts each; what failed counts as wrong.`,
          "Right is who says the answer of the file in the same words, whatever the case and punctuation. No model judges.",
        ]),
    `On average ${averageCalls.toFixed(1)} calls of tools and ${averageSeconds.toFixed(1)} s.`,
    `Ended: ${ends.join(", ")}.`,
  ];
}
