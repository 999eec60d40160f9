/**
 * What a guard or the review decided, told to the person who looks on: the text of a verdict speaks to the model. An answer
 * that was held back is tried again; a stop ends the run, or lets it answer from what it knows.
 */

const HELD: Readonly<Record<string, string>> = {
  NO_SEND: "there was no answer in it",
  ACK_ONLY: "it only said that it would begin",
  EMPTY_PROMISE: "it promised for later what nothing would do",
  UNSENT_RESULTS: "it kept to itself what was found",
  NO_SUBSTANTIVE: "it told nothing of what was found",
  ERROR_UNRESOLVED: "it passed over a failure",
  PLAN_ITEMS_OPEN: "it passed over a part of the plan that is open",
  CLAIM_UNBACKED: "it claimed what no call has done",
  NOTHING_CHANGED: "nothing was changed, and it did not say so",
  TEXT_CALL: "it wrote the call of a tool as text",
  ANSWER_BESIDE_CALLS: "its calls may change it",
  INPUT_PENDING: "it had not read your last message yet",
};

const STOPPED: Readonly<Record<string, string>> = {
  BUDGET_WALL: "its time is used",
  BUDGET_COST: "its money is used",
  BUDGET_TOKENS: "its tokens are used",
  BUDGET_STEPS: "its steps are used",
  BUDGET_CALLS_SPENT: "its tool calls are used",
  BUDGET_DAY: "what may be used in a day is used",
  BUDGET_DAY_FINAL: "what may be used in a day is nearly used",
  FINAL_UNPAID: "what is left does not pay for an answer",
  INVALID_OUTPUT: "its replies could not be used",
  STUCK: "it went round in circles",
  DENIED_AGAIN: "what it tries is not permitted here",
  STOP_WHEN: "a rule of this agent says so",
  REVIEW_CAP: "its answer was held back too often",
  REVIEW_NO_STEP: "its answer was held back, and no step is left for another",
  CONTEXT_OVERFLOW: "the conversation does not fit into the model any more",
  MODEL_DOWN: "no model answers",
  GUARD_ERROR: "checks of the runtime failed too often",
};

/** One line for a verdict; null for a hint, which is the model's alone. */
export function verdictWords(verdict: {
  readonly level?: string | null | undefined;
  readonly accepted?: boolean | null | undefined;
  readonly codes?: readonly string[] | null | undefined;
}): string | null {
  const { level, accepted, codes } = verdict;
  const said = (words: Readonly<Record<string, string>>): string | undefined =>
    (codes ?? []).map((code) => words[code]).find((each) => each !== undefined);
  if (level === "stop") return `(stopped: ${said(STOPPED) ?? "a guard says that it must end here"})`;
  if (level !== "block" && accepted !== false) return null;
  return `(an answer was held back: ${said(HELD) ?? "it was not whole yet"})`;
}
