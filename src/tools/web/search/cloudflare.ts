import * as z from "zod";
import type { Fetcher } from "../bindings.ts";
import { askJson, dateOf, ProviderFault, withSites, type SearchProvider } from "./provider.ts";

/**
 * Cloudflare's Web Search through the binding AI (https://developers.cloudflare.com/web-search/), paid by the account's AI
 * Gateway. The method came with workerd 1.20260924.1: on an older runtime it is not there, and that is said.
 */

export interface SearchBinding {
  readonly websearch?: (request: {
    readonly gatewayId: string;
    readonly query: string;
    readonly limit: number;
    readonly provider?: string;
  }) => Promise<Response>;
}

/** who searches behind it; the default is the platform's */
export const CLOUDFLARE_ENGINES = ["ceramic", "exa", "linkup"] as const;

const answer = z.object({
  items: z.array(
    z.object({
      url: z.string(),
      title: z.string().nullish(),
      description: z.string().nullish(),
      lastModifiedDate: z.string().nullish(),
    }),
  ),
});

export function createCloudflare(
  binding: SearchBinding,
  { gatewayId, engine }: { readonly gatewayId: string; readonly engine: string | null },
): SearchProvider {
  return {
    name: "cloudflare",
    search: async (request, options) => {
      if (typeof binding.websearch !== "function")
        throw new ProviderFault("refused", "cloudflare: this runtime has no web search on the binding AI.");
      const asked = {
        ...{ gatewayId, query: withSites(request), limit: request.limit },
        ...(engine === null ? {} : { provider: engine }),
      };
      const ask: Fetcher = (_url, { signal }) => abortable(binding.websearch?.(asked), signal ?? null);
      const { items } = await askJson(ask, { provider: "cloudflare", url: "", init: {} }, answer, options);
      return {
        items: items.map(({ url, title, description, lastModifiedDate }) => ({
          ...{ url, title: title ?? url, description: description ?? "", source: "cloudflare" },
          ...dateOf(lastModifiedDate),
        })),
      };
    },
  };
}

/** The binding takes no signal: an answer that comes too late is not waited for. */
function abortable(answering: Promise<Response> | undefined, signal: AbortSignal | null): Promise<Response> {
  const late = new Promise<Response>((_resolve, reject) => {
    signal?.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
  });
  return Promise.race([answering ?? Promise.reject(new Error("no answer")), late]);
}
