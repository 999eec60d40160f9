import * as z from "zod";
import { URL_CHARS_MAX } from "../../../cairn/core/limits.ts";
import type { Json, JsonObject } from "../../../cairn/core/log/json.ts";
import { defineTool, ToolError, type ToolContext } from "../../../cairn/tools/define.ts";
import type { FetchFault } from "../../../cairn/outbound/fetch-fault.ts";
import { verifiedQuotes } from "../../../cairn/documents/passages.ts";
import type { PageContent } from "../../../cairn/documents/page.ts";
import { readUrl } from "../reading/read-url.ts";
import { createResolve } from "../../../cairn/outbound/resolve.ts";
import { canonicalUrl } from "../../../cairn/outbound/safe-url.ts";
import type { WebServices } from "../services.ts";
import { previewOf, refuseStrange } from "../strange-urls.ts";
import { withTimeLimit } from "../../../cairn/time-limit.ts";
import { fields, quoteOf, typedValues, type Field } from "../../../cairn/documents/value-fields.ts";
import { nearestText, type ValueReader } from "../../../cairn/documents/value-reader.ts";

const URLS_MAX = 5;
const QUESTION_CHARS_MAX = 500;
/** of the whole call; pages that have come by then are read */
const CALL_MS = 90_000;
const FETCH_ALL_MS = 55_000;
const READ_MS = 30_000;
const OBSERVATION_CHARS = 8_000;

export interface ValueServices extends Pick<WebServices, "access" | "toText" | "memory" | "browser"> {
  readonly reader: ValueReader;
}

const input = z.strictObject({
  urls: z.array(z.string().trim().min(1).max(URL_CHARS_MAX)).min(1).max(URLS_MAX),
  question: z
    .string()
    .trim()
    .min(1)
    .max(QUESTION_CHARS_MAX)
    .describe("What you want to know from each of them"),
  fields: fields.describe("The values that you want of each page"),
});
type Input = z.output<typeof input>;
type Context = ToolContext<ValueServices>;

/** Why a page gave nothing: a word of ours, so that no host and no page can word it. */
const FAILURES = {
  policy: "address_refused",
  not_found: "not_found",
  permission: "no_access",
  rate_limit: "busy",
  server: "server_error",
  network: "unreachable",
  timeout: "too_late",
  too_large: "too_large",
  invalid_args: "not_readable",
} as const satisfies Partial<Record<FetchFault["class"], string>>;
type Failure = (typeof FAILURES)[keyof typeof FAILURES] | "no_text" | "needs_javascript" | "reader_failed";

/**
 * Reads pages in a separate step that returns only typed values. The result has the caller's words, numbers, days and
 * yes or no, so it does not taint the run. The evidence for each value is stored for people.
 */
export const readValues = defineTool<ValueServices, typeof input, Json>({
  name: "read_values",
  title: "Read values from web pages",
  description:
    "Reads web pages apart from this run, and returns only values: numbers, yes or no, dates (YYYY-MM-DD), choices that you name; null where a page does not say. None of its words come back. `evidence` names what bears a value out: cite [e12].",
  input,
  effect: "read",
  tier: "open",
  // Values of a form that the caller has named are no words of a stranger.
  reads: "public",
  reach: "none",
  approval: "depends",
  timeoutMs: CALL_MS,
  observationMax: OBSERVATION_CHARS,
  shape: { target: ["urls"], query: "question" },
  costUsd: ({ urls }, { reader }) => urls.length * reader.costUsdMax,
  preview: async ({ urls }, { services }) => previewOf(urls, services, "Read values from web pages"),
  run: readPages,
});

async function readPages({ urls, question, fields: wanted }: Input, context: Context): Promise<Json> {
  refuseStrange(urls, context, "read_values");
  const { services, signal: stopped, spend, progress } = context;
  const resolve = createResolve(services.access);
  const addresses = [...new Set(urls.map(canonicalUrl))];
  spend(0);
  const found = await withTimeLimit(FETCH_ALL_MS, stopped, (signal) =>
    Promise.all(addresses.map((url) => readUrl(url, services, resolve, signal, stopped))),
  );
  const came = found.filter(({ ok }) => ok).length;
  progress(`Fetched ${came} of ${addresses.length}`, 50);
  const results = await withTimeLimit(READ_MS, stopped, (signal) =>
    Promise.all(
      found.map(async (page): Promise<JsonObject> => {
        if (!page.ok) return { failure: failureOf(page.error) };
        return await valuesOf(page.value, question, wanted, { ...context, signal });
      }),
    ),
  );
  stopped.throwIfAborted();
  if (results.every((one) => "failure" in one)) throw nothingRead(results);
  return { pages: addresses.map((url, index) => ({ url, ...results[index] })), by: BY_MODEL };
}

const BY_MODEL = "a model that reads a page alone, without tools";

async function valuesOf(
  page: PageContent,
  question: string,
  wanted: readonly Field[],
  { services: { reader }, signal, spend, outside, at }: Context,
): Promise<JsonObject> {
  const { url, title, date, text, scripts } = page;
  const passages = [];
  let result: JsonObject;
  const evidence: [string, number][] = [];
  try {
    const ask = { question, fields: wanted, title, text: nearestText(text, question, wanted) };
    const { values: found, quotes, costUsd } = await reader.read(ask, signal);
    spend(costUsd);
    const values = typedValues(found, wanted);
    for (const one of wanted) {
      const quote = values[one.name] === null ? null : quoteOf(quotes, one);
      const [passage] = quote === null ? [] : verifiedQuotes(text, [quote]).passages;
      if (passage !== undefined) evidence.push([one.name, passages.push(passage) - 1]);
    }
    result = { values, ...(scripts === undefined ? {} : { scripts: scripts.run ? "run" : "not_run" }) };
  } catch {
    // The call may have been billed. The model's text is not shown: it may be the page's.
    spend(reader.costUsdMax);
    result = { failure: "reader_failed" satisfies Failure };
  }
  // The page's links stay out, because nobody was shown these addresses.
  const stored = outside?.keepPage({
    url,
    title,
    date,
    text,
    links: [],
    fetchedAt: at,
    passages,
    sealed: true,
  });
  const ids = evidence.flatMap(([name, index]): [string, JsonObject][] => {
    const id = stored?.evidence[index];
    return id === undefined ? [] : [[name, { ...id }]];
  });
  return ids.length === 0 ? result : { ...result, evidence: Object.fromEntries(ids) };
}

function failureOf({ class: errorClass, code }: FetchFault): Failure {
  if (code === "no_text" || code === "needs_javascript") return code;
  return errorClass in FAILURES ? FAILURES[errorClass as keyof typeof FAILURES] : "not_readable";
}

function nothingRead(results: readonly JsonObject[]): ToolError {
  const kinds = [
    ...new Set(results.flatMap(({ failure }) => (typeof failure === "string" ? [failure] : []))),
  ].join(", ");
  return new ToolError("not_found", "nothing_read", `No page could be read: ${kinds}.`, {
    hint: "Try another page, or say what could not be read.",
    retryable: false,
  });
}
