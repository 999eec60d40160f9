import type { LimitFault } from "../../core/guards/budget/profiles.ts";
import type { ApiError, Scope } from "./session-api.ts";

/** What a session refuses, in words for whoever asked. */

export const NOT_FOUND: ApiError = {
  status: 404,
  code: "not_found",
  message: "No such session.",
  hint: "Check the id, or list sessions.",
};
/** Clients of other makers show the message alone, so it says what to do. */
export const MODEL_UNAVAILABLE: ApiError = {
  status: 503,
  code: "model_unavailable",
  message: "No model can be called, so no run can start: GET /healthz names the variable to mend.",
  hint: "Send it again when it is mended. Reading and deciding go on.",
};
export const NO_RUN: ApiError = {
  status: 404,
  code: "not_found",
  message: "No such run.",
  hint: "Name it as its message was answered, such as ses_demo.r1; GET /api/sessions/:id names the last one.",
};
export const NO_APPROVAL: ApiError = {
  status: 404,
  code: "not_found",
  message: "No such approval.",
  hint: "The events of the session name its approvals.",
};
export const ID_TAKEN: ApiError = {
  status: 409,
  code: "id_taken",
  message: "This session id is taken.",
  hint: "Choose another id.",
};
export const MESSAGE_EXISTS: ApiError = {
  status: 409,
  code: "message_exists",
  message: "A message with this id and other content was accepted before.",
  hint: "Give the new message an id of its own.",
};
export const NOT_THE_LAST: ApiError = {
  status: 422,
  code: "not_the_last",
  message: "Only the last answer can be made again.",
  hint: "Send the message again as a new one, or fork the session before it.",
};
export const KEY_CONFLICT: ApiError = {
  status: 409,
  code: "idempotency_conflict",
  message: "This Idempotency-Key was used with another body.",
  hint: "Use a new key for a new request.",
};
export const VERSION_MISMATCH: ApiError = {
  status: 412,
  code: "version_mismatch",
  message: "The session has changed since.",
  hint: "Load it again, then change what it is now.",
};
export const BAD_EXPORT: ApiError = {
  status: 422,
  code: "bad_export",
  message: "This is not what a session was exported as.",
  hint: "Import the file as it was written.",
};
export const ALREADY_DECIDED: ApiError = {
  status: 409,
  code: "already_decided",
  message: "This approval was decided before.",
};
export const APPROVAL_CANCELLED: ApiError = {
  status: 409,
  code: "approval_cancelled",
  message: "The run of this approval was stopped.",
};
export const APPROVAL_EXPIRED: ApiError = {
  status: 410,
  code: "approval_expired",
  message: "The time to decide has passed.",
};
export const NO_QUESTION: ApiError = {
  status: 404,
  code: "not_found",
  message: "No such question.",
  hint: "The events of the session name its questions.",
};
export const ALREADY_ANSWERED: ApiError = {
  status: 409,
  code: "already_answered",
  message: "This question was answered before.",
};
export const NOT_WAITING: ApiError = {
  status: 409,
  code: "not_waiting",
  message: "Nothing waits for this answer.",
  hint: "Send a message instead.",
};
export const WAITING_FOR_APPROVAL: ApiError = {
  status: 409,
  code: "waiting_for_approval",
  message: "The run waits for a decision, not for an answer.",
  hint: "Decide the approval that its events name.",
};
export const DIGEST_MISMATCH: ApiError = {
  status: 409,
  code: "digest_mismatch",
  message: "What was shown is not what is asked now.",
  hint: "Load the approval again, then decide.",
};

export const NOT_AN_APPROVER: ApiError = {
  status: 403,
  code: "not_an_approver",
  message: "This decision is other people's.",
  hint: "The approval names who decides it, as `approvers`.",
};
export const REQUESTER_CANNOT_APPROVE: ApiError = {
  status: 403,
  code: "requester_cannot_approve",
  message: "Whoever asked for it does not decide it here.",
  hint: "Someone else of its `approvers` has to.",
};
export const DIGEST_REQUIRED: ApiError = {
  status: 422,
  code: "digest_required",
  message: "Several people must agree here, so a vote says on what.",
  hint: "Send the `digest` of the approval as it was shown.",
};
export const NOT_REMEMBERABLE: ApiError = {
  status: 422,
  code: "not_rememberable",
  message: "A decision on this is not remembered so.",
  hint: "The approval lists what may be, as `remember`.",
};
export const NO_POLICY: ApiError = {
  status: 404,
  code: "not_found",
  message: "No such policy.",
  hint: "GET /api/sessions/:id lists them.",
};

export function missingScope(scope: Scope): ApiError {
  return {
    status: 403,
    code: "missing_scope",
    message: `This needs the scope ${scope}.`,
    hint: "Use a token that has it.",
  };
}

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
    status: 422,
    code: "limits_too_small",
    message: "These limits cannot hold one model call and the answer after it.",
    hint: "Give more, or leave the limit out.",
    issues: [{ path, code: "out_of_range", message: more }],
  };
}
