import { ACTIVE_GAP_MS_MAX, ENDED_RUNS_SHOWN } from "../limits.ts";
import type { Entry, RequestedLimits } from "../log/entry.ts";
import { remember } from "./apply-loop-memory.ts";
import { askedFor, changeRun, PhaseError, THINKING } from "./apply-run.ts";
import { foldBreakers } from "./breakers.ts";
import { NO_GUARD_MEMORY } from "./loop-memory.ts";
import { changeFacts, changeMemory } from "./memory.ts";
import { changePlan } from "./plan.ts";
import { learnFactor, rawTokens, type Factors } from "./prompt-size.ts";
import { beginSafety, changeSafety } from "./safety.ts";
import {
  type LastMessage,
  type LiveRun,
  EMPTY_MEMORY,
  MODEL_UNAVAILABLE,
  NO_USAGE,
  waitsForPerson,
  type EndedRun,
  type Phase,
  type State,
  STATE_SCHEMA,
} from "./state.ts";

/** Whether time counts in this phase; waiting for a person is free. */
export function isActive(phase: Phase): boolean {
  return !waitsForPerson(phase);
}

/** Active time that passes between the last entry and `at`. */
export function activeGap(state: State, at: number): number {
  if (state.run === null || !isActive(state.run.phase) || state.run.stalled === true) return 0;
  return Math.min(Math.max(0, at - state.at), ACTIVE_GAP_MS_MAX);
}

/** What a row of the log does to the state. Nothing else changes it. */
export function apply(state: State, entry: Entry): State {
  if (entry.seq !== state.head + 1) throw new Error(`entry ${entry.seq} does not follow ${state.head}`);
  const run = state.run === null ? null : pass(state.run, activeGap(state, entry.at));
  const at = Math.max(state.at, entry.at);
  return spend(state.run, change({ ...state, run, at, head: entry.seq }, entry), entry);
}

/** The run after this much active time. */
function pass({ stalled: _over, ...run }: LiveRun, ms: number): LiveRun {
  return { ...run, activeMs: run.activeMs + ms };
}

/** Adds to the day what an entry has charged its run with. */
function spend(before: LiveRun | null, state: State, entry: Entry): State {
  const { run } = state;
  if (run === null || before?.run !== run.run || run.usage === before.usage) return state;
  const { cost, inputTokens, outputTokens } = run.usage;
  const no = dayNo(entry.at);
  const day = state.day?.no === no ? state.day : { no, tokens: 0, cost: 0 };
  const tokens = inputTokens + outputTokens - before.usage.inputTokens - before.usage.outputTokens;
  return {
    ...state,
    day: { no, tokens: day.tokens + tokens, cost: day.cost + (cost ?? 0) - (before.usage.cost ?? 0) },
  };
}

/** Days since the epoch, in UTC. */
export const dayNo = (at: number): number => Math.floor(at / 86_400_000);

export function fold(state: State, entries: readonly Entry[]): State {
  return entries.reduce(apply, state);
}

function change(state: State, entry: Entry): State {
  switch (entry.kind) {
    case "user_said": {
      const next = { ...state, messages: state.messages + 1 };
      const { mode } = entry.body;
      const joins = mode === "join" || mode === "answer";
      if (!joins || state.run === null || entry.run !== state.run.run) return next;
      const { inputs, unread } = state.run;
      const safety = changeSafety(state.run, entry, state.ended);
      // An answer is read as the result of the call that asked.
      if (mode === "answer")
        return { ...next, run: { ...state.run, safety, inputs: [...inputs, entry.seq] } };
      const guard = remember(state.run.guard, entry);
      return {
        ...next,
        run: { ...state.run, guard, safety, inputs: [...inputs, entry.seq], unread: [...unread, entry.seq] },
      };
    }
    case "run_queued": {
      const { body, run } = entry;
      if (run === null) throw new PhaseError(entry, "none");
      return {
        ...state,
        runs: state.runs + 1,
        queue: [...state.queue, { ...body, run, queuedAt: entry.at }],
      };
    }
    case "run_started":
      return startRun(state, entry);
    case "run_ended":
      return endRun(state, entry);
    case "session_cleared":
      return { ...state, cleared: entry.seq, ended: [], memory: EMPTY_MEMORY, taintedMemory: false };
    case "answer_hidden": {
      // The words that it answered belong to the run that answers them now.
      const hide = ({ compacted: _summary, ...item }: EndedRun): EndedRun => ({
        ...item,
        answer: null,
        inputs: item.inputs.slice(0, -1),
      });
      const ended = state.ended.map((item) => (item.run === entry.body.run ? hide(item) : item));
      return { ...state, ended };
    }
    case "memory_changed": {
      // A tool that was at work when the session was cleared brings nothing back.
      if (state.run !== null && state.run.run === entry.run && state.run.inputSeq <= state.cleared)
        return state;
      const { changes, facts = [], tool } = entry.body;
      const cause = { tool, step: entry.step, seq: entry.seq };
      const memory = changeMemory(state.memory, changes, cause);
      return {
        ...state,
        memory: { ...memory, facts: changeFacts(memory.facts, facts, entry.seq) },
        taintedMemory: state.taintedMemory || (state.run?.safety.taint.tainted ?? null) !== null,
      };
    }
    case "command_queued": {
      if (state.run === null || state.run.run !== entry.run) return state;
      const { actor, reason, superseded, command, limits } = entry.body;
      if (command === "extend") {
        const once = [...state.run.once, "EXTENDED_BY_PERSON"] as const;
        return { ...state, run: { ...state.run, once, limits: limits ?? state.run.limits } };
      }
      return { ...state, run: { ...state.run, cancel: state.run.cancel ?? { actor, reason, superseded } } };
    }
    case "note": {
      const { run } = state;
      if (run === null || run.run !== entry.run || entry.body.code !== MODEL_UNAVAILABLE) return state;
      return { ...state, run: { ...run, stalled: true } };
    }
    case "policy_remembered":
    case "policy_revoked":
      return state;
    case "review": {
      if (state.run === null || state.run.run !== entry.run) return state;
      return { ...state, run: { ...state.run, guard: remember(state.run.guard, entry) } };
    }
    default: {
      if (state.run === null || entry.run !== state.run.run) {
        // A queued run that is cancelled gets its status line without ever having been live.
        if (entry.kind === "answer") return state;
        throw new PhaseError(entry, "no such run");
      }
      const before = state.run;
      const plan = changePlan(before.plan ?? null, entry);
      const lastMessage = changeLastMessage(before, entry);
      const run = {
        ...changeRun(before, entry),
        guard: remember(before.guard, entry),
        safety: changeSafety(before, entry, state.ended),
        ...(plan === null ? {} : { plan }),
        ...(lastMessage === undefined ? {} : { lastMessage }),
      };
      const breakers = foldBreakers(state.breakers, before, entry);
      return { ...state, run, breakers, factors: learn(state, entry) };
    }
  }
}

/** How far off the estimate of the request was that this reply answers. */
function learn({ factors, run }: State, entry: Entry): Factors {
  const asked = entry.kind === "model_replied" ? askedFor(run, entry) : null;
  if (asked === null || entry.kind !== "model_replied") return factors;
  const { inputTokens, estimated } = entry.body.usage;
  return learnFactor(factors, { model: asked.model, raw: rawTokens(asked.size), inputTokens, estimated });
}

function startRun(state: State, entry: Entry<"run_started">): State {
  const [head, ...queue] = state.queue;
  if (head === undefined || head.run !== entry.run || state.run !== null)
    throw new PhaseError(entry, "queued");
  const { queuedAt: _queuedAt, caps: _caps, onExhausted: _onExhausted, ...queued } = head;
  const { body } = entry;
  const run: LiveRun = {
    ...queued,
    requested: wantedOf(head),
    limits: body.limits,
    profile: body.profile,
    work: body.classified.work,
    startedAt: entry.at,
    firstSeq: entry.seq,
    phase: THINKING,
    step: 0,
    usage: NO_USAGE,
    toolCalls: 0,
    activeMs: 0,
    interruptions: 0,
    retries: 0,
    unusableReplies: 0,
    truncatedReplies: 0,
    cancel: null,
    unread: [head.inputSeq],
    inputs: [head.inputSeq],
    latestText: null,
    anyOk: false,
    answer: null,
    guard: NO_GUARD_MEMORY,
    sends: 0,
    once: [],
    ...(entry.body.policy === undefined ? {} : { policy: entry.body.policy }),
    safety: beginSafety(state, queued),
    ...(entry.body.unattended === undefined ? {} : { unattended: entry.body.unattended }),
  };
  return { ...state, queue, run };
}

/** Without the fields that nobody set. */
function wantedOf({ limits, caps, profile, onExhausted }: RequestedLimits): RequestedLimits {
  return {
    limits,
    ...(caps && { caps }),
    ...(profile && { profile }),
    ...(onExhausted && { onExhausted }),
  };
}

function endRun(state: State, entry: Entry<"run_ended">): State {
  const { run } = state;
  if (run !== null && run.run === entry.run) {
    const { message, inputSeq, inputs, answer, firstSeq, profile } = run;
    const { outcome } = entry.body;
    const ended: EndedRun = {
      run: run.run,
      message,
      inputSeq,
      inputs,
      answer,
      outcome,
      taint: run.safety.taint,
      profile,
      firstSeq,
      lastSeq: entry.seq,
      ...(run.guard.compacted === null ? {} : { compacted: run.guard.compacted.seq }),
    };
    // What was cleared while it worked is no part of the conversation any more.
    if (inputSeq <= state.cleared) return { ...state, run: null };
    return { ...state, run: null, ended: [...state.ended, ended].slice(-ENDED_RUNS_SHOWN) };
  }
  const queued = state.queue.find((item) => item.run === entry.run);
  if (queued === undefined) throw new PhaseError(entry, "done");
  // It never began, so no model is shown what it asked for.
  return { ...state, queue: state.queue.filter((item) => item !== queued) };
}

export const NO_MESSAGE: LastMessage = { step: 0, activeMs: 0, any: false, nudged: null, skipped: 0 };

/** After a row of the run. Only a receipt ends a silence; an outcome that nobody knows counts as one. */
function changeLastMessage(run: LiveRun, entry: Entry): LastMessage | undefined {
  const last = run.lastMessage ?? NO_MESSAGE;
  if (entry.kind === "verdict") {
    const { code } = entry.body;
    return code === "NUDGE_SOFT" || code === "NUDGE_HARD" ? { ...last, nudged: code } : run.lastMessage;
  }
  if (entry.kind !== "call_settled") return run.lastMessage;
  const { call, status, reusedFrom } = entry.body;
  const phase = run.phase.at === "waiting_retry" ? run.phase.back : run.phase;
  const calls = phase.at === "thinking" ? [] : phase.calls;
  if (calls.find((one) => one.call === call)?.traits?.kind !== "send" || reusedFrom !== null)
    return run.lastMessage;
  if (status === "refused") return { ...last, skipped: run.step };
  if (status !== "ok" && status !== "unknown") return run.lastMessage;
  return { ...last, step: run.step, activeMs: run.activeMs, any: true, nudged: null };
}

/** What makes of a snapshot of each older schema one of the next. Empty: schema 1 is the first. */
export type Migrations = Readonly<Record<number, (stored: never) => object>>;

const MIGRATIONS: Migrations = {};

/**
 * A stored snapshot in the shape of today, which is equal to what today's code folds from the same log. Throws for a schema
 * that this code does not know: nothing is written over what a newer version made. A test hands in schemas of its own.
 */
export function migrate(
  schema: number,
  stored: unknown,
  migrations: Migrations = MIGRATIONS,
  current: number = STATE_SCHEMA,
): State {
  if (schema === current) return stored as State;
  if (schema > current) throw new Error(`the session was written by a newer version (schema ${schema})`);
  const next = migrations[schema];
  if (next === undefined) throw new Error(`no version has written schema ${schema}`);
  return migrate(schema + 1, { ...next(stored as never), schema: schema + 1 }, migrations, current);
}
