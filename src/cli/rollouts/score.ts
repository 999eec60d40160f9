import { ownValue } from "../../cairn/core/log/json.ts";
import type { Question } from "./questions.ts";
import { keyOf, type Done } from "./rows.ts";

/** Score of a file's rollouts. A failed rollout counts in every denominator, because it has not answered. */
export interface Score {
  readonly questions: number;
  readonly graded: number;
  readonly rollouts: number;
  /** of the graded questions, between 0 and 1; null where none is graded */
  readonly passAt1: number | null;
  /** the part of them that at least one of their n rollouts answered */
  readonly passAtN: number | null;
  /** graded rollouts that the judge could not decide */
  readonly unjudged: number;
  readonly averageCalls: number;
  readonly averageSeconds: number;
  readonly terminations: Readonly<Record<string, number>>;
}

/** The rows of the file that count: those of its questions, and of the first `n` rollouts of each. */
export function countedRows(
  questions: readonly Question[],
  n: number,
  done: readonly Done[],
): ReadonlyMap<string, ReadonlyMap<number, Done>> {
  const rows = new Map<string, Map<number, Done>>(questions.map(({ key }) => [key, new Map()]));
  for (const row of done) if (row.rollout <= n) rows.get(keyOf(row))?.set(row.rollout, row);
  return rows;
}

/** `done`: rows of the file, each as it was judged. */
export function scoreOf(questions: readonly Question[], n: number, done: readonly Done[]): Score {
  const rows = countedRows(questions, n, done);
  const all = [...rows.values()].flatMap((own) => [...own.values()]);
  const rights = questions.flatMap(({ key, answer }) => {
    if (answer === null) return [];
    const own = [...(rows.get(key)?.values() ?? [])];
    return [own.filter(({ correct }) => correct === true).length];
  });
  const graded = questions.filter(({ answer }) => answer !== null);
  const unjudged = graded.flatMap(({ key }) =>
    [...(rows.get(key)?.values() ?? [])].filter(isUnjudged),
  ).length;
  const average = (numbers: readonly number[]): number =>
    numbers.length === 0 ? 0 : numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
  const terminations: Record<string, number> = {};
  for (const { termination } of all)
    terminations[termination] = (ownValue(terminations, termination) ?? 0) + 1;
  return {
    questions: questions.length,
    graded: rights.length,
    rollouts: all.length,
    unjudged,
    passAt1: rights.length === 0 ? null : average(rights.map((right) => right / n)),
    passAtN: rights.length === 0 ? null : average(rights.map((right) => (right > 0 ? 1 : 0))),
    averageCalls: average(all.map((row) => row.tool_calls)),
    averageSeconds: average(all.map((row) => row.seconds)),
    terminations,
  };
}

const isUnjudged = ({ correct }: Done): boolean => correct == null;

/** How `--judge` decides, for the reader of the score. */
function judgeLine(judge: string): string {
  if (judge === "words")
    return "Right is who says the answer of the file in the same words, whatever the case and punctuation. No model judges.";
  if (judge === "exact")
    return "Right is who says the answer of the file and nothing else, whatever the case and punctuation. No model judges.";
  return `${judge} judges each of them by the answer of the file.`;
}

export function scoreLines(score: Score, n: number, judge: string): readonly string[] {
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
          judgeLine(judge),
          ...(score.unjudged === 0 ? [] : [`${score.unjudged} could not be judged, and count as wrong.`]),
        ]),
    `On average ${averageCalls.toFixed(1)} calls of tools and ${averageSeconds.toFixed(1)} s.`,
    `Ended: ${ends.join(", ")}.`,
  ];
}
