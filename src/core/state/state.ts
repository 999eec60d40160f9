import type { OpenApproval } from "../log/approval.ts";
export type { OpenApproval } from "../log/approval.ts";
import type { CallStatus, Decision, Limits, Outcome, RunSource, RequestedLimits } from "../log/entry.ts";
import type { PromptSize, Usage } from "../log/model.ts";
import type { EffectClass } from "../log/names.ts";
import type { RunPolicy } from "../log/run.ts";
import type { EntityRef, Gate, ToolAccess, ToolTraits } from "../log/tool.ts";
import type { NudgeCode, Profile, Role } from "../log/verdict.ts";
import type { GuardMemory } from "./loop-memory.ts";
import type { PlanState } from "./plan.ts";
import type { Factors, Measured } from "./prompt-size.ts";

/**
 * The snapshot of a session: always equal to fold(apply, entries). Counters, names and digests only, never a message.
 * Persisted in the cursor row; `schema` grows when its shape does, and `migrate` (apply.ts) reads the older ones.
 */
export const STATE_SCHEMA = 1;

export interface State {
  readonly schema: typeof STATE_SCHEMA;
  /** time of the last entry, milliseconds */
  readonly at: number;
  /** seq of the last entry */
  readonly head: number;
  readonly runs: number;
  /** user messages ever accepted */
  readonly messages: number;
  readonly queue: readonly QueuedRun[];
  readonly run: LiveRun | null;
  /** the last ENDED_RUNS_SHOWN, oldest first */
  readonly ended: readonly EndedRun[];
  readonly memory: Memory;
  /** whether a run that had read from outside has ever written to it */
  readonly taintedMemory: boolean;
  /** what failed several times in a row */
  readonly breakers: Breakers;
  /** seq of the last session_cleared: rows up to it are shown to nobody and to no model */
  readonly cleared: number;
  /** by how much the estimates of each model's requests have been off */
  readonly factors: Factors;
  /** what was spent on the day of the last model call; null before the first */
  readonly day: DaySpent | null;
}

/** `no`: days since the epoch, in UTC. */
export interface DaySpent {
  readonly no: number;
  readonly tokens: number;
  /** millionths of a US dollar */
  readonly cost: number;
}

export interface QueuedRun extends RequestedLimits {
  readonly run: string;
  readonly message: string;
  readonly inputSeq: number;
  readonly request: string | null;
  readonly actor: string;
  readonly source: RunSource;
  readonly model: string;
  readonly fallbacks: readonly string[];
  readonly temperature: number | null;
  /** who decides its approvals; absent where the session's owner does */
  readonly approvers?: readonly string[];
  /** of whoever asked */
  readonly role: Role;
  readonly files?: true;
  readonly imported?: true;
  readonly queuedAt: number;
}

export interface LiveRun extends Omit<QueuedRun, "queuedAt" | keyof RequestedLimits> {
  readonly requested: RequestedLimits;
  /** what is enforced now: of its class and of what was wanted, more after an extension */
  readonly limits: Limits;
  /** its class */
  readonly profile: Profile;
  /** work was asked for */
  readonly work: boolean;
  readonly startedAt: number;
  readonly firstSeq: number;
  readonly phase: Phase;
  /** number of the last started step */
  readonly step: number;
  readonly usage: Usage;
  readonly toolCalls: number;
  readonly activeMs: number;
  /** attempt_lost entries in all */
  readonly interruptions: number;
  /** failures retried in all */
  readonly retries: number;
  /** unusable replies in a row */
  readonly unusableReplies: number;
  /** replies cut by length or withheld by a filter, in a row */
  readonly truncatedReplies: number;
  readonly cancel: {
    readonly actor: string;
    readonly reason: string | null;
    readonly superseded: boolean;
  } | null;
  /** seqs of joined input that no model call has read */
  readonly unread: readonly number[];
  /** seqs of all input of the run */
  readonly inputs: readonly number[];
  /** the newest text that came beside calls: seq of its model_replied */
  readonly latestText: number | null;
  /** whether any call of the run settled ok */
  readonly anyOk: boolean;
  /** seq of its answer, once there is one */
  readonly answer: number | null;
  /** what the guards remember of it */
  readonly guard: GuardMemory;
  /** the first model, since its provider failed and a fallback works; absent where it does itself */
  readonly fallbackSince?: { readonly model: string; readonly since: number };
  /** deliveries with a receipt, or of unknown outcome, before its answer */
  readonly sends: number;
  /** what is done or said once a run about its budget, and was */
  readonly once: readonly Once[];
  /** absent where it is DEFAULT_RUN_POLICY */
  readonly policy?: RunPolicy;
  /** absent before its first plan */
  readonly plan?: PlanState;
  /** the last message to the person; absent where nothing was sent, skipped or asked for */
  readonly lastMessage?: LastMessage;
  /** the last request whose tokens the provider counted; absent where there is none */
  readonly measured?: Measured;
  /** what it has read, and who was refused what */
  readonly safety: Safety;
  /** without a person: tools that it may write with */
  readonly unattended?: readonly string[];
  /** no model could be called at its last row: the time until the next one is nobody's */
  readonly stalled?: true;
}

/** By itself, by a person, to a larger class, and the word that most is used. */
export type Once = "EXTENDED" | "EXTENDED_BY_PERSON" | "PROMOTED" | "WRAP_UP";

/** A field that matters in one phase exists in that phase only. */
export type Phase = Thinking | Acting | WaitingApproval | WaitingHuman | WaitingRetry | Ending;

export interface Thinking {
  readonly at: "thinking";
  readonly why: "step" | "final";
  /** why the answer is forced, such as `budget:steps`; null in an ordinary step */
  readonly reason: string | null;
  /** forced answers that came back empty */
  readonly empty: number;
  /** the step that has started and has no reply yet */
  readonly open: OpenStep | null;
}

export interface OpenStep {
  readonly n: number;
  /** number of the next attempt, from 1 */
  readonly attempt: number;
  /** seq of the entry that opened it */
  readonly base: number;
  readonly interruptions: number;
  readonly tries: number;
  /** tokens that each attempt reserves; a lost one is charged with them */
  readonly reserved: number;
  /** whether this model has called the request too large already */
  readonly overflowed?: true;
  /** the same in millionths of a dollar, and the tokens of output among them */
  readonly reservedCost: number;
  readonly maxOut: number;
  /** the model and the size of the request of the first attempt */
  readonly asked: { readonly model: string; readonly size: PromptSize };
}

export interface Acting {
  readonly at: "acting";
  readonly calls: readonly Call[];
}

export interface WaitingApproval {
  readonly at: "waiting_approval";
  readonly calls: readonly Call[];
  readonly approval: OpenApproval;
}

/** `calls` are those of the step; empty when a guard asks between two steps. */
export interface WaitingHuman {
  readonly at: "waiting_human";
  readonly calls: readonly Call[];
  readonly question: OpenQuestion;
}

/** Whether nobody but a person, or the end of their time, can go on. */
export function waitsForPerson(phase: Phase): phase is WaitingApproval | WaitingHuman {
  return phase.at === "waiting_approval" || phase.at === "waiting_human";
}

export interface WaitingRetry {
  readonly at: "waiting_retry";
  readonly until: number;
  readonly back: Thinking | Acting;
}

/** Nothing is left to try: the mechanical answer is written next. */
export interface Ending {
  readonly at: "ending";
  readonly outcome: Outcome;
  readonly reason: string;
  /** those of the step that it broke off; the open ones are settled with its end */
  readonly calls: readonly Call[];
}

/** A call of the current step. `args` is its digest; the arguments are in the log. */
export interface Call {
  readonly call: string;
  readonly tool: string;
  readonly effect: EffectClass;
  readonly gate: Gate;
  readonly argsDigest: string;
  /** seq of the row that holds the arguments: the reply, or the decision that edited them */
  readonly argsAt: number;
  readonly duplicateOf: string | null;
  readonly running: boolean;
  readonly settled: boolean;
  readonly failed: boolean;
  readonly status: CallStatus | null;
  /** attempts begun */
  readonly attempts: number;
  readonly interruptions: number;
  readonly previewInterruptions: number;
  readonly tries: number;
  /** approvals asked for it so far */
  readonly asked: number;
  readonly decision: CallDecision | null;
  /** of its tool; both absent where there is none */
  readonly traits?: ToolTraits;
  readonly access?: ToolAccess;
}

export interface CallDecision {
  readonly approval: string;
  readonly decision: Decision;
  readonly actor: string;
  readonly reason: string | null;
  readonly digest: string;
  readonly basis: string | null;
}

export interface OpenQuestion {
  readonly question: string;
  readonly call: string | null;
  readonly expiresAt: number;
  /** of its human_asked */
  readonly seq: number;
  /** the run ends when nobody answers */
  readonly ends: boolean;
}

export interface EndedRun {
  readonly run: string;
  readonly message: string;
  readonly inputSeq: number;
  /** seqs of all that the person said in it */
  readonly inputs: readonly number[];
  /** seq of its answer, or null when nothing was said */
  readonly answer: number | null;
  readonly outcome: Outcome;
  readonly taint: Taint;
  readonly profile: Profile;
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** seq of the row that sums up its middle; absent where there is none */
  readonly compacted?: number;
}

export interface Memory {
  readonly entities: readonly Entity[];
  /** id of the entity in focus, by type */
  readonly focus: { readonly [type: string]: string };
  /** what was stored to be remembered, newest first; the values are in their rows */
  readonly facts: readonly Fact[];
}

export interface Fact {
  readonly key: string;
  /** seq of the memory_changed that holds its value */
  readonly seq: number;
}

export interface Entity extends Omit<EntityRef, "op"> {
  /** the tool and the step that put it there; null where no tool did */
  readonly tool: string | null;
  readonly step: string | null;
  readonly seq: number;
}

/** Code of the note of a run that waits for a deployment in which a model can be called. */
export const MODEL_UNAVAILABLE = "model_unavailable";

export const NO_USAGE: Usage = {
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  estimated: false,
};

export const EMPTY_MEMORY: Memory = { entities: [], focus: {}, facts: [] };

export const EMPTY_STATE: State = {
  schema: STATE_SCHEMA,
  at: 0,
  head: 0,
  runs: 0,
  messages: 0,
  queue: [],
  run: null,
  ended: [],
  memory: EMPTY_MEMORY,
  taintedMemory: false,
  breakers: [],
  cleared: 0,
  factors: [],
  day: null,
};

/** What made it so first: a row, and a tool or one of the words below. */
export interface Cause {
  readonly seq: number;
  readonly by: string;
}

export interface Taint {
  readonly tainted: Cause | null;
  readonly private: Cause | null;
}

/** What a run has read and was refused, and where its guards failed: part of its state, equal to the fold of its entries. */
export interface Safety {
  readonly taint: Taint;
  /** seq of the verdict by which the rule of two was told; null before it has turned a call into a gate */
  readonly notified: number | null;
  /** rows that refused a call for lack of a right or an address */
  readonly denials: readonly number[];
  /** guards that threw */
  readonly faults: readonly Fault[];
}

interface Fault {
  readonly point: string;
  /** of the last started step */
  readonly step: number;
}

/**
 * Breakers of what is called (Nygard, Release It!): after failures in a row it is left alone for a while, ever
 * longer, then tried by one call. They belong to the session, so that the next run knows what this one has found out.
 */
export interface Breaker {
  /** `tool:look`, `host:<digest>` or `model:<name>` */
  readonly key: string;
  /** failures in a row, and the time of the first of them */
  readonly fails: number;
  readonly since: number;
  /** when it may be tried again; 0 while it is closed */
  readonly openUntil: number;
  /** how long it stayed open last; 0 while it was never */
  readonly spanMs: number;
}

export type Breakers = readonly Breaker[];

/** The last message that a run has sent to the person: part of its state. */
export interface LastMessage {
  /** of the last delivery: its step and the run's active milliseconds; 0 before the first */
  readonly step: number;
  readonly activeMs: number;
  readonly any: boolean;
  /** the strongest nudge since */
  readonly nudged: NudgeCode | null;
  /** step of the last send that did not run, 0 before the first */
  readonly skipped: number;
}
