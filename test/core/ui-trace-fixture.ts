import type { Outcome } from "../../src/core/entries.ts";
import type { ModelErrorClass } from "../../src/core/model.ts";

/** All of them: a missing one is a type error. */
const outcomes: Readonly<Record<Outcome, true>> = {
  completed: true,
  completed_partial: true,
  failed_budget: true,
  failed_stuck: true,
  failed_invalid_output: true,
  failed_review: true,
  failed_provider: true,
  failed_auth: true,
  failed_internal: true,
  denied: true,
  expired: true,
  cancelled: true,
  superseded: true,
  skipped: true,
};
const errors: Readonly<Record<ModelErrorClass, true>> = {
  rate_limit: true,
  overloaded: true,
  network: true,
  timeout: true,
  cut_off: true,
  context_overflow: true,
  content_filter: true,
  auth: true,
  bad_request: true,
  unknown_model: true,
  internal: true,
};

export const OUTCOMES_ALL = Object.keys(outcomes) as Outcome[];
export const MODEL_ERRORS = Object.keys(errors) as ModelErrorClass[];
