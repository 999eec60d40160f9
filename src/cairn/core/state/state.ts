import type { BodyOf, Limits, Outcome } from "../log/entry.ts";
import type { Usage } from "../log/model.ts";
import type { MessageMark } from "../log/mark.ts";
import type { RunPolicy } from "../log/run.ts";
import type { EntityRef } from "../log/tool.ts";
import type { ClassLabel, Profile } from "../log/verdict.ts";
import type { Children } from "./run/children.ts";
import type { LoopMemory } from "./loop-memory.ts";
import type { PlanState } from "./plan.ts";
import type { Factors } from "./prompt-size.ts";
import type { Failures } from "./run/failures.ts";
import type { Input } from "./run/input.ts";
import type { Models } from "./run/models.ts";
import type { Output } from "./run/output.ts";
import type { Phase } from "./run/phase.ts";
import type { Used } from "./run/used.ts";

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
  /** label of the next run's class: a model's request and answer; null before the request */
  readonly label: PendingLabel | null;
  /** a person has stopped what was live and wants to see before the next begins; never with an empty queue */
  readonly held: boolean;
  readonly run: LiveRun | null;
  /** the last ENDED_RUNS_SHOWN, oldest first */
  readonly ended: readonly EndedRun[];
  readonly memory: Memory;
  /** whether a run that had read from outside has ever written to it */
  readonly taintedMemory: boolean;
  /** what failed several times in a row */
  readonly breakers: Breakers;
  /** seq of the last session_cleared: entries up to it are hidden from people and models */
  readonly cleared: number;
  /** by how much the estimates of each model's requests have been off */
  readonly factors: Factors;
  /** what was spent on the day of the last model call; null before the first */
  readonly day: DaySpent | null;
  /** the last messages that were sent, or may have been, oldest first; absent before the first */
  readonly sent?: readonly Sent[];
}

/** A message that was sent, as the next one is compared with it. */
export interface Sent extends Pick<MessageMark, "chars" | "words"> {
  readonly at: number;
  /** where it went, as its call named it */
  readonly to: string | null;
  /** digest of its text */
  readonly value: string | null;
  /** a look of the session's own sent it; absent of any other */
  readonly heartbeat?: true;
}

export interface PendingLabel {
  readonly run: string;
  /** charged if the call's outcome stays unknown */
  readonly reserved: Usage;
  /** null until something came of it */
  readonly settled: { readonly label: ClassLabel | null; readonly usage: Usage } | null;
}

/** `no`: days since the epoch, in UTC. */
export interface DaySpent {
  readonly no: number;
  readonly tokens: number;
  /** millionths of a US dollar */
  readonly cost: number;
}

/** The request of a run with its rights and models. The specification is only in the entry. */
export type AcceptedRun = Omit<BodyOf<"run_queued">, "spec">;

export interface QueuedRun {
  readonly run: string;
  /** seq of the note that was shown with its message before it began; absent without one */
  readonly noted?: number;
  /** of its run_queued */
  readonly seq: number;
  readonly request: AcceptedRun;
  readonly queuedAt: number;
  /** messages that joined it before it began; absent where there are none */
  readonly joined?: readonly JoinedInput[];
}

/** A message as the taint of its run depends on it. */
export interface JoinedInput {
  readonly seq: number;
  readonly source: AcceptedRun["source"];
  readonly files: boolean;
}

/** A run, divided by owner of the fields: each part has a file, which applies entries to it. */
export interface LiveRun {
  readonly run: string;
  readonly request: AcceptedRun;
  /** work was asked for */
  readonly work: boolean;
  /** what is enforced now: of its class and of what was wanted, more after an extension */
  readonly limits: Limits;
  /** its class */
  readonly profile: Profile;
  readonly policy: RunPolicy;
  readonly startedAt: number;
  readonly firstSeq: number;
  readonly phase: Phase;
  /** number of the last started step */
  readonly step: number;
  readonly input: Input;
  readonly output: Output;
  readonly models: Models;
  readonly used: Used;
  readonly failures: Failures;
  readonly loop: LoopMemory;
  /** null before its first plan */
  readonly plan: PlanState | null;
  readonly safety: Safety;
  /** what its calls have started; absent before the first */
  readonly children?: Children | undefined;
  readonly cancel: {
    readonly actor: string;
    readonly reason: string | null;
    readonly superseded: boolean;
  } | null;
}

export interface EndedRun {
  readonly run: string;
  readonly message: string;
  readonly inputSeq: number;
  /** seqs of all the person's messages in it */
  readonly inputs: readonly number[];
  /** seq of its answer; null without one */
  readonly answer: number | null;
  readonly outcome: Outcome;
  readonly taint: Taint;
  readonly profile: Profile;
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** seq of the entry that sums up its middle; absent where there is none */
  readonly compacted?: number;
}

export interface Memory {
  readonly entities: readonly Entity[];
  /** id of the entity in focus, by type */
  readonly focus: { readonly [type: string]: string };
  /** what was stored to be remembered, newest first; the values are in their entries */
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

export const EMPTY_MEMORY: Memory = { entities: [], focus: {}, facts: [] };

export const EMPTY_STATE: State = {
  schema: STATE_SCHEMA,
  at: 0,
  head: 0,
  runs: 0,
  messages: 0,
  queue: [],
  label: null,
  held: false,
  run: null,
  ended: [],
  memory: EMPTY_MEMORY,
  taintedMemory: false,
  breakers: [],
  cleared: 0,
  factors: [],
  day: null,
};

/** First cause of a taint: an entry, and a tool or one of the words below. */
export interface Cause {
  readonly seq: number;
  readonly by: string;
}

export interface Taint {
  readonly tainted: Cause | null;
  readonly private: Cause | null;
}

/** Exposure, denials and guard faults of a run; part of its state, equal to the fold of its entries. */
export interface Safety {
  readonly taint: Taint;
  /** seq of the verdict that announced the rule of two; null before the rule has turned a call into a gate */
  readonly notified: number | null;
  /** entries that refused a call for lack of a right or an address */
  readonly denials: readonly number[];
  /** guards that threw */
  readonly faults: readonly Fault[];
  /** tools that it may write with where no person asked for it */
  readonly unattended: readonly string[];
  /** places that it may send to there; absent where there are none */
  readonly reachable?: readonly string[];
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
