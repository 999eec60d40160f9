import { siteRoot } from "../../model/environment.ts";
import { environmentOf } from "../../storage/load.ts";
import { batchOf } from "../../storage/rows.ts";
import { contentsByOwner, number, oneOf, text, textOrNull, type Row } from "../../model/columns.ts";
import { collectionOf, navItemOf, redirectOf, settingOf, templateOf } from "../../model/tables.ts";
import type { CmsServices } from "../../model/types.ts";

/** A page or an entry as a link sees it; `isPublic`: published, with a document to show. */
export type LinkTarget = ReturnType<typeof linkTargetOf>;
/** Data shared by all pages of the site, and the targets that the names in the path may have. */
export type Frame = NonNullable<Awaited<ReturnType<typeof loadFrame>>>;

// The tables themselves are asked whether a document exists, for each target by its key. In a change set (?3,
// empty without one) its own documents count too; a document that the set unpublishes is not public by its status.
const OF_SET = "SELECT 1 FROM main.change_set_rows s WHERE s.set_id=?3";
const IS_PUBLIC = (type: "page" | "entry", alias: string): string =>
  `(${alias}.status='published' AND (EXISTS (SELECT 1 FROM main.published_docs d
     WHERE d.owner_type='${type}' AND d.owner_id=${alias}.id)
     OR EXISTS (${OF_SET} AND s.tbl='published_docs' AND s.pk='${type}:'||${alias}.id))) AS is_public`;
const PAGE_TARGETS = `SELECT 'page' AS kind, p.id, p.slug, NULL AS collection_id, ${IS_PUBLIC("page", "p")} FROM pages p
    WHERE p.deleted_at IS NULL AND p.kind='page'`;
const ENTRY_TARGETS = `SELECT 'entry' AS kind, e.id, e.slug, e.collection_id, ${IS_PUBLIC("entry", "e")} FROM entries e
    WHERE e.deleted_at IS NULL`;
// The plus keeps SQLite from reading all of the environment for a few ids.
const pagesIn = (ids: string): string => `${PAGE_TARGETS} AND +p.env_id=?1 AND p.id IN (${ids})`;
const entriesIn = (ids: string): string => `${ENTRY_TARGETS} AND +e.env_id=?1 AND e.id IN (${ids})`;
/** Those of the environment (?1) with one of these ids (?2), in the change set (?3). */
export const pagesById = pagesIn("SELECT value FROM json_each(?2)");
export const entriesById = entriesIn("SELECT value FROM json_each(?2)");
const MOVED = `SELECT r.target_id FROM main.redirects r WHERE r.env_id=?1 AND r.from_path IN (SELECT value FROM json_each(?2))
  UNION ALL SELECT s.rows->>'$[0].target_id' FROM main.change_set_rows s
    WHERE s.set_id=?3 AND s.tbl='redirects' AND s.pk IN (SELECT value FROM json_each(?2))`;
const HOME = `SELECT value->>'page' FROM main.settings WHERE env_id=?1 AND key=?2
  UNION ALL SELECT s.rows->>'$[0].value.page' FROM main.change_set_rows s WHERE s.set_id=?3 AND s.tbl='settings' AND s.pk=?2`;

export function linkTargetOf(row: Row) {
  return {
    kind: oneOf(row, "kind", ["page", "entry"]),
    id: text(row, "id"),
    slug: text(row, "slug"),
    collectionId: textOrNull(row, "collection_id"),
    isPublic: number(row, "is_public") === 1,
  };
}

/** One read. Null when the deployment has no site. */
export async function loadFrame(services: CmsServices, segments: readonly string[]) {
  const { env } = services;
  const set = services.changeSet?.id ?? "";
  const names = JSON.stringify(segments);
  const oldPaths = JSON.stringify([segments, segments.slice(1)].map((one) => siteRoot(env) + one.join("/")));
  const [
    [site] = [],
    locales = [],
    settings = [],
    collections = [],
    nav = [],
    labels = [],
    templates = [],
    [layout] = [],
    redirects = [],
    ...places
  ] = await batchOf(services, [
    [
      `SELECT e.id, e.site_id, e.is_protected, e.epoch, s.name, s.base_url, s.default_env_id, s.updated_at
         FROM environments e JOIN sites s ON s.id=e.site_id WHERE e.id=?1 AND e.import_id IS NULL`,
      env,
    ],
    ["SELECT * FROM locales WHERE env_id=?1 ORDER BY is_default DESC, code", env],
    ["SELECT key, value, version, updated_at FROM settings WHERE env_id=?1", env],
    ["SELECT * FROM collections WHERE env_id=?1 AND deleted_at IS NULL ORDER BY slug", env],
    ["SELECT * FROM nav_items WHERE env_id=?1 AND deleted_at IS NULL ORDER BY location DESC, sort_key", env],
    ["SELECT * FROM contents WHERE owner_type='nav' AND env_id=?1", env],
    ["SELECT * FROM section_templates WHERE status='active' ORDER BY key"],
    ["SELECT id FROM pages WHERE env_id=?1 AND slug='_layout' AND deleted_at IS NULL AND kind='layout'", env],
    [
      "SELECT * FROM redirects WHERE env_id=?1 AND from_path IN (SELECT value FROM json_each(?2))",
      env,
      oldPaths,
    ],
    [`${PAGE_TARGETS} AND p.env_id=?1 AND p.slug IN (SELECT value FROM json_each(?2))`, env, names, set],
    [pagesIn(HOME), env, "home", set],
    [pagesIn(MOVED), env, oldPaths, set],
    [
      `${ENTRY_TARGETS} AND e.slug IN (SELECT value FROM json_each(?2)) AND e.collection_id IN
        (SELECT c.id FROM collections c WHERE c.env_id=?1 AND c.slug IN (SELECT value FROM json_each(?2)))`,
      env,
      names,
      set,
    ],
    [entriesIn(MOVED), env, oldPaths, set],
  ]);
  const environment = environmentOf(site, locales, settings);
  if (site === undefined || environment === null) return null;
  const byOwner = contentsByOwner(labels);
  return {
    environment,
    // whether this is the environment that the site shows to the world
    isDefault: textOrNull(site, "default_env_id") === env,
    siteUpdatedAt: number(site, "updated_at"),
    settings: new Map(settings.map(settingOf).map((one) => [one.key, one])),
    collections: new Map(collections.map(collectionOf).map((one) => [one.id, one])),
    nav: nav.map((row) => navItemOf(row, byOwner.get(`nav:${text(row, "id")}`))),
    templates: new Map(templates.map(templateOf).map((one) => [one.key, one])),
    layoutId: layout === undefined ? null : text(layout, "id"),
    // live pages and entries with one of the names in the path, the home page, and where redirects lead
    places: [
      ...new Map(
        places
          .flat()
          .map(linkTargetOf)
          .map((one) => [one.id, one]),
      ).values(),
    ],
    redirects: redirects.map(redirectOf),
  };
}
