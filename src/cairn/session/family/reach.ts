import { waitAtMost } from "../../time-limit.ts";
import type { ErrorClass, ToolFailure } from "../../core/log/tool.ts";
import type { FamilyCommand, SessionApi } from "../commands/commands.ts";
import type { Actor, ApiError } from "../api/session-api.ts";

/** How a session speaks to one above or below it. */

/** Commands between sessions of a tree. */
export type FamilyApi = Pick<SessionApi, FamilyCommand>;

/** The session of this name. Each call may throw, where it cannot be reached. */
export type Reach = (session: string) => FamilyApi;

/** The actor of another session of the same tree, identified by its name. No credential produces this actor. */
export const FAMILY_ACTOR: Actor = { subject: "", scopes: [], via: "http" };

/** milliseconds that one call to a relative may take */
const REACH_MS = 20_000;

/** Resolves as the call does, or throws when it takes too long. */
export const inReachTime = <Value>(call: Promise<Value>): Promise<Value> =>
  waitAtMost(REACH_MS, call, "a session of the tree has not answered");

/** Why a child was not started, as the result of its call. */
export function failureOf({ status, code, message, hint, issues = [] }: ApiError): ToolFailure {
  const passing = status === 503 || status === 429;
  const [issue] = issues;
  const text = issues.length > 1 ? issues.map((issue) => issue.message).join(" ") : message;
  return {
    class: classOf(status),
    code: code === "invalid_run" ? (issue?.code ?? code) : code,
    message: text,
    retryable: passing,
    ...(hint === undefined ? {} : { hint }),
  };
}

function classOf(status: number): ErrorClass {
  if (status === 429) return "rate_limit";
  if (status === 503) return "server";
  if (status === 404) return "not_found";
  return status >= 500 ? "internal" : "invalid_args";
}

export const UNREACHED: ToolFailure = {
  class: "network",
  code: "child_unreachable",
  message: "The session of the new run could not be reached.",
  retryable: true,
};
