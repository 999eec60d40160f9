import { INTERRUPTIONS_MAX, FALLBACK_CLAIMS_MIN } from "../../limits.ts";
import { digestOf } from "../../log/digest.ts";
import type { BodyOf, Entry, ProposedCall } from "../../log/entry.ts";
import { endingOf, OUTCOMES } from "../../log/run.ts";
import { WORK_PENDING } from "./children.ts";
import { changeApproval } from "./apply-approval.ts";
import {
  callOf,
  callsOf,
  decisionOf,
  isSettled,
  stoppedCallState,
  changeCall,
  PhaseError,
  THINKING,
  workingPhase,
  type Acting,
  type Call,
  type OpenQuestion,
  type OpenStep,
  type Phase,
  type Phased,
  type Thinking,
} from "./phase.ts";

/** The phase after an entry of the run. Throws PhaseError where the table has no such change. */
export function changePhase(before: Phase, entry: Entry): Phase {
  const run: Phased = { phase: before };
  const phase = workingPhase(before);
  switch (entry.kind) {
    case "step_started": {
      if (phase.at !== "thinking" || phase.open !== null) throw new PhaseError(entry, before.at);
      const { n, model, size, reservedTokens: reserved, reservedCost, maxOut } = entry.body;
      const open = {
        n,
        attempt: 1,
        base: entry.seq,
        interruptions: 0,
        tries: 0,
        reserved,
        reservedCost,
        maxOut,
      };
      return { ...phase, open: { ...open, asked: { model, size } } };
    }
    case "attempt_lost":
      return loseAttempt(before, entry);
    case "model_replied":
      return applyReply(before, entry);
    case "model_failed":
      if (phase.at !== "thinking" || phase.open === null) throw new PhaseError(entry, before.at);
      return failAttempt({ ...phase, open: phase.open }, entry);
    case "call_intended":
      return changeCall(run, entry, (call) => ({
        state: { at: "running", by: decisionOf(call) },
        attempts: call.attempts + 1,
      }));
    case "call_deferred": {
      const { child } = entry.body;
      return changeCall(run, entry, (call) => ({ state: { at: "deferred", child, by: decisionOf(call) } }));
    }
    case "call_settled": {
      const { status } = entry.body;
      const reported = callOf(run, entry).state.at === "deferred";
      const changed = changeCall(run, entry, () => ({ state: { at: "settled", status } }));
      // Another call of the reply waits for a retry: the report of a child is no reason to try it sooner.
      if (
        reported &&
        before.at === "waiting_retry" &&
        changed.at === "acting" &&
        !changed.calls.every(isSettled)
      )
        return { ...before, back: changed };
      return changed.at === "acting" && changed.calls.every(isSettled) ? THINKING : changed;
    }
    case "approval_requested":
    case "approval_voted":
    case "approval_escalated":
    case "approval_decided":
    case "approval_cancelled":
      return changeApproval(run, entry);
    case "human_asked":
      if (phase.at !== "acting" && phase.at !== "thinking") throw new PhaseError(entry, before.at);
      return { at: "waiting_human", calls: callsOf(run), question: openQuestion(entry.seq, entry.body) };
    case "human_answered": {
      if (phase.at !== "waiting_human" || phase.question.question !== entry.body.question)
        throw new PhaseError(entry, before.at);
      const { calls, question } = phase;
      if (entry.body.expired && question.ends)
        return { at: "ending", outcome: "expired", reason: "question_expired", calls };
      return question.call === null ? THINKING : { at: "acting", calls };
    }
    case "client_asked": {
      if (phase.at !== "acting") throw new PhaseError(entry, before.at);
      const { call, expiresAt } = entry.body;
      return { at: "waiting_client", calls: callsOf(run), client: { call, expiresAt } };
    }
    case "client_answered":
      if (phase.at !== "waiting_client" || phase.client.call !== entry.body.call)
        throw new PhaseError(entry, before.at);
      return { at: "acting", calls: phase.calls };
    case "verdict":
      return applyGuard(before, entry);
    case "compacted":
      if (phase.at !== "thinking") throw new PhaseError(entry, before.at);
      return before;
    case "command_queued":
      return entry.body.command === "retry_now" ? phase : before;
    case "user_message":
    case "child_reported":
    case "child_stopped":
    case "note":
    case "review":
    case "plan_changed":
    case "progress_noted":
    case "tools_found":
    case "budget_asked":
    case "budget_answered":
    case "answer":
      return before;
    default:
      throw new PhaseError(entry, before.at);
  }
}

function applyReply(before: Phase, entry: Entry<"model_replied">): Phase {
  const phase = workingPhase(before);
  if (phase.at !== "thinking" || phase.open === null) throw new PhaseError(entry, before.at);
  const { calls } = entry.body;
  if (calls.length > 0)
    return { at: "acting", calls: calls.map((call): Call => createCall(call, entry.seq)) };
  return { ...phase, open: null, empty: phase.why === "final" ? phase.empty + 1 : 0 };
}

function loseAttempt(before: Phase, entry: Entry<"attempt_lost">): Phase {
  const phase = workingPhase(before);
  const { what, effect } = entry.body;
  if (what === "model") {
    if (phase.at !== "thinking" || phase.open === null) throw new PhaseError(entry, before.at);
    const open = {
      ...phase.open,
      attempt: phase.open.attempt + 1,
      interruptions: phase.open.interruptions + 1,
      base: entry.seq,
    };
    return { ...phase, open };
  }
  if (phase.at !== "acting") throw new PhaseError(entry, before.at);
  const calls = phase.calls.map((call) => {
    if (call.call !== effect) return call;
    return what === "preview"
      ? { ...call, previewInterruptions: call.previewInterruptions + 1 }
      : { ...call, state: stoppedCallState(call), interruptions: call.interruptions + 1 };
  });
  return { at: "acting", calls };
}

function applyGuard(before: Phase, entry: Entry<"verdict">): Phase {
  const run: Phased = { phase: before };
  const { act, call, code, rule, until } = entry.body;
  switch (act) {
    case "note":
    case "reask":
      return before;
    case "retry": {
      const target = { ...entry, body: { ...entry.body, call: call ?? "" } };
      const phase = changeCall(run, target, (item) => ({
        state: stoppedCallState(item),
        tries: item.tries + 1,
      }));
      return {
        at: "waiting_retry",
        until: until ?? entry.at,
        back: { at: "acting", calls: callsOf({ phase }) },
      };
    }
    case "wait": {
      // For the reports of children: next() sees when there are none left to wait for.
      if (code === WORK_PENDING) return before;
      const phase = workingPhase(before);
      const back: Thinking | Acting = phase.at === "thinking" ? phase : { at: "acting", calls: callsOf(run) };
      return { at: "waiting_retry", until: until ?? entry.at, back };
    }
    case "force":
      return { ...THINKING, why: "final", reason: rule };
    case "end":
      return { at: "ending", ...endingOf(code, rule), calls: callsOf(run) };
  }
}

/** After a model call that failed: its step stays open for the next attempt, or the run comes to its end. */
function failAttempt(phase: Thinking & { readonly open: OpenStep }, entry: Entry<"model_failed">): Phase {
  const { attempt, tries } = phase.open;
  const open: OpenStep = { ...phase.open, attempt: attempt + 1, base: entry.seq, tries: tries + 1 };
  switch (entry.body.then) {
    case "retry":
      return { at: "waiting_retry", until: entry.body.until ?? entry.at, back: { ...phase, open } };
    case "compact":
      return { ...phase, open: { ...open, overflowed: true } };
    case "force":
    case "dialect":
    case "reasoning":
    case "plain":
      return { ...phase, open };
    case "fallback": {
      const { overflowed: _other, ...next } = open;
      const interruptions = Math.min(open.interruptions, INTERRUPTIONS_MAX[phase.why] - FALLBACK_CLAIMS_MIN);
      return { ...phase, open: { ...next, tries: 0, interruptions } };
    }
    case "end": {
      const outcome = OUTCOMES[entry.body.class] ?? "failed_provider";
      const reason = entry.body.class === "context_overflow" ? "context" : `provider:${entry.body.class}`;
      return { at: "ending", outcome, reason, calls: [] };
    }
  }
}

/** A call of a reply, before anything was done about it. `seq`: of the reply. */
export function createCall(call: ProposedCall, seq: number): Call {
  return {
    call: call.call,
    tool: call.tool,
    effect: call.effect,
    gate: call.gate,
    argsDigest: digestOf(call.input),
    argsAt: seq,
    duplicateOf: call.duplicateOf,
    state: { at: "open" },
    attempts: 0,
    interruptions: 0,
    previewInterruptions: 0,
    tries: 0,
    asked: 0,
    ...(call.traits === undefined ? {} : { traits: call.traits }),
    ...(call.access === undefined ? {} : { access: call.access }),
    ...(call.costMax === undefined ? {} : { costMax: call.costMax }),
    ...(call.sendTo === undefined ? {} : { sendTo: call.sendTo }),
    ...(call.starts === undefined ? {} : { starts: call.starts }),
    ...(call.client === undefined ? {} : { client: call.client }),
  };
}

/** State of an open question; its text is in its entry. */
export function openQuestion(seq: number, body: BodyOf<"human_asked">): OpenQuestion {
  const { question, call, expiresAt, otherwise } = body;
  return { question, call, expiresAt, seq, ends: otherwise === "end" && body.default === null };
}
