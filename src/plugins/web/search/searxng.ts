import * as z from "zod";
import {
  askJson,
  dateOf,
  withSites,
  type Endpoint,
  type SearchProvider,
} from "../../../cairn/outbound/provider.ts";

/**
 * https://docs.searxng.org/dev/search_api: the operator's own instance, which queries other engines. It costs
 * nothing.
 */

const answer = z.object({
  results: z.array(
    z.object({
      url: z.string(),
      title: z.string(),
      content: z.string().nullish(),
      publishedDate: z.string().nullish(),
    }),
  ),
});

const DAY_MS = 24 * 60 * 60_000;
/** the ranges that it knows, in days; what is older than the longest is asked for without one */
const RANGES = [
  ["day", 1],
  ["month", 31],
  ["year", 366],
] as const;

export const createSearxng = ({ fetch, baseUrl, key }: Endpoint): SearchProvider => ({
  name: "searxng",
  search: async (request, options) => {
    const words = new URLSearchParams({ q: withSites(request), format: "json" });
    const days = request.since === undefined ? Infinity : (options.at - Date.parse(request.since)) / DAY_MS;
    const range = RANGES.find(([, most]) => days <= most)?.[0];
    if (range !== undefined) words.set("time_range", range);
    const { results } = await askJson(
      fetch,
      {
        provider: "searxng",
        url: `${baseUrl}/search?${words.toString()}`,
        init: key === "" ? {} : { headers: { authorization: key } },
        // SearXNG has no keys: the settings.yml of this instance does not allow the format json.
        faultOf: (status) => (status === 403 && key === "" ? "refused" : null),
      },
      answer,
      options,
    );
    const items = results.slice(0, request.limit).map(({ url, title, content, publishedDate }) => ({
      url,
      title,
      description: content ?? "",
      source: "searxng",
      ...dateOf(publishedDate),
    }));
    return { items };
  },
});
