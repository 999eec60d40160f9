import { SEND_MESSAGE } from "../address.ts";
import { ACTIVE_GAP_MS_MAX, ENDED_RUNS_SHOWN, SENDS_STORED } from "../limits.ts";
import type { BodyOf, Entry } from "../log/entry.ts";
import { NO_USAGE, reservedUsage, type PromptPart, type Usage } from "../log/model.ts";
import { foldBreakers } from "./breakers.ts";
import { NO_LOOP_MEMORY } from "./loop-memory.ts";
import { changeFacts, changeMemory } from "./memory.ts";
import { learnFactor, rawTokens, type Factors } from "./prompt-size.ts";
import { changeRun } from "./run/apply-run.ts";
import { waitsForChild } from "./run/children.ts";
import { NO_FAILURES } from "./run/failures.ts";
import { NO_OUTPUT } from "./run/output.ts";
import { modelRequest, PhaseError, THINKING, waitsForPerson } from "./run/phase.ts";
import { NOTHING_USED } from "./run/used.ts";
import { beginSafety, hasFiles, withJoined } from "./safety.ts";
import {
  type LiveRun,
  EMPTY_MEMORY,
  type EndedRun,
  type Memory,
  type Sent,
  type State,
  STATE_SCHEMA,
} from "./state.ts";

/** Returns the active time between the last entry and `at`; waiting for a person is free. */
export function activeGap(state: State, at: number): number {
  if (state.run === null) return 0;
  // The time of a capsule is wall-clock time.
  if (state.run.profile === "time_capsule") return Math.max(0, at - state.at);
  if (waitsForPerson(state.run.phase) || state.run.failures.stalled || waitsForChild(state.run)) return 0;
  return Math.min(Math.max(0, at - state.at), ACTIVE_GAP_MS_MAX);
}

/** Applies an entry of the log to the state. Nothing else changes the state. */
export function apply(state: State, entry: Entry): State {
  if (entry.seq !== state.head + 1) throw new Error(`entry ${entry.seq} does not follow ${state.head}`);
  const run = state.run === null ? null : pass(state.run, activeGap(state, entry.at));
  const at = Math.max(state.at, entry.at);
  return spend(state.run, change({ ...state, run, at, head: entry.seq }, entry), entry);
}

/** Adds active time to the run. */
function pass(run: LiveRun, ms: number): LiveRun {
  const { used, failures } = run;
  const rested = failures.stalled ? { ...run, failures: { ...failures, stalled: false } } : run;
  return ms === 0 ? rested : { ...rested, used: { ...used, activeMs: used.activeMs + ms } };
}

/** Adds to the day what an entry has charged its run with. */
function spend(before: LiveRun | null, state: State, entry: Entry): State {
  const { run } = state;
  // The session's day covers its whole tree.
  if (entry.kind === "child_reported") return charge(state, entry.at, entry.body.usage);
  if (run === null || before?.run !== run.run || run.used.usage === before.used.usage) return state;
  return charge(state, entry.at, run.used.usage, before.used.usage);
}

/** Adds to the day the part of `usage` beyond `known`. */
function charge(state: State, at: number, usage: Usage, known: Usage = NO_USAGE): State {
  const no = dayNo(at);
  const day = state.day?.no === no ? state.day : { no, tokens: 0, cost: 0 };
  const tokens = usage.inputTokens + usage.outputTokens - known.inputTokens - known.outputTokens;
  const cost = (usage.cost ?? 0) - (known.cost ?? 0);
  return { ...state, day: { no, tokens: day.tokens + tokens, cost: day.cost + cost } };
}

/** Days since the epoch, in UTC. */
export const dayNo = (at: number): number => Math.floor(at / 86_400_000);

export function fold(state: State, entries: readonly Entry[]): State {
  return entries.reduce(apply, state);
}

function change(state: State, entry: Entry): State {
  switch (entry.kind) {
    case "user_message": {
      const { mode, parts } = entry.body;
      const next = { ...state, messages: state.messages + 1, memory: withSent(state.memory, parts, entry) };
      if (mode === "join") return changeLive(joinQueued(next, entry), entry);
      return mode === "answer" ? changeLive(next, entry) : next;
    }
    case "run_queued": {
      const { body, run } = entry;
      if (run === null) throw new PhaseError(entry, "none");
      const { spec: _spec, ...request } = body;
      return {
        ...state,
        runs: state.runs + 1,
        queue: [...state.queue, { run, seq: entry.seq, request, queuedAt: entry.at }],
      };
    }
    case "label_asked": {
      const { reservedTokens, reservedCost } = entry.body;
      const queued = state.queue.find((item) => item.run === entry.run);
      if (state.run !== null || queued === undefined) throw new PhaseError(entry, "queued");
      return {
        ...state,
        label: { run: queued.run, reserved: reservedUsage(reservedTokens, reservedCost), settled: null },
      };
    }
    case "run_labelled": {
      const { label, usage } = entry.body;
      const pending = state.queue.some((item) => item.run === state.label?.run) ? state.label : null;
      const charged = charge(state, entry.at, usage);
      // A run that was cancelled meanwhile has no class.
      return { ...charged, label: pending === null ? null : { ...pending, settled: { label, usage } } };
    }
    case "run_started":
      return startRun(state, entry);
    case "run_ended":
      return endRun(state, entry);
    case "session_cleared":
      return { ...state, cleared: entry.seq, ended: [], memory: EMPTY_MEMORY, taintedMemory: false };
    case "titled":
      return charge(state, entry.at, entry.body.usage);
    case "queue_held":
      return { ...state, held: entry.body.held && state.queue.length > 0 };
    case "answer_hidden": {
      // The answered messages now belong to the run that repeats the answer.
      const hide = ({ compacted: _summary, ...item }: EndedRun): EndedRun => ({
        ...item,
        answer: null,
        inputs: item.inputs.slice(0, -1),
      });
      const ended = state.ended.map((item) => (item.run === entry.body.run ? hide(item) : item));
      return { ...state, ended };
    }
    case "memory_changed":
      return remember(state, entry, entry.body);
    case "command_queued": {
      const breakers = state.run === null ? state.breakers : foldBreakers(state.breakers, state.run, entry);
      return { ...changeLive(state, entry), breakers };
    }
    case "note": {
      const noted = state.queue.map((item) =>
        item.run === entry.run ? { ...item, noted: entry.seq } : item,
      );
      return changeLive(entry.body.digest === undefined ? state : { ...state, queue: noted }, entry);
    }
    case "review":
      return changeLive(state, entry);
    case "approval_explained":
    case "policy_remembered":
    case "policy_revoked":
      return state;
    default: {
      if (state.run === null || entry.run !== state.run.run) {
        // A cancelled queued run gets its status line although it was never live.
        if (entry.kind === "answer") return state;
        throw new PhaseError(entry, "no such run");
      }
      const breakers = foldBreakers(state.breakers, state.run, entry);
      const changed = withMessage(
        { ...changeLive(state, entry), breakers, factors: learn(state, entry) },
        entry,
      );
      if (entry.kind !== "call_settled" || entry.body.changes === undefined) return changed;
      return remember(changed, entry, { tool: entry.body.tool, changes: entry.body.changes });
    }
  }
}

/** Stores messages that were or may have been sent, for comparison with later ones, also across runs. */
function withMessage(state: State, entry: Entry): State {
  if (entry.kind !== "call_settled" || entry.body.reusedFrom !== null) return state;
  const { status, call } = entry.body;
  const found =
    status === "ok" || status === "unknown"
      ? state.run?.loop.calls.find((one) => one.id === call)
      : undefined;
  if (found?.message === undefined) return state;
  const { target: to, value, message } = found;
  const { chars, words } = message;
  return {
    ...state,
    sent: recentSends([
      ...(state.sent ?? []),
      {
        at: entry.at,
        to,
        value,
        chars,
        words,
        ...(state.run?.request.source === "heartbeat" ? ({ heartbeat: true } as const) : {}),
      },
    ]),
  };
}

/**
 * Returns the newest sends, and the last heartbeat message to each target, which determines when the next may follow.
 */
function recentSends(sent: readonly Sent[]): readonly Sent[] {
  const isLastOwn = (one: Sent): boolean =>
    one.heartbeat === true &&
    sent.findLast((other) => other.heartbeat === true && other.to === one.to) === one;
  return sent.filter((one, at) => at >= sent.length - SENDS_STORED || isLastOwn(one));
}

/** Adds the images and files of a message to memory, the last one in focus: "the image I just sent". */
function withSent(memory: Memory, parts: readonly PromptPart[], { seq }: Entry): Memory {
  const changes = parts
    .flatMap((part) => (part.type === "file" ? sentThing(part) : []))
    .toReversed()
    .map((thing) => ({ op: "create", ...thing }) as const);
  if (changes.length === 0) return memory;
  return changeMemory(memory, changes, { tool: null, step: null, seq });
}

function sentThing({ image, file }: Extract<PromptPart, { type: "file" }>) {
  if (image !== undefined) return [{ type: "image", id: image.id, name: image.name }];
  return file === undefined ? [] : [{ type: "file", id: file.id, name: file.name }];
}

/**
 * Returns the working memory after these changes. A tool that was running when the session was cleared changes nothing.
 */
function remember(
  state: State,
  { run, step, seq }: Entry,
  { tool, changes, facts = [] }: Omit<BodyOf<"memory_changed">, "call">,
): State {
  if (state.run !== null && state.run.run === run && state.run.request.inputSeq <= state.cleared)
    return state;
  const memory = changeMemory(state.memory, changes, { tool, step, seq });
  return {
    ...state,
    memory: { ...memory, facts: changeFacts(memory.facts, facts, seq) },
    taintedMemory: state.taintedMemory || (state.run?.safety.taint.tainted ?? null) !== null,
  };
}

/** Adds a message that joins a queued run; both are read together. */
function joinQueued(state: State, { run, seq, body }: Entry<"user_message">): State {
  if (!state.queue.some((item) => item.run === run)) return state;
  const input = { seq, source: body.source, files: hasFiles(body.parts) };
  const queue = state.queue.map((item) =>
    item.run === run ? { ...item, joined: [...(item.joined ?? []), input] } : item,
  );
  return { ...state, queue };
}

/** Applies an entry to the live run, if it belongs to it. */
function changeLive(state: State, entry: Entry): State {
  if (state.run === null || entry.run !== state.run.run) return state;
  const run = changeRun(state.run, entry, state.ended);
  return run === state.run ? state : { ...state, run };
}

/** Corrects the estimate factors by the reply to a request. */
function learn({ factors, run }: State, entry: Entry): Factors {
  const modelCall = entry.kind === "model_replied" ? modelRequest(run, entry) : null;
  if (modelCall === null || entry.kind !== "model_replied") return factors;
  const { inputTokens, estimated } = entry.body.usage;
  return learnFactor(factors, {
    model: modelCall.model,
    raw: rawTokens(modelCall.size),
    inputTokens,
    estimated,
  });
}

function startRun(state: State, entry: Entry<"run_started">): State {
  const queued = state.queue.find((item) => item.run === entry.run);
  if (queued === undefined || state.run !== null) throw new PhaseError(entry, "queued");
  const queue = state.queue.filter((item) => item !== queued);
  const { request, joined = [] } = queued;
  const inputs = [request.inputSeq, ...joined.map(({ seq }) => seq)];
  const { grant, limits, profile, classified, policy, unattended = [], reachable } = entry.body;
  const canSend = grant.some(({ tool }) => tool === SEND_MESSAGE);
  const run: LiveRun = {
    run: queued.run,
    request,
    work: classified.work,
    limits,
    profile,
    policy,
    startedAt: entry.at,
    firstSeq: queued.noted ?? entry.seq,
    phase: THINKING,
    step: 0,
    input: { all: inputs, unread: inputs },
    output: canSend ? { ...NO_OUTPUT, canSend } : NO_OUTPUT,
    models: {
      current: request.model,
      fallbacks: request.fallbacks,
      fallbackSince: null,
      withoutTools: [],
      measured: null,
    },
    used: { ...NOTHING_USED, usage: usedBefore(state, queued.run) },
    failures: NO_FAILURES,
    loop: NO_LOOP_MEMORY,
    plan: null,
    safety: {
      ...withJoined(beginSafety(state, request), joined),
      unattended,
      ...(reachable === undefined ? {} : { reachable }),
    },
    cancel: null,
  };
  return { ...state, queue, label: null, run };
}

/** Returns the usage charged to a run before it began. */
const usedBefore = ({ label }: State, run: string): Usage =>
  label?.run === run ? (label.settled?.usage ?? NO_USAGE) : NO_USAGE;

function endRun(state: State, entry: Entry<"run_ended">): State {
  const { run } = state;
  if (run !== null && run.run === entry.run) {
    const { firstSeq, profile } = run;
    const { message, inputSeq } = run.request;
    const { outcome } = entry.body;
    const ended: EndedRun = {
      run: run.run,
      message,
      inputSeq,
      inputs: run.input.all,
      answer: run.output.answer,
      outcome,
      taint: run.safety.taint,
      profile,
      firstSeq,
      lastSeq: entry.seq,
      ...(run.loop.compacted === null ? {} : { compacted: run.loop.compacted.seq }),
    };
    // Input cleared while its run worked no longer belongs to the conversation.
    if (inputSeq <= state.cleared) return { ...state, run: null };
    // A silent look is dropped too: a night of them would push out the conversation.
    if (run.request.source === "heartbeat" && run.output.answer === null) return { ...state, run: null };
    return { ...state, run: null, ended: [...state.ended, ended].slice(-ENDED_RUNS_SHOWN) };
  }
  const queued = state.queue.find((item) => item.run === entry.run);
  if (queued === undefined) throw new PhaseError(entry, "done");
  // The run never began, so no model sees its request.
  const queue = state.queue.filter((item) => item !== queued);
  // An outstanding label call is charged once its outcome is known.
  const label = state.label?.run === entry.run && state.label.settled !== null ? null : state.label;
  return { ...state, queue, label, held: state.held && queue.length > 0 };
}

/** Migrations: each turns a snapshot of one schema into the next. Empty: schema 1 is the first. */
export type Migrations = Readonly<Record<number, (stored: never) => object>>;

const MIGRATIONS: Migrations = {};

/**
 * Migrates a stored snapshot to the present schema, equal to what the present code folds from the same log. Throws for
 * an unknown schema, so that nothing written by a newer version is overwritten. Tests pass their own schemas.
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
