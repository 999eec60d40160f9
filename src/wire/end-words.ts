import type { OutcomeClass } from "../core/log/run.ts";

/** Why a run ended as it did, in words for people: by its reason, or by what stands before the colon of it. */
const CAUSES: Readonly<Record<string, string>> = {
  budget: "its limits are used up",
  "budget:steps": "its steps are used up",
  "budget:tokens": "its tokens are used up",
  "budget:cost": "its cost limit is used up",
  "budget:wall": "its working time is used up",
  "budget:calls": "its tool calls are used up",
  "budget:messages": "its messages are used up",
  "budget:day": "its allowance of the day is used up",
  provider: "the model did not answer",
  "provider:model_down": "no model is expected to answer in the time that is left",
  review: "its answers were sent back too often",
  stopWhen: "a rule of its agent stopped it",
  deadline: "its deadline has passed",
  stuck: "it kept repeating itself and got no further",
  invalid_output: "the model's replies could not be used",
  context: "the conversation has grown too large for the model",
  denied_again: "it kept asking for what is not permitted",
  question_expired: "nobody answered its question in time",
  approval_expired: "nobody decided in time",
  recovery_exhausted: "it was interrupted too often",
  guard_error: "checks of the runtime failed too often",
  cleared: "the conversation was cleared",
  superseded: "a newer message took its place",
};

/** A clause for a reason; null for one that has no words. */
export function causeWords(reason: string | null | undefined): string | null {
  if (reason === null || reason === undefined) return null;
  return CAUSES[reason] ?? CAUSES[reason.split(":", 1)[0] ?? ""] ?? null;
}

const ENDS: Readonly<Record<OutcomeClass, string>> = {
  answered: "answered",
  partial: "answered with what there is",
  failed: "could not be finished",
  cancelled: "stopped",
};

/** `answered with what there is, because its steps are used up` */
export function endWords(outcome: OutcomeClass, reason: string | null | undefined): string {
  const cause = causeWords(reason);
  return cause === null ? ENDS[outcome] : `${ENDS[outcome]}, because ${cause}`;
}
