import type { Heartbeat } from "../../core/heartbeat.ts";
import type { Policy } from "../../core/log/approval.ts";
import type { JsonObject } from "../../core/log/json.ts";
import type { Targets } from "../../core/log/targets.ts";

/** Session settings that are not history: one row, written when they change. */
export interface Meta {
  readonly owner: string;
  readonly title: string;
  readonly titleSource: "auto" | "user";
  /** the model was asked for a title, or will be at once: never again */
  readonly titleAsked?: true;
  readonly model: string | null;
  /** name of the agent of its runs; absent: the deployment's */
  readonly agent?: string;
  /** what its runs work on; absent or null: the targets of their agent */
  readonly targets?: Targets | null;
  readonly createdAt: number;
  /** grows with every change that a person makes */
  readonly version: number;
  /** named by a person; null takes the one of the deployment */
  readonly archived?: boolean;
  readonly metadata?: JsonObject;
  readonly forkedFrom?: { readonly sessionId: string; readonly seq: number } | null;
  /** everything in it came from a file */
  readonly imported?: boolean;
  /** decisions that people have given for later calls too, the newest last */
  readonly policies?: readonly Policy[];
  /** read-only links, the newest last */
  readonly shares?: readonly StoredShare[];
  /** that it looks after itself now and then; absent while that was never enabled */
  readonly heartbeat?: Heartbeat;
  /** milliseconds since the epoch of the last change of these facts */
  readonly changedAt?: number;
}

/** A read-only link to the session, or to one run of it. */
export interface StoredShare {
  readonly id: string;
  /** the request that made it; absent in older links, whose id was derived from the request */
  readonly request?: string;
  /** local name; null: the whole session */
  readonly run: string | null;
  readonly by: string;
  /** name of the grant by which it was made; absent: made in an earlier release, or by the anonymous of a local host */
  readonly grant?: string;
  /** milliseconds since the epoch, both */
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** How much of the session its entry in the index of sessions shows (background/session-index.ts). */
export interface Indexed {
  /** what it showed when it was written; the present one differs while the index lags */
  readonly token: string;
  /** texts of rows up to here are in it */
  readonly seq: number;
  /** writes that failed since the last that did not */
  readonly tries: number;
  /** milliseconds since the epoch before which it is not tried again */
  readonly retryAt: number;
}

export const NEVER_INDEXED: Indexed = { token: "", seq: 0, tries: 0, retryAt: 0 };
