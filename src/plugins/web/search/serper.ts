import * as z from "zod";
import {
  askJson,
  dateOf,
  withSites,
  type Endpoint,
  type SearchProvider,
} from "../../../cairn/outbound/provider.ts";
import { serperFault } from "../../../cairn/outbound/serper.ts";

/** https://serper.dev and servers that answer like it: Google's results as JSON. */

const answer = z.object({
  organic: z.array(
    z.object({
      link: z.string(),
      title: z.string(),
      snippet: z.string().nullish(),
      date: z.string().nullish(),
    }),
  ),
});

/** `2026-05-01` as Google's own range of dates has it */
function rangeSince(since: string): string {
  const [year, month, day] = since.split("-").map(Number);
  return `cdr:1,cd_min:${month}/${day}/${year}`;
}

export const createSerper = ({ fetch, baseUrl, key }: Endpoint): SearchProvider => ({
  name: "serper",
  search: async (request, options) => {
    const body = {
      q: withSites(request),
      num: request.limit,
      ...(request.since === undefined ? {} : { tbs: rangeSince(request.since) }),
    };
    const { organic } = await askJson(
      fetch,
      {
        provider: "serper",
        url: `${baseUrl}/search`,
        init: {
          method: "POST",
          headers: { "x-api-key": key, "content-type": "application/json" },
          body: JSON.stringify(body),
        },
        faultOf: serperFault,
      },
      answer,
      options,
    );
    const items = organic.map(({ link, title, snippet, date }) => ({
      url: link,
      title,
      description: snippet ?? "",
      source: "serper",
      ...dateOf(date),
    }));
    return { items };
  },
});
