import { definePack } from "../../cairn/tools/define.ts";
import { baseUrlOf, fetcherOf, textOf } from "../../cairn/outbound/bindings.ts";
import { PRICE_USD_UNKNOWN } from "../../cairn/outbound/provider.ts";
import { serperOf, type SerperBindings } from "../../cairn/outbound/serper.ts";
import { ARXIV_URL } from "./arxiv.ts";
import { CROSSREF_URL } from "./crossref.ts";
import { createOpenAlex, OPENALEX_URL } from "./openalex.ts";
import { scholarSearch, type ScholarServices } from "./scholar-search.ts";
import { createSerperScholar } from "./serper-scholar.ts";

/** Environment variables (docs/configuration.md). */
export interface ScholarBindings extends SerperBindings {
  readonly SCHOLAR_CONTACT?: unknown;
  readonly OPENALEX_API_KEY?: unknown;
  readonly OPENALEX_BASE_URL?: unknown;
  readonly CROSSREF_BASE_URL?: unknown;
  readonly ARXIV_BASE_URL?: unknown;
}

const ADDRESS = /^[^\s@]{1,64}@[^\s@]+\.[^\s@]+$/;

/** Searching scholarly works. Offered where there is an address for OpenAlex to write to, or a key of Serper. */
export const scholarPack = definePack<ScholarBindings, ScholarServices>({
  name: "scholar",
  tools: [scholarSearch],
  prompts: [],
  services: (env) => {
    const contact = textOf(env.SCHOLAR_CONTACT);
    if (contact !== "" && !ADDRESS.test(contact))
      return { unavailable: "SCHOLAR_CONTACT must be an email address." };
    const fetch = fetcherOf(env);
    const urls = {
      openalex: baseUrlOf(env.OPENALEX_BASE_URL, OPENALEX_URL),
      crossref: baseUrlOf(env.CROSSREF_BASE_URL, CROSSREF_URL),
      arxiv: baseUrlOf(env.ARXIV_BASE_URL, ARXIV_URL),
    };
    const wrong = Object.entries(urls).find(([, url]) => !URL.canParse(url));
    if (wrong !== undefined) return { unavailable: `${wrong[0].toUpperCase()}_BASE_URL is no URL.` };
    const serper = serperOf(env);
    const key = textOf(env.OPENALEX_API_KEY);
    const sources = [
      ...(contact === "" ? [] : [createOpenAlex(fetch, { baseUrl: urls.openalex, contact, key })]),
      ...(serper === null || !URL.canParse(serper.baseUrl) ? [] : [createSerperScholar(serper)]),
    ];
    if (sources.length === 0) return { unavailable: NONE, wanted: false };
    const crossref = { baseUrl: urls.crossref, contact };
    return { sources, prices: { serper: PRICE_USD_UNKNOWN }, fetch, crossref, arxivUrl: urls.arxiv };
  },
});

const NONE =
  "No source of scholarly works is set: SCHOLAR_CONTACT or SERPER_API_KEY (docs/research.md of Cairn).";
