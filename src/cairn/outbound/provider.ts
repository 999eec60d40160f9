import { readJson } from "../core/log/json.ts";
import type * as z from "zod";
import type { ErrorClass } from "../core/log/tool.ts";
import type { Fetcher } from "./bindings.ts";
import { readBytes } from "../core/bytes.ts";
import { retryAfterOf } from "./safe-fetch.ts";
import { withTimeLimit } from "../time-limit.ts";

/**
 * A search provider: one query in, addresses out. To add another, write an adapter of this shape. Its address is set by
 * the operator and carries a key, so it is requested unchecked; address checks are for addresses that a model names.
 */

export interface SearchRequest {
  readonly query: string;
  /** results wanted, 1 to 10 */
  readonly limit: number;
  /** YYYY-MM-DD: nothing older, as far as the provider knows */
  readonly since?: string;
  /** host names; results of other hosts are of no use */
  readonly sites?: readonly string[];
}

export interface FoundItem {
  readonly url: string;
  readonly title: string;
  readonly description: string;
  /** an ISO date where the provider gives one, else its own words for it */
  readonly publishedAt?: string;
  /** the provider that found it */
  readonly source: string;
}

export interface Found {
  readonly items: readonly FoundItem[];
  /** US dollars, if the provider reports the cost of the request */
  readonly costUsd?: number;
}

export interface AskOptions {
  readonly signal: AbortSignal;
  /** milliseconds since the epoch */
  readonly at: number;
}

export interface SearchProvider {
  readonly name: string;
  search(request: SearchRequest, options: AskOptions): Promise<Found>;
}

/** Provider faults and their meaning for the call: `passing` ones may resolve themselves. */
const FAULTS = {
  auth: { class: "auth", code: "provider_auth", passing: false },
  quota: { class: "auth", code: "provider_quota", passing: false },
  refused: { class: "invalid_args", code: "provider_refused", passing: false },
  rate_limit: { class: "rate_limit", code: "provider_limited", passing: true },
  server: { class: "server", code: "provider_failed", passing: true },
  answer: { class: "server", code: "provider_answer", passing: true },
  network: { class: "network", code: "provider_unreachable", passing: true },
  timeout: { class: "timeout", code: "provider_timeout", passing: true },
} as const satisfies Record<string, { class: ErrorClass; code: string; passing: boolean }>;

export type FaultKind = keyof typeof FAULTS;

/** A provider did not answer as it should. The message names it and never holds its words: they may repeat a key. */
export class ProviderFault extends Error {
  readonly kind: FaultKind;
  readonly class: ErrorClass;
  readonly code: string;
  readonly passing: boolean;
  readonly retryAfterMs: number | null;

  constructor(kind: FaultKind, message: string, retryAfterMs: number | null = null) {
    super(message);
    this.name = "ProviderFault";
    this.kind = kind;
    this.class = FAULTS[kind].class;
    this.code = FAULTS[kind].code;
    this.passing = FAULTS[kind].passing;
    this.retryAfterMs = retryAfterMs;
  }
}

/** a request has its answer by then */
export const PROVIDER_MS = 10_000;
/** of an answer; the rest of a larger one is not read */
const ANSWER_BYTES_MAX = 2_000_000;

/** A provider as the operator has set it up. */
export interface Endpoint {
  readonly fetch: Fetcher;
  /** without a slash at its end */
  readonly baseUrl: string;
  readonly key: string;
}

interface Ask {
  readonly provider: string;
  readonly url: string;
  readonly init: RequestInit;
  /** what a status, with the beginning of its body, means for this provider alone */
  readonly faultOf?: (status: number, body: string, headers: Headers) => FaultKind | null;
  /** milliseconds to wait, if the provider has a custom header for it */
  readonly waitOf?: (headers: Headers) => number | null;
}

/** The answer of a provider as JSON of this shape. Throws a ProviderFault, or what the caller's signal was aborted with. */
export async function askJson<Schema extends z.ZodType>(
  fetch: Fetcher,
  ask: Ask,
  schema: Schema,
  options: AskOptions,
): Promise<z.output<Schema>> {
  const text = await askText(fetch, ask, options);
  const json = readJson(text);
  if (json === undefined) throw new ProviderFault("answer", `${ask.provider} did not answer JSON.`);
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new ProviderFault("answer", `${ask.provider} answered JSON of another shape.`);
}

export async function askText(fetch: Fetcher, ask: Ask, { signal, at }: AskOptions): Promise<string> {
  const { provider, url, init } = ask;
  const { response, text } = await withTimeLimit(PROVIDER_MS, signal, async (limited) => {
    try {
      // A redirect would carry the key to somewhere else.
      const got = await fetch(url, { ...init, redirect: "manual", signal: limited });
      const bytes = await readBytes(got.body, ANSWER_BYTES_MAX);
      return { response: got, text: bytes === null ? null : new TextDecoder().decode(bytes) };
    } catch (error) {
      if (signal.aborted || error instanceof ProviderFault) throw error;
      if (!limited.aborted) throw new ProviderFault("network", `${provider} cannot be reached.`);
      throw new ProviderFault("timeout", `${provider} gave no answer within ${PROVIDER_MS / 1_000} s.`);
    }
  });
  if (response.ok && text === null)
    throw new ProviderFault("answer", `${provider} answered more than ${ANSWER_BYTES_MAX} bytes.`);
  if (response.ok) return text ?? "";
  const { status, headers } = response;
  const kind = ask.faultOf?.(status, (text ?? "").slice(0, 4_096), headers) ?? kindOf(status);
  const wait = waitOf(headers.get("retry-after"), at) ?? ask.waitOf?.(headers) ?? null;
  throw new ProviderFault(
    kind,
    `${provider} ${MEANS[kind]} (${status}).`,
    FAULTS[kind].passing ? wait : null,
  );
}

export function kindOf(status: number): FaultKind {
  if (status === 401 || status === 403) return "auth";
  if (status === 402) return "quota";
  if (status === 429) return "rate_limit";
  if (status === 408 || status === 504) return "timeout";
  return status >= 500 ? "server" : status >= 400 ? "refused" : "answer";
}

const MEANS: Readonly<Record<FaultKind, string>> = {
  auth: "does not accept its key",
  quota: "has no quota or credit left for this key: it has to be paid for",
  refused: "does not accept the request",
  rate_limit: "has had too many requests",
  server: "fails at the moment",
  answer: "answered something else",
  network: "cannot be reached",
  timeout: "took too long",
};

/** Milliseconds of a Retry-After in seconds, or until its date. */
function waitOf(value: string | null, at: number): number | null {
  const seconds = retryAfterOf(value);
  if (seconds !== null || value === null) return seconds;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - at);
}

/** The day of a date; the words as they are where they name none. */
export function dateOf(text: string | null | undefined): { readonly publishedAt?: string } {
  if (text === null || text === undefined || text.trim() === "") return {};
  if (/^\d{4}-\d{2}-\d{2}/.test(text)) return { publishedAt: text.slice(0, 10) };
  const named = /\d{4}/.test(text) ? Date.parse(`${text} UTC`) : Number.NaN;
  const other = Number.isNaN(named) && /\d{4}/.test(text) ? Date.parse(text) : named;
  return {
    publishedAt: Number.isNaN(other) ? text.slice(0, 40) : new Date(other).toISOString().slice(0, 10),
  };
}

/** `2026-11-24` of a time */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** characters of a query that the strictest provider takes */
const QUERY_CHARS_MAX = 400;

/** The query with its sites in the words that search engines know; without them where it would grow too long. */
export function withSites({ query, sites = [] }: SearchRequest): string {
  if (sites.length === 0) return query;
  const named = sites.map((site) => `site:${site}`).join(" OR ");
  const whole = `${query} ${sites.length === 1 ? named : `(${named})`}`;
  return whole.length > QUERY_CHARS_MAX ? query : whole;
}

/** US dollars per request of a paid provider, if the operator sets none: above the list price of each */
export const PRICE_USD_UNKNOWN = 0.01;
