import { expiryEntry } from "../guards/approval-rules.ts";
import { budgetObjection } from "../guards/budget/exhaust.ts";
import { objectionTo, type Objection } from "../guards/check-call.ts";
import { loopEntry } from "../guards/loops/ladder.ts";
import { judgeDenials, permissionOf, ruleOfTwoEntry } from "../guards/permissions.ts";
import {
  INTERRUPTIONS_MAX,
  FAULTS_IN_ROW_MAX,
  INTERRUPTIONS_PER_RUN_MAX,
  READS_AT_ONCE,
  GUARD_FAULTS_MAX,
} from "../limits.ts";
import type { EntryDraft, Outcome } from "../log/entry.ts";
import { COMPLETE, stepName } from "../log/names.ts";
import { forcedFailure } from "../log/run.ts";
import { ASK_HUMAN } from "../entries/question.ts";
import type { Settlement } from "../entries/settle.ts";
import { forceEntry, askBeforeModel, verdictEntry } from "../entries/verdict.ts";
import {
  decisionOf,
  isDeferred,
  isSettled,
  workingPhase,
  type Acting,
  type Call,
  type Thinking,
  type WaitingApproval,
  type WaitingClient,
  type WaitingHuman,
} from "../state/run/phase.ts";
import { stopChildren } from "../family/tree.ts";
import { waitsForChild } from "../state/run/children.ts";
import { activeGap } from "../state/apply.ts";
import { checkModel, callKey, isProbe, type ModelTurn } from "../state/breakers.ts";
import { guardConfig } from "../state/loop-memory.ts";
import { GUARD_ERROR } from "../state/safety.ts";
import { nextQueued } from "../state/queue.ts";
import type { Breakers, LiveRun, QueuedRun, State } from "../state/state.ts";
import { isPure } from "./internal-tools.ts";
import { modelInterrupted } from "./retry.ts";

/**
 * The next action of a session. The engine claims, performs and commits `call_model`, `preview` and `run_tools`, one at a time, and
 * applies the others in the transaction that called `next`; `begin` may first claim a small model call that names the run's class.
 * After a crash `next` gives the same answer, except that the state has counted one more interruption of the effect that was lost.
 */
export type Next =
  | { readonly do: "record"; readonly entries: readonly EntryDraft[] }
  | { readonly do: "begin"; readonly queued: QueuedRun }
  | { readonly do: "settle"; readonly call: Call; readonly as: Settlement }
  | { readonly do: "settle_pure"; readonly call: Call }
  /** The call has the final answer: the review accepts it, or sends it back. */
  | { readonly do: "complete"; readonly call: Call }
  /** a guard skips it, or answers it with an earlier result */
  | { readonly do: "settle_blocked"; readonly call: Call; readonly objection: BlockingObjection }
  /** Ask the person the question of this call. */
  | { readonly do: "ask"; readonly call: Call }
  /** The question expired. */
  | { readonly do: "expire"; readonly waiting: WaitingHuman }
  /** no client has answered in time */
  | { readonly do: "expire_client"; readonly waiting: WaitingClient }
  | { readonly do: "finish"; readonly outcome: Outcome; readonly reason: string }
  | CallModel
  | { readonly do: "preview"; readonly call: Call }
  | { readonly do: "run_tools"; readonly calls: readonly Call[] }
  /** null: no alarm, because something else wakes the session: a message, a decision or the report of a child */
  | { readonly do: "wait"; readonly until: number | null };

type BlockingObjection = Extract<Objection, { act: "skip" | "reuse" }>;

export interface CallModel {
  readonly do: "call_model";
  readonly step: string;
  /** number of the step in its run */
  readonly n: number;
  readonly purpose: "step" | "final";
  /** an earlier attempt of this step was interrupted or failed */
  readonly opened: boolean;
}

/** The whole decision of the loop, first match wins. `at` is the time of the transaction that asks. */
export function next(state: State, at: number): Next {
  const { run } = state;
  if (run === null) {
    const queued = state.held ? undefined : nextQueued(state);
    return queued === undefined ? { do: "wait", until: null } : { do: "begin", queued };
  }
  if (run.cancel !== null) {
    return { do: "finish", outcome: run.cancel.superseded ? "superseded" : "cancelled", reason: "cancelled" };
  }
  if (run.phase.at === "waiting_retry" && at < run.phase.until) return { do: "wait", until: run.phase.until };
  const phase = workingPhase(run.phase);
  switch (phase.at) {
    case "ending":
      return { do: "finish", outcome: phase.outcome, reason: phase.reason };
    case "waiting_approval":
      return waitForApproval(run, phase, at);
    case "waiting_human":
      return at < phase.question.expiresAt
        ? { do: "wait", until: phase.question.expiresAt }
        : { do: "expire", waiting: phase };
    case "waiting_client":
      return at < phase.client.expiresAt
        ? { do: "wait", until: phase.client.expiresAt }
        : { do: "expire_client", waiting: phase };
    case "acting":
      return exhausted(run) ?? act(state, run, phase, at);
    case "thinking":
      return exhausted(run) ?? think(state, run, phase, at);
  }
}

/** Ends a run that was interrupted too often, or whose guards failed too often. */
function exhausted(run: LiveRun): Next | null {
  if (run.failures.interruptions >= INTERRUPTIONS_PER_RUN_MAX) return failRun(run, "RECOVERY_EXHAUSTED");
  return run.safety.faults.length >= GUARD_FAULTS_MAX ? failRun(run, GUARD_ERROR) : null;
}

/** Returns the time of the next alarm: now if there is work, null if none is needed. */
export function nextAlarm(state: State, at: number): number | null {
  const then = next(state, at);
  return then.do === "wait" ? then.until : at;
}

/** Decides between two replies: the run waits for children, ends, gets a verdict, switches its model or calls it. */
function think(state: State, run: LiveRun, phase: Thinking, at: number): Next {
  const { open, why } = phase;
  if (waitsForChild(run)) return waitForChildren(state, run, at);
  if (open !== null && open.interruptions >= INTERRUPTIONS_MAX[why]) {
    if (run.models.fallbacks.length === 0) return failRun(run, "RECOVERY_EXHAUSTED");
    return { do: "record", entries: [modelInterrupted(run, open)] };
  }
  if (why === "final") {
    // An empty final answer is requested once more if a step is left. After that Cairn reports from the log.
    if (phase.empty >= 2 || (phase.empty === 1 && run.step >= run.limits.steps))
      return { do: "finish", outcome: forcedFailure(phase.reason), reason: phase.reason ?? "budget" };
  } else if (open === null) {
    const entry = betweenSteps(run, at);
    if (entry !== null) return { do: "record", entries: [entry] };
  }
  const turn = open === null ? checkModel(state, run, at) : null;
  if (turn !== null) return switchModel(state, run, turn, at);
  const n = open?.n ?? run.step + 1;
  return { do: "call_model", step: stepName(run.run, n), n, purpose: why, opened: open !== null };
}

/** Switches to another model, or waits for the one that may be called first; ends the run if its time is over before that. */
function switchModel(state: State, run: LiveRun, { verdict, models, until }: ModelTurn, at: number): Next {
  const late = run.used.activeMs + activeGap(state, at) + until - at >= run.limits.activeMs;
  if (late) return { do: "finish", outcome: "failed_provider", reason: "provider:model_down" };
  return { do: "record", entries: [verdictEntry(run, "before_model", verdict, "wait", { until, models })] };
}

/**
 * Returns the guards' verdict between two steps: first about the last reply, then about loops. Budgets are checked
 * later, when the request and its size are known (guards/budget/admit.ts).
 */
function betweenSteps(run: LiveRun, at: number): EntryDraft | null {
  const denied = judgeDenials(run.safety.denials);
  if (denied !== null) return verdictEntry(run, "before_model", denied, "end");
  if (run.failures.unusableReplies >= FAULTS_IN_ROW_MAX)
    return forceEntry(run, "INVALID_OUTPUT", "invalid_output");
  if (run.failures.truncatedReplies >= 2) return forceEntry(run, "REPLY_CUT_AGAIN", "invalid_output");
  return askBeforeModel(run, () => loopEntry(run, at));
}

/** Waits for child runs, whose reports wake the session. A run of the profile `time_capsule` stops them when its time is over. */
function waitForChildren(state: State, run: LiveRun, at: number): Next {
  if (run.profile !== "time_capsule") return { do: "wait", until: null };
  const left = run.limits.activeMs - run.used.activeMs - activeGap(state, at);
  if (left > 0) return { do: "wait", until: at + left };
  const entries = stopChildren(run, stepName(run.run, run.step));
  return entries.length === 0 ? { do: "wait", until: null } : { do: "record", entries };
}

/** Settles, asks or runs the first unsettled call of a reply; reads that need no approval run up to four at once. */
function act(state: State, run: LiveRun, phase: Acting, at: number): Next {
  const { breakers, sent = [] } = state;
  // A duplicate never runs: it is settled with the call that it repeats.
  const unsettled = phase.calls.filter(
    (call) => !isSettled(call) && !isDeferred(call) && call.duplicateOf === null,
  );
  // Questions to a person, and `complete`, wait until every other call of the reply has its result.
  const others = unsettled.filter((call) => call.tool !== ASK_HUMAN && call.tool !== COMPLETE);
  const calls = others.length > 0 ? others : unsettled;
  const call = calls[0];
  // The report of a child wakes the session; session/family/family.ts fetches a lost one.
  if (others.length === 0 && phase.calls.some(isDeferred)) return waitForChildren(state, run, at);
  if (call === undefined) throw new Error(`run ${run.run} acts without an open call`);
  if (call.tool === COMPLETE) return { do: "complete", call };
  const stopped = phase.calls.some((other) => other.effect !== "read" && hasFailed(other));
  const decision = decisionOf(call);
  if (decision?.decision === "deny" || decision?.decision === "expired")
    return { do: "settle", call, as: "denied" };
  if (call.interruptions >= INTERRUPTIONS_MAX[call.effect]) {
    return { do: "settle", call, as: call.effect === "read" ? "interrupted" : "unknown" };
  }
  if (call.previewInterruptions >= INTERRUPTIONS_MAX.preview)
    return { do: "settle", call, as: "preview_failed" };
  // Child runs started in one reply are independent: a failure stops none of them.
  if (stopped && call.effect !== "read" && call.starts !== true && call.attempts === 0)
    return { do: "settle", call, as: "batch_stopped" };
  const now = { step: run.step, at, breakers, sent };
  const config = guardConfig(run);
  const objectionOf = (other: Call, ahead: readonly Call[]): Objection | null =>
    objectionTo(run, other, config, now) ?? budgetObjection(run, other, ahead);
  const objection = objectionOf(call, []);
  if (objection !== null) return applyObjection(run, call, objection);
  if (call.tool === ASK_HUMAN) return { do: "ask", call };
  if (isPure(call.tool)) return { do: "settle_pure", call };
  // No preview after the first attempt: it could show this call's own change.
  if (decision === null && call.attempts === 0 && permissionOf(run, call).act !== "allow") {
    const ruleOfTwo = ruleOfTwoEntry(run, call);
    return ruleOfTwo === null ? { do: "preview", call } : { do: "record", entries: [ruleOfTwo] };
  }
  const firstSerial = calls.findIndex(
    (other) => other.effect !== "read" || permissionOf(run, other).act !== "allow" || isPure(other.tool),
  );
  const batch = calls.slice(
    0,
    Math.max(1, Math.min(firstSerial < 0 ? calls.length : firstSerial, READS_AT_ONCE)),
  );
  const blockedAt = batch.findIndex(
    (other, index) =>
      objectionOf(other, batch.slice(0, index)) !== null ||
      // After the pause of a circuit breaker, one call runs alone as a probe.
      (index > 0 && (isProbeCall(run, call, breakers) || isProbeCall(run, other, breakers))),
  );
  return { do: "run_tools", calls: blockedAt < 0 ? batch : batch.slice(0, blockedAt) };
}

function isProbeCall({ loop }: LiveRun, { call }: Call, breakers: Breakers): boolean {
  const entry = breakers.length === 0 ? undefined : loop.calls.find((one) => one.id === call);
  return entry !== undefined && isProbe(breakers, callKey(entry));
}

function applyObjection(run: LiveRun, call: Call, objection: Objection): Next {
  switch (objection.act) {
    case "skip":
    case "reuse":
      return { do: "settle_blocked", call, objection };
    case "gate":
      return { do: "preview", call };
    case "wait": {
      const { verdict, until } = objection;
      return {
        do: "record",
        entries: [verdictEntry(run, "before_tool", verdict, "wait", { call: call.call, until })],
      };
    }
  }
}

/** True for a failed or unknown call, which stops the later effects of its reply. A refused or denied call stops none. */
function hasFailed({ state }: Call): boolean {
  return state.at === "settled" && (state.status === "error" || state.status === "unknown");
}

function waitForApproval(run: LiveRun, phase: WaitingApproval, at: number): Next {
  const entry = expiryEntry(run, at);
  return entry === null
    ? { do: "wait", until: phase.approval.expiresAt }
    : { do: "record", entries: [entry] };
}

function failRun(run: LiveRun, code: string): Next {
  const hint =
    code === GUARD_ERROR
      ? "Checks of the runtime failed too often to go on."
      : "The work was interrupted too often to go on.";
  return { do: "record", entries: [verdictEntry(run, "before_model", { code, rule: code, hint }, "end")] };
}
