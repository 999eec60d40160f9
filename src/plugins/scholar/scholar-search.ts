import { startOf } from "../../cairn/core/text/cut.ts";
import { ownValue } from "../../cairn/core/log/json.ts";
import * as z from "zod";
import { defineTool } from "../../cairn/tools/define.ts";
import type { Fetcher } from "../../cairn/outbound/bindings.ts";
import { ProviderFault, type AskOptions } from "../../cairn/outbound/provider.ts";
import { failureOf } from "../../cairn/tools/requests/provider-failure.ts";
import { canonicalUrl } from "../../cairn/outbound/safe-url.ts";
import { findTexts, textUrl } from "./arxiv.ts";
import { findDoi } from "./crossref.ts";
import { arxivIdOf, titleKey, type ScholarSource, type Work } from "./work.ts";

export interface ScholarServices {
  /** in the order in which they are asked */
  readonly sources: readonly ScholarSource[];
  /** US dollars of one request, by source */
  readonly prices: Readonly<Record<string, number>>;
  readonly fetch: Fetcher;
  readonly crossref: { readonly baseUrl: string; readonly contact: string };
  readonly arxivUrl: string;
}

/** works of a call whose DOI is looked up */
const LOOKUPS_MAX = 5;
const ABSTRACT_CHARS_MAX = 500;

const input = z.strictObject({
  queries: z.array(z.string().trim().min(1).max(400)).min(1).max(5).describe("What to look for, in words"),
  year_from: z.int().min(1_500).max(2_200).optional().describe("Nothing that appeared before this year"),
  max_results: z.int().min(1).max(20).default(8).describe("Results of each query"),
});

/** Searches scholarly works: authors, date, number of citations, and where the text is open. */
export const scholarSearch = defineTool({
  name: "scholar_search",
  title: "Search scholarly works",
  description:
    "Searches scholarly works. Returns title, authors, year, DOI, how often each is cited, its address, and an open text where there is one. Read a work before you rely on it.",
  input,
  effect: "read",
  tier: "open",
  reads: "outside",
  freshMs: 60 * 60_000,
  timeoutMs: 90_000,
  observationMax: 16_000,
  shape: { ids: "results[].title" },
  costUsd: ({ queries }, { sources, prices }: ScholarServices) =>
    queries.length * sources.reduce((sum, { name }) => sum + (ownValue(prices, name) ?? 0), 0),
  run: async ({ queries, year_from: yearFrom, max_results: limit }, context) => {
    const { services, signal, at, spend, log, outside } = context;
    const options = { signal, at };
    spend(0);
    const works = new Map<string, Work>();
    const failed: { query: number; faults: ProviderFault[] }[] = [];
    // One after the other: these sources are free, and want to be asked slowly.
    for (const [index, query] of queries.entries()) {
      const request = { query, limit, ...(yearFrom === undefined ? {} : { yearFrom }) };
      const found = await firstOf(services, request, options, spend);
      if (!found.ok) failed.push({ query: index + 1, faults: found.faults });
      else
        for (const work of found.works) {
          const key = work.doi ?? titleKey(work.title);
          if (titleKey(work.title) !== "" && !works.has(key)) works.set(key, work);
        }
    }
    if (failed.length === queries.length) throw failureOf(failed);
    const notes: string[] = [];
    const note = (error: unknown): void => {
      if (!(error instanceof ProviderFault)) throw error;
      notes.push(`${error.code}: ${error.message}`);
      log(error.message);
    };
    const results = await withTexts(
      await withDois([...works.values()], services, options, note),
      services,
      options,
      note,
    );
    outside?.foundUrls(
      results.flatMap(({ url, text }) => [url, text].flatMap((one) => one ?? [])).map(canonicalUrl),
    );
    return {
      results: results.map(({ abstract, ...work }) => ({
        ...work,
        ...(abstract === null ? {} : { abstract: startOf(abstract, ABSTRACT_CHARS_MAX) }),
      })),
      ...(failed.length === 0
        ? {}
        : {
            failed: failed.map(({ query, faults }) => ({
              query: queries[query - 1] ?? "",
              message: faults.map(({ message }) => message).join(" "),
            })),
          }),
      ...(notes.length === 0 ? {} : { notes: [...new Set(notes)] }),
    };
  },
});

type FirstFound =
  | { readonly ok: true; readonly works: readonly Work[] }
  | { readonly ok: false; readonly faults: ProviderFault[] };

async function firstOf(
  { sources, prices }: ScholarServices,
  request: Parameters<ScholarSource["search"]>[0],
  options: AskOptions,
  paid: (usd: number) => void,
): Promise<FirstFound> {
  const faults: ProviderFault[] = [];
  for (const source of sources) {
    try {
      const works = await source.search(request, options);
      paid(ownValue(prices, source.name) ?? 0);
      const { yearFrom } = request;
      return {
        ok: true,
        works: works.filter(({ year }) => yearFrom === undefined || year === null || year >= yearFrom),
      };
    } catch (error) {
      if (!(error instanceof ProviderFault)) throw error;
      if (error.kind === "timeout" || error.kind === "answer") paid(ownValue(prices, source.name) ?? 0);
      faults.push(error);
    }
  }
  return { ok: false, faults };
}

/** Looks up works without a DOI or a citation count where most of them are registered. */
async function withDois(
  works: readonly Work[],
  { fetch, crossref }: ScholarServices,
  options: AskOptions,
  note: (error: unknown) => void,
): Promise<readonly Work[]> {
  const done: Work[] = [];
  let lookups = 0;
  for (const work of works) {
    if (work.doi !== null || lookups >= LOOKUPS_MAX) {
      done.push(work);
      continue;
    }
    lookups++;
    try {
      const known = await findDoi(fetch, crossref, work.title, options);
      done.push(
        known === null ? work : { ...work, doi: known.doi, citations: work.citations ?? known.citations },
      );
    } catch (error) {
      note(error);
      // A failing service is not asked for the next work.
      lookups = LOOKUPS_MAX;
      done.push(work);
    }
  }
  return done;
}

async function withTexts(
  works: readonly Work[],
  { fetch, arxivUrl }: ScholarServices,
  options: AskOptions,
  note: (error: unknown) => void,
): Promise<readonly Work[]> {
  const named = works.map((work) => {
    const id = arxivIdOf(work.doi);
    return work.text !== null || id === null ? work : { ...work, text: textUrl(id) };
  });
  const without = named.filter(({ text }) => text === null).map(({ title }) => title);
  let texts: ReadonlyMap<string, string> = new Map();
  try {
    texts = await findTexts(fetch, arxivUrl, without, options);
  } catch (error) {
    note(error);
  }
  return named.map((work) => ({ ...work, text: work.text ?? texts.get(titleKey(work.title)) ?? null }));
}
