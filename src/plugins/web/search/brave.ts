import * as z from "zod";
import {
  askJson,
  dateOf,
  dayOf,
  withSites,
  type Endpoint,
  type SearchProvider,
} from "../../../cairn/outbound/provider.ts";

/** https://api-dashboard.search.brave.com/documentation: sites are words of the query, dates a range. */

export const BRAVE_URL = "https://api.search.brave.com";

const answer = z.object({
  // Absent where nothing was found on the web.
  web: z
    .object({
      results: z.array(
        z.object({
          url: z.string(),
          title: z.string(),
          description: z.string().nullish(),
          page_age: z.string().nullish(),
        }),
      ),
    })
    .nullish(),
  type: z.literal("search"),
});

export const createBrave = ({ fetch, baseUrl, key }: Endpoint): SearchProvider => ({
  name: "brave",
  search: async (request, options) => {
    const words = new URLSearchParams({ q: withSites(request), count: String(request.limit) });
    words.set("text_decorations", "false");
    if (request.since !== undefined) words.set("freshness", `${request.since}to${dayOf(options.at)}`);
    const { web } = await askJson(
      fetch,
      {
        provider: "brave",
        url: `${baseUrl}/res/v1/web/search?${words.toString()}`,
        init: { headers: { accept: "application/json", "x-subscription-token": key } },
        // An invalid token is reported as unprocessable input.
        faultOf: (status, body) =>
          status === 422 && body.includes("SUBSCRIPTION_TOKEN_INVALID")
            ? "auth"
            : status === 429 && body.includes("QUOTA_LIMITED")
              ? "quota"
              : null,
        // Seconds until each window begins anew, the shortest first: "1, 1419704".
        waitOf: (headers) => {
          const seconds = /^\s*(\d{1,9})/.exec(headers.get("x-ratelimit-reset") ?? "")?.[1];
          return seconds === undefined ? null : Number(seconds) * 1_000;
        },
      },
      answer,
      options,
    );
    const items = (web?.results ?? []).map(({ url, title, description, page_age: age }) => ({
      url,
      title,
      description: description ?? "",
      source: "brave",
      ...dateOf(age),
    }));
    return { items };
  },
});
