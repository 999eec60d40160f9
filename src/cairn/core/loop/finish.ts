import { receiptOf } from "../guards/review/receipt.ts";
import { type Entry, type EntryDraft, type Outcome, outcomeClass } from "../log/entry.ts";
import { stepName, runName } from "../log/names.ts";
import { specOf } from "../entries/grant.ts";
import { planOf } from "../entries/plan.ts";
import { failedResult, settleCall, unknownResult, type CallResult } from "../entries/settle.ts";
import { isSettled, workingPhase, type Call } from "../state/run/phase.ts";
import { activeGap } from "../state/apply.ts";
import { hasFiles } from "../state/safety.ts";
import type { LiveRun, State } from "../state/state.ts";
import { stopChildren } from "../family/tree.ts";
import { mechanical, runEnded } from "./run-ended.ts";
import { failuresOf, closingText } from "./closing-report.ts";
import { callSummaries } from "./call-summaries.ts";

/**
 * Ends a run without a model: settles every open call, reports honestly what was and was not done, and sets the one
 * outcome.
 */
export function finish(
  state: State,
  entries: readonly Entry[],
  wanted: Outcome,
  reason: string,
  at: number,
): EntryDraft[] {
  const { run } = state;
  if (run === null) return [];
  const step = run.step === 0 ? null : stepName(run.run, run.step);
  const settled = settleOpenCalls(run);
  const useful = run.output.latestText !== null || run.output.anyOk;
  const stopped = outcomeClass(wanted) === "cancelled";
  const failures = failuresOf(run, entries);
  // Access was refused for good only when every model that was tried refused it.
  const failed =
    wanted === "failed_auth" && failures.some((failure) => failure.class !== "auth")
      ? "failed_provider"
      : wanted;
  // In these cases the outcome is fixed, whatever was done before.
  const isMechanical =
    wanted === "denied" || wanted === "expired" || reason === "guard_error" || isAtOnce(entries);
  const outcome = !stopped && useful && !isMechanical ? "completed_partial" : failed;
  const plan = planOf(run, entries)?.items ?? [];
  const by = run.cancel;
  const cause = stopped && by !== null ? (by.reason ?? wanted) : reason;
  const all = [...entries, ...settled];
  const receipt = receiptOf(run.run, all);
  const report = mechanical(run.run, step, closingText(run, all, failures, outcome, reason, plan), {
    receipt,
    ...callSummaries(run.run, all),
  });
  const activeMs = run.used.activeMs + activeGap(state, at);
  const ended = runEnded(run, outcome, cause, { usage: run.used.usage, activeMs }, step);
  // Stopping a run stops its joined messages; any other end requeues them, so that nothing stays unread.
  const left = stopped ? [] : leftoverRuns(state, run, entries, 0);
  const below = stopChildren(run, step);
  return [...settled, ...(run.output.answer === null ? [report] : []), ...below, ended, ...left];
}

/**
 * True if there is no forced answer, because the day cannot pay it or nobody wants it: a spent or stuck run then counts
 * as failed, whatever it found.
 */
function isAtOnce(entries: readonly Entry[]): boolean {
  return entries.some(
    ({ kind, body }) => kind === "verdict" && body.act === "end" && /^(BUDGET_\w+|STUCK)$/.test(body.code),
  );
}

function settleOpenCalls(run: LiveRun): EntryDraft[] {
  const phase = workingPhase(run.phase);
  if (phase.at === "thinking") return [];
  const step = stepName(run.run, run.step);
  const entries: EntryDraft[] = [];
  if (phase.at === "waiting_approval") {
    const { approval, call } = phase.approval;
    const reason = "The run was stopped.";
    entries.push({ kind: "approval_cancelled", run: run.run, step, body: { approval, call, reason } });
  }
  const open = phase.calls.filter((call) => !isSettled(call));
  const heads = open.filter(
    (call) => call.duplicateOf === null || !open.some((other) => other.call === call.duplicateOf),
  );
  for (const call of heads) entries.push(...settleCall(run, phase.calls, call, stoppedResult(call)));
  return entries;
}

function stoppedResult(call: Call): CallResult {
  if (call.state.at === "deferred")
    return failedResult("cancelled", {
      class: "policy",
      code: "child_stopped",
      message: `${call.state.child} was stopped with this run.`,
      retryable: false,
    });
  // An abort does not prove absence: an effect that had begun may have happened.
  if (call.attempts > 0 && call.effect !== "read")
    return unknownResult(call.tool, "It was stopped while it ran");
  return failedResult("cancelled", {
    class: "policy",
    code: "cancelled",
    message: `${call.tool} was not run: the run was stopped.`,
    retryable: false,
  });
}

/**
 * Queues a new run for each input that joined a run and was not read before it ended: an accepted message is read, or
 * visibly ended. `readTo` is the last seq that the run has read.
 */
export function leftoverRuns(
  state: State,
  run: LiveRun,
  entries: readonly Entry[],
  readTo: number,
): EntryDraft[] {
  const left = run.input.unread.filter((seq) => seq > readTo && seq !== run.request.inputSeq);
  return left.flatMap((seq, index): EntryDraft[] => {
    const message = entries.find((entry) => entry.seq === seq);
    if (message?.kind !== "user_message") return [];
    // The requeued run has no parent: its answer belongs to no report.
    const { files: _files, parent: _parent, ...asked } = run.request;
    const { current: model, fallbacks } = run.models;
    const files = hasFiles(message.body.parts) ? ({ files: true } as const) : {};
    const own = { message: message.body.id, inputSeq: seq, request: null, model, fallbacks, ...files };
    const spec = specOf(entries);
    const { traceId = spec.traceId } = message.body;
    const body = { ...asked, ...own, spec: { ...spec, traceId } };
    return [{ kind: "run_queued", run: runName(state.runs + index + 1), step: null, body }];
  });
}
