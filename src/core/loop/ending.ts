import { activeGap } from "../state/apply.ts";
import { addUsage } from "../state/usage.ts";
import { outcomeClass, type Entry, type EntryDraft, type Outcome } from "../log/entry.ts";
import type { Json } from "../log/json.ts";
import type { Usage } from "../log/model.ts";
import { receiptOf } from "../guards/review/receipt.ts";
import type { LiveRun, State } from "../state/state.ts";

/** How a run ends by an answer. */
export interface Ending {
  readonly text: string;
  readonly confidence: number | null;
  readonly summary: string | null;
  readonly source: "plain" | "marker" | "complete" | "forced" | "mechanical";
  readonly shown: boolean;
  readonly outcome: Outcome;
  readonly reason: string | null;
}

/** The rows of an accepted answer: verdict, answer, end. `rows`: of the run so far; `usage` is what the last reply cost. */
export function endWith(
  state: State,
  run: LiveRun,
  rows: readonly Entry[],
  usage: Usage,
  at: number,
  step: string,
  ending: Ending,
): EntryDraft[] {
  const { outcome, reason, ...said } = ending;
  const verdict: EntryDraft = {
    kind: "verdict",
    run: run.run,
    step,
    body: { round: 1, accept: true, codes: [], by: "rules", text: "accepted" },
  };
  return [
    ...(ending.source === "forced" || ending.source === "mechanical" ? [] : [verdict]),
    { kind: "answer", run: run.run, step, body: { ...said, receipt: receiptOf(run.run, rows) } },
    runEnded(run, outcome, reason, addUsage(run.usage, usage), run.activeMs + activeGap(state, at), step),
  ];
}

export function runEnded(
  run: LiveRun,
  outcome: Outcome,
  reason: string | null,
  usage: Usage,
  activeMs: number,
  step: string | null,
): EntryDraft<"run_ended"> {
  const body = { outcome, class: outcomeClass(outcome), reason, steps: run.step, usage, activeMs };
  return { kind: "run_ended", run: run.run, step, body };
}

/** The answer that a call of `complete` carries. */
export function readComplete(input: Json): {
  text: string;
  confidence: number | null;
  summary: string | null;
} {
  const fields =
    typeof input === "object" && input !== null && !Array.isArray(input)
      ? (input as { [key: string]: Json })
      : {};
  return {
    text: typeof fields["answer"] === "string" ? fields["answer"] : "",
    confidence: typeof fields["confidence"] === "number" ? fields["confidence"] : null,
    summary: typeof fields["summary"] === "string" ? fields["summary"] : null,
  };
}
