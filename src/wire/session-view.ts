import type { JsonObject } from "../core/log/json.ts";
import type { PolicyView } from "./remember.ts";
import type { RunView } from "./views.ts";

/** interface 3, Session */
export interface SessionView {
  readonly id: string;
  readonly title: string;
  readonly titleSource: "auto" | "user";
  readonly owner: string;
  /** what the session names, or the deployment's; null while that cannot be called */
  readonly model: string | null;
  readonly status: "idle" | "running" | "waiting";
  readonly archived: boolean;
  readonly messageCount: number;
  readonly runCount: number;
  readonly queued: number;
  readonly pendingApprovals: number;
  readonly lastSeq: number;
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly forkedFrom: { readonly sessionId: string; readonly seq: number } | null;
  readonly imported: boolean;
  readonly metadata: JsonObject;
}

/** interface 3, GET S */
export interface SessionDetail extends SessionView {
  readonly activeRun: RunView | null;
  readonly queue: readonly { readonly runId: string; readonly position: number; readonly text: string }[];
  readonly policies: readonly PolicyView[];
}

/** interface 3, GET S/memory: what the session has in mind, as its next prompt will say it, with the whole of each fact. */
export interface MemoryView {
  /** newest first */
  readonly entities: readonly EntityView[];
  /** newest first */
  readonly facts: readonly { readonly key: string; readonly value: string; readonly seq: number }[];
  /** what it takes of a prompt */
  readonly tokens: number;
  /** seq of the last row of the log */
  readonly seq: number;
}

export interface EntityView {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  /** `slug` and `parent {type, id}`, where it has them */
  readonly fields: JsonObject;
  /** it is what "it" and "that page" mean */
  readonly focus: boolean;
  /** null where no tool put it there */
  readonly tool: string | null;
  readonly step: string | null;
  readonly seq: number;
}
