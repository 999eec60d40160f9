import { ownValue } from "../log/json.ts";
import type { ModelErrorClass } from "../log/model.ts";
import type { OutcomeClass } from "../log/run.ts";

/** Names of exhausted budgets, for people. Used on every interface. */
export const SPENT = {
  steps: "it hit the step limit",
  tokens: "it hit the token limit",
  cost: "it hit the cost limit",
  wall: "it hit the time limit",
  calls: "it hit the tool call limit",
  messages: "it hit the message limit",
  day: "today's budget is used up",
} as const;

/** Reasons for the end of a run, in words for people: by the whole reason, or by its prefix before the colon. */
const CAUSES: Readonly<Record<string, string>> = {
  budget: "it reached its limits",
  ...Object.fromEntries(Object.entries(SPENT).map(([what, words]) => [`budget:${what}`, words])),
  provider: "the model did not answer",
  "provider:model_down": "no model was available",
  review: "the log does not confirm all of its answer",
  "review:NO_SEND": "it wrote no answer",
  "review:UNSENT_RESULTS": "it wrote no answer",
  "review:ACK_ONLY": "its answer only announces the work",
  "review:EMPTY_PROMISE": "its answer promises work that is not done",
  "review:ERROR_UNRESOLVED": "its answer does not mention what failed or is unknown",
  "review:PLAN_ITEMS_OPEN": "parts of its plan are open",
  "review:NOTHING_CHANGED": "nothing was changed and its answer does not say so",
  "review:NO_CITATION": "its answer cites nothing that was read",
  stopWhen: "a rule of its agent stopped it",
  deadline: "its deadline passed",
  stuck: "it kept repeating itself",
  invalid_output: "the model's replies could not be used",
  context: "the conversation has grown too large for the model",
  denied_again: "it kept requesting what is not allowed",
  question_expired: "nobody answered its question in time",
  approval_expired: "nobody decided in time",
  recovery_exhausted: "it was interrupted too often",
  guard_error: "internal checks failed too often",
  cleared: "the conversation was cleared",
  superseded: "a newer message took its place",
};

/** A clause for a reason; null for one that has no words. */
export function causeWords(reason: string | null | undefined): string | null {
  if (reason === null || reason === undefined) return null;
  return ownValue(CAUSES, reason) ?? ownValue(CAUSES, reason.split(":", 1)[0] ?? "") ?? null;
}

const FAILURES: Readonly<Record<ModelErrorClass, string>> = {
  rate_limit: "the model's rate limit is reached",
  overloaded: "the model is overloaded",
  network: "the model could not be reached",
  timeout: "the model did not answer in time",
  cut_off: "the reply was cut off",
  context_overflow: "the conversation is too long for the model",
  content_filter: "a filter of the provider stopped the reply",
  auth: "the provider rejected the key",
  bad_request: "the provider rejected the request",
  unknown_model: "the provider does not know the model",
  no_tools: "the model does not support tools",
  no_reasoning: "the provider requires earlier reasoning",
  internal: "the provider failed",
};

/** Why a call of the model failed: a clause for people. */
export const failureWords = (failure: ModelErrorClass): string => FAILURES[failure];

const ENDS: Readonly<Record<OutcomeClass, string>> = {
  answered: "answered",
  partial: "partly answered",
  failed: "could not be finished",
  cancelled: "stopped",
};

/** How a run ended, such as `partly answered, because it hit the step limit` */
export function endWords(outcome: OutcomeClass, reason: string | null | undefined): string {
  const cause = causeWords(reason);
  return cause === null ? ENDS[outcome] : `${ENDS[outcome]}, because ${cause}`;
}
