import type { Entry } from "../entries.ts";
import { readMarker } from "../marker.ts";
import type { LiveRun } from "../state.ts";
import { itemsOfCalls, planOf } from "../planning.ts";
import { reviewCallsOf } from "./review-calls.ts";
import { candidateOf } from "./review.ts";
import type { ReviewSubject } from "./subject.ts";
import { guardConfig } from "./view.ts";

/** A run and its rows as the review of "done" looks at them (guards 7). `said`: the text that would be its answer. */
export function reviewSubject(run: LiveRun, rows: readonly Entry[], said: string): ReviewSubject {
  const proposed = new Map(
    rows
      .flatMap((row) => (row.kind === "model_replied" ? row.body.calls : []))
      .map((call) => [call.call, call]),
  );
  const items = itemsOfCalls(rows);
  const calls = reviewCallsOf(run.run, rows, (_tool, _input, call) => {
    const { traits, mark } = proposed.get(call) ?? {};
    return {
      kind: traits?.kind ?? "work",
      verbs: traits === undefined || traits.verbs === undefined ? null : traits.verbs,
      target: mark?.target ?? null,
      item: items.get(call) ?? null,
      opensLater: false,
    };
  });
  return {
    request: requestOf(run, rows),
    candidate: candidateOf(said, heldBy(run, rows), calls),
    profile: guardConfig(run).profile,
    work: false,
    deliver: "reply",
    hasOrigin: true,
    inputPending: false,
    workPending: false,
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
