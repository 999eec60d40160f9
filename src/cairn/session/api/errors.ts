import type { LimitFault } from "../../core/guards/budget/profiles.ts";
import { CLIENT_OUTPUT_BYTES_MAX, FACTS_MAX } from "../../core/limits.ts";
import { ACCESS_ENDED } from "../../config/rights.ts";
import { refusal, type ApiError, type Scope } from "./session-api.ts";

/** Refusals of a session, worded for the caller. */

export const NOT_FOUND = refusal(404, "not_found", "No such session.", "Check the id, or list sessions.");
/** Third-party clients show the message alone, so it includes the remedy. */
export const MODEL_UNAVAILABLE = refusal(
  503,
  "model_unavailable",
  "No model can be called, so no run can start: GET /healthz names the variable to fix.",
  "Send it again when it is fixed. Reading and deciding go on.",
);
export const FILES_UNAVAILABLE = refusal(
  503,
  "files_unavailable",
  "The files of the run could not be looked up, so nothing was started.",
  "Send it again.",
);
export const NO_RUN = refusal(
  404,
  "not_found",
  "No such run.",
  "Name it as its message was answered, such as ses_demo.r1; GET /api/sessions/:id names the last one.",
);
export const NO_APPROVAL = refusal(
  404,
  "not_found",
  "No such approval.",
  "The events of the session name its approvals.",
);
/** A response in a chat body to an approval that this session never asked for, such as one of a deleted session. */
export const NO_SUCH_RESPONSE = refusal(
  404,
  "not_found",
  "These messages decide an approval that this session never asked for, so nothing in this request was done.",
  "Load the messages again. An approval of a child is decided under the child's session.",
);
/** A response came after somebody had approved: a no must not be lost silently, so its first request is refused. */
export const lateDenial = (title: string): ApiError => ({
  ...ALREADY_DECIDED,
  message: `“${title}” was approved before this no arrived, so nothing in this request was done.`,
  hint: "Look at the result of that call. The same request again is accepted without the no.",
});
export const RESPONSE_IS_NEW = refusal(
  409,
  "busy",
  "A run waits for a decision or an answer in these messages, so no answer is made again, and nothing in this request was done.",
  "Send the decision or the answer without `regenerate-message`.",
);
export const NO_ACCESS = refusal(
  401,
  "unauthenticated",
  ACCESS_ENDED,
  "Log in with a token that is valid now.",
);
export const ID_TAKEN = refusal(409, "id_taken", "This session id is taken.", "Choose another id.");
export const MESSAGE_EXISTS = refusal(
  409,
  "message_exists",
  "A message with this id and other content was accepted before.",
  "Give the new message an id of its own.",
);
export const NOT_THE_LAST = refusal(
  422,
  "not_the_last",
  "Only the last answer can be made again.",
  "Send the message again as a new one, or fork the session before it.",
);
export const RUN_ACTIVE = refusal(
  409,
  "run_active",
  "This run has not ended yet.",
  "Wait for its end, or cancel it.",
);
export const KEY_CONFLICT = refusal(
  409,
  "idempotency_conflict",
  "This Idempotency-Key was used with another body.",
  "Use a new key for a new request.",
);
/** The same for a target that does not exist and for one of others. `hint`: how to learn which there are. */
export const unknownTarget = (target: string, hint?: string): ApiError =>
  refusal(422, "unknown_target", `There is no such ${target}.`, hint);
export const targetUnavailable = (target: string): ApiError =>
  refusal(
    503,
    "target_unavailable",
    `The ${target} could not be read, so nothing was started.`,
    "Send it again.",
  );

export const VERSION_MISMATCH = refusal(
  412,
  "version_mismatch",
  "The session has changed since.",
  "Load it again, then change what it is now.",
);
export const AGENT_CHANGED = refusal(
  412,
  "version_mismatch",
  "The agent has changed since.",
  "Load it again, then change what it is now.",
);
export const BAD_EXPORT = refusal(
  422,
  "bad_export",
  "This is not what a session was exported as.",
  "Import the file as it was written.",
);
export const ALREADY_DECIDED = refusal(409, "already_decided", "This approval was decided before.");
export const APPROVAL_CANCELLED = refusal(409, "approval_cancelled", "The run of this approval was stopped.");
export const APPROVAL_EXPIRED = refusal(410, "approval_expired", "The time to decide has passed.");
export const NO_QUESTION = refusal(
  404,
  "not_found",
  "No such question.",
  "The events of the session name its questions.",
);
export const NO_BUDGET_QUESTION = refusal(
  404,
  "not_found",
  "No such question about a budget.",
  "GET /api/inbox names those that are open.",
);
export const BUDGET_CLOSED = refusal(
  409,
  "budget_closed",
  "This question is not open any more.",
  "`budgetQuestion` says what became of it.",
);
export const BUDGET_ABOVE_CAP = refusal(
  422,
  "above_cap",
  "The day of this session has no such amount left, so the run finishes with what there is.",
  "Raise the day's caps in src/agents/default.ts, or go on tomorrow.",
);
export const ALREADY_ANSWERED = refusal(409, "already_answered", "This question was answered before.");
export const NOT_WAITING = refusal(
  409,
  "not_waiting",
  "Nothing waits for this answer.",
  "Send a message instead.",
);
export const NO_PROVIDER_WAIT = refusal(
  409,
  "not_waiting",
  "This run waits for no provider.",
  "GET /api/runs/:runId says what it waits for.",
);
export const NO_CLIENT_CALL = refusal(
  404,
  "not_found",
  "No client was asked to run this call.",
  "A client answers the calls of tools that it brought in clientTools, by their toolCallId.",
);
export const CLIENT_CALL_ANSWERED = refusal(
  409,
  "already_answered",
  "This call has another result already.",
  "Load the messages again.",
);
export const CLIENT_CALL_OVER = refusal(
  409,
  "not_waiting",
  "This call waits for its client no more, so nothing was done.",
  "Load the messages again: they say what became of it.",
);
export const CLIENT_OUTPUT_TOO_LARGE = refusal(
  413,
  "output_too_large",
  `An output has at most ${CLIENT_OUTPUT_BYTES_MAX} bytes as JSON.`,
  "Send a smaller one, or output-error: the call still waits.",
);
export const WAITING_FOR_APPROVAL = refusal(
  409,
  "waiting_for_approval",
  "The run waits for a decision, not for an answer.",
  "Decide the approval that its events name.",
);
export const DIGEST_MISMATCH = refusal(
  409,
  "digest_mismatch",
  "What was shown is not what is asked now.",
  "Load the approval again, then decide.",
);

export const NOT_AN_APPROVER = refusal(
  403,
  "not_an_approver",
  "This decision is other people's.",
  "The approval names who decides it, as `approvers`.",
);
export const REQUESTER_CANNOT_APPROVE = refusal(
  403,
  "requester_cannot_approve",
  "Whoever asked for it does not decide it here.",
  "Someone else of its `approvers` has to.",
);
export const DIGEST_REQUIRED = refusal(
  422,
  "digest_required",
  "Several people must agree here, so a vote says on what.",
  "Send the `digest` of the approval as it was shown.",
);
export const NOT_REMEMBERABLE = refusal(
  422,
  "not_rememberable",
  "A decision on this is not remembered so.",
  "The approval lists what may be, as `remember`.",
);
export const NO_SHARE = refusal(
  404,
  "not_found",
  "No such link.",
  "GET /api/sessions/:id/shares lists them.",
);
export const SHARES_FULL = refusal(
  409,
  "too_many_links",
  "This session has as many read-only links as it may have.",
  "Take one of them back first.",
);
export const NO_PAGE = refusal(
  404,
  "not_found",
  "This session has no such page.",
  "The citations of an answer name the pages that were read, as `page`.",
);
export const NO_EVIDENCE = refusal(
  404,
  "not_found",
  "Nothing of this name stands in the page.",
  "The citations of an answer name their `id` and their `page`.",
);
export const NO_FACT = refusal(
  404,
  "not_found",
  "Nothing is remembered under this key.",
  "GET /api/sessions/:id/memory lists the keys.",
);
export const MEMORY_FULL = refusal(
  422,
  "memory_full",
  `All ${FACTS_MAX} keys of this session are in use.`,
  "Put it under a key that is there, or forget one first.",
);
export const NO_POLICY = refusal(404, "not_found", "No such policy.", "GET /api/sessions/:id lists them.");

export const NAME_OF_CHILD = refusal(
  409,
  "id_taken",
  "A session of this name was started by another run.",
  "Delete the session, or start the run from a new one.",
);

export const missingScope = (scope: Scope): ApiError =>
  refusal(403, "missing_scope", `This needs the scope ${scope}.`, "Use a token that has it.");

const FIELDS: Readonly<Record<string, string>> = {
  steps: "max_iterations",
  tokens: "budget.tokens",
  cost: "budget.cost_usd",
  calls: "budget.tool_calls",
  messages: "budget.messages",
  wall: "timeout_ms",
  outputTokens: "max_output_tokens",
};

/** A run that could not make one model call and answer after it is not begun. */
export function limitsTooSmall({ what, given, needed }: LimitFault): ApiError {
  const unit = what === "cost" ? 1e6 : 1;
  const more =
    needed === null ? "It must be given." : `${(given ?? 0) / unit} is given, ${needed / unit} is the least.`;
  const path = FIELDS[what] ?? what;
  return {
    ...refusal(
      422,
      "limits_too_small",
      "These limits cannot hold one model call and the answer after it.",
      "Give more, or leave the limit out.",
    ),
    issues: [{ path, code: "out_of_range", message: more }],
  };
}

/** A session of a tree that was asked and failed inside. Nothing of what was asked was done. */
export const FAMILY_FAILED: ApiError = {
  status: 500,
  code: "session_failed",
  message: "The session of that run failed inside, so nothing was done there.",
};
