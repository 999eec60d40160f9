import { err, ok } from "../../core/log/result.ts";
import { refusal, type ApiResult } from "../../session/api/session-api.ts";
import { isTraceId } from "../../protocol/trace-id.ts";

/** Request cleaning and checks that precede routing. */

const OURS = /^x-(agents|channels|cairn)-/;

/** Paths whose answers depend on who asks. */
export const isPersonal = (path: string): boolean => /^\/(api|agents|a|shared)(\/|$)/.test(path);
export const isUpgrade = (request: Request): boolean =>
  request.headers.get("upgrade")?.toLowerCase() === "websocket";

/** The path as it was sent: nothing is decoded, so that no spelling of a guarded path escapes its guard. */
export const pathOf = (request: Request): string => new URL(request.url).pathname;

/** The request without the headers that only Cairn sets, and with its `x-request-id`: the client's own if it is one. */
export function cleanRequest(request: Request, newId: () => string): Request {
  const clean = new Request(request);
  for (const name of request.headers.keys()) if (OURS.test(name)) clean.headers.delete(name);
  const id = request.headers.get("x-request-id") ?? "";
  clean.headers.set("x-request-id", isTraceId(id) ? id : newId());
  // HEAD answers as GET does, and must not open a stream without a reader
  if (request.method === "HEAD") clean.headers.delete("accept");
  return clean;
}

/**
 * Refuses requests that did not come through the port of `npm start`, if that gave the worker a key: the local runtime
 * lets anyone who reaches its own ports choose the host.
 */
export function checkLocalKey(request: Request, key: string | null): ApiResult<null> {
  if (key === null || request.headers.get("x-cairn-local-key") === key) return ok(null);
  return err(refusal(403, "not_this_port", "Nothing is answered here.", "Ask the port of npm start."));
}

/** Refuses the transports that would pin a session object in memory. */
export function checkTransport(request: Request): ApiResult<null> {
  const transports = new URL(request.url).searchParams.getAll("__agents_transport");
  if (transports.every((transport) => transport === "cf-websocket")) return ok(null);
  return err(refusal(400, "unsupported_transport", "Only plain WebSockets are spoken here."));
}

/** The upgrade as the Session object sees it: no credential and no query but the label, since both would be stored. */
export function forwardedUpgrade(request: Request): Request {
  const url = new URL(request.url);
  const label = url.searchParams.get("_pk");
  url.search = label === null ? "" : `?${new URLSearchParams({ _pk: label }).toString()}`;
  const forwarded = new Request(url, request);
  for (const name of ["authorization", "cookie"]) forwarded.headers.delete(name);
  return forwarded;
}

/** Origin check and CORS. */

const CORS = {
  "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
  "access-control-allow-headers":
    "authorization, content-type, idempotency-key, if-match, last-event-id, x-request-id, mcp-protocol-version, mcp-method, mcp-name",
  "access-control-expose-headers":
    "retry-after, x-request-id, etag, location, idempotent-replayed, x-cairn-more, x-cairn-run-id, x-cairn-seq, www-authenticate, x-vercel-ai-ui-message-stream",
  "access-control-max-age": "600",
};

function isExempt(method: string, path: string): boolean {
  if (path === "/healthz" || path.startsWith("/hooks/")) return true;
  return path.startsWith("/a/") && (method === "GET" || method === "HEAD");
}

/** Refuses a request whose `Origin` is neither the own one nor listed. None at all is fine: no browser sent it. */
export function checkOrigin(request: Request, listed: readonly string[]): ApiResult<null> {
  const url = new URL(request.url);
  const origin = request.headers.get("origin");
  if (origin === null || origin === url.origin || listed.includes(origin)) return ok(null);
  if (isExempt(request.method, url.pathname)) return ok(null);
  return err(
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
