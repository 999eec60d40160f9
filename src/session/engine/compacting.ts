import { working } from "../../core/state/apply-run.ts";
import type { BodyOf, Entry, EntryDraft } from "../../core/log/entry.ts";
import { compaction, compactionDue, isRecap } from "../../core/prompt/compaction.ts";
import { COMPACT_SHARE, OVERFLOW_SHARE } from "../../core/guard-limits.ts";
import { windowOf } from "../../core/windows.ts";
import { forceRow } from "../../core/rows/force.ts";
import type { ModelFailure, StepPatch } from "../../core/log/model.ts";
import { modelFailed } from "../../core/loop/retry.ts";
import { stepName } from "../../core/log/names.ts";
import type { CallModel } from "../../core/loop/next.ts";
import type { LiveRun } from "../../core/state/state.ts";
import { patchOf } from "./run-hooks.ts";
import type { Transaction } from "./transaction.ts";
import type { Ports } from "./ports.ts";
import { composeRequest, type Composed } from "./compose-request.ts";

/** Sums up the middle of a run where its next request would be too large (guards 10.5, 12): one row, made once. */

/**
 * The row that comes before the request of this step; none while there is no need, or nothing to sum up. A step that has begun
 * is compacted only where it does not fit the model that it went on with.
 */
export function compactRows(
  tx: Transaction,
  run: LiveRun,
  call: CallModel,
  patch: StepPatch,
  asked: Composed,
  ports: Ports,
): readonly EntryDraft[] {
  const policy = ports.facts.transcript(asked.model);
  const rows = tx.rowsOf(run).current;
  const due = call.opened
    ? policy !== "none" && asked.tokens > asked.cap
    : compactionDue(rows, policy, asked);
  return due ? compactTo(tx, run, call, patch, Math.floor(asked.cap * COMPACT_SHARE), ports) : [];
}

/**
 * The rows of a request that its provider called too large: it is compacted to half of what there is room for and sent once
 * more; then the next model that may hold more; then the answer without tools; then the end.
 */
export function overflowRows(
  tx: Transaction,
  run: LiveRun,
  call: Pick<CallModel, "n" | "purpose">,
  failure: ModelFailure,
  ports: Ports,
): readonly EntryDraft[] {
  const phase = working(run.phase);
  const open = phase.at === "thinking" ? phase.open : null;
  const step = { ...call, step: stepName(run.run, call.n), opened: true };
  const patch = patchOf(tx, run, step, ports);
  const { model, tokens } = composeRequest(tx, run, call, patch, ports);
  const { windows = {} } = ports.facts;
  // Whatever the window is said to be, this request was above it.
  const target = Math.floor(Math.min(windowOf(windows, model), tokens) * OVERFLOW_SHARE);
  const made = open?.overflowed === true ? [] : compactTo(tx, run, step, patch, target, ports);
  // A summary of a few short steps may be longer than they are.
  const rows = made.filter(({ body }) => body.after < body.before);
  const isKnown = (name: string): boolean => Object.hasOwn(windows, name);
  const larger = run.fallbacks.findIndex(
    (next) => !(isKnown(next) && isKnown(model)) || windowOf(windows, next) > windowOf(windows, model),
  );
  const failed = modelFailed(tx.state, failure, tx.at, { shrinks: rows.length > 0, larger });
  if (failed.body.then === "force") return [failed, forceRow(run, "CONTEXT_OVERFLOW", "context")];
  return failed.body.then === "compact" ? [failed, ...rows] : [failed];
}

function compactTo(
  tx: Transaction,
  run: LiveRun,
  call: Pick<CallModel, "n" | "purpose" | "step">,
  patch: StepPatch,
  target: number,
  ports: Ports,
): readonly EntryDraft<"compacted">[] {
  const rows = tx.rowsOf(run);
  const measure = (body: BodyOf<"compacted"> | null): number => {
    if (body === null) return composeRequest(tx, run, call, patch, ports).tokens;
    const place = { seq: tx.state.head + 1, at: tx.at, v: 1, run: run.run, step: call.step } as const;
    const row: Entry = { ...place, kind: "compacted", body };
    const current = [...rows.current, row];
    return composeRequest(tx, run, call, patch, ports, { ...rows, current }).tokens;
  };
  const made = compaction(rows.current, target, measure, isRecap(rows.current));
  return made === null ? [] : [{ kind: "compacted", run: run.run, step: call.step, body: made.body }];
}
