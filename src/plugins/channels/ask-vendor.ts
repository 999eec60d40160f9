import { readJson } from "../../cairn/core/log/json.ts";
import { ChannelFault } from "./channel.ts";
import { readBytes } from "../../cairn/core/bytes.ts";

/** One call to a vendor: its response, or a fault that tells if the vendor may have received the call. */

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface VendorAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** of an answer that is JSON; null for any other */
  readonly body: unknown;
}

const ANSWER_BYTES_MAX = 1_048_576;

/** Throws ChannelFault: `unavailable` where nothing was sent, `unknown` where it may have been. */
export async function askVendor(
  fetch: Fetch,
  vendor: string,
  url: string,
  init: RequestInit,
  signal: AbortSignal,
): Promise<VendorAnswer> {
  const response = await fetchVendor(fetch, vendor, url, init, signal);
  let bytes: Uint8Array | null;
  try {
    bytes = await readBytes(response.body, ANSWER_BYTES_MAX);
  } catch {
    throw lost(vendor);
  }
  return { status: response.status, headers: response.headers, body: bytes === null ? null : jsonOf(bytes) };
}

/** The file at an address. Throws ChannelFault: `too_large` where it has more than `max` bytes. */
export async function readFile(
  fetch: Fetch,
  vendor: string,
  url: string,
  init: RequestInit,
  max: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const response = await fetchVendor(fetch, vendor, url, init, signal);
  if (response.status !== 200) {
    await response.body?.cancel();
    // A redirect leads to a page to sign in.
    const code = [301, 302, 401, 403].includes(response.status) ? "auth" : "refused";
    throw new ChannelFault(code, `${vendor} gives no such file (${response.status}).`);
  }
  const bytes = await readBytes(response.body, max).catch(() => {
    throw new ChannelFault("unavailable", `${vendor} did not give the whole file.`);
  });
  if (bytes === null) throw new ChannelFault("too_large", `A file may have ${max} bytes.`);
  return bytes;
}

async function fetchVendor(
  fetch: Fetch,
  vendor: string,
  url: string,
  init: RequestInit,
  signal: AbortSignal,
): Promise<Response> {
  if (signal.aborted) throw new ChannelFault("unavailable", `There was no time left to ask ${vendor}.`);
  let response: Response;
  try {
    // A redirect would send our token to an unconfigured host.
    response = await fetch(url, { ...init, redirect: "manual", signal });
  } catch (error) {
    if (!neverLeft(error)) throw lost(vendor);
    throw new ChannelFault("unavailable", `${vendor} cannot be reached.`);
  }
  if (NEVER_ARRIVED.has(response.status)) {
    await response.body?.cancel();
    throw new ChannelFault("unavailable", `${vendor} cannot be reached (${response.status}).`);
  }
  return response;
}

const lost = (vendor: string): ChannelFault =>
  new ChannelFault("unknown", `The connection to ${vendor} was lost: it may have been sent.`);

/** Cloudflare's status codes for a server that it could not connect to: refused, no answer, no route, no TLS. */
const NEVER_ARRIVED: ReadonlySet<number> = new Set([521, 522, 523, 525, 526, 530]);

/**
 * Node's code for a connection that was never made. workerd reports "Network connection lost" for that and for a
 * broken connection, so that outcome stays open.
 */
const NOT_CONNECTED: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);
function neverLeft(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : null;
  return cause instanceof Error && "code" in cause && NOT_CONNECTED.has(cause.code);
}

const jsonOf = (bytes: Uint8Array): unknown => readJson(new TextDecoder().decode(bytes)) ?? null;

/** Milliseconds, from seconds or a date of HTTP; null where there is none to come. */
export function retryAfter(text: string | null, now: number): number | null {
  if (text === null) return null;
  const ms = /^\d{1,9}$/.test(text.trim()) ? Number(text) * 1_000 : Date.parse(text) - now;
  return Number.isFinite(ms) && ms > 0 ? ms : null;
}

/**
 * Sends the remaining parts in order. A failure has the number of parts that have arrived. Returns the last result;
 * requires at least one remaining part.
 */
export async function sendParts<T, R>(
  parts: readonly T[],
  skip: number,
  send: (part: T, at: number) => Promise<R>,
): Promise<R> {
  let last: R | undefined;
  for (const [at, part] of parts.entries()) {
    if (at < skip) continue;
    try {
      last = await send(part, at);
    } catch (error) {
      // A fault of our own code leaves open whether this part was sent; those before it were.
      if (!(error instanceof ChannelFault)) {
        if (at === 0) throw error;
        throw new ChannelFault("unknown", "A part of the message could not be made.", null, at);
      }
      throw new ChannelFault(error.code, error.message, error.retryAfterMs, at);
    }
  }
  if (last === undefined)
    throw new ChannelFault("refused", "Every part was sent before.", null, parts.length);
  return last;
}
