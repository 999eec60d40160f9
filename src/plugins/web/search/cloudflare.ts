import { readJson } from "../../../cairn/core/log/json.ts";
import * as z from "zod";
import type { Fetcher } from "../../../cairn/outbound/bindings.ts";
import {
  askJson,
  dateOf,
  kindOf,
  ProviderFault,
  withSites,
  type FaultKind,
  type SearchProvider,
} from "../../../cairn/outbound/provider.ts";

/**
 * Cloudflare's Web Search through the binding AI (https://developers.cloudflare.com/web-search/), paid by the
 * account's AI Gateway. The method came with workerd 1.20260924.1: an older runtime gets an error that says so.
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

const words = z.string().nullish().catch(null);
// Three engines answer through it: what one of them sends amiss does not cost the other results.
const item = z
  .object({ url: z.string().trim().min(1), title: words, description: words, lastModifiedDate: words })
  .nullable()
  .catch(null);
const answer = z.object({ items: z.array(item) });

const one = z.object({
  code: z.union([z.string(), z.number()]),
  status: z.number().optional().catch(undefined),
});
/** The shapes in which it fails: the gateway's own, and Cloudflare's two lists of numbered errors. */
const failureSchema = z.object({
  error: z.union([one, z.array(one)]).optional(),
  errors: z.array(one).optional(),
});
const NO_GATEWAY: ReadonlySet<unknown> = new Set([2_001, "web_search_gateway_not_configured"]);

function faultOf(status: number, body: string): FaultKind {
  const { error = [], errors = [] } = failureSchema.safeParse(readJson(body)).data ?? {};
  const first = [error, errors].flat()[0];
  if (NO_GATEWAY.has(first?.code))
    throw new ProviderFault("auth", "cloudflare: AI_GATEWAY_ID names no gateway that is set up.");
  if (first?.code === "web_search_byok_not_configured") return "auth";
  return kindOf(first?.status ?? status);
}

export function createCloudflare(
  binding: SearchBinding,
  { gatewayId, engine }: { readonly gatewayId: string; readonly engine: string | null },
): SearchProvider {
  return {
    name: "cloudflare",
    search: async (request, options) => {
      if (typeof binding.websearch !== "function")
        throw new ProviderFault("refused", "cloudflare: this runtime has no web search on the binding AI.");
      const query = {
        gatewayId,
        query: withSites(request),
        limit: request.limit,
        ...(engine === null ? {} : { provider: engine }),
      };
      const ask: Fetcher = (_url, { signal }) =>
        abortable(binding.websearch?.(query).catch(localFault), signal ?? null);
      const asking = { provider: "cloudflare", url: "", init: {}, faultOf };
      const { items } = await askJson(ask, asking, answer, options);
      return {
        items: items
          .filter((found) => found !== null)
          .map(({ url, title, description, lastModifiedDate }) => ({
            url,
            title: title?.trim() || url,
            description: description ?? "",
            source: "cloudflare",
            ...dateOf(lastModifiedDate),
          })),
      };
    },
  };
}

/** The binding of a local server has the method, but each call reports that it is unavailable. */
function localFault(error: unknown): never {
  if (/needs to be run remotely/i.test(String(error)))
    throw new ProviderFault("auth", "cloudflare: only a deployed Cairn has this web search.");
  throw error;
}

/** The binding takes no signal: an answer that comes too late is not waited for. */
function abortable(answering: Promise<Response> | undefined, signal: AbortSignal | null): Promise<Response> {
  const late = new Promise<Response>((_resolve, reject) => {
    signal?.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
  });
  return Promise.race([answering ?? Promise.reject(new Error("no answer")), late]);
}
