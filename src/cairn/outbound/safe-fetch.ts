import { err, ok, type Result } from "../core/log/result.ts";
import type { WebAccess } from "./access.ts";
import type { FetchFault } from "./fetch-fault.ts";
import { readBytes } from "../core/bytes.ts";
import { createResolve, type Resolve } from "./resolve.ts";
import { judgeRedirect, judgeUrl, type UrlVerdict } from "./safe-url.ts";
import { withTimeLimit } from "../time-limit.ts";

/**
 * One request of a tool, made safely: every hop is judged by its URL and by the addresses of its name, redirects are
 * followed by hand, nothing of this deployment is sent along, and a body is counted as it comes out of its compression.
 */

export const FETCH_MS = 20_000;
export const FETCH_BYTES_MAX = 5_000_000;
export const FETCH_TRIES = 2;
const RETRY_AFTER_MS_MAX = 24 * 60 * 60_000;

export interface SafeRequest {
  readonly url: string;
  readonly signal: AbortSignal;
  /** default GET; any other is sent once, and its redirects are not followed */
  readonly method?: string;
  readonly body?: string;
  /** to the host of `url` alone: a redirect elsewhere goes without them */
  readonly headers?: Readonly<Record<string, string>>;
  /** content types whose body is read, such as `text/` or `application/pdf`; any when left out */
  readonly types?: readonly string[];
  /** defaults: FETCH_BYTES_MAX, FETCH_MS for each try, FETCH_TRIES */
  readonly bytesMax?: number;
  readonly timeoutMs?: number;
  readonly tries?: number;
  /** default: as many as the judge allows */
  readonly redirectsMax?: number;
  /** refuses every hop over plain http */
  readonly httpsOnly?: boolean;
  /** shared by the requests of one call, so that a name is looked up once */
  readonly resolve?: Resolve;
}

export interface SafeResponse {
  /** where the last hop led */
  readonly url: string;
  readonly status: number;
  /** lower case, without parameters; empty if the server sends none */
  readonly type: string;
  readonly charset: string | null;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
}

/**
 * Any status is a response. Faults: the codes of the judge (`url_…`), `unknown_host`, `dns_unavailable`, `unreachable`,
 * `timed_out`, `too_large`, `unsupported_type`. An abort of the caller's signal throws.
 */
export async function safeFetch(
  web: WebAccess,
  request: SafeRequest,
): Promise<Result<SafeResponse, FetchFault>> {
  const isGet = (request.method ?? "GET") === "GET";
  const tries = isGet ? (request.tries ?? FETCH_TRIES) : 1;
  const resolve = request.resolve ?? createResolve(web);
  for (let attempt = 1; ; attempt++) {
    const got = await followInTime(web, { ...request, resolve });
    const again = got.ok
      ? got.value.status >= 500
      : got.error.class === "network" || got.error.class === "timeout";
    if (!again || attempt >= tries) return got;
  }
}

/** The words of an answer that is no success, for tools that want one. */
export function statusFault({
  url,
  status,
  headers,
}: Pick<SafeResponse, "url" | "status" | "headers">): FetchFault {
  const { host } = new URL(url);
  const retryAfterMs = retryAfterOf(headers.get("retry-after"));
  const facts = {
    code: `http_${status}`,
    message: `${host} answered ${status}.`,
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
  };
  if (status === 404 || status === 410) return { ...facts, class: "not_found" };
  if (status === 401 || status === 402 || status === 403) return { ...facts, class: "permission" };
  if (status === 429) return { ...facts, class: "rate_limit" };
  return { ...facts, class: status >= 500 ? "server" : "invalid_args" };
}

/** Milliseconds of a Retry-After in seconds; null for other values, dates included, because their clock is unknown. */
export function retryAfterOf(value: string | null): number | null {
  if (value === null || !/^\d{1,9}$/.test(value.trim())) return null;
  return Math.min(RETRY_AFTER_MS_MAX, Number(value) * 1_000);
}

async function followInTime(
  web: WebAccess,
  request: SafeRequest & { readonly resolve: Resolve },
): Promise<Result<SafeResponse, FetchFault>> {
  const { timeoutMs: ms = FETCH_MS, signal: outer } = request;
  return await withTimeLimit(ms, outer, async (signal) => {
    try {
      return await follow(web, { ...request, signal });
    } catch (error) {
      if (outer.aborted || !signal.aborted) throw error;
      return err({ class: "timeout", code: "timed_out", message: `No answer within ${ms / 1_000} seconds.` });
    }
  });
}

async function follow(
  web: WebAccess,
  request: SafeRequest & { readonly resolve: Resolve },
): Promise<Result<SafeResponse, FetchFault>> {
  const { signal, method = "GET", body, headers = {}, resolve, redirectsMax, httpsOnly = false } = request;
  let verdict = judgeUrl(request.url, web.facts);
  const first = verdict.ok ? verdict.host : "";
  for (let hop = 1; ; hop++) {
    const safe = await admit(httpsOnly ? byHttps(verdict) : verdict, resolve, signal);
    if (!safe.ok) return safe;
    const { url, host } = safe.value;
    const own = host === first ? headers : {};
    const init = {
      method,
      redirect: "manual" as const,
      signal,
      headers: { accept: "*/*", "user-agent": "Cairn", ...own },
      ...(body === undefined ? {} : { body }),
    };
    const reached = await reach(() => web.fetch(url, init), host, signal);
    if (!reached.ok) return reached;
    const response = reached.value;
    const location = response.headers.get("location");
    const moved =
      [301, 302, 303, 307, 308].includes(response.status) && location !== null && method === "GET";
    if (!moved) return await reach(() => bodyOf(response, url, request), host, signal).then(flat);
    await response.body?.cancel();
    verdict = judgeRedirect(url, location, hop, web.facts, redirectsMax);
  }
}

const byHttps = (verdict: UrlVerdict): UrlVerdict =>
  verdict.ok && !verdict.url.startsWith("https:")
    ? { ok: false, code: "url_scheme", why: "Only https is reached." }
    : verdict;

/** A hop that may be requested: its URL passes, and so does every address of its name. */
async function admit(
  verdict: UrlVerdict,
  resolve: Resolve,
  signal: AbortSignal,
): Promise<Result<Extract<UrlVerdict, { ok: true }>, FetchFault>> {
  if (!verdict.ok) {
    const invalid = verdict.code === "url_invalid" || verdict.code === "url_redirects";
    return err({ class: invalid ? "invalid_args" : "policy", code: verdict.code, message: verdict.why });
  }
  if (!verdict.needsLookup) return ok(verdict);
  const named = await resolve(verdict.host, signal);
  return named.ok ? ok(verdict) : named;
}

const flat = <Value>(result: Result<Result<Value, FetchFault>, FetchFault>): Result<Value, FetchFault> =>
  result.ok ? result.value : result;

async function reach<Value>(
  ask: () => Promise<Value>,
  host: string,
  signal: AbortSignal,
): Promise<Result<Value, FetchFault>> {
  try {
    return ok(await ask());
  } catch (error) {
    if (signal.aborted) throw error;
    return err({ class: "network", code: "unreachable", message: `${host} cannot be reached.` });
  }
}

async function bodyOf(
  response: Response,
  url: string,
  { types, bytesMax = FETCH_BYTES_MAX }: SafeRequest,
): Promise<Result<SafeResponse, FetchFault>> {
  const { status, headers } = response;
  const [named = "", ...parameters] = (headers.get("content-type") ?? "").split(";");
  const type = named.trim().toLowerCase();
  const charset = /charset\s*=\s*"?([\w-]+)/i.exec(parameters.join(";"))?.[1]?.toLowerCase() ?? null;
  const { host } = new URL(url);
  const unread = response.ok && types !== undefined && !types.some((one) => type.startsWith(one));
  if (unread) {
    await response.body?.cancel();
    const message = `${host} answered ${type === "" ? "without a content type" : type}, which is not read.`;
    return err({ class: "invalid_args", code: "unsupported_type", message });
  }
  const bytes = await readBytes(response.body, bytesMax);
  if (bytes === null)
    return err({
      class: "too_large",
      code: "too_large",
      message: `${host} answered more than ${bytesMax.toLocaleString("en-US")} bytes.`,
      answer: { url, status, headers },
    });
  return ok({ url, status, type, charset, headers, bytes });
}
