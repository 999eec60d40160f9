import type { Outcome } from "./entries.ts";
import type { ModelErrorClass } from "./model.ts";

/** How a run ends when the last model that was tried failed for good, where it is not `failed_provider` (guards 2.7). */
export const OUTCOMES: Readonly<Partial<Record<ModelErrorClass, Outcome>>> = {
  auth: "failed_auth",
  // A request that fits no window.
  context_overflow: "failed_internal",
};

/** How a guard's end of a run is told, where it is not `failed_internal`. */
export const ENDINGS: Readonly<Record<string, Outcome>> = {
  STUCK: "failed_stuck",
  REVIEW_CAP: "failed_review",
  DENIED_AGAIN: "denied",
};
