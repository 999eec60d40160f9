import type { CallRecord } from "../log/mark.ts";
import type { RunPolicy, OnStuck } from "../log/run.ts";
import type { ErrorClass } from "../log/tool.ts";
import type { Profile, Block } from "../log/verdict.ts";

/**
 * The guards' view of a run, as digests and counters, folded from its entries and never from texts. A guard is a pure
 * function of this view and its subject. It returns a verdict, whose code determines the action.
 */

/** A reply and its results. */
export interface Turn {
  readonly step: number;
  /** seq of its reply */
  readonly seq: number;
  readonly at: number;
  readonly calls: readonly string[];
  /** one digest of its set of words longer than 3 characters; empty without such words, and in a turn with calls */
  readonly words: readonly string[];
  /** whether any call of it was executed */
  readonly executed: boolean;
  /** refused by a review or unusable */
  readonly refused: boolean;
  readonly progress: boolean;
}

/** A ban on a call, and until when. */
export interface Ban {
  readonly sig: string | null;
  readonly tool: string | null;
  readonly error: ErrorClass;
  readonly until: "step" | "time" | "effect" | "read" | "human" | "never";
  /** the step or the time, for those two: from there on it may be called */
  readonly value: number | null;
  /** with `time`: also over from this step on */
  readonly orStep?: number;
  /** of a tool: for calls of this host or target only */
  readonly scope?: string;
  /** with `read`: what has to be read */
  readonly target?: string;
}

/** Position on the ladder. */
export interface Stuck {
  readonly level: 0 | 1 | 2 | 3;
  /** turns before this seq are not looked at */
  readonly since: number;
  /** step of the turn that raised it last */
  readonly lastTurn: number;
  readonly blocked: readonly Block[];
  /** turns in a row with progress */
  readonly good: number;
  /** times that `retry_with_hint` was used */
  readonly retries: number;
  /** what raised it last, such as `loop.cycle` */
  readonly rule?: string;
}

export interface ToolCount {
  readonly executed: number;
  readonly fresh: number;
  /** failed results in a row; absent is 0 */
  readonly failed?: number;
  /** times that it was set aside for failing; absent is 0 */
  readonly cooled?: number;
}

export interface PollCount {
  readonly sig: string;
  readonly res: string;
  readonly count: number;
  readonly at: number;
}

/** The guards' memory of a run: part of its state, so bounded, and equal to the fold of its entries. */
export interface LoopMemory {
  /** the last TURNS_KEPT */
  readonly turns: readonly Turn[];
  /** the last CALLS_KEPT */
  readonly calls: readonly CallRecord[];
  readonly stuck: Stuck;
  readonly bans: readonly Ban[];
  /** refusals of the review, by code */
  readonly refusals: Readonly<Record<string, number>>;
  /** executed calls by tool, with the number of fresh ones */
  readonly counts: Readonly<Record<string, ToolCount>>;
  /** polls in a row with equal results, by signature; the last POLLS_KEPT */
  readonly polls: readonly PollCount[];
  /** what the run has seen: digests of results and of their ids, `e` + signature of effects that succeeded */
  readonly seen: readonly string[];
  /** seq of the last compaction, and what it covered; null before the first */
  readonly compacted: { readonly seq: number; readonly from: number; readonly to: number } | null;
  /** the reply whose calls are not all settled yet */
  readonly open?: OpenTurn;
}

/** The step and calls of an open turn are those of the run. */
export interface OpenTurn {
  /** of its reply */
  readonly seq: number;
  readonly words: readonly string[];
  /** none of its calls could run */
  readonly refused: boolean;
  readonly progress: boolean;
}

export const TURNS_STORED = 12;

export const CALLS_STORED = 48;

export const SEEN_STORED = 600;

export const BANS_STORED = 100;

/** How a run is guarded. */
export function guardConfig(run: { readonly policy: RunPolicy; readonly profile: Profile }): GuardConfig {
  return { onStuck: run.policy.onStuck, profile: run.profile };
}

export const NO_STUCK: Stuck = { level: 0, since: 0, lastTurn: 0, blocked: [], good: 0, retries: 0 };

export const NO_LOOP_MEMORY: LoopMemory = {
  turns: [],
  calls: [],
  stuck: NO_STUCK,
  bans: [],
  refusals: {},
  counts: {},
  polls: [],
  seen: [],
  compacted: null,
};

/** How the detector and the caps are set; a session may lower, never raise. */
export interface GuardConfig {
  readonly onStuck: OnStuck;
  readonly profile: Profile;
}
