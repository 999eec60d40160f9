import type { Answer } from "../../session/api/session-api.ts";
import { given, refusal, refused } from "./responses.ts";

/** Origin check and CORS (interface 2.6). */

const CORS = {
  "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
  "access-control-allow-headers":
    "authorization, content-type, idempotency-key, if-match, last-event-id, x-request-id",
  "access-control-expose-headers":
    "retry-after, x-request-id, etag, location, idempotent-replayed, x-cairn-more, x-cairn-run-id, x-cairn-seq, x-vercel-ai-ui-message-stream",
  "access-control-max-age": "600",
};

function isExempt(method: string, path: string): boolean {
  if (path === "/healthz" || path.startsWith("/hooks/")) return true;
  return path.startsWith("/a/") && (method === "GET" || method === "HEAD");
}

/** Refuses a request whose `Origin` is neither the own one nor listed. None at all is fine: no browser sent it. */
export function checkOrigin(request: Request, listed: readonly string[]): Answer<null> {
  const url = new URL(request.url);
  const origin = request.headers.get("origin");
  if (origin === null || origin === url.origin || listed.includes(origin)) return given(null);
  if (isExempt(request.method, url.pathname)) return given(null);
  return refused(
    refusal(
      403,
      "origin_not_allowed",
      "Pages of this origin may not call this deployment.",
      "List it in ORIGINS.",
    ),
  );
}

/** Headers for a listed origin; never with credentials allowed. */
export function corsHeaders(request: Request, listed: readonly string[]): Record<string, string> {
  if (listed.length === 0) return {};
  const origin = request.headers.get("origin");
  if (origin === null || !listed.includes(origin)) return { vary: "Origin" };
  return { ...CORS, "access-control-allow-origin": origin, vary: "Origin" };
}

/** A preflight carries no credential, so it is answered before any is asked for, alike for every path. */
export const isPreflight = (request: Request): boolean =>
  request.method === "OPTIONS" &&
  request.headers.has("origin") &&
  request.headers.has("access-control-request-method");
