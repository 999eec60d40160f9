import * as z from "zod";
import { defineTool } from "../../../cairn/tools/define.ts";
import { loadEnvironment } from "../storage/load.ts";
import { localeChain } from "../edit/read-shape.ts";
import { SEARCH_KINDS, searchSite, type SearchHit, type SearchKind } from "../search/search.ts";
import type { CmsContext } from "../model/types.ts";

const input = z.strictObject({
  query: z.string().trim().min(1).max(400).describe("words, a title, a slug or an id"),
  types: z.array(z.enum(SEARCH_KINDS)).min(1).max(SEARCH_KINDS.length).optional().describe("default: all"),
  status: z.enum(["draft", "published", "unpublished", "archived"]).optional(),
  locale: z.string().max(20).optional(),
  limit: z.int().min(1).max(20).default(8),
});

export const find = defineTool({
  name: "find",
  lean: true,
  version: 1,
  title: "Search the site",
  description:
    "Finds pages, sections, entries, images, templates and collections by words or name, best first, with their ids. " +
    "score 1 is an exact name; band says how good a hit is; match semantic shares the meaning, perhaps no word.",
  input,
  effect: "read",
  tier: "open",
  reads: "private",
  run: async ({ query, types, status, locale, limit }, { services, signal }: CmsContext) => {
    const environment = await loadEnvironment(services);
    const active = environment.locales.filter((one) => one.active || one.isDefault).map((one) => one.code);
    const kinds = [...new Set(types ?? SEARCH_KINDS)];
    const question = {
      query,
      kinds,
      locales: locale === undefined ? active : localeChain(environment, locale),
      ...(status === undefined ? {} : { status }),
      limit,
    };
    const { hits, note: words } = await searchSite(services, question, signal);
    const items = hits.map(itemOf);
    if (items.length > 0) return { items, total: items.length, ...(words === null ? {} : { note: words }) };
    const statusText = status === undefined ? "" : ` with status ${status}`;
    const nothing = `Nothing like “${query}” among ${kinds.join(", ")}${statusText}. Try fewer or other words, or a list tool.`;
    return { items, total: 0, note: words === null ? nothing : `${nothing} ${words}` };
  },
  entities: (_, output) =>
    output.items
      .filter((item) => item.type !== "template")
      .slice(0, 3)
      .map(({ type, id, name, slug, parent }) => ({
        op: "touch",
        type,
        id,
        name,
        ...(slug === undefined ? {} : { slug }),
        ...(parent === undefined ? {} : { parent }),
      })),
});

const PARENT_OF: Partial<Record<SearchKind, string>> = { section: "page", entry: "collection" };

function itemOf(hit: SearchHit) {
  const parent = PARENT_OF[hit.kind];
  return {
    type: hit.kind,
    id: hit.id,
    name: hit.title,
    ...(hit.slug === "" ? {} : { slug: hit.slug }),
    ...(parent === undefined || hit.parentId === null ? {} : { parent: { type: parent, id: hit.parentId } }),
    score: hit.score,
    band: hit.band,
    match: hit.match,
    snippet: hit.snippet,
  };
}
