import { fail } from "../model/errors.ts";
import { batchOf, rowsOf, type Query } from "./rows.ts";
import { contentsByOwner, number, oneOf, text, textOrNull, type Row } from "../model/columns.ts";
import {
  collectionOf,
  entryOf,
  localeOf,
  navItemOf,
  pageOf,
  publishedOf,
  redirectOf,
  sectionOf,
  settingOf,
  templateOf,
} from "../model/tables.ts";
import type {
  CmsServices,
  Collection,
  Entry,
  Environment,
  PageAggregate,
  PublishedRow,
  Redirect,
  Setting,
  SettingKey,
  StoredNavItem,
  Template,
} from "../model/types.ts";

const environmentQueries = (env: string): readonly Query[] => [
  [
    `SELECT e.id, e.site_id, e.is_protected, e.epoch, s.name, s.base_url
       FROM environments e JOIN sites s ON s.id=e.site_id WHERE e.id=?1 AND e.import_id IS NULL`,
    env,
  ],
  ["SELECT * FROM locales WHERE env_id=?1 ORDER BY is_default DESC, code", env],
  ["SELECT key, value, version, updated_at FROM settings WHERE env_id=?1 AND key='home'", env],
];
const TEMPLATES = "SELECT * FROM section_templates WHERE status='active' ORDER BY key";
const COLLECTIONS = "SELECT * FROM collections WHERE env_id=?1 AND deleted_at IS NULL ORDER BY slug";

const environmentIn = ([environments = [], locales = [], settings = []]: readonly Row[][]): Environment => {
  const environment = environmentOf(environments[0], locales, settings);
  if (environment !== null) return environment;
  throw fail("not_configured", "There is no site in this deployment yet.", {
    hint: "Run the migrations and the seed.",
  });
};
const templatesIn = (rows: readonly Row[]): ReadonlyMap<string, Template> =>
  new Map(rows.map(templateOf).map((one) => [one.key, one]));
const collectionsIn = (rows: readonly Row[]): ReadonlyMap<string, Collection> =>
  new Map(rows.map(collectionOf).map((one) => [one.id, one]));

/** The environment, its locales and the home page. Refuses `not_configured` when there is no site yet. */
export async function loadEnvironment(services: CmsServices): Promise<Environment> {
  return environmentIn(await batchOf(services, environmentQueries(services.env)));
}

/** The environment, and the schemas of what it holds, in one round trip. Refuses `not_configured` as above. */
export async function loadSite(services: CmsServices) {
  const { env } = services;
  const [templates = [], collections = [], ...environment] = await batchOf(services, [
    [TEMPLATES],
    [COLLECTIONS, env],
    ...environmentQueries(env),
  ]);
  return {
    environment: environmentIn(environment),
    schemas: { templates: templatesIn(templates), collections: collectionsIn(collections) },
  };
}

/** The environment of a row of `environments` with its site; null without one, or without a default locale. */
export function environmentOf(
  row: Row | undefined,
  locales: readonly Row[],
  settings: readonly Row[],
): Environment | null {
  const parsed = locales.map(localeOf);
  const defaultLocale = parsed.find((one) => one.isDefault);
  if (row === undefined || defaultLocale === undefined) return null;
  const home = settings.map(settingOf).find((one) => one.key === "home")?.value.page;
  return {
    id: text(row, "id"),
    siteId: text(row, "site_id"),
    siteName: text(row, "name"),
    baseUrl: textOrNull(row, "base_url"),
    isProtected: number(row, "is_protected") === 1,
    epoch: number(row, "epoch"),
    locales: parsed,
    defaultLocale: defaultLocale.code,
    homePageId: typeof home === "string" ? home : null,
  };
}

/** All active section templates by key. They are few, and belong to the deployment, not to an environment. */
export async function loadTemplates(services: CmsServices): Promise<ReadonlyMap<string, Template>> {
  return templatesIn(await rowsOf(services, TEMPLATES));
}

// Two index lookups each: an OR of them would read all pages. A plus before a column keeps SQLite from using its
// index: used where that would read the whole environment to find a few IDs.
const PAGES_BY_REF = [
  `SELECT p.id FROM pages p WHERE +p.env_id=?1 AND p.deleted_at IS NULL
    AND p.id IN (SELECT value FROM json_each(?2))`,
  `SELECT p.id FROM pages p WHERE p.env_id=?1 AND p.deleted_at IS NULL
    AND p.slug IN (SELECT value FROM json_each(?2))`,
];
const PAGES_BY_SECTION = [
  `SELECT s.page_id AS id FROM sections s WHERE +s.env_id=?1 AND s.deleted_at IS NULL
    AND s.id IN (SELECT value FROM json_each(?2))`,
];
const LISTED = "SELECT value FROM json_each(?2)";

/** Live pages by ID or slug, with live sections and all contents. Missing ones are absent; sorted by name. */
export function loadPages(services: CmsServices, refs: readonly string[]): Promise<PageAggregate[]> {
  return aggregates(services, PAGES_BY_REF, refs);
}

/** The live pages that hold these live sections. */
export function loadPagesOfSections(
  services: CmsServices,
  sectionIds: readonly string[],
): Promise<PageAggregate[]> {
  return aggregates(services, PAGES_BY_SECTION, sectionIds);
}

async function aggregates(
  services: CmsServices,
  pageIds: readonly string[],
  refs: readonly string[],
): Promise<PageAggregate[]> {
  const queries =
    services.changeSet === undefined
      ? pagesWith(services.env, pageIds.join(" UNION "), refs)
      : await pagesInSteps(services, pageIds, refs);
  const [pages = [], sections = [], ...contents] = await batchOf(services, queries);
  const byOwner = contentsByOwner(contents.flat());
  return pages.map((row) => {
    const page = pageOf(row, byOwner.get(`page:${text(row, "id")}`));
    const own = sections.filter((one) => one.page_id === page.id);
    return { page, sections: own.map((one) => sectionOf(one, byOwner.get(`section:${text(one, "id")}`))) };
  });
}

type Queries = readonly (readonly [sql: string, ...values: string[]])[];

/** Pages, their sections, and the contents of both. `pageIds`: a query for ids by `?2`; `sectionIds` where they are known. */
function pagesWith(
  env: string,
  pageIds: string,
  refs: readonly string[],
  sectionIds?: readonly string[],
): Queries {
  const list = JSON.stringify(refs);
  const ofSections =
    sectionIds === undefined
      ? `SELECT s.id FROM sections s WHERE s.deleted_at IS NULL AND s.page_id IN (${pageIds})`
      : LISTED;
  return [
    [`SELECT * FROM pages WHERE deleted_at IS NULL AND id IN (${pageIds}) ORDER BY name, id`, env, list],
    [
      `SELECT * FROM sections WHERE deleted_at IS NULL AND page_id IN (${pageIds}) ORDER BY sort_key`,
      env,
      list,
    ],
    [`SELECT * FROM contents WHERE owner_type='page' AND owner_id IN (${pageIds})`, env, list],
    [
      `SELECT * FROM contents WHERE owner_type='section' AND owner_id IN (${ofSections})`,
      env,
      sectionIds === undefined ? list : JSON.stringify(sectionIds),
    ],
  ];
}

/** The same with the ids read first: through a change set only lists of ids are looked up by an index. */
async function pagesInSteps(
  services: CmsServices,
  pageIds: readonly string[],
  refs: readonly string[],
): Promise<Queries> {
  const { env } = services;
  const found = await batchOf(
    services,
    pageIds.map((sql) => [sql, env, JSON.stringify(refs)] as const),
  );
  const ids = found.flat().map((row) => text(row, "id"));
  const sections = await rowsOf(
    services,
    `SELECT id FROM sections WHERE deleted_at IS NULL AND page_id IN (${LISTED})`,
    env,
    JSON.stringify(ids),
  );
  return pagesWith(
    env,
    LISTED,
    ids,
    sections.map((row) => text(row, "id")),
  );
}

/** All live nav items of the environment, with labels in other locales, in order of their sort key. */
export async function loadNav(services: CmsServices): Promise<StoredNavItem[]> {
  const [items = [], contents = []] = await batchOf(services, [
    [
      "SELECT * FROM nav_items WHERE env_id=?1 AND deleted_at IS NULL ORDER BY location DESC, sort_key",
      services.env,
    ],
    ["SELECT * FROM contents WHERE owner_type='nav' AND env_id=?1", services.env],
  ]);
  const byOwner = contentsByOwner(contents);
  return items.map((row) => navItemOf(row, byOwner.get(`nav:${text(row, "id")}`)));
}

/** All collections by id, with parsed fields. */
export async function loadCollections(services: CmsServices): Promise<ReadonlyMap<string, Collection>> {
  return collectionsIn(await rowsOf(services, COLLECTIONS, services.env));
}

/** Live entries with contents by ID or `collection/slug`. Missing ones are absent. */
export async function loadEntries(services: CmsServices, refs: readonly string[]): Promise<Entry[]> {
  const addressed = refs.some((ref) => ref.includes("/")) ? await entriesAt(services, refs) : new Map();
  const ids = JSON.stringify([...refs.filter((ref) => !ref.includes("/")), ...addressed.values()]);
  const [entries = [], contents = []] = await batchOf(services, [
    [
      `SELECT * FROM entries WHERE +env_id=?1 AND deleted_at IS NULL
        AND id IN (SELECT value FROM json_each(?2)) ORDER BY title, id`,
      services.env,
      ids,
    ],
    [
      `SELECT * FROM contents WHERE owner_type='entry' AND owner_id IN (SELECT value FROM json_each(?1))`,
      ids,
    ],
  ]);
  const byOwner = contentsByOwner(contents);
  return entries.map((row) => entryOf(row, byOwner.get(`entry:${text(row, "id")}`)));
}

/** The ids of live entries by those of these texts that are their address, `collection/slug`. */
export async function entriesAt(
  services: CmsServices,
  refs: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const list = new Set(refs);
  const rows = await rowsOf(services, "SELECT id, slug FROM collections WHERE env_id=?1", services.env);
  const slugs = new Map(rows.map((row) => [text(row, "id"), text(row, "slug")]));
  const named = [...slugs].filter(([, slug]) => refs.some((ref) => ref.startsWith(`${slug}/`)));
  if (named.length === 0) return new Map();
  const found = await rowsOf(
    services,
    `SELECT id, collection_id, slug FROM entries WHERE deleted_at IS NULL
      AND collection_id IN (SELECT value FROM json_each(?1)) AND slug IN (SELECT value FROM json_each(?2))`,
    JSON.stringify(named.map(([id]) => id)),
    JSON.stringify(refs.map((ref) => ref.slice(ref.indexOf("/") + 1))),
  );
  const addresses = found.map(
    (row) =>
      [`${slugs.get(text(row, "collection_id")) ?? ""}/${text(row, "slug")}`, text(row, "id")] as const,
  );
  return new Map(addresses.filter(([address]) => list.has(address)));
}

/** Published documents by owner id. */
export async function loadPublished(
  services: CmsServices,
  ownerIds: readonly string[],
): Promise<ReadonlyMap<string, PublishedRow>> {
  const rows = await rowsOf(
    services,
    `SELECT * FROM published_docs WHERE env_id=?1 AND owner_type IN ('page','entry')
      AND owner_id IN (SELECT value FROM json_each(?2))`,
    services.env,
    JSON.stringify(ownerIds),
  );
  return new Map(rows.map(publishedOf).map((one) => [one.ownerId, one]));
}

/** The redirects from these public paths. */
export async function loadRedirects(
  services: CmsServices,
  fromPaths: readonly string[],
): Promise<Redirect[]> {
  const rows = await rowsOf(
    services,
    "SELECT * FROM redirects WHERE env_id=?1 AND from_path IN (SELECT value FROM json_each(?2))",
    services.env,
    JSON.stringify(fromPaths),
  );
  return rows.map(redirectOf);
}

/** The settings that exist, by key. */
export async function loadSettings(services: CmsServices): Promise<ReadonlyMap<SettingKey, Setting>> {
  const rows = await rowsOf(
    services,
    "SELECT key, value, version, updated_at FROM settings WHERE env_id=?1",
    services.env,
  );
  return new Map(rows.map(settingOf).map((one) => [one.key, one]));
}

/** Names of these pages, entries, images and collections, by ID. */
export async function loadNames(
  services: CmsServices,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const named = (table: string, name: string) =>
    [
      `SELECT id, ${name} AS name FROM ${table} WHERE +env_id=?1 AND id IN (SELECT value FROM json_each(?2))`,
      services.env,
      JSON.stringify(ids),
    ] as const;
  const rows = await batchOf(services, [
    named("pages", "name"),
    named("entries", "title"),
    named("images", "filename"),
    named("collections", "name"),
  ]);
  return new Map(rows.flat().map((row) => [text(row, "id"), text(row, "name")]));
}

export type Inbound = Awaited<ReturnType<typeof loadInbound>>[number];

/** References to these targets, from outside themselves: links, images and nav items, in a stable order. */
export async function loadInbound(services: CmsServices, targetIds: readonly string[]) {
  if (targetIds.length === 0) return [];
  const rows = await rowsOf(
    services,
    `SELECT r.* FROM asset_refs r WHERE r.env_id=?1 AND r.target_type IN('image','page','entry','collection')
        AND r.target_id IN (SELECT value FROM json_each(?2)) AND r.root_id<>r.target_id`,
    services.env,
    JSON.stringify(targetIds),
  );
  const names = await loadRootNames(services, [...new Set(rows.map((row) => text(row, "root_id")))]);
  return rows
    .map((row) => ({
      targetType: text(row, "target_type"),
      targetId: text(row, "target_id"),
      ownerType: text(row, "owner_type"),
      ownerId: text(row, "owner_id"),
      rootType: text(row, "root_type"),
      rootId: text(row, "root_id"),
      // of the page, entry, nav item or setting at the root, as a person would call it
      rootName: names.get(text(row, "root_id")) ?? text(row, "root_id"),
      state: oneOf(row, "state", ["draft", "published", "live"]),
      locale: text(row, "locale"),
      path: text(row, "path"),
    }))
    .toSorted(bySortFields);
}

const SORT_FIELDS = ["targetId", "rootName", "rootId", "ownerId", "path", "locale", "state"] as const;
type Placed = Readonly<Record<(typeof SORT_FIELDS)[number], string>>;

function bySortFields(a: Placed, b: Placed): number {
  const differing = SORT_FIELDS.find((key) => a[key] !== b[key]);
  if (differing === undefined) return 0;
  return a[differing] < b[differing] ? -1 : 1;
}

/** As `loadNames`, of navigation items too. */
async function loadRootNames(
  services: CmsServices,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const [names, labels] = await Promise.all([
    loadNames(services, ids),
    rowsOf(
      services,
      "SELECT id, label FROM nav_items WHERE +env_id=?1 AND id IN (SELECT value FROM json_each(?2))",
      services.env,
      JSON.stringify(ids),
    ),
  ]);
  return new Map([...names, ...labels.map((row) => [text(row, "id"), text(row, "label")] as const)]);
}
