import * as z from "zod";
import type { Fetcher } from "../../cairn/outbound/bindings.ts";
import { askJson } from "../../cairn/outbound/provider.ts";
import { doiOf, type ScholarSource } from "./work.ts";

/** https://developers.openalex.org: an open index of works. Since February 2026 it wants a key, which is free, for real work. */

export const OPENALEX_URL = "https://api.openalex.org";

const FIELDS =
  "id,doi,display_name,publication_year,cited_by_count,authorships,primary_location,best_oa_location";
const AUTHORS_MAX = 6;

const location = z
  .object({ landing_page_url: z.string().nullish(), pdf_url: z.string().nullish() })
  .nullish();
const answer = z.object({
  results: z.array(
    z.object({
      id: z.string(),
      doi: z.string().nullish(),
      display_name: z.string().nullish(),
      publication_year: z.number().nullish(),
      cited_by_count: z.number().nullish(),
      authorships: z.array(z.object({ author: z.object({ display_name: z.string().nullish() }) })).nullish(),
      primary_location: location,
      best_oa_location: location,
    }),
  ),
});

export const createOpenAlex = (
  fetch: Fetcher,
  { baseUrl, contact, key }: { readonly baseUrl: string; readonly contact: string; readonly key: string },
): ScholarSource => ({
  name: "openalex",
  search: async ({ query, limit, yearFrom }, options) => {
    const words = new URLSearchParams({
      search: query,
      "per-page": String(limit),
      select: FIELDS,
      mailto: contact,
      ...(yearFrom === undefined ? {} : { filter: `from_publication_date:${yearFrom}-01-01` }),
      ...(key === "" ? {} : { api_key: key }),
    });
    const url = `${baseUrl}/works?${words.toString()}`;
    const { results } = await askJson(fetch, { provider: "openalex", url, init: {} }, answer, options);
    return results.map((work) => ({
      title: work.display_name ?? "",
      url: work.primary_location?.landing_page_url ?? work.doi ?? work.id,
      doi: doiOf(work.doi),
      year: work.publication_year ?? null,
      citations: work.cited_by_count ?? null,
      authors: (work.authorships ?? [])
        .slice(0, AUTHORS_MAX)
        .flatMap(({ author }) => author.display_name ?? []),
      abstract: null,
      text: work.best_oa_location?.pdf_url ?? work.best_oa_location?.landing_page_url ?? null,
      source: "openalex",
    }));
  },
});
