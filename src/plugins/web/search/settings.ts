import * as z from "zod";
import { baseUrlOf, fetcherOf, tableOf, textOf } from "../../../cairn/outbound/bindings.ts";
import { BRAVE_URL, createBrave } from "./brave.ts";
import { CLOUDFLARE_ENGINES, createCloudflare, type SearchBinding } from "./cloudflare.ts";
import { createExa, EXA_URL } from "./exa.ts";
import { PRICE_USD_UNKNOWN, type Endpoint, type SearchProvider } from "../../../cairn/outbound/provider.ts";
import { createSearxng } from "./searxng.ts";
import { createSerper } from "./serper.ts";
import { serperOf, type SerperBindings } from "../../../cairn/outbound/serper.ts";
import { createTavily, TAVILY_URL } from "./tavily.ts";

/** Which providers a deployment has, in which order they are asked, and what a request of each costs. */

/** Environment variables (docs/configuration.md). */
export interface SearchBindings extends SerperBindings {
  readonly SEARCH_ORDER?: unknown;
  readonly SEARCH_PRICES?: unknown;
  readonly EXA_API_KEY?: unknown;
  readonly EXA_BASE_URL?: unknown;
  readonly BRAVE_API_KEY?: unknown;
  readonly BRAVE_BASE_URL?: unknown;
  readonly TAVILY_API_KEY?: unknown;
  readonly TAVILY_BASE_URL?: unknown;
  readonly SEARXNG_URL?: unknown;
  readonly SEARXNG_AUTHORIZATION?: unknown;
  readonly CLOUDFLARE_SEARCH?: unknown;
  readonly AI_GATEWAY_ID?: unknown;
  readonly AI?: unknown;
}

export const PROVIDERS = ["exa", "brave", "tavily", "serper", "searxng", "cloudflare"] as const;
export type ProviderName = (typeof PROVIDERS)[number];

export interface SearchSetup {
  /** in the order in which they are asked */
  readonly providers: readonly SearchProvider[];
  /** US dollars of one request, by provider */
  readonly prices: Readonly<Record<string, number>>;
}

/** The setup, or what is missing or cannot be read. */
export type Setup =
  | { readonly ok: true; readonly setup: SearchSetup }
  | { readonly ok: false; readonly why: string; readonly wanted: boolean };

const CREATE: Readonly<Record<Exclude<ProviderName, "cloudflare">, (endpoint: Endpoint) => SearchProvider>> =
  {
    exa: createExa,
    brave: createBrave,
    tavily: createTavily,
    serper: createSerper,
    searxng: createSearxng,
  };

const NONE =
  "No search provider is set: EXA_API_KEY, BRAVE_API_KEY, TAVILY_API_KEY, SERPER_API_KEY, SEARXNG_URL or CLOUDFLARE_SEARCH (docs/research.md of Cairn).";

/** Whatever is set and cannot be read offers no search at all: half an order would hide who is asked and who is paid. */
export function setupOf(env: SearchBindings): Setup {
  const known = new Map<ProviderName, SearchProvider>();
  for (const [name, endpoint] of endpointsOf(env)) {
    if (!URL.canParse(endpoint.baseUrl)) return refused(`${baseOf(name)} is no URL.`);
    known.set(name, CREATE[name](endpoint));
  }
  const cloudflare = cloudflareOf(env);
  if (typeof cloudflare === "string") return refused(cloudflare);
  if (cloudflare !== null) known.set("cloudflare", cloudflare);
  if (known.size === 0) return { ok: false, why: NONE, wanted: textOf(env.SEARCH_ORDER) !== "" };
  const order = orderOf(env.SEARCH_ORDER);
  if (order === null) return refused(`SEARCH_ORDER must be a comma list of ${PROVIDERS.join(", ")}.`);
  const missing = order.find((name) => !known.has(name));
  if (missing !== undefined) return refused(`SEARCH_ORDER names ${missing}, which is not set up.`);
  const prices = pricesOf(env.SEARCH_PRICES);
  if (prices === null)
    return refused('SEARCH_PRICES must be US dollars of a request by provider, such as {"exa":0.007}.');
  const names = order.length > 0 ? order : PROVIDERS.filter((name) => known.has(name));
  const providers = names.flatMap((name) => known.get(name) ?? []);
  const priced = providers.map(({ name }) => [name, prices[name] ?? defaultPrice(name)] as const);
  return { ok: true, setup: { providers, prices: Object.fromEntries(priced) } };
}

const refused = (why: string): Setup => ({ ok: false, why, wanted: true });

const defaultPrice = (name: string): number => (name === "searxng" ? 0 : PRICE_USD_UNKNOWN);

const baseOf = (name: string): string =>
  name === "searxng" ? "SEARXNG_URL" : `${name.toUpperCase()}_BASE_URL`;

function endpointsOf(env: SearchBindings): (readonly [Exclude<ProviderName, "cloudflare">, Endpoint])[] {
  const fetch = fetcherOf(env);
  const keyed = [
    ["exa", env.EXA_API_KEY, baseUrlOf(env.EXA_BASE_URL, EXA_URL)],
    ["brave", env.BRAVE_API_KEY, baseUrlOf(env.BRAVE_BASE_URL, BRAVE_URL)],
    ["tavily", env.TAVILY_API_KEY, baseUrlOf(env.TAVILY_BASE_URL, TAVILY_URL)],
  ] as const;
  const serper = serperOf(env);
  const own = baseUrlOf(env.SEARXNG_URL, "");
  return [
    ...keyed.flatMap(([name, key, baseUrl]) =>
      textOf(key) === "" ? [] : [[name, { fetch, baseUrl, key: textOf(key) }] as const],
    ),
    ...(serper === null ? [] : [["serper", serper] as const]),
    ...(own === ""
      ? []
      : [["searxng", { fetch, baseUrl: own, key: textOf(env.SEARXNG_AUTHORIZATION) }] as const]),
  ];
}

/** Null: not wanted. Text: why it cannot be. */
function cloudflareOf(env: SearchBindings): SearchProvider | string | null {
  const wanted = textOf(env.CLOUDFLARE_SEARCH).toLowerCase();
  if (wanted === "" || wanted === "off") return null;
  const engine = CLOUDFLARE_ENGINES.find((name) => name === wanted) ?? null;
  if (engine === null && wanted !== "on")
    return `CLOUDFLARE_SEARCH must be on, off or one of ${CLOUDFLARE_ENGINES.join(", ")}.`;
  const { AI: binding } = env;
  if (!isBinding(binding)) return "CLOUDFLARE_SEARCH needs the binding AI.";
  return createCloudflare(binding, { gatewayId: textOf(env.AI_GATEWAY_ID) || "default", engine });
}

const isBinding = (value: unknown): value is SearchBinding => typeof value === "object" && value !== null;

function orderOf(value: unknown): readonly ProviderName[] | null {
  const listed = textOf(value)
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "");
  const names = listed.flatMap((name) => PROVIDERS.find((one) => one === name) ?? []);
  return names.length === listed.length ? [...new Set(names)] : null;
}

const priceList = z.partialRecord(z.enum(PROVIDERS), z.number().min(0).max(10));

function pricesOf(value: unknown): Partial<Record<string, number>> | null {
  const given = tableOf(value);
  if (given === undefined) return {};
  const parsed = priceList.safeParse(given);
  return parsed.success ? parsed.data : null;
}
