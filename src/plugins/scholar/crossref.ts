import * as z from "zod";
import type { Fetcher } from "../../cairn/outbound/bindings.ts";
import { askJson, type AskOptions } from "../../cairn/outbound/provider.ts";
import { titleKey } from "./work.ts";

/** https://www.crossref.org/documentation/retrieve-metadata/rest-api/: the DOI of a title, from who gives most of them. */

export const CROSSREF_URL = "https://api.crossref.org";

const answer = z.object({
  message: z.object({
    items: z.array(
      z.object({
        DOI: z.string(),
        title: z.array(z.string()).nullish(),
        "is-referenced-by-count": z.number().nullish(),
      }),
    ),
  }),
});

export interface Registered {
  readonly doi: string;
  readonly citations: number | null;
}

/** The work of exactly this title; null where it knows none. */
export async function findDoi(
  fetch: Fetcher,
  { baseUrl, contact }: { readonly baseUrl: string; readonly contact: string },
  title: string,
  options: AskOptions,
): Promise<Registered | null> {
  const words = new URLSearchParams({
    "query.bibliographic": title,
    rows: "3",
    select: "DOI,title,is-referenced-by-count",
    ...(contact === "" ? {} : { mailto: contact }),
  });
  const ask = { provider: "crossref", url: `${baseUrl}/works?${words.toString()}`, init: {} };
  const { message } = await askJson(fetch, ask, answer, options);
  // The search always returns something: only an equal title is the same work.
  const same = message.items.find((item) => titleKey(item.title?.[0] ?? "") === titleKey(title));
  return same === undefined
    ? null
    : { doi: same.DOI.toLowerCase(), citations: same["is-referenced-by-count"] ?? null };
}
