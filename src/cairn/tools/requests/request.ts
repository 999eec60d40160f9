import { startOf } from "../../core/text/cut.ts";
import * as z from "zod";
import { URL_CHARS_MAX } from "../../core/limits.ts";
import { err, type Result } from "../../core/log/result.ts";
import { ToolError } from "../define.ts";
import type { FetchFault } from "../../outbound/fetch-fault.ts";
import type { WebAccess } from "../../outbound/access.ts";
import { decode } from "../../outbound/decode.ts";
import { isLocalAddress } from "../../outbound/local.ts";
import { judgeUrl } from "../../outbound/safe-url.ts";
import { safeFetch, statusFault, type SafeResponse } from "../../outbound/safe-fetch.ts";
import { fillSecrets, namedIn, refusalOf, type HttpSecrets } from "./secrets.ts";

/** Common part of both request tools: permission checks, the request itself, and the reported answer. */

export interface HttpServices {
  readonly access: WebAccess;
  /** hosts that are read without asking anybody; `*.example.com` is everything below it */
  readonly readable: readonly string[];
  readonly secrets: HttpSecrets;
}

const HEADERS_MAX = 20;
const ANSWER_BYTES_MAX = 1_000_000;
const ANSWER_CHARS_MAX = 32_000;

/** headers that control the target and transport of a request, which the model may not set */
const RESERVED =
  /^(?:host|connection|content-length|transfer-encoding|upgrade|te|trailer|expect|proxy-.*|cookie|cf-.*|x-forwarded-.*|x-real-ip)$/i;

export const urlField = z.url({ protocol: /^https?$/ }).max(URL_CHARS_MAX);
export const headersField = z
  .record(
    z
      .string()
      .regex(/^[A-Za-z0-9-]{1,64}$/)
      .refine((name) => !RESERVED.test(name), "This header is not yours to set."),
    z
      .string()
      .max(1_024)
      .regex(/^[\t\x20-\x7e]*$/),
  )
  .refine((headers) => Object.keys(headers).length <= HEADERS_MAX, `At most ${HEADERS_MAX} headers.`)
  .optional()
  .describe("A value may name a secret of the deployment: secret:NAME");

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
}

/**
 * Refuses an address that no request may reach, and a secret that is not for it: before a person is asked, and before anything
 * leaves. The addresses of a name are judged when the request is made, because looking a name up carries it out.
 */
export function checkRequest(wanted: HttpRequest, services: HttpServices): void {
  const verdict = judgeUrl(wanted.url, services.access.facts);
  if (!verdict.ok)
    throw new ToolError("policy", verdict.code, verdict.why, {
      at: "url",
      nothingDone: true,
      ...(isLocalAddress(wanted.url)
        ? { hint: "An operator names the origin of a server on this machine in HTTP_LOCAL." }
        : {}),
    });
  checkSecrets(wanted, services);
}

function checkSecrets({ url, headers = {} }: HttpRequest, { secrets }: HttpServices): void {
  const target = new URL(url);
  for (const name of namedIn(headers)) {
    const why = refusalOf(name, target, secrets);
    if (why === null) continue;
    throw new ToolError("policy", "secret_refused", why, {
      at: "headers",
      hint: "Ask without it, or tell the person: the operator says which secret is for which host.",
      nothingDone: true,
    });
  }
  const inside = [url, ...Object.keys(headers)].some((text) => /secret:[A-Z]/.test(text));
  if (inside)
    throw new ToolError("policy", "secret_refused", "A secret stands in the value of a header alone.", {
      nothingDone: true,
    });
}

/**
 * Sends a request with an effect: the status reports the outcome, so a body that is too large is dropped with a note.
 */
export async function sendEffect(
  wanted: HttpRequest,
  services: HttpServices,
  signal: AbortSignal,
): Promise<RequestAnswer> {
  const got = await request(wanted, services, signal);
  if (got.ok) return requestAnswer(got.value);
  const { answer, message } = got.error.fault;
  if (answer === undefined) throw faultOf(got.error);
  const { url, status, headers } = answer;
  return { url, status, headers: shownHeaders(headers), body: null, note: `${message} They were not read.` };
}

/** The answer, whatever its status. */
export async function send(
  wanted: HttpRequest,
  services: HttpServices,
  signal: AbortSignal,
): Promise<SafeResponse> {
  const got = await request(wanted, services, signal);
  if (got.ok) return got.value;
  throw faultOf(got.error);
}

interface Failed {
  readonly fault: FetchFault;
  readonly hasLeft: boolean;
}

function faultOf({ fault, hasLeft }: Failed): ToolError {
  const { class: errorClass, code, message, retryAfterMs } = fault;
  return new ToolError(errorClass, code, message, {
    // Only these can have reached the other side, and none before a request has left: its host may not even be found.
    nothingDone: !hasLeft || (errorClass !== "network" && errorClass !== "timeout"),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** The headers go to the host of the URL alone, whatever it redirects to. */
async function request(
  wanted: HttpRequest,
  services: HttpServices,
  signal: AbortSignal,
): Promise<Result<SafeResponse, Failed>> {
  checkSecrets(wanted, services);
  const { method, url, headers = {}, body } = wanted;
  const { access, secrets } = services;
  // The values are put in as the request leaves, hop by hop: what leads elsewhere, or leaves https, goes without them.
  let hasLeft = false;
  const fetch: WebAccess["fetch"] = (to, init) => {
    // The look-up of the host goes to another place.
    hasLeft ||= new URL(to).origin === new URL(url).origin;
    return access.fetch(to, {
      ...init,
      headers: fillSecrets(new Headers(init.headers), new URL(to), secrets),
    });
  };
  const got = await safeFetch(
    { ...access, fetch },
    {
      url,
      method,
      signal,
      bytesMax: ANSWER_BYTES_MAX,
      tries: 1,
      headers,
      ...(body === undefined ? {} : { body }),
    },
  );
  return got.ok ? got : err({ fault: got.error, hasLeft });
}

/** response headers that are shown */
const SHOWN_HEADERS = ["content-type", "location", "last-modified", "etag", "retry-after", "link"] as const;

const TEXT = /^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml)$|application\/x-www-form-urlencoded$|$)/;

export interface RequestAnswer {
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly note?: string;
}

const shownHeaders = (headers: Headers): RequestAnswer["headers"] =>
  Object.fromEntries(
    SHOWN_HEADERS.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, startOf(value, 500)] as const];
    }),
  );

export function requestAnswer({ url, status, type, headers, bytes, charset }: SafeResponse): RequestAnswer {
  const whole = TEXT.test(type) ? decode(bytes, charset) : null;
  const body = whole === null ? null : startOf(whole, ANSWER_CHARS_MAX);
  const cut = whole !== null && whole.length > ANSWER_CHARS_MAX;
  return {
    url,
    status,
    headers: shownHeaders(headers),
    body,
    ...(whole === null ? { note: `${bytes.length} bytes of ${type}, which is no text.` } : {}),
    ...(cut ? { note: `Cut after ${ANSWER_CHARS_MAX} of ${whole.length} characters.` } : {}),
  };
}

/** An answer that asks for patience is a failure of a read: it is tried again when the other side wants it. */
export function refuseBusy(response: SafeResponse): void {
  if (response.status !== 429 && response.status !== 503) return;
  const { class: errorClass, code, message, retryAfterMs = null } = statusFault(response);
  throw new ToolError(errorClass, code, message, { retryAfterMs, nothingDone: true });
}

/** As the model wrote them: a secret is its name. */
export const linesOf = ({
  headers = {},
}: {
  readonly headers?: Readonly<Record<string, string>> | undefined;
}): string[] => Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
