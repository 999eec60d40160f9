import { revealHidden } from "../../core/text/untrusted.ts";
import { refusal, type ApiError } from "../../session/api/session-api.ts";

/** The answers that every route gives in the same words, and the one shape of an error body. */

export const CLOSE_CODES = {
  invalid: 4400,
  unauthenticated: 4401,
  forbidden: 4403,
  tooOld: 4408,
  tooMany: 4429,
  internal: 1011,
};

export const NOT_FOUND = refusal(404, "not_found", "There is nothing here.", "Check the path and the id.");
export const INTERNAL = refusal(
  500,
  "internal",
  "Something went wrong on our side.",
  "Try again; if it stays, give the request id to the operator.",
);
export const MISCONFIGURED = refusal(
  503,
  "misconfigured",
  "This deployment is not configured correctly.",
  "GET /healthz names the variables.",
);

export const NOT_AN_ADMIN = refusal(
  403,
  "missing_scope",
  "Only an admin of this deployment may do this.",
  "`admins` in src/agents/default.ts names them.",
);
export const invalid = (message: string, hint?: string): ApiError =>
  refusal(400, "invalid_request", message, hint);

/** `{"error":{code,message,hint,requestId}}`, with `issues` inside and the extra fields next to it. */
export function errorResponse(error: ApiError, requestId: string): Response {
  const headers = new Headers();
  if (error.status === 401) headers.set("www-authenticate", "Bearer");
  if (error.status === 426) headers.set("upgrade", "websocket");
  if (error.retryAfter !== undefined)
    headers.set("retry-after", String(Math.max(1, Math.ceil(error.retryAfter))));
  const body = {
    error: {
      code: error.code,
      message: error.message,
      hint: error.hint ?? null,
      requestId,
      ...(error.issues === undefined ? {} : { issues: error.issues }),
    },
    ...error.extra,
  };
  return Response.json(body, { status: error.status, headers });
}

/**
 * A refusal at connect: upgraded, then closed with the code and no frame, because a browser cannot read a failed
 * upgrade. The reason is the error code.
 */
export function closedSocket(error: ApiError): Response {
  const [client, server] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket];
  server.accept();
  server.close(closeCode(error.status), error.code);
  return new Response(null, { status: 101, webSocket: client });
}

function closeCode(status: number): number {
  if (status === 401) return CLOSE_CODES.unauthenticated;
  if (status === 429) return CLOSE_CODES.tooMany;
  // a session that is missing, foreign or held by someone else looks the same
  if (status === 403 || status === 404 || status === 409) return CLOSE_CODES.forbidden;
  return status >= 500 ? CLOSE_CODES.internal : CLOSE_CODES.invalid;
}

const ENTITIES: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
/** Escapes text so that a person sees all of it: hidden characters appear in escaped form. */
export const escape = (text: string): string =>
  revealHidden(text).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
