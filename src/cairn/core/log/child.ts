import type { Json } from "./json.ts";
import type { Usage } from "./model.ts";
import type { Citation, Receipt, Sources } from "./receipt.ts";
import type { Limits, Outcome } from "./run.ts";

/** A run that another run started in its own session: its budget and its report, as stored. */

/** Budget that a run reserves for a child out of its own limits: the maximum for the child and its descendants. */
export interface Share extends Amount {
  /** sessions that the child may have made below it, all levels together */
  readonly sessions: number;
}

/** Limits that a child takes from its parent; how long one reply may be is none. */
export type Amount = Omit<Limits, "outputTokens">;

/** The parent of a run in a child session, and the run's position in the tree. */
export interface ParentRun {
  /** the session of the parent, when it was made, and the local names of its run and of the call that waits */
  readonly session: string;
  readonly createdAt: number | null;
  readonly run: string;
  readonly call: string;
  /** 1 for a child of the run that a person started */
  readonly depth: number;
  /** the session at the top of the tree */
  readonly root: string;
  /** sessions that may be made below this one, all levels together */
  readonly sessions: number;
  /** what the parent had read when it started this one; absent where it had not */
  readonly tainted?: true;
  readonly private?: true;
}

/** A call that waits for a child, or with `wait: false` gets the report later, while the run continues. */
export interface CallDeferred {
  readonly call: string;
  readonly tool: string;
  /** its session */
  readonly child: string;
  /** when the child is asked for its report the first time, unless that has come */
  readonly pollAt: number;
  readonly wait: boolean;
}

/** A child's result, reported to its parent once, no matter how often it is sent. */
export interface ChildReport {
  readonly child: string;
  readonly outcome: Outcome;
  /** `child_lost` if it could no longer be reached */
  readonly reason: string | null;
  /** as text, cut; empty without an answer */
  readonly answer: string;
  /** of a child that had to answer with a value */
  readonly value?: Json;
  readonly summary?: string;
  /** reported usage of the child and its descendants */
  readonly used: Amount;
  readonly usage: Usage;
  /** sessions that it and all below it have made, itself included */
  readonly sessions: number;
  /** it had read content from outside, or what is not public */
  readonly tainted: boolean;
  readonly private: boolean;
  /** changes by the child and its descendants, from its answer's receipt; absent if there are none */
  readonly receipt?: Receipt;
  /** citations of its answer, by the names in its own session; absent if there are none */
  readonly citations?: readonly Citation[];
}

/** The report as the parent stores it. */
export interface ChildReported extends ChildReport {
  readonly call: string;
  /** as the model is shown it, of a call that has had its result; absent where the report is the result */
  readonly observation?: string;
  /** with `observation`: its evidence under the names of this session; absent where there is none */
  readonly sources?: Sources;
}

/**
 * The parent ended, or a person stopped the branch. The stop is repeated until the child confirms, and no report is
 * awaited.
 */
export interface ChildStopped {
  readonly call: string;
  readonly child: string;
}

/** Usage and sources of a run and its descendants, if it has children or is one. */
export interface TreeUsed {
  readonly used: Amount;
  readonly usage: Usage;
  /** all sessions, its own included */
  readonly sessions: number;
  /** absent where it had not */
  readonly tainted?: true;
  readonly private?: true;
}
