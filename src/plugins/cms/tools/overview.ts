import * as z from "zod";
import { navTree } from "../edit/nav-tree.ts";
import { defineTool } from "../../../cairn/tools/define.ts";
import { loadCollections, loadEnvironment, loadNav, loadPages, loadSettings } from "../storage/load.ts";
import { loadCounts, type Counts } from "../storage/counts.ts";
import { batchOf } from "../storage/rows.ts";
import { number, text } from "../model/columns.ts";
import { VECTORS_SCANNED_MAX } from "../model/meaning.ts";
import {
  WALKED_MAX,
  type CmsContext,
  type CmsServices,
  type NavNode,
  type PageStatus,
} from "../model/types.ts";

/** of each status, by name; page_list has the rest */
const PAGES_SHOWN_MAX = 30;

/** A nav item as it is read and written: the target in the form that nav_edit takes. */
export interface ShownNavItem {
  readonly id: string;
  readonly label: string;
  /** `page:<id>`, `entry:<id>`, `collection:<id>`, a URL, or null for a mere heading */
  readonly target: string | null;
  readonly visible: boolean;
  readonly children: readonly ShownNavItem[];
}

const input = z.strictObject({});

export const siteOverview = defineTool({
  name: "site_overview",
  lean: true,
  version: 1,
  title: "Site overview",
  description:
    "The site at a glance: settings, locales with their coverage, the navigation tree with item ids, collections, pages by status and the sections of the layout (header and footer).",
  input,
  effect: "read",
  tier: "open",
  reads: "private",
  observationMax: 16_384,
  run: async (_, { services }: CmsContext) => {
    const environment = await loadEnvironment(services);
    const [settings, nav, collections, [layout], counts, search] = await Promise.all([
      loadSettings(services),
      loadNav(services),
      loadCollections(services),
      loadPages(services, ["_layout"]),
      loadCounts(services, environment),
      loadMeaning(services),
    ]);
    const pages = await loadFirstPages(services, counts);
    const tree = navTree(nav);
    return {
      site: {
        id: environment.siteId,
        name: environment.siteName,
        environment: environment.id,
        isProtected: environment.isProtected,
        baseUrl: environment.baseUrl,
        homePage: environment.homePageId,
      },
      settings: Object.fromEntries([...settings].map(([key, { value }]) => [key, value])),
      locales: environment.locales.map(({ version: _, ...locale }) => ({
        ...locale,
        coverage: counts.coverage(locale.code),
      })),
      nav: { header: tree.header.map(shownNavItem), footer: tree.footer.map(shownNavItem) },
      collections: [...collections.values()].map(({ id, slug, name }) => ({
        id,
        slug,
        name,
        entries: {
          draft: counts.entries(id, "draft"),
          published: counts.entries(id, "published"),
          archived: counts.entries(id, "archived"),
        },
      })),
      pages: {
        draft: pages("draft"),
        published: pages("published"),
        unpublished: pages("unpublished"),
      },
      layout:
        layout === undefined
          ? null
          : { page: layout.page.id, sections: layout.sections.map(({ id, template }) => ({ id, template })) },
      ...(search === null ? {} : { search }),
    };
  },
  entities: (_, { site }) => [{ op: "touch", type: "site", id: site.id, name: site.name }],
});

export function shownNavItem(node: NavNode): ShownNavItem {
  const { id, label, target, visible, children } = node;
  return { id, label, target: targetText(target), visible, children: children.map(shownNavItem) };
}

function targetText(target: NavNode["target"]): string | null {
  if (target.type === "none") return null;
  return target.type === "url" ? target.url : `${target.type}:${target.id}`;
}

const STATUSES = ["draft", "published", "unpublished"] as const satisfies readonly PageStatus[];

/** The first pages of each status that has any, by name, in one round trip. */
async function loadFirstPages(services: CmsServices, counts: Counts) {
  const rows = await batchOf(
    services,
    STATUSES.map((status) => [
      `SELECT id, slug, name FROM (SELECT id, slug, name, status, name COLLATE NOCASE AS place FROM pages
          WHERE env_id = ?1 AND deleted_at IS NULL AND kind = 'page'
          ORDER BY place, id LIMIT ${WALKED_MAX})
        WHERE status = ?2 LIMIT ?3`,
      // No more than there are: the last one found ends the walk.
      services.env,
      status,
      Math.min(PAGES_SHOWN_MAX, counts.pages(status)),
    ]),
  );
  return (status: PageStatus) => ({
    total: counts.pages(status),
    items: (rows[STATUSES.indexOf(status)] ?? []).map((one) => ({
      id: text(one, "id"),
      slug: text(one, "slug"),
      name: text(one, "name"),
    })),
  });
}

/** How much of the site is found by meaning; null where no embedding model is configured. */
async function loadMeaning(services: CmsServices) {
  const { meaning, env } = services;
  if (meaning === undefined) return null;
  const [[documents] = [], [failing] = []] = await batchOf(services, [
    ["SELECT count(*) AS n, count(embedded_at) AS done FROM search_docs WHERE env_id = ?1", env],
    [
      `SELECT count(*) AS n FROM search_docs d JOIN embedding_attempts a ON a.doc_id = d.id
        WHERE d.env_id = ?1 AND d.embedded_at IS NULL AND a.error IS NOT NULL`,
      env,
    ],
  ]);
  const [total, embedded] =
    documents === undefined ? [0, 0] : [number(documents, "n"), number(documents, "done")];
  const isFull = meaning.index === null && embedded < total && total > VECTORS_SCANNED_MAX;
  return {
    embeddingModel: meaning.embedder.model,
    documents: total,
    embedded,
    failing: failing === undefined ? 0 : number(failing, "n"),
    ...(isFull
      ? {
          note: `Without the binding VECTORIZE at most ${VECTORS_SCANNED_MAX} documents are found by meaning; the rest is found by words.`,
        }
      : {}),
  };
}
