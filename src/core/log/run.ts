import type { ModelErrorClass } from "./model.ts";

/** The fine outcomes (guards 2.7). Faces show a coarse class and the fine form as reason. */
export type Outcome =
  | "completed"
  | "completed_partial"
  | "failed_budget"
  | "failed_stuck"
  | "failed_invalid_output"
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

/** How a run ends when the last model that was tried failed for good, where it is not `failed_provider` (guards 2.7). */
export const OUTCOMES: Readonly<Partial<Record<ModelErrorClass, Outcome>>> = {
  auth: "failed_auth",
  // A request that fits no window.
  context_overflow: "failed_internal",
};

/** How a guard's end of a run is told, where it is not `failed_internal`. */
const ENDINGS: Readonly<Record<string, Outcome>> = {
  STUCK: "failed_stuck",
  REVIEW_CAP: "failed_review",
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
  const outcome = code.startsWith("BUDGET_") ? "failed_budget" : (ENDINGS[code] ?? "failed_internal");
  return { outcome, reason };
}

/** The outcome of a run whose forced answer did not come, before partial results are weighed in. */
export function forcedFailure(reason: string | null): Outcome {
  if (reason === "stuck") return "failed_stuck";
  if (reason === "context") return "failed_internal";
  if (reason?.startsWith("review:") === true) return "failed_review";
  return reason === "invalid_output" ? "failed_invalid_output" : "failed_budget";
}
