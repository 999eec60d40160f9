import { canonicalJson, toJson, type JsonObject, ownValue } from "../../../cairn/core/log/json.ts";
import { bytesOf } from "../model/validate.ts";
import type { ByLocale, Content } from "../model/document.ts";
import { fail } from "../model/errors.ts";
import { idFor } from "../model/ids.ts";
import {
  type Change,
  type CmsServices,
  type GuardTable,
  OPERATION_BYTES_MAX,
  OPERATION_CHANGES_MAX,
  PARAMETER_BYTES_MAX,
  type Guard,
  type StateGuard,
  REVISION_BYTES_MAX,
} from "../model/types.ts";
import {
  COLLECTIONS,
  columnsOf,
  ENTRIES,
  IMAGES,
  LOCALES,
  NAV_ITEMS,
  PAGES,
  PUBLISHED,
  REDIRECTS,
  SECTIONS,
  SETTINGS,
  type Table,
} from "../model/tables.ts";

/**
 * Changes as statements. Each kind of row is written by one statement that takes all its rows as one JSON parameter,
 * so that a batch has a fixed number of statements and never meets the limit of 100 bound values.
 */

export interface TableOf {
  readonly table: string;
  readonly columns: Table;
  readonly key: readonly string[];
  /** columns stored as JSON text */
  readonly json?: readonly string[];
  readonly guard?: GuardTable;
  /** the column that holds the id of what changed, unique in its environment */
  readonly id: string;
  /** the id is one in its environment only: revisions and guards name it `env_id/id` */
  readonly scoped?: true;
  /** owner type in `contents`, and the property that holds those texts */
  readonly contents?: { readonly owner: string; readonly property: "meta" | "content" | "labels" | "texts" };
}

/** The table of each kind of change. */
export const TABLES: Record<Change["type"], TableOf> = {
  image: {
    table: "images",
    columns: IMAGES,
    key: ["id"],
    id: "id",
    guard: "images",
    contents: { owner: "image", property: "texts" },
  },
  page: {
    table: "pages",
    columns: PAGES,
    key: ["id"],
    id: "id",
    guard: "pages",
    contents: { owner: "page", property: "meta" },
  },
  section: {
    table: "sections",
    columns: SECTIONS,
    key: ["id"],
    id: "id",
    guard: "sections",
    contents: { owner: "section", property: "content" },
  },
  entry: {
    table: "entries",
    columns: ENTRIES,
    key: ["id"],
    id: "id",
    guard: "entries",
    contents: { owner: "entry", property: "content" },
  },
  nav_item: {
    table: "nav_items",
    columns: NAV_ITEMS,
    key: ["id"],
    id: "id",
    guard: "nav_items",
    contents: { owner: "nav", property: "labels" },
  },
  collection: {
    table: "collections",
    columns: COLLECTIONS,
    key: ["id"],
    id: "id",
    json: ["fields"],
    guard: "collections",
  },
  locale: {
    table: "locales",
    columns: LOCALES,
    key: ["env_id", "code"],
    id: "code",
    guard: "locales",
    scoped: true,
  },
  setting: {
    table: "settings",
    columns: SETTINGS,
    key: ["env_id", "key"],
    id: "key",
    json: ["value"],
    guard: "settings",
    scoped: true,
  },
  published: {
    table: "published_docs",
    columns: PUBLISHED,
    key: ["owner_type", "owner_id"],
    json: ["doc"],
    id: "owner_id",
  },
  redirect: { table: "redirects", columns: REDIRECTS, key: ["env_id", "from_path"], id: "from_path" },
};
// Images and collections first: entries refer to them.
const ORDER = [
  ...(["locale", "image", "page", "section", "collection", "entry", "nav_item"] as const),
  ...(["setting", "published", "redirect"] as const),
];

/** The texts of a change by locale, whatever holds them. */
export function contentsOf(change: Change, side: "before" | "after"): ByLocale<Content> {
  if (change.type === "page") return change[side]?.meta ?? {};
  if (change.type === "nav_item") return change[side]?.labels ?? {};
  if (change.type === "image") return change[side]?.texts ?? {};
  return change.type === "section" || change.type === "entry" ? (change[side]?.content ?? {}) : {};
}

/** The id of what changed, as revisions and guards name it. */
export function entityId(change: Change, env: string): string {
  const key = rowId(change);
  return TABLES[change.type].scoped === true ? `${env}/${key}` : key;
}

/** As above, without the environment. */
export function rowId(change: Change): string {
  if (change.type === "setting") return (change.after ?? change.before)?.key ?? "";
  if (change.type === "locale") return (change.after ?? change.before)?.code ?? "";
  if (change.type === "published") return (change.after ?? change.before)?.ownerId ?? "";
  if (change.type === "redirect") return (change.after ?? change.before)?.fromPath ?? "";
  return change.after.id;
}

/** One JSON text to bind. Refuses `too_large` above what D1 takes as one value. */
export function boundJson(value: unknown): string {
  const bound = JSON.stringify(value);
  if (bytesOf(bound) <= PARAMETER_BYTES_MAX) return bound;
  throw fail("too_large", "This is too much for one operation.", { hint: "Split it into several calls." });
}

/** Rows written, and the ones removed, by kind; then their contents. */
export function changeStatements(
  { db, env }: CmsServices,
  changes: readonly Change[],
  at: number,
): D1PreparedStatement[] {
  const statements = ORDER.flatMap((type) => {
    const own = changes.filter((one) => one.type === type);
    const written = inTurn(rowsOn("after", own, env));
    const removed = rowsOn(
      "before",
      own.filter((one) => one.after === null),
      env,
    );
    return [
      ...parkedSlugs(db, TABLES[type], own),
      ...upsert(db, TABLES[type], written),
      ...remove(db, TABLES[type], removed),
    ];
  });
  const fresh = changes.flatMap((one) => (one.type === "image" && one.before === null ? [one.after.id] : []));
  // New images wait for the metadata that `maintainImages` makes.
  if (fresh.length > 0)
    statements.push(
      db
        .prepare(
          "INSERT INTO image_metadata(image_id) SELECT value FROM json_each(?1) WHERE true ON CONFLICT DO NOTHING",
        )
        .bind(boundJson(fresh)),
    );
  return [...statements, ...contentStatements(db, env, changes, at)];
}

/** Things that hand their slugs on among each other give them up first: a slug is unique at every row of a statement. */
function parkedSlugs(
  db: D1Database,
  { table }: Pick<TableOf, "table">,
  changes: readonly Change[],
): D1PreparedStatement[] {
  const moving = changes.flatMap(({ type, before, after }) =>
    (type === "page" || type === "entry") && before !== null && before.slug !== after.slug ? [before.id] : [],
  );
  if (moving.length < 2) return [];
  const sql = `UPDATE ${table} SET slug='~'||id WHERE id IN (SELECT value FROM json_each(?1))`;
  return [db.prepare(sql).bind(boundJson(moving))];
}

/** A language is the default one after another has ceased to be it: there is one at every row of a statement. */
const inTurn = (rows: readonly JsonObject[]): readonly JsonObject[] =>
  rows.toSorted((one, other) => Number(one["is_default"] ?? 0) - Number(other["is_default"] ?? 0));

function rowsOn(side: "before" | "after", changes: readonly Change[], env: string): JsonObject[] {
  return changes.flatMap((one) => {
    const row = changedRow(one, side, env);
    return row === null ? [] : [row];
  });
}

/** The columns of one side of a change; null where there is no row. */
export function changedRow(change: Change, side: "before" | "after", env: string): JsonObject | null {
  const values = change[side];
  return values === null ? null : { env_id: env, ...columnsOf(TABLES[change.type].columns, values) };
}

function upsert(
  db: D1Database,
  { table, key, json = [] }: Pick<TableOf, "table" | "key" | "json">,
  rows: readonly JsonObject[],
): D1PreparedStatement[] {
  const [first] = rows;
  if (first === undefined) return [];
  const columns = Object.keys(first);
  const values = columns.map((one) => `value${json.includes(one) ? "->" : "->>"}'${one}'`);
  const updates = columns.filter((one) => !key.includes(one)).map((one) => `${one}=excluded.${one}`);
  const sql = `INSERT INTO ${table}(${columns.join(",")}) SELECT ${values.join(",")} FROM json_each(?1) WHERE true
    ON CONFLICT(${key.join(",")}) DO UPDATE SET ${updates.join(",")}`;
  return chunks(rows).map((some) => db.prepare(sql).bind(boundJson(some)));
}

function remove(
  db: D1Database,
  { table, key }: Pick<TableOf, "table" | "key">,
  rows: readonly JsonObject[],
): D1PreparedStatement[] {
  if (rows.length === 0) return [];
  const picked = key.map((one) => `value->>'${one}'`).join(",");
  const sql = `DELETE FROM ${table} WHERE (${key.join(",")}) IN (SELECT ${picked} FROM json_each(?1))`;
  return chunks(rows).map((some) => db.prepare(sql).bind(boundJson(some)));
}

function contentStatements(
  db: D1Database,
  env: string,
  changes: readonly Change[],
  at: number,
): D1PreparedStatement[] {
  const written: JsonObject[] = [];
  const removed: JsonObject[] = [];
  for (const change of changes) {
    const owner = TABLES[change.type].contents?.owner;
    if (owner === undefined) continue;
    const [before, after] = [contentsOf(change, "before"), contentsOf(change, "after")];
    const id = entityId(change, env);
    for (const locale of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const data = ownValue(after, locale);
      const row = { owner_type: owner, owner_id: id, locale };
      if (data === undefined) removed.push(row);
      else if (canonicalJson(data) !== canonicalJson(ownValue(before, locale)))
        written.push({ ...row, env_id: env, data, updated_at: at });
    }
  }
  const table = { table: "contents", key: ["owner_type", "owner_id", "locale"], json: ["data"] };
  return [...remove(db, table, removed), ...upsert(db, table, written)];
}

/** Makes a batch fail if the plan behind it no longer holds: CHECKs on the row of the operation. */

/** Guards for the versions that the plan read: of every row that it changes, and of the rows it names besides. */
export function guardsOf(changes: readonly Change[], also: readonly Guard[], env: string): Guard[] {
  const own = changes.flatMap((change): Guard[] => {
    const table = TABLES[change.type].guard;
    if (table === undefined || change.before === null) return [];
    return "version" in change.before
      ? [{ table, id: entityId(change, env), version: change.before.version }]
      : [];
  });
  const seen = new Set(own.map((one) => `${one.table}:${one.id}`));
  return [...own, ...also.filter((one) => !seen.has(`${one.table}:${one.id}`))];
}

const ID_OF: Partial<Record<GuardTable, string>> = {
  settings: "t.env_id||'/'||t.key",
  locales: "t.env_id||'/'||t.code",
};

/** A statement per table that breaks the CHECK `version_conflict`, and with it the batch, when a version has moved. */
export function guardStatements(
  db: D1Database,
  guards: readonly Guard[],
  key: string,
): D1PreparedStatement[] {
  return [...new Set(guards.map((one) => one.table))].flatMap((table) => {
    const rows = guards.filter((one) => one.table === table).map(({ id, version }) => ({ id, v: version }));
    const id = ID_OF[table] ?? "t.id";
    const sql = `UPDATE operations SET version_guard=(SELECT count(*) FROM ${table} t
      WHERE ${id} IN (SELECT value->>'id' FROM json_each(?1)) AND t.version=(SELECT j.value->>'v' FROM json_each(?1) j
        WHERE j.value->>'id'=${id}))=json_array_length(?1) WHERE key=?2`;
    // Each statement breaks the CHECK by itself.
    return chunks(rows).map((some) => db.prepare(sql).bind(boundJson(some), key));
  });
}

/** As above, for the CHECK `state_conflict`. */
export function stateGuardStatements(
  db: D1Database,
  guards: readonly StateGuard[],
  key: string,
): D1PreparedStatement[] {
  return guards.map((one) =>
    db
      .prepare(`UPDATE operations SET state_guard=((${one.sql})=?2) WHERE key=?3`)
      .bind(one.json, one.equals, key),
  );
}

/** Refuses `too_large` for changes that one operation cannot write. To be called when a plan is made: nothing is written then. */
export function checkChanges(changes: readonly Change[]): void {
  if (changes.length > OPERATION_CHANGES_MAX)
    throw fail(
      "too_large",
      `This changes ${changes.length} things at once, and one operation changes at most ${OPERATION_CHANGES_MAX}.`,
      { hint: "Do it in several parts." },
    );
  let bytes = 0;
  for (const change of changes) {
    for (const value of [change.before, change.after]) {
      const size = value === null ? 0 : bytesOf(JSON.stringify(sideOf(value)));
      if (size > REVISION_BYTES_MAX)
        throw fail(
          "too_large",
          `The ${change.type.replace("_", " ")} is too large to be kept beside its change.`,
        );
      bytes += size;
    }
    if (bytes > OPERATION_BYTES_MAX)
      throw fail(
        "too_large",
        `The texts that this changes have over ${OPERATION_BYTES_MAX / 1_048_576} MB together, which is too much for one operation.`,
        { hint: "Do it in several parts." },
      );
  }
}

/** Before and after of every changed row with its contents; `scope` is the history that lists them. */
export function revisionStatements(
  { db, env }: CmsServices,
  changes: readonly Change[],
  key: string,
  at: number,
  scope = env,
): D1PreparedStatement[] {
  if (changes.length === 0) return [];
  const rows = changes.map((change, seq) => {
    const [before, after] = [sideOf(change.before), sideOf(change.after)];
    const row = {
      id: idFor("rv", key, seq),
      seq,
      type: change.type,
      entity: entityId(change, env),
      before,
      after,
    };
    return { ...row, from: versionOf(change.before), to: versionOf(change.after) };
  });
  // A batch of rows may pass what one bound value takes, though each of them fits.
  return chunks(rows).map((some) =>
    db
      .prepare(
        `INSERT INTO revisions(id,op_key,seq,env_id,entity_type,entity_id,version_before,version_after,before,after,created_at)
         SELECT value->>'id', ?2, value->>'seq', ?3, value->>'type', value->>'entity', value->>'from', value->>'to',
           nullif(value->'before','null'), nullif(value->'after','null'), ?4 FROM json_each(?1)`,
      )
      .bind(boundJson(some), key, scope, at),
  );
}

/** Rows in parts, each of which fits into one bound value. */
export function chunks<T>(rows: readonly T[]): T[][] {
  const parts: T[][] = [];
  let size = PARAMETER_BYTES_MAX;
  for (const row of rows) {
    const bytes = bytesOf(JSON.stringify(row)) + 1;
    if (size + bytes > PARAMETER_BYTES_MAX - 2) {
      parts.push([]);
      size = 0;
    }
    parts.at(-1)?.push(row);
    size += bytes;
  }
  return parts;
}

/** A row with its texts as a revision holds it. */
export function sideOf(side: object | null): JsonObject | null {
  return side === null
    ? null
    : Object.fromEntries(Object.entries(side).map(([key, value]) => [key, toJson(value)]));
}

function versionOf(side: Change["before"]): number | null {
  return side !== null && "version" in side ? side.version : null;
}
