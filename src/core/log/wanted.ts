import type { Profile } from "../state/loop-memory.ts";

/** What a run may use, as the log has it. */
export interface Limits {
  /** model calls of the loop, the last one included */
  readonly steps: number;
  /** active milliseconds; waiting for a person is free */
  readonly activeMs: number;
  /** of one reply */
  readonly outputTokens: number;
  /** work calls */
  readonly toolCalls: number;
  /** deliveries with a receipt */
  readonly messages: number;
  /** in and out, of every model call */
  readonly tokens: number;
  /** millionths of a US dollar */
  readonly cost: number;
}

/** What is said of a run before its class is known. */
export interface Wanted {
  /** fields that the deployment or the caller set: they stand in place of those of the class */
  readonly limits: Partial<Limits>;
  /** fields of a caller who may not raise any: they only lower */
  readonly caps?: Partial<Limits>;
  /** the class, where somebody named it */
  readonly profile?: Profile;
  /** no forced answer when a budget is spent */
  readonly onExhausted?: "fail";
}
