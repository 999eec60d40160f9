import { ownValue } from "./json.ts";
import type { Address } from "../address.ts";
import { QUESTION_MS } from "../limits.ts";
import type { ModelErrorClass } from "./model.ts";
import type { Profile } from "./verdict.ts";

/** The fine outcomes. Faces show a coarse class and the fine form as reason. */
export type Outcome =
  | "completed"
  | "completed_partial"
  | "failed_budget"
  | "failed_stuck"
  | "failed_invalid_output"
  /** only in logs of older versions: an answer that the review did not accept is delivered as partial now */
  | "failed_review"
  | "failed_provider"
  | "failed_auth"
  | "failed_internal"
  | "denied"
  | "expired"
  | "cancelled"
  | "superseded"
  | "skipped";
export type OutcomeClass = "answered" | "partial" | "failed" | "cancelled";

export function outcomeClass(outcome: Outcome): OutcomeClass {
  if (outcome === "completed") return "answered";
  if (outcome === "completed_partial") return "partial";
  if (outcome === "cancelled" || outcome === "superseded" || outcome === "skipped") return "cancelled";
  return "failed";
}

/** How a run ends when the last model that was tried failed for good, where it is not `failed_provider`. */
export const OUTCOMES: Readonly<Partial<Record<ModelErrorClass, Outcome>>> = {
  auth: "failed_auth",
  // A request that fits no window.
  context_overflow: "failed_internal",
};

/** Outcome of a run that a guard ends, if not `failed_internal`. */
const ENDINGS: Readonly<Record<string, Outcome>> = {
  STUCK: "failed_stuck",
  REVIEW_CAP: "completed_partial",
  DENIED_AGAIN: "denied",
  STOP_WHEN: "completed_partial",
  INVALID_OUTPUT: "failed_invalid_output",
};

/** Codes whose rule is the reason of the end. */
const REASONED = /^(STOP_WHEN|REVIEW_CAP|FINAL_UNPAID|BUDGET_\w+)$/;

/** The outcome and the reason of a run that a guard ends. */
export function endingOf(code: string, rule: string): { readonly outcome: Outcome; readonly reason: string } {
  const reason = REASONED.test(code) ? rule : code.toLowerCase();
  if (code === "FINAL_UNPAID") return { outcome: forcedFailure(rule), reason };
  const outcome = code.startsWith("BUDGET_")
    ? "failed_budget"
    : (ownValue(ENDINGS, code) ?? "failed_internal");
  return { outcome, reason };
}

/** The outcome of a run whose forced answer did not come, before partial results are weighed in. */
export function forcedFailure(reason: string | null): Outcome {
  if (reason === "stuck") return "failed_stuck";
  if (reason === "context") return "failed_internal";
  if (reason?.startsWith("review:") === true) return "completed_partial";
  return reason === "invalid_output" ? "failed_invalid_output" : "failed_budget";
}

/** Limits of a run, as stored in the log. */
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

/** Limits of a run before its class is known. */
export interface RequestedLimits {
  /** limits set by the deployment or the caller: they replace those of the class */
  readonly limits: Partial<Limits>;
  /** fields of a caller who may not raise any: they only lower */
  readonly caps?: Partial<Limits>;
  /** the class, where somebody named it */
  readonly profile?: Profile;
  /** no forced answer when a budget is spent */
  readonly onExhausted?: "fail";
}

/** Behavior of a run that cannot continue by itself. Set by its agent, and frozen when the run begins. */
export interface RunPolicy {
  readonly onStuck: OnStuck;
  readonly questions: Questions;
}

/** Action at the top of the loop ladder. */
export interface OnStuck {
  /** `escalate` asks a person; `retry_with_hint` goes on once with the hint, the second time it forces the answer */
  readonly action: "force_answer" | "fail" | "escalate" | "retry_with_hint";
  /** message to the model with `retry_with_hint`, question to the person with `escalate` */
  readonly hint?: string;
  /** replaces the counts of same_result and same_thought, from 2 */
  readonly iterations?: number;
}

/** Waiting time of a question, and the action on expiry without a default. */
export interface Questions {
  /** milliseconds */
  readonly waitMs: number;
  /** continue with a note that there was no answer, or end the run as `expired` */
  readonly otherwise: "go_on" | "end";
  /** false: the run never asks for more budget */
  readonly budget?: false;
}

export const DEFAULT_RUN_POLICY: RunPolicy = {
  onStuck: { action: "force_answer" },
  questions: { waitMs: QUESTION_MS, otherwise: "go_on" },
};

/** The middle of a run, summed up once and used by every later request. */
export interface Compacted {
  /** the entries that are shown as the summary, both ends included; 0 and 0 when only observations were shortened */
  readonly from: number;
  readonly to: number;
  readonly summary: string;
  /** seqs between the two that are shown verbatim */
  readonly verbatim: readonly number[];
  /** characters that an observation before this entry may show; null: as it was stored */
  readonly observationChars: number | null;
  /** tokens of the request, estimated */
  readonly before: number;
  readonly after: number;
  readonly method: "mechanical";
}

/** Where the input of a run came from. */
export interface RunOrigin {
  /** where its answer goes; absent where that is the page */
  readonly origin?: Address;
  /**
   * milliseconds since 1970 at which, or for which, a person asked for what comes by itself now: a schedule that they made, or
   * the one time that it was to be done at. Absent where no person did
   */
  readonly askedAt?: number;
}

/** A note by the runtime, for people. */
export interface NoteRecord {
  readonly code: string;
  readonly text: string;
  /** of a digest: the delivery IDs of its messages, and the place that it was sent to; absent for the page alone */
  readonly digest?: { readonly notes: readonly string[]; readonly place?: Address };
}
