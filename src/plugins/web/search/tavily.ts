import * as z from "zod";
import { askJson, dateOf, type Endpoint, type SearchProvider } from "../../../cairn/outbound/provider.ts";

/** https://docs.tavily.com/documentation/api-reference/endpoint/search: billed in credits, a basic search is one. */

export const TAVILY_URL = "https://api.tavily.com";

const answer = z.object({
  results: z.array(
    z.object({
      url: z.string(),
      title: z.string(),
      content: z.string().nullish(),
      published_date: z.string().nullish(),
    }),
  ),
});

/** Tavily's statuses for the plan's limit, and for the operator's pay-as-you-go limit */
const SPENT: readonly number[] = [432, 433];

export const createTavily = ({ fetch, baseUrl, key }: Endpoint): SearchProvider => ({
  name: "tavily",
  search: async ({ query, limit, since, sites }, options) => {
    const body = {
      query,
      search_depth: "basic",
      max_results: limit,
      ...(sites === undefined ? {} : { include_domains: sites }),
      ...(since === undefined ? {} : { start_date: since }),
    };
    const { results } = await askJson(
      fetch,
      {
        provider: "tavily",
        url: `${baseUrl}/search`,
        init: {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: JSON.stringify(body),
        },
        faultOf: (status) => (SPENT.includes(status) ? "quota" : null),
      },
      answer,
      options,
    );
    const items = results.map(({ url, title, content, published_date: date }) => ({
      url,
      title,
      description: content ?? "",
      source: "tavily",
      ...dateOf(date),
    }));
    return { items };
  },
});
