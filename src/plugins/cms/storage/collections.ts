import { canonicalJson } from "../../../cairn/core/log/json.ts";
import type { Field } from "../model/document.ts";
import type { CmsServices, Collection, Entry, Projection, StateGuard } from "../model/types.ts";
import { loadEntries } from "./load.ts";
import { collectionDocument, mergeProjections, NO_PROJECTION } from "./projections.ts";
import { projectEntry, projectPublished } from "./projections.ts";
import { rowsOf } from "./rows.ts";
import { text } from "../model/columns.ts";
import { publishedOf } from "../model/tables.ts";

/** Data that depends on the fields of a collection: values in its entries, search documents and references. */

const HOLDING = `FROM entries e JOIN contents c ON c.owner_type='entry' AND c.owner_id=e.id JOIN json_each(c.data) v
  WHERE e.deleted_at IS NULL`;

/** The live entries of a collection that have a value in one of these fields, in any language. */
export async function loadHolders(
  services: CmsServices,
  collection: string,
  keys: readonly string[],
): Promise<Entry[]> {
  if (keys.length === 0) return [];
  const rows = await rowsOf(
    services,
    `SELECT DISTINCT e.id ${HOLDING} AND e.env_id=?1 AND e.collection_id=?2 AND v.key IN (SELECT value FROM json_each(?3))`,
    services.env,
    collection,
    JSON.stringify(keys),
  );
  return rows.length === 0
    ? []
    : loadEntries(
        services,
        rows.map((row) => text(row, "id")),
      );
}

/** No value was written into one of these fields since. */
export function holdersGuard(collection: string, keys: readonly string[], equals: number): StateGuard {
  return {
    sql: `SELECT count(DISTINCT e.id) ${HOLDING} AND e.collection_id=?1->>0
      AND v.key IN (SELECT value FROM json_each(?1,'$[1]'))`,
    json: JSON.stringify([collection, keys]),
    equals,
  };
}

/** The entry without these fields, in every language. */
export function withoutFields(entry: Entry, keys: ReadonlySet<string>): Entry {
  const content = Object.fromEntries(
    Object.entries(entry.content).map(([locale, own]) => [
      locale,
      Object.fromEntries(Object.entries(own).filter(([key]) => !keys.has(key))),
    ]),
  );
  return { ...entry, content };
}

/** The keys of fields that are not what they were, or not there any more, or new. */
export function differingKeys(before: readonly Field[], after: readonly Field[]): string[] {
  const definition = (fields: readonly Field[], key: string): string =>
    canonicalJson(fields.find((one) => one.key === key));
  return [...new Set([...before, ...after].map((one) => one.key))].filter(
    (key) => definition(before, key) !== definition(after, key),
  );
}

/** The keys of fields that are not there any more. */
export const lostKeys = (before: readonly Field[], after: readonly Field[]): string[] =>
  before.map((one) => one.key).filter((key) => !after.some((one) => one.key === key));

/** How a collection is found by words. A deleted one leaves nothing. */
export function projectCollection(collection: Collection, defaultLocale: string): Projection {
  return {
    ...NO_PROJECTION,
    clearDocuments: [{ kind: "collection", id: collection.id }],
    documents: collection.deletedAt === null ? [collectionDocument(collection, defaultLocale)] : [],
  };
}

/**
 * The effect of changed fields on entries that do not change themselves: search words and references. Drafts and
 * published documents that are projected anyway are left out.
 */
export async function projectFields(
  services: CmsServices,
  before: Collection,
  after: Collection,
  defaultLocale: string,
  projected: { readonly drafts: ReadonlySet<string>; readonly published: ReadonlySet<string> },
): Promise<Projection> {
  const keys = differingKeys(before.fields, after.fields);
  if (keys.length === 0) return NO_PROJECTION;
  const [entries, rows] = await Promise.all([
    loadHolders(services, after.id, keys),
    rowsOf(
      services,
      `SELECT d.* FROM published_docs d JOIN entries e ON e.id=d.owner_id
        WHERE d.env_id=?1 AND d.owner_type='entry' AND e.collection_id=?2 AND EXISTS(
          SELECT 1 FROM json_each(d.doc,'$.content') l JOIN json_each(l.value) v
           WHERE v.key IN (SELECT value FROM json_each(?3)))`,
      services.env,
      after.id,
      JSON.stringify(keys),
    ),
  ]);
  const collections = new Map([[after.id, after]]);
  return mergeProjections(
    ...entries
      .filter((one) => !projected.drafts.has(one.id))
      .map((one) => projectEntry(one, after, defaultLocale)),
    ...rows
      .map(publishedOf)
      .filter((one) => !projected.published.has(one.ownerId))
      .map((one) =>
        projectPublished({ type: "entry", id: one.ownerId }, one.document, new Map(), collections),
      ),
  );
}
