import { shortened } from "../../cairn/core/text/cut.ts";
import * as z from "zod";
import type { loadMcpClient } from "../../../build/modules/mcp.ts";
import type { Json } from "../../cairn/core/log/json.ts";
import type { ErrorClass } from "../../cairn/core/log/tool.ts";
import { removeHidden } from "../../cairn/core/text/untrusted.ts";
import { ToolError } from "../../cairn/tools/define.ts";
import type { FetchFault } from "../../cairn/outbound/fetch-fault.ts";
import { SignInNeeded } from "./account.ts";
import { hostOf, type McpServer } from "./server.ts";

/**
 * Failures of a conversation with a server as failures of the call: the class, and whether something may have been
 * done.
 */

const WORDS_CHARS_MAX = 300;

interface Circumstances {
  readonly server: McpServer;
  readonly sdk: Awaited<ReturnType<typeof loadMcpClient>>;
  readonly shown: { readonly by: "nothing" | "bearer" | "account" };
  /** what ended the conversation on our side, or null */
  readonly reached: FetchFault | null;
  /** the call had left */
  readonly mayHaveDone: boolean;
  /** by the time limit or by a cancel */
  readonly isStopped: boolean;
}

export function faultOf(error: unknown, circumstances: Circumstances): ToolError {
  const { server, sdk, shown, reached, mayHaveDone, isStopped } = circumstances;
  const host = hostOf(server);
  const nothingDone = !mayHaveDone;
  const fault: Make = (of, code, message, more = {}) =>
    new ToolError(of, code, message, { nothingDone, ...more });
  if (error instanceof SignInNeeded || (shown.by === "account" && error instanceof sdk.UnauthorizedError))
    return new ToolError("auth", NEEDS_SIGN_IN, `${host} wants somebody to sign in.`, { nothingDone: true });
  if (reached !== null) {
    const isRead = reached.class === "too_large" && mayHaveDone;
    const message = isRead
      ? `${reached.message} The tool has run, and its answer was not read.`
      : reached.message;
    return fault(reached.class, reached.code, message, { mayBeDone: isRead });
  }
  if (isStopped) return fault("timeout", "timed_out", `${host} has not answered in time.`);
  if (error instanceof sdk.SdkHttpError) return ofStatus(error.status, host, fault);
  if (error instanceof sdk.UnauthorizedError) return ofStatus(401, host, fault);
  // The client has a separate error for a 403 that names the missing scope.
  if (error instanceof sdk.InsufficientScopeError) return ofStatus(403, host, fault);
  if (error instanceof sdk.ProtocolError) return ofProtocol(error, server, fault);
  if (error instanceof sdk.SdkError) {
    const codes = sdk.SdkErrorCode;
    if (error.code === codes.RequestTimeout)
      return fault("timeout", "timed_out", `${host} has not answered in time.`);
    if (error.code === codes.EraNegotiationFailed)
      return fault(
        "conflict",
        "protocol_unknown",
        `${host} speaks no revision of the protocol that Cairn does.`,
      );
    const wantsInput =
      error.code === codes.InputRequiredRoundsExceeded ||
      (error.code === codes.UnsupportedResultType && resultTypeOf(error) === "input_required");
    if (wantsInput)
      return new ToolError(
        "policy",
        "input_wanted",
        `${host} wants to be told more by a person before it goes on, which is not answered: it has not done what was asked.`,
        { nothingDone: true, hint: "Work without this tool, or tell the person what it would need." },
      );
  }
  // Sign-in may fail in many ways, and the call was not sent then.
  if (shown.by === "account" && nothingDone)
    return fault("auth", "sign_in_failed", `${host} lets nobody sign in.`, { details: serverDetails(error) });
  return fault(
    mayHaveDone ? "conflict" : "server",
    "answer_invalid",
    `${host} answered something that cannot be read.`,
    { mayBeDone: mayHaveDone },
  );
}

export const NEEDS_SIGN_IN = "needs_sign_in";

type Make = (
  of: ErrorClass,
  code: string,
  message: string,
  more?: { readonly hint?: string; readonly details?: Json; readonly mayBeDone?: boolean },
) => ToolError;

const withResultType = z.object({ resultType: z.string() });

/** The type of a result that the SDK does not know. A server that wants input has not done what was asked; any other may have. */
const resultTypeOf = ({ data }: { readonly data?: unknown }): string | null =>
  withResultType.safeParse(data).data?.resultType ?? null;

function ofStatus(status: number, host: string, fault: Make): ToolError {
  const code = `http_${status}`;
  const message = `${host} answered ${status}.`;
  if (status === 401 || status === 403)
    return fault(
      "permission",
      "not_authorized",
      `${host} answered ${status}: it does not take what Cairn shows itself with.`,
      { hint: "Tell the person: an admin sets how Cairn shows itself to this server." },
    );
  if (status === 404 || status === 405 || status === 410) return fault("not_found", code, message);
  if (status === 429) return fault("rate_limit", code, message);
  return fault(status >= 500 ? "server" : "conflict", code, message);
}

/** JSON-RPC's own codes; other codes of a server leave the outcome open. */
function ofProtocol(
  error: { readonly code: number; readonly message: string },
  { name }: McpServer,
  fault: Make,
): ToolError {
  const message = `${name} answered with the error ${error.code}.`;
  const more = { details: serverDetails(error) };
  if (error.code === -32_602) return fault("invalid_args", "invalid_input", message, more);
  if (error.code === -32_601) return fault("not_found", "method_not_found", message, more);
  return fault("server", "server_error", message, more);
}

/**
 * The server's own text. It is in `details` only, which is shown in the fenced result of the call: `message` also
 * goes to unfenced text, such as notes on retries, summaries of a long run and reasons why a tool is not offered.
 */
const serverDetails = (error: unknown): Json => ({ said: messageOf(error) });

const messageOf = (error: unknown): string => {
  const words = removeHidden(error instanceof Error ? error.message : String(error)).replace(/\s+/g, " ");
  return shortened(words, WORDS_CHARS_MAX);
};
