import { env } from "cloudflare:workers";

/** All that a site is, row by row, to be compared before a change and after it was taken back. */

/**
 * Left out, because they count and do not say anything: versions, times of writing, and ids of rows of the search index.
 * Left out too: rows that are deleted, with their texts. What a change made is kept, deleted, so that it can come back.
 */
const COUNTERS = ["version", "published_version", "updated_at", "embedded_at"];
/** The row in the index of words, and what it is told by there: made of the other columns. */
const OF_INDEX = ["id", "marks"];
const TABLES = {
  pages: "id",
  sections: "id",
  entries: "id",
  collections: "id",
  images: "id",
  nav_items: "id",
  contents: "owner_type, owner_id, locale",
  settings: "env_id, key",
  locales: "env_id, code",
  published_docs: "owner_type, owner_id",
  redirects: "env_id, from_path",
  asset_refs: "target_type, target_id, owner_type, owner_id, state, locale, path",
  search_docs: "doc_key",
};

type Row = Record<string, unknown>;

export async function wholeSite(db: D1Database = env.DB): Promise<Record<string, Row[]>> {
  const site: Record<string, Row[]> = {};
  const gone = new Set<unknown>();
  for (const [table, order] of Object.entries(TABLES)) {
    const { results } = await db.prepare(`SELECT * FROM ${table} ORDER BY ${order}`).all<Row>();
    for (const row of results) if (typeof row["deleted_at"] === "number") gone.add(row["id"]);
    site[table] = results.filter((row) => !gone.has(row["id"]) && !isOfSet(row)).map(stripped(table));
  }
  // A deleted page keeps its sections, which are nowhere to be seen.
  site["sections"] = (site["sections"] ?? []).filter((row) => !gone.has(row["page_id"]));
  const live = new Set(Object.values(site).flatMap((rows) => rows.map((row) => row["id"])));
  site["contents"] = (site["contents"] ?? []).filter((row) => live.has(row["owner_id"]));
  return site;
}

/** The search documents of a change set are nowhere to be seen outside of it. */
const isOfSet = (row: Row): boolean => String(row["env_id"]).startsWith("cs_");

const stripped =
  (table: string) =>
  (row: Row): Row => {
    const left = Object.entries(row).filter(
      ([column]) => !COUNTERS.includes(column) && !(table === "search_docs" && OF_INDEX.includes(column)),
    );
    return Object.fromEntries(left);
  };

/** The pages that have nothing to publish. */
export async function cleanPages(): Promise<string[]> {
  const { results } = await env.DB.prepare(
    "SELECT id FROM pages WHERE status='published' AND deleted_at IS NULL AND version=published_version ORDER BY id",
  ).all<{ id: string }>();
  return results.map((row) => row.id);
}
