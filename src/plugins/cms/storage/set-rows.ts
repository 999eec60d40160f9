import type { JsonObject } from "../../../cairn/core/log/json.ts";
import type { AssetRef, Change, ChangeSetScope, CmsServices, Projection } from "../model/types.ts";
import { boundJson, changedRow, chunks, contentsOf, entityId, rowId, sideOf, TABLES } from "./changes.ts";
import { NO_PROJECTION } from "./projections.ts";

/**
 * Rows that a write stores in a change set: replacements of the site's rows, and each thing's state when the set
 * first changed it. shadow.ts reads them back under the same keys.
 */

interface Put {
  readonly tbl: string;
  readonly pk: string;
  readonly rows: readonly JsonObject[];
}

/** The statements that put these changes, and the projections of them, into a set. Search documents are not among them. */
export function setStatements(
  { env }: CmsServices,
  { id, live }: ChangeSetScope,
  changes: readonly Change[],
  projection: Projection,
  at: number,
): D1PreparedStatement[] {
  const things = changes.map((one) => ({
    type: one.type,
    id: entityId(one, env),
    base: sideOf(one.before),
  }));
  const roots = projection.clearRoots.map((one) => ({
    tbl: "asset_roots",
    pk: `${one.type}:${one.id}:${one.state}`,
    rows: [],
  }));
  const puts = [...changes.flatMap((one) => rowsPut(one, env, at)), ...roots];
  const statements: D1PreparedStatement[] = [];
  const add = (sql: string, list: readonly object[]): void => {
    for (const some of chunks(list)) statements.push(live.prepare(sql).bind(boundJson(some), id));
  };
  add(
    `INSERT INTO change_set_things(set_id,type,id,base)
     SELECT ?2, value->>'type', value->>'id', nullif(value->'base','null') FROM json_each(?1) WHERE true
     ON CONFLICT DO NOTHING`,
    things,
  );
  add(
    `UPDATE change_set_rows SET rows='[]' WHERE set_id=?2 AND tbl='asset_refs'
      AND (rows->>'$[0].root_type', rows->>'$[0].root_id', rows->>'$[0].state') IN
        (SELECT value->>'type', value->>'id', value->>'state' FROM json_each(?1))`,
    projection.clearRoots,
  );
  add(PUT, [
    ...puts,
    ...refsPut(projection, env),
    ...documentsHidden(projection).map((pk) => ({ tbl: "search_docs", pk, rows: [] })),
  ]);
  return statements;
}

const PUT = `INSERT INTO change_set_rows(set_id,tbl,pk,rows)
  SELECT ?2, value->>'tbl', value->>'pk', value->'rows' FROM json_each(?1) WHERE true
  ON CONFLICT DO UPDATE SET rows=excluded.rows`;

/** The search documents of a set, as a separate projection. */
export const documentsOf = ({ clearDocuments, documents }: Projection): Projection => ({
  ...NO_PROJECTION,
  clearDocuments,
  documents,
});

/** Everything that a set has put aside; its row and its operations stay. */
export function emptiedStatements(db: D1Database, id: string): D1PreparedStatement[] {
  return [
    "DELETE FROM change_set_rows WHERE set_id=?1",
    "DELETE FROM change_set_things WHERE set_id=?1",
    "DELETE FROM search_docs WHERE env_id=?1",
  ].map((sql) => db.prepare(sql).bind(id));
}

/** A row, and the texts of it. */
function rowsPut(change: Change, env: string, at: number): Put[] {
  const { table, contents } = TABLES[change.type];
  const row = changedRow(change, "after", env);
  const own: Put = { tbl: table, pk: keyIn(change), rows: row === null ? [] : [row] };
  if (contents === undefined) return [own];
  const id = entityId(change, env);
  // In the order in which the table holds them.
  const texts = Object.entries(contentsOf(change, "after"))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([locale, data]) => ({
      owner_type: contents.owner,
      owner_id: id,
      locale,
      env_id: env,
      data,
      updated_at: at,
    }));
  return [own, { tbl: "contents", pk: `${contents.owner}:${id}`, rows: texts }];
}

function keyIn(change: Change): string {
  if (change.type === "published") {
    const side = change.after ?? change.before;
    return `${side?.ownerType ?? ""}:${side?.ownerId ?? ""}`;
  }
  return rowId(change);
}

/** All uses of each owner in each state, and none of those whose uses are cleared. */
function refsPut({ clearOwners, refs }: Projection, env: string): Put[] {
  const byOwner = new Map<string, JsonObject[]>(
    clearOwners.map((one) => [`${one.type}:${one.id}:${one.state}`, []]),
  );
  const seen = new Set<string>();
  for (const ref of refs) {
    const key = `${ref.ownerType}:${ref.ownerId}:${ref.state}`;
    const row = refRow(ref, env);
    const text = JSON.stringify(row);
    if (seen.has(text)) continue;
    seen.add(text);
    byOwner.set(key, [...(byOwner.get(key) ?? []), row]);
  }
  return [...byOwner].map(([pk, rows]) => ({ tbl: "asset_refs", pk, rows }));
}

const refRow = (ref: AssetRef, env: string): JsonObject => ({
  target_type: ref.targetType,
  target_id: ref.targetId,
  owner_type: ref.ownerType,
  owner_id: ref.ownerId,
  root_type: ref.rootType,
  root_id: ref.rootId,
  state: ref.state,
  locale: ref.locale,
  path: ref.path,
  env_id: env,
});

const documentsHidden = ({ clearDocuments, documents }: Projection): string[] => [
  ...new Set([
    ...clearDocuments.map((one) => `${one.kind}:${one.id}`),
    ...documents.map((one) => `${one.kind}:${one.refId}`),
  ]),
];
