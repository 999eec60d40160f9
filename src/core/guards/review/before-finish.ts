import type { Entry } from "../../log/entry.ts";
import { readMarker } from "../../text/markers.ts";
import type { LiveRun } from "../../state/state.ts";
import { planOf } from "../../rows/plan.ts";
import { reviewCallsOf } from "./review-calls.ts";
import { candidateOf } from "./review.ts";
import type { ReviewSubject } from "./subject.ts";

/** A run and its rows as the review of "done" looks at them (guards 7). `said`: the text that would be its answer. */
export function reviewSubject(run: LiveRun, rows: readonly Entry[], said: string): ReviewSubject {
  const calls = reviewCallsOf(run.run, rows);
  return {
    request: requestOf(run, rows),
    candidate: candidateOf(said, heldBy(run, rows), calls),
    profile: run.profile,
    work: run.work,
    deliver: "reply",
    calls,
    deliveries: [],
    plan: planOf(run, rows)?.items ?? [],
    refusals: run.guard.refusals,
    // The last step is kept for the forced answer.
    stepsLeft: run.limits.steps - 1 - run.step,
  };
}

function requestOf(run: LiveRun, rows: readonly Entry[]): string {
  return rows
    .flatMap((row) => {
      if (row.kind === "human_answered" && !row.body.expired && row.body.message === null)
        return [String(row.body.value)];
      if (row.kind !== "user_said" || !run.inputs.includes(row.seq)) return [];
      return row.body.parts.map((part) => (part.type === "text" ? part.text : ""));
    })
    .join("\n");
}

function heldBy(
  run: LiveRun,
  rows: readonly Entry[],
): { readonly seq: number; readonly text: string } | null {
  const row = rows.find((entry) => entry.seq === run.held);
  if (row?.kind !== "model_replied") return null;
  const text = row.body.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  return { seq: row.seq, text: readMarker(text).shown.trim() };
}
