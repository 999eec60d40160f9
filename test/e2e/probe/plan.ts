/** Steps of the run: ten steps with tools, then the answer. Shared by the worker, the model and the proof. */

export type ProbeTool = "probe_read" | "probe_store" | "probe_post" | "probe_send" | "probe_publish";

/** The calls of each step, the first step first. */
export const PLAN: readonly (readonly ProbeTool[])[] = [
  ["probe_read"],
  ["probe_store"],
  ["probe_post"],
  ["probe_send"],
  ["probe_publish"],
  ["probe_read", "probe_read"],
  ["probe_store"],
  ["probe_post"],
  ["probe_send"],
  ["probe_publish"],
];

/** Number of the step that answers. */
export const ANSWER_STEP = PLAN.length + 1;
/** Owns what may be unknown: an answer that hid it would be sent back. */
export const ANSWER =
  "All ten steps are over. Where a send was cut off, it is not known whether it took effect.";

/** Each session has one run. */
export const RUN = "r1";

/** Where in a tool call: its preview, before its effect, or after it and before its answer. */
export type Phase = "preview" | "before" | "after";

/** Report from a tool to the test's server, which answers when the tool may continue. */
export interface ToolReport {
  readonly session: string;
  /** such as `r1s4c0` */
  readonly call: string;
  /** idempotency key of the call */
  readonly key: string;
  readonly attempt: number;
  readonly phase: Phase;
}

/** An effect of a `keyed` or `once` tool: one row for each time that it took place. */
export interface Effect {
  readonly session: string;
  readonly call: string;
  readonly key: string;
  readonly receipt: string;
}
