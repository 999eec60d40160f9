import { ownValue } from "../../../cairn/core/log/json.ts";
import * as z from "zod";
import { defineTool } from "../../../cairn/tools/define.ts";
import { failureOf, sentence, worst } from "../../../cairn/tools/requests/provider-failure.ts";
import { HOST_NAME } from "../../../cairn/outbound/bindings.ts";
import type { SearchRequest } from "../../../cairn/outbound/provider.ts";
import { CACHE_MS, searchAll, type SearchCache } from "./run-search.ts";
import type { SearchSetup } from "./settings.ts";

export interface SearchServices {
  readonly setup: SearchSetup;
  readonly cache: SearchCache;
}

export const QUERIES_MAX = 5;
export const QUERY_CHARS_MAX = 400;
const SITES_MAX = 10;

const host = z.string().trim().toLowerCase().regex(HOST_NAME, "a host name such as example.com");

const input = z.strictObject({
  queries: z
    .array(z.string().trim().min(1).max(QUERY_CHARS_MAX))
    .min(1)
    .max(QUERIES_MAX)
    .describe("What to look for, each in words of its own. Several ways to ask find more than one"),
  max_results: z.int().min(1).max(10).default(8).describe("Results of each query"),
  since: z.iso.date().optional().describe("Nothing older than this day"),
  sites: z.array(host).min(1).max(SITES_MAX).optional().describe("Only these hosts, and those below them"),
});

/** Searches the web. The operator chooses and pays the provider; the model cannot. */
export const webSearch = defineTool({
  name: "web_search",
  lean: true,
  title: "Search the web",
  description:
    "Searches the public web. Returns addresses with a title and the beginning of what they say: enough to choose by, " +
    "nothing to cite. Read a page before you rely on it. There is no next page: ask in other words instead.",
  input,
  effect: "read",
  tier: "open",
  reads: "outside",
  freshMs: CACHE_MS,
  timeoutMs: 60_000,
  observationMax: 16_000,
  shape: { ids: "results[].url" },
  // Each question is answered once; a provider that fails at it may bill it all the same.
  costUsd: ({ queries }, { setup }: SearchServices) =>
    queries.length * setup.providers.reduce((sum, { name }) => sum + (ownValue(setup.prices, name) ?? 0), 0),
  run: async ({ queries, max_results: limit, since, sites }, context) => {
    const { services, signal, at, spend, log, outside } = context;
    const requests = queries.map((query): SearchRequest => ({
      query,
      limit,
      ...(since === undefined ? {} : { since }),
      ...(sites === undefined ? {} : { sites }),
    }));
    spend(0);
    const outcome = await searchAll(services.setup, requests, services.cache, { signal, at }, spend);
    for (const fault of outcome.passed) log(`${fault.code}: ${fault.message}`);
    if (outcome.failed.length === requests.length) throw failureOf(outcome.failed);
    const { items, failed, passed, leftOut } = outcome;
    outside?.foundUrls(items.map(({ url }) => url));
    return {
      results: items.map(({ publishedAt, ...item }) => ({
        ...item,
        ...(publishedAt === undefined ? {} : { published: publishedAt }),
      })),
      ...(failed.length === 0
        ? {}
        : {
            failed: failed.map(({ query, faults }) => ({
              query: queries[query - 1] ?? "",
              code: worst(faults).code,
              message: sentence(faults),
            })),
          }),
      ...(passed.length === 0 ? {} : { notes: passed.map(({ code, message }) => `${code}: ${message}`) }),
      ...(Object.keys(leftOut).length === 0 ? {} : { left_out_of_host: leftOut }),
    };
  },
});
