import { treeOf } from "../family/tree.ts";
import { outcomeClass, type BodyOf, type EntryDraft, type Outcome } from "../log/entry.ts";
import { NO_USAGE, type Usage } from "../log/model.ts";
import { NO_RECEIPT } from "../log/receipt.ts";
import type { LiveRun, QueuedRun } from "../state/state.ts";

/** `run`: with what it has started, of one that has begun. */
export function runEnded(
  run: LiveRun | { readonly run: string; readonly step: 0 },
  outcome: Outcome,
  reason: string | null,
  own: { readonly usage: Usage; readonly activeMs: number },
  step: string | null,
): EntryDraft<"run_ended"> {
  const tree = "phase" in run ? treeOf(run, own) : {};
  const body = { outcome, class: outcomeClass(outcome), reason, steps: run.step, ...own, ...tree };
  return { kind: "run_ended", run: run.run, step, body };
}

/** The end of a run that never started. */
export function finishQueued(queued: QueuedRun, outcome: Outcome, reason: string | null): EntryDraft[] {
  const text =
    outcome === "superseded" ? "Replaced by a newer message before it began." : "Stopped before it began.";
  return [
    mechanical(queued.run, null, text, { receipt: NO_RECEIPT }),
    runEnded(
      { run: queued.run, step: 0 },
      outcome,
      reason ?? outcome,
      { usage: NO_USAGE, activeMs: 0 },
      null,
    ),
  ];
}

/** An answer that no model wrote. */
export function mechanical(
  run: string,
  step: string | null,
  text: string,
  log: Pick<BodyOf<"answer">, "receipt" | "calls">,
): EntryDraft<"answer"> {
  const answer = {
    text,
    source: "mechanical",
    shown: false,
    confidence: null,
    summary: null,
    value: null,
  } as const;
  return { kind: "answer", run, step, body: { ...answer, ...log } };
}
