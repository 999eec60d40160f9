import { KINDS, type Task } from "./format.ts";
import type { Grade } from "./run/grade.ts";
import type { Mind } from "./run/mind.ts";

/** Result of every task: one table row per kind. */

export interface Score {
  readonly task: Task;
  readonly grade: Grade;
}

export function renderTable(scores: readonly Score[], mind: Mind | null): string {
  const model =
    mind === null
      ? "no model"
      : mind === "rehearsal"
        ? "rehearsal model"
        : typeof mind === "string"
          ? mind
          : mind.model;
  const head = ["kind", "tasks", "gold", "gold under deaths", "deaths", model];
  const kinds = KINDS.filter((kind) => scores.some(({ task }) => task.kind === kind));
  const rows = [
    ...kinds.map((kind) =>
      rowOf(
        kind,
        scores.filter(({ task }) => task.kind === kind),
      ),
    ),
    rowOf("in all", scores),
  ];
  return tableOf(head, rows);
}

/** Markdown: the first column is words, the others are figures. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, at) =>
    Math.max(...[head, ...rows].map((row) => (row[at] ?? title).length)),
  );
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join(" | ")} |`;
  const rule = `| ${widths.map((width, at) => (at === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`)).join(" | ")} |`;
  return [line(head), rule, ...rows.map(line)].join("\n");
}

function rowOf(kind: string, scores: readonly Score[]): readonly string[] {
  const crashes = scores.flatMap(({ grade }) => grade.crashes);
  const tried = scores.flatMap(({ grade }) => (grade.mind === null ? [] : [grade.mind]));
  return [
    kind,
    String(scores.length),
    share(scores.map(({ grade }) => grade.gold)),
    share(crashes.map(({ faults }) => faults)),
    String(crashes.reduce((sum, { deaths }) => sum + deaths, 0)),
    share(tried),
  ];
}

/** Percentage of empty fault lists, rounded down: only a perfect score shows 100 %. */
function share(faults: readonly (readonly string[])[]): string {
  if (faults.length === 0) return "–";
  const good = faults.filter((one) => one.length === 0).length;
  return `${Math.floor((100 * good) / faults.length)} %`;
}
