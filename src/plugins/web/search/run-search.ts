import { startOf } from "../../../cairn/core/text/cut.ts";
import { ownValue } from "../../../cairn/core/log/json.ts";
import { resultUrl, hostOf, isOf, pageKey } from "./addresses.ts";
import {
  ProviderFault,
  type AskOptions,
  type FoundItem,
  type SearchRequest,
} from "../../../cairn/outbound/provider.ts";
import type { SearchSetup } from "./settings.ts";

/** Several questions, each answered by the first provider that can, and made into one list of pages. */

/** questions that are asked at the same time */
export const QUERIES_AT_ONCE = 4;
/** an answer is given again for so long, by the session that asked */
export const CACHE_MS = 60 * 60_000;
const CACHE_MAX = 200;
/** results of one host, where no host was asked for: a page that is found ten times is no ten sources */
export const HOST_RESULTS_MAX = 4;
const DESCRIPTION_CHARS_MAX = 600;
const TITLE_CHARS_MAX = 200;

/** Results by query. Lives as long as the session's object in memory. */
export class SearchCache {
  readonly #answers = new Map<string, { readonly at: number; readonly items: readonly FoundItem[] }>();

  get(request: SearchRequest, at: number): readonly FoundItem[] | null {
    const cached = this.#answers.get(JSON.stringify(request));
    return cached !== undefined && at - cached.at < CACHE_MS ? cached.items : null;
  }

  put(request: SearchRequest, at: number, items: readonly FoundItem[]): void {
    const key = JSON.stringify(request);
    this.#answers.delete(key);
    this.#answers.set(key, { at, items });
    const oldest = this.#answers.keys().next();
    if (this.#answers.size > CACHE_MAX && oldest.done !== true) this.#answers.delete(oldest.value);
  }
}

export interface Outcome {
  readonly items: readonly (FoundItem & { readonly queries: readonly number[] })[];
  /** questions without an answer, counted from 1 */
  readonly failed: readonly { readonly query: number; readonly faults: readonly ProviderFault[] }[];
  /** what went wrong with a provider although another one answered */
  readonly passed: readonly ProviderFault[];
  /** hosts of which results were left out, with how many */
  readonly leftOut: Readonly<Record<string, number>>;
}

/** `paid`: called for each answered request, and for each that may be billed anyway. */
export async function searchAll(
  { providers, prices }: SearchSetup,
  requests: readonly SearchRequest[],
  cache: SearchCache,
  options: AskOptions,
  paid: (usd: number) => void,
): Promise<Outcome> {
  const { at } = options;
  // A provider that refuses one question refuses the next as well; it is not asked again in this call.
  const down = new Map<string, ProviderFault>();
  const ask = async (request: SearchRequest): Promise<readonly FoundItem[] | readonly ProviderFault[]> => {
    const cached = cache.get(request, at);
    if (cached !== null) return cached;
    const faults: ProviderFault[] = [];
    for (const provider of providers) {
      const known = down.get(provider.name);
      if (known !== undefined) {
        faults.push(known);
        continue;
      }
      try {
        const { items, costUsd } = await provider.search(request, options);
        paid(costUsd ?? ownValue(prices, provider.name) ?? 0);
        cache.put(request, at, items);
        return items;
      } catch (error) {
        if (!(error instanceof ProviderFault)) throw error;
        if (BILLED.has(error.kind)) paid(ownValue(prices, provider.name) ?? 0);
        // A refusal of this query says nothing about the next.
        if (error.kind !== "refused") down.set(provider.name, error);
        faults.push(error);
      }
    }
    return faults;
  };
  const answers = await inTurn(requests, QUERIES_AT_ONCE, ask);
  const failed = answers.flatMap((answer, index) =>
    isFaults(answer) ? [{ query: index + 1, faults: answer }] : [],
  );
  const passed = failed.length === requests.length ? [] : [...down.values()];
  const found = answers.map((answer) => (isFaults(answer) ? [] : answer));
  return { ...merge(found, requests), failed, passed };
}

/** Failed requests that may be on the bill. */
const BILLED: ReadonlySet<string> = new Set(["timeout", "answer"]);

const isFaults = (
  answer: readonly FoundItem[] | readonly ProviderFault[],
): answer is readonly ProviderFault[] => answer[0] instanceof ProviderFault;

async function inTurn<In, Out>(
  all: readonly In[],
  atOnce: number,
  work: (one: In) => Promise<Out>,
): Promise<Out[]> {
  const done: Out[] = [];
  let next = 0;
  const take = async (): Promise<void> => {
    for (let index = next++; index < all.length; index = next++) {
      const one = all[index];
      if (one !== undefined) done[index] = await work(one);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, all.length) }, take));
  return done;
}

/** One list: the best of each question first, a page once, and not more of one host than it has room for. */
function merge(
  found: readonly (readonly FoundItem[])[],
  requests: readonly SearchRequest[],
): Pick<Outcome, "items" | "leftOut"> {
  const pages = new Map<string, FoundItem & { readonly queries: readonly number[] }>();
  const hosts = new Map<string, number>();
  const leftOut: Record<string, number> = {};
  const counted = found.map((items, index) => {
    const request = requests[index];
    return items.filter((item) => fits(item, request)).slice(0, request?.limit);
  });
  const longest = Math.max(0, ...counted.map((items) => items.length));
  for (let rank = 0; rank < longest; rank++) {
    for (const [index, items] of counted.entries()) {
      const item = items[rank];
      const url = item === undefined ? null : resultUrl(item.url);
      if (item === undefined || url === null) continue;
      const key = pageKey(url);
      const known = pages.get(key);
      if (known !== undefined) {
        pages.set(key, { ...known, queries: [...new Set([...known.queries, index + 1])] });
        continue;
      }
      const host = hostOf(url);
      const ofHost = hosts.get(host) ?? 0;
      if (requests[index]?.sites === undefined && ofHost >= HOST_RESULTS_MAX) {
        leftOut[host] = (ownValue(leftOut, host) ?? 0) + 1;
        continue;
      }
      hosts.set(host, ofHost + 1);
      pages.set(key, { ...shortened(item), url, queries: [index + 1] });
    }
  }
  return { items: [...pages.values()], leftOut };
}

/** Not every provider can restrict a search to sites or dates. A result without a date may be new. */
function fits({ url, publishedAt }: FoundItem, request: SearchRequest | undefined): boolean {
  const canonical = resultUrl(url);
  if (canonical === null) return false;
  const { sites, since } = request ?? {};
  if (sites !== undefined && !isOf(hostOf(canonical), sites)) return false;
  const dated = publishedAt !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(publishedAt);
  return since === undefined || !dated || publishedAt >= since;
}

const shortened = (item: FoundItem): FoundItem => ({
  ...item,
  title: startOf(item.title.replace(/\s+/g, " ").trim(), TITLE_CHARS_MAX),
  description: startOf(item.description.replace(/\s+/g, " ").trim(), DESCRIPTION_CHARS_MAX),
});
