import * as z from "zod";
import { askJson, dateOf, type Endpoint, type SearchProvider } from "../../../cairn/outbound/provider.ts";

/** https://exa.ai/docs/reference/search: reports the cost of each request, and returns excerpts with the addresses. */

export const EXA_URL = "https://api.exa.ai";

const answer = z.object({
  results: z.array(
    z.object({
      url: z.string(),
      title: z.string().nullish(),
      publishedDate: z.string().nullish(),
      highlights: z.array(z.string()).nullish(),
      text: z.string().nullish(),
    }),
  ),
  costDollars: z.object({ total: z.number() }).nullish(),
});

export const createExa = ({ fetch, baseUrl, key }: Endpoint): SearchProvider => ({
  name: "exa",
  search: async ({ query, limit, since, sites }, options) => {
    const body = {
      query,
      type: "auto",
      numResults: limit,
      ...(sites === undefined ? {} : { includeDomains: sites }),
      ...(since === undefined ? {} : { startPublishedDate: `${since}T00:00:00.000Z` }),
      contents: { highlights: true },
    };
    const { results, costDollars } = await askJson(
      fetch,
      {
        provider: "exa",
        url: `${baseUrl}/search`,
        init: {
          method: "POST",
          headers: { "x-api-key": key, "content-type": "application/json" },
          body: JSON.stringify(body),
        },
      },
      answer,
      options,
    );
    const items = results.map(({ url, title, publishedDate, highlights, text }) => ({
      url,
      title: title ?? url,
      source: "exa",
      description: highlights?.join(" … ") ?? text ?? "",
      ...dateOf(publishedDate),
    }));
    return { items, ...(costDollars == null ? {} : { costUsd: costDollars.total }) };
  },
});
