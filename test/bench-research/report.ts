import { KINDS, type Question } from "./format.ts";
import type { Grade } from "./run/grade.ts";
import type { Mind } from "./run/mind.ts";
import { tableOf } from "../bench-cms/report.ts";

/** Result of every question: one table row per kind. */

export interface Score {
  readonly question: Question;
  /** by the path that is written down */
  readonly gold: Grade;
  /** of the model that had the question alone; null: none had */
  readonly own: Grade | null;
}

/** Percentage: below this, the rules of the rehearsal model have regressed. */
export const REHEARSAL_RIGHT_MIN = 80;

export function renderTable(scores: readonly Score[], mind: Exclude<Mind, "gold"> | null): string {
  const model = mind === null ? "no model" : mind === "rehearsal" ? "rehearsal model" : mind.model;
  const head = [
    "kind",
    "questions",
    "gold",
    model,
    "citations",
    "pages",
    "model calls",
    "tool calls",
    "seconds",
  ];
  const kinds = KINDS.filter((kind) => scores.some(({ question }) => question.kind === kind));
  const rows = [
    ...kinds.map((kind) =>
      rowOf(
        kind,
        scores.filter(({ question }) => question.kind === kind),
      ),
    ),
    rowOf("in all", scores),
  ];
  return tableOf(head, rows);
}

function rowOf(name: string, scores: readonly Score[]): readonly string[] {
  const own = scores.flatMap((score) => score.own ?? []);
  const mean = (of: (grade: Grade) => number): string =>
    own.length === 0 ? "–" : (own.reduce((sum, grade) => sum + of(grade), 0) / own.length).toFixed(1);
  return [
    name,
    String(scores.length),
    share(scores.map(({ gold }) => gold)),
    share(own),
    borneOut(own),
    mean((grade) => grade.pages),
    mean((grade) => grade.modelCalls),
    mean((grade) => grade.toolCalls),
    own.length === 0 ? "–" : (own.reduce((sum, grade) => sum + grade.seconds, 0) / own.length).toFixed(2),
  ];
}

/** Percentage of right answers, rounded down: only a perfect score shows 100. */
export const rightOf = (grades: readonly Grade[]): number =>
  Math.floor((100 * grades.filter(({ faults }) => faults.length === 0).length) / grades.length);

const share = (grades: readonly Grade[]): string => (grades.length === 0 ? "–" : `${rightOf(grades)} %`);

function borneOut(grades: readonly Grade[]): string {
  const cited = grades.reduce((sum, grade) => sum + grade.cited, 0);
  const good = grades.reduce((sum, grade) => sum + grade.borneOut, 0);
  return cited === 0 ? "–" : `${Math.floor((100 * good) / cited)} %`;
}
