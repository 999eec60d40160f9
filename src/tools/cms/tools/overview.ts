import * as z from "zod";
import { defineTool } from "../../define.ts";
import {
  batchOf,
  loadCollections,
  loadEnvironment,
  loadNav,
  loadPages,
  loadSettings,
  navTree,
} from "../storage/load.ts";
import { coverageOf, OWNERS_BY_LOCALE } from "../storage/coverage.ts";
import { number, oneOf, text } from "../storage/rows.ts";
import { VECTORS_SCANNED_MAX } from "../model/meaning.ts";
import type { CmsContext, CmsServices, Environment, NavNode, PageStatus } from "../model/types.ts";

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
  version: 1,
  title: "Look at the site",
  description:
    "The site at a glance: settings, locales with their coverage, the navigation tree with item ids, collections, pages by status and the sections of the layout (header and footer).",
  input,
  effect: "read",
  tier: "open",
  reads: "private",
  observationMax: 16_384,
  run: async (_, { services }: CmsContext) => {
    const environment = await loadEnvironment(services);
    const [settings, nav, collections, [layout], counted, search] = await Promise.all([
      loadSettings(services),
      loadNav(services),
      loadCollections(services),
      loadPages(services, ["_layout"]),
      loadCounts(services, environment),
      loadMeaning(services),
    ]);
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
        coverage: counted.coverage(locale.code),
      })),
      nav: { header: tree.header.map(shownNavItem), footer: tree.footer.map(shownNavItem) },
      collections: [...collections.values()].map(({ id, slug, name }) => ({
        id,
        slug,
        name,
        entries: counted.entries(id),
      })),
      pages: {
        draft: counted.pages("draft"),
        published: counted.pages("published"),
        unpublished: counted.pages("unpublished"),
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

/** Everything that is counted, in one round trip. */
async function loadCounts(services: CmsServices, environment: Environment) {
  const [pages = [], totals = [], entries = [], owners = []] = await batchOf(services, [
    [
      `SELECT id, slug, name, status FROM (SELECT id, slug, name, status, row_number() OVER (PARTITION BY status ORDER BY name, id) AS n
         FROM pages WHERE env_id = ?1 AND deleted_at IS NULL AND kind = 'page') WHERE n <= ${PAGES_SHOWN_MAX} ORDER BY name, id`,
      services.env,
    ],
    [
      "SELECT status, count(*) AS n FROM pages WHERE env_id = ?1 AND deleted_at IS NULL AND kind = 'page' GROUP BY status",
      services.env,
    ],
    [
      `SELECT collection_id, status, count(*) AS n FROM entries WHERE env_id = ?1 AND deleted_at IS NULL
        GROUP BY collection_id, status`,
      services.env,
    ],
    [OWNERS_BY_LOCALE, services.env],
  ]);
  return {
    coverage: coverageOf(owners, environment.defaultLocale),
    entries: (collection: string) => {
      const of = (status: string) => {
        const row = entries.find((one) => one.collection_id === collection && one.status === status);
        return row === undefined ? 0 : number(row, "n");
      };
      return { draft: of("draft"), published: of("published"), archived: of("archived") };
    },
    pages: (status: PageStatus) => {
      const row = totals.find((one) => one.status === status);
      const items = pages.filter((one) => oneOf(one, "status", STATUSES) === status);
      return {
        total: row === undefined ? 0 : number(row, "n"),
        items: items.map((one) => ({
          id: text(one, "id"),
          slug: text(one, "slug"),
          name: text(one, "name"),
        })),
      };
    },
  };
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
