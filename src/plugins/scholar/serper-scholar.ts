import * as z from "zod";
import { askJson, type Endpoint } from "../../cairn/outbound/provider.ts";
import { serperFault } from "../../cairn/outbound/serper.ts";
import { doiOf, type ScholarSource } from "./work.ts";

/** Google Scholar's results by Serper, or by a compatible server. It has DOIs only in its addresses. */

const answer = z.object({
  organic: z.array(
    z.object({
      title: z.string(),
      link: z.string().nullish(),
      snippet: z.string().nullish(),
      publicationInfo: z.string().nullish(),
      year: z.coerce.number().nullish(),
      citedBy: z.coerce.number().nullish(),
      pdfUrl: z.string().nullish(),
    }),
  ),
});

export const createSerperScholar = ({ fetch, baseUrl, key }: Endpoint): ScholarSource => ({
  name: "serper",
  search: async ({ query, limit, yearFrom }, options) => {
    const body = { q: query, num: limit, ...(yearFrom === undefined ? {} : { as_ylo: yearFrom }) };
    const init = {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: JSON.stringify(body),
    };
    const ask = { provider: "serper", url: `${baseUrl}/scholar`, init, faultOf: serperFault };
    const { organic } = await askJson(fetch, ask, answer, options);
    return organic.slice(0, limit).map((work) => ({
      title: work.title,
      url: work.link ?? null,
      doi: doiOf(work.link),
      year: work.year ?? null,
      citations: work.citedBy ?? null,
      authors: (work.publicationInfo ?? "")
        .split(" - ")
        .slice(0, 1)
        .filter((names) => names !== ""),
      abstract: work.snippet ?? null,
      text: work.pdfUrl ?? null,
      source: "serper",
    }));
  },
});
