import type { Address } from "../address.ts";
import { readBudgetRequest, requestedLimits, type BudgetRequest } from "../guards/budget/requested-budget.ts";
import { laneOf } from "../guards/permissions.ts";
import { QUEUE_MAX } from "../limits.ts";
import type { ParentRun } from "../log/child.ts";
import type { BodyOf, Entry, EntryDraft, InputMode, RunSource, Via, RequestedLimits } from "../log/entry.ts";
import type { PromptPart } from "../log/model.ts";
import type { RunSpec } from "../log/run-spec.ts";
import { runName } from "../log/names.ts";
import type { Role } from "../log/verdict.ts";
import { answerEntries, readAnswer } from "../entries/question.ts";
import { hasFiles } from "../state/safety.ts";
import { aheadOf, waitingRuns } from "../state/queue.ts";
import type { EndedRun, LiveRun, AcceptedRun, State } from "../state/state.ts";
import type { WaitingHuman } from "../state/run/phase.ts";
import { finishQueued } from "./run-ended.ts";

/**
 * Turns commands of people and systems into entries, or a refusal that changes nothing. The store has already checked
 * that the ID is new.
 */
export interface SendMessage {
  readonly id: string;
  readonly author: string;
  readonly source: RunSource;
  readonly parts: readonly PromptPart[];
  readonly mode: InputMode;
  readonly request: string | null;
  readonly model: string;
  readonly fallbacks: readonly string[];
  /** the deployment's limits for runs */
  readonly wanted: RequestedLimits;
  /** budget requested for this run; absent: none */
  readonly budget?: BudgetRequest;
  readonly temperature: number | null;
  readonly spec: RunSpec;
  /** of the author, from their credential */
  readonly role: Role;
  /** it requests a separate run, so a capsule does not take it in */
  readonly apart?: true;
  /** the open question that this message answers */
  readonly question?: (BodyOf<"human_asked"> & { readonly via: Via }) | null;
  /** who may decide approvals of its run; the session's owner when left out */
  readonly approvers?: readonly string[];
  /** the session was imported from a file */
  readonly imported?: true;
  /** origin of the message; absent for the page */
  readonly origin?: Address;
  /** ID of the message that it belongs to, whose run it joins if possible; absent if it is independent */
  readonly follows?: string;
  /** the call of the parent session that starts it; absent otherwise */
  readonly parent?: ParentRun;
  /** when, or for when, a person requested an automatic run; absent without such a request */
  readonly askedAt?: number;
}

export type Received<Value> =
  | { readonly ok: true; readonly entries: readonly EntryDraft[]; readonly value: Value }
  | { readonly ok: false; readonly code: string; readonly message: string };

/** `run` is the local name of the run that reads the message; `ahead` the number of runs before it. */
export function receiveSend(
  state: State,
  send: SendMessage,
): Received<{ run: string; mode: InputMode | "answer"; ahead: number }> {
  const { id, author, source, parts, question = null } = send;
  const live = state.run;
  if (question !== null && live?.phase.at === "waiting_human" && mayJoin(live, send) && mayAnswer(parts))
    return {
      ok: true,
      entries: repliedEntries(live, live.phase, send, question),
      value: { run: live.run, mode: "answer", ahead: 0 },
    };
  const joined = runToJoin(state, send);
  if (joined !== null) {
    const message: EntryDraft = {
      kind: "user_message",
      run: joined.run,
      step: null,
      body: { id, author, source, parts, mode: "join", ...traceOf(send) },
    };
    return { ok: true, entries: [message], value: { ...joined, mode: "join" } };
  }
  if (state.queue.length >= QUEUE_MAX) {
    return { ok: false, code: "queue_full", message: `${QUEUE_MAX} runs are waiting already.` };
  }
  const typed = readBudgetRequest(parts);
  const budget = send.budget ?? { profile: null, limits: {}, mayRaise: false };
  const wanted = requestedLimits(send.wanted, { ...budget, profile: budget.profile ?? typed.profile });
  const run = runName(state.runs + 1);
  const replaces = send.mode === "replace" && live !== null;
  const entries: EntryDraft[] = replaces ? [cancelEntry(live.run, id, author, null, true)] : [];
  const inputSeq = state.head + entries.length + 1;
  entries.push(
    {
      kind: "user_message",
      run,
      step: null,
      body: { id, author, source, parts: typed.parts, mode: replaces ? "replace" : "queue" },
    },
    queuedEntry(run, send, inputSeq, wanted),
  );
  // A person who writes on has seen what was stopped; automatic input waits behind it.
  if (state.held && laneOf(source) === "user") entries.push(heldEntry(author, false));
  const ahead = aheadOf(state, source) + (live === null ? 0 : 1);
  return { ok: true, entries, value: { run, mode: replaces ? "replace" : "queue", ahead } };
}

/** Adds a person's message to the live run; the next model call reads it. */
export function receiveSteer(state: State, send: SendMessage): ReturnType<typeof receiveSend> {
  const { run } = state;
  if (run === null || run.cancel !== null)
    return { ok: false, code: "not_running", message: "No run is live, so nothing can be steered." };
  if (run.input.all.length >= QUEUE_MAX)
    return { ok: false, code: "queue_full", message: `${QUEUE_MAX} messages have joined this run already.` };
  if (!mayJoin(run, send))
    return {
      ok: false,
      code: "not_running",
      message: "The live run is worked with other rights than yours.",
    };
  return receiveSend(state, { ...send, mode: "join" });
}

/** Returns the run whose answer can be redone: the last one, if nothing is live; or why not. */
export function findRegenerable(
  state: State,
): { readonly ok: true; readonly last: EndedRun } | { readonly ok: false; code: string; message: string } {
  if (state.run !== null || state.queue.length > 0)
    return { ok: false, code: "busy", message: "A run is live: wait for its end, or cancel it." };
  const last = state.ended.findLast((item) => item.inputs.length > 0);
  if (last === undefined)
    return { ok: false, code: "nothing_new", message: "There is no answer to make again." };
  return { ok: true, last };
}

/**
 * Answers the last message of a run again in a new run, and hides the former answer. Allowed only if the former run
 * changed nothing: `entries` are its own. `id` and `parts` are those of the message.
 */
export function receiveRegenerate(
  state: State,
  again: Omit<SendMessage, "mode">,
  entries: readonly Entry[],
): Received<{ run: string }> {
  const found = findRegenerable(state);
  if (!found.ok) return found;
  const { last } = found;
  if (entries.some((entry) => entry.kind === "call_intended" && entry.body.effect !== "read"))
    return {
      ok: false,
      code: "has_effects",
      message: "That run has changed something, so it is not run again.",
    };
  const run = runName(state.runs + 1);
  const inputSeq = last.inputs.at(-1) ?? last.inputSeq;
  return {
    ok: true,
    entries: [
      { kind: "answer_hidden", run: null, step: null, body: { run: last.run, actor: again.author } },
      queuedEntry(run, again, inputSeq, again.wanted),
    ],
    value: { run },
  };
}

function queuedEntry(
  run: string,
  send: Omit<SendMessage, "mode">,
  inputSeq: number,
  wanted: RequestedLimits,
): EntryDraft {
  const { id: message, author: actor, source, request, model, fallbacks, temperature, role } = send;
  const { approvers, imported, origin, askedAt, parent, spec } = send;
  const body = {
    message,
    inputSeq,
    request,
    actor,
    source,
    model,
    fallbacks,
    temperature,
    role,
    ...(hasFiles(send.parts) ? ({ files: true } as const) : {}),
    ...(imported === undefined ? {} : { imported }),
    ...(origin === undefined ? {} : { origin }),
    ...(askedAt === undefined ? {} : { askedAt }),
    ...(approvers === undefined ? {} : { approvers }),
    ...(parent === undefined ? {} : { parent }),
    ...(spec.previous === null ? {} : ({ previous: spec.previous.tainted ? "tainted" : "private" } as const)),
    ...wanted,
    spec,
  };
  return { kind: "run_queued", run, step: null, body };
}

/** Returns the existing run that reads the message, and the number of runs before it; null if there is none. */
function runToJoin(state: State, send: SendMessage): { readonly run: string; readonly ahead: number } | null {
  const { run: live } = state;
  const isFormer = (request: AcceptedRun): boolean =>
    send.follows !== undefined && request.message === send.follows && request.actor === send.author;
  if (live !== null && (isFormer(live.request) || joins(live, send)) && mayJoin(live, send))
    return { run: live.run, ahead: 0 };
  const waiting = waitingRuns(state);
  const at = waiting.findIndex(
    ({ request, joined = [] }) =>
      isFormer(request) && request.role === send.role && joined.length < QUEUE_MAX - 1,
  );
  const queued = waiting[at];
  return queued === undefined ? null : { run: queued.run, ahead: at + (live === null ? 0 : 1) };
}

/** A capsule works for hours: a person's message is read at its next step, not after it. */
function joins(live: LiveRun | null, { mode, source, apart }: SendMessage): live is LiveRun {
  if (live === null) return false;
  return (
    mode === "join" || (mode === "queue" && apart !== true && isCapsule(live) && laneOf(source) === "user")
  );
}

const isCapsule = ({ profile }: LiveRun): boolean => profile === "time_capsule";

/**
 * True if the run may take in the message. A run that is being stopped, or holds many, takes no more: the message gets
 * its own run. So does a message by someone with other rights, which must not run with those of this run.
 */
function mayJoin(run: LiveRun, { role, source }: SendMessage): boolean {
  const { cancel, input, request } = run;
  if (cancel !== null || input.all.length >= QUEUE_MAX || role !== request.role) return false;
  // In a capsule, which no person watches, a message runs with fewer rights than its author has, never with more.
  return laneOf(source) === laneOf(request.source) || (isCapsule(run) && laneOf(source) === "user");
}

const traceOf = ({ spec: { traceId } }: SendMessage): { readonly traceId?: string } =>
  traceId === null ? {} : { traceId };

const ownWords = (parts: readonly PromptPart[]): string =>
  parts.flatMap((part) => (part.type === "text" && part.foreign !== true ? [part.text] : [])).join("\n");

/** Only the author's own text and files answer. A file attached to a forward or a quotation belongs to that. */
const mayAnswer = (parts: readonly PromptPart[]): boolean =>
  ownWords(parts).trim() !== "" || !parts.some((part) => part.type === "text" && part.foreign === true);

/** A chat message that answers an open question: it stays in the conversation, and its text is the answer. */
function repliedEntries(
  run: LiveRun,
  phase: WaitingHuman,
  send: SendMessage,
  question: NonNullable<SendMessage["question"]>,
): EntryDraft[] {
  const { id, author, source, parts, request } = send;
  const value = readAnswer(question, ownWords(parts), true) ?? "The answer is in the file of this message.";
  const body = { id, author, source, parts, mode: "answer", ...traceOf(send) } as const;
  const answer = { value, actor: author, via: question.via, message: id, request };
  return [{ kind: "user_message", run: run.run, step: null, body }, ...answerEntries(run, phase, answer)];
}

/**
 * Stops the live run, one queued run, or everything; with `hold` the rest of the queue waits until a person continues
 * it. Without a live run the list is empty, which is no refusal.
 */
export function receiveCancel(
  state: State,
  cancel: {
    id: string;
    actor: string;
    run: string | null;
    all: boolean;
    hold?: boolean;
    reason: string | null;
  },
): { entries: readonly EntryDraft[]; cancelled: readonly string[] } {
  const entries: EntryDraft[] = [];
  const cancelled: string[] = [];
  const { run } = state;
  if (run !== null && run.cancel === null && (cancel.all || cancel.run === null || cancel.run === run.run)) {
    entries.push(cancelEntry(run.run, cancel.id, cancel.actor, cancel.reason, false));
    cancelled.push(run.run);
  }
  for (const queued of state.queue) {
    if (!cancel.all && cancel.run !== queued.run) continue;
    entries.push(
      cancelEntry(queued.run, cancel.id, cancel.actor, cancel.reason, false),
      ...finishQueued(queued, "cancelled", cancel.reason),
    );
    cancelled.push(queued.run);
  }
  const left = state.queue.filter((queued) => !cancelled.includes(queued.run));
  if (cancel.hold === true && left.length > 0 && !state.held) entries.push(heldEntry(cancel.actor, true));
  return { entries, cancelled };
}

/** Continues a held queue; no entries if it was not held. */
export function receiveContinue(state: State, actor: string): readonly EntryDraft[] {
  return state.held ? [heldEntry(actor, false)] : [];
}

const heldEntry = (actor: string, held: boolean): EntryDraft => ({
  kind: "queue_held",
  run: null,
  step: null,
  body: { actor, held },
});

/** Hides earlier messages and actions from people and the model; the log stays. */
export function receiveClear(state: State, clear: { id: string; actor: string }): readonly EntryDraft[] {
  const { entries } = receiveCancel(state, { ...clear, run: null, all: true, reason: "cleared" });
  return [...entries, { kind: "session_cleared", run: null, step: null, body: { actor: clear.actor } }];
}

function cancelEntry(
  run: string,
  id: string,
  actor: string,
  reason: string | null,
  superseded: boolean,
): EntryDraft {
  return {
    kind: "command_queued",
    run,
    step: null,
    body: { id, actor, command: "cancel", reason, superseded },
  };
}
