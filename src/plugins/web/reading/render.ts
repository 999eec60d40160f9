import { readJson } from "../../../cairn/core/log/json.ts";
import * as z from "zod";
import { err, ok, type Result } from "../../../cairn/core/log/result.ts";
import type { WebAccess } from "../../../cairn/outbound/access.ts";
import { decode } from "../../../cairn/outbound/decode.ts";
import type { FetchFault } from "../../../cairn/outbound/fetch-fault.ts";
import { readBytes } from "../../../cairn/core/bytes.ts";
import type { Resolve } from "../../../cairn/outbound/resolve.ts";
import { FETCH_BYTES_MAX, retryAfterOf, statusFault } from "../../../cairn/outbound/safe-fetch.ts";
import { judgeUrl, type UrlFacts } from "../../../cairn/outbound/safe-url.ts";
import { withTimeLimit } from "../../../cairn/time-limit.ts";

/**
 * A page as a browser shows it, by the binding BROWSER: https://developers.cloudflare.com/browser-run/quick-actions/
 * The caller has checked the address. The browser's final address is checked too, and a page behind a forbidden
 * redirect is not read; requests of the page itself run in Cloudflare's network, not in this one.
 */

const RENDER_MS = 35_000;
const GOTO_MS = 20_000;

interface ContentOptions {
  readonly url: string;
  readonly gotoOptions: { readonly waitUntil: "networkidle2"; readonly timeout: number };
  readonly rejectResourceTypes: ("image" | "media" | "font")[];
  readonly allowRequestPattern?: string[];
  readonly rejectRequestPattern?: string[];
  readonly bestAttempt: true;
}

/** The one call of the binding that is used. */
export interface Browser {
  quickAction(action: "content", options: ContentOptions): Promise<Response>;
}

/** Null where nothing is bound that could be one. */
export const browserOf = (binding: unknown): Browser | null => (isBrowser(binding) ? binding : null);

// A binding of the platform answers every name, so no more can be asked of it.
const isBrowser = (binding: unknown): binding is Browser =>
  typeof binding === "object" &&
  binding !== null &&
  "quickAction" in binding &&
  typeof binding.quickAction === "function";

const answer = z.object({
  success: z.literal(true),
  result: z.string(),
  meta: z.object({
    status: z.number(),
    finalUrl: z.string().optional(),
    redirectChain: z.array(z.object({ url: z.string() })).optional(),
  }),
});

/** The HTML when the scripts have run, and where it was found. Faults: those of the judge, `browser_…`, `http_…`, `too_large`. */
export async function render(
  browser: Browser,
  url: string,
  {
    access,
    resolve,
    signal: outer,
  }: { readonly access: WebAccess; readonly resolve: Resolve; readonly signal: AbortSignal },
): Promise<Result<{ readonly url: string; readonly html: string }, FetchFault>> {
  return await withTimeLimit(RENDER_MS, outer, async (signal) => {
    try {
      return await untilAborted(signal, rendered(browser, url, access, resolve, signal));
    } catch (error) {
      if (outer.aborted) throw error;
      if (signal.aborted) return fault("timeout", "timed_out", "The browser did not answer in time.");
      return fault("network", "browser_unreachable", "The browser cannot be reached.");
    }
  });
}

async function rendered(
  browser: Browser,
  url: string,
  access: WebAccess,
  resolve: Resolve,
  signal: AbortSignal,
): ReturnType<typeof render> {
  const response = await browser.quickAction("content", {
    url,
    gotoOptions: { waitUntil: "networkidle2", timeout: GOTO_MS },
    rejectResourceTypes: ["image", "media", "font"],
    ...patternsOf(access.facts),
    bestAttempt: true,
  });
  if (!response.ok) {
    await response.body?.cancel();
    return refused(response);
  }
  const bytes = await readBytes(response.body, FETCH_BYTES_MAX);
  if (bytes === null) return fault("too_large", "too_large", "The rendered page is larger than 5 MB.");
  const parsed = answer.safeParse(jsonOf(decode(bytes, null)));
  if (!parsed.success) return fault("server", "browser_answer", "The browser answered something else.");
  const { result: html, meta } = parsed.data;
  const found = meta.finalUrl ?? url;
  for (const hop of [...(meta.redirectChain ?? []).map((one) => one.url), found]) {
    const verdict = judgeUrl(hop, access.facts);
    if (!verdict.ok) return fault("policy", verdict.code, verdict.why);
    const named = verdict.needsLookup ? await resolve(verdict.host, signal) : ok(null);
    if (!named.ok) return named;
  }
  if (meta.status < 200 || meta.status > 299)
    return err(statusFault({ url: found, status: meta.status, headers: new Headers() }));
  return ok({ url: found, html });
}

/**
 * The browser loads the page's requests, except from hosts that are forbidden here too, as far as their names show
 * it.
 */
function patternsOf({ allow, deny, ownHosts }: UrlFacts): Partial<ContentOptions> {
  const at = (host: string): string => `^[a-z]+://${host}(?::\\d+)?(?:[/?#]|$)`;
  const escapeRegExp = (host: string): string => host.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  if (allow.length > 0)
    return {
      allowRequestPattern: allow.map((host) =>
        at(host.startsWith("*.") ? `[^/?#]+\\.${escapeRegExp(host.slice(2))}` : escapeRegExp(host)),
      ),
    };
  const never = [...deny, ...ownHosts].map((host) =>
    at(`(?:[^/?#]+\\.)?${escapeRegExp(host.replace(/^\*\./, ""))}`),
  );
  return never.length === 0 ? {} : { rejectRequestPattern: never };
}

function refused({ status, headers }: Response): Result<never, FetchFault> {
  const retryAfterMs = retryAfterOf(headers.get("retry-after"));
  const message = `The browser answered ${status}.`;
  if (status !== 429) return fault(status >= 500 ? "server" : "invalid_args", `browser_${status}`, message);
  const waits = retryAfterMs === null ? {} : { retryAfterMs };
  return err({ class: "rate_limit", code: "browser_429", message: "The browser is busy.", ...waits });
}

const fault = (errorClass: FetchFault["class"], code: string, message: string): Result<never, FetchFault> =>
  err({ class: errorClass, code, message });

/** The binding takes no signal. */
function untilAborted<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new Error("stopped"));
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject);
  });
}

const jsonOf = (text: string): unknown => readJson(text) ?? null;
