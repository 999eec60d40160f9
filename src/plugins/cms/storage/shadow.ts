import { ownValue } from "../../../cairn/core/log/json.ts";
import { OWN_ENVIRONMENT } from "../model/environment.ts";
import { TABLES } from "./changes.ts";
import { columnNames } from "../model/tables.ts";

/**
 * A database seen through a change set. A statement gets a common table expression for each table that it reads: the
 * rows of the set, and those of the site that the set does not replace. So a tool reads with the same statement in a
 * set and without one. Writes are not translated: set-rows.ts writes the rows of a set.
 */

interface Scope {
  readonly set: string;
  readonly env: string;
}

/** A table that a set may have other rows of. */
interface Shadowed {
  readonly columns: readonly string[];
  /** columns that hold JSON text */
  readonly json?: readonly string[];
  /** the key in `change_set_rows` of a row of the site, called `b` */
  readonly pk: string;
}

const KEYED: Readonly<Record<string, Shadowed>> = {
  ...Object.fromEntries(
    Object.values(TABLES).map(({ table, columns, json = [], id }): [string, Shadowed] => [
      table,
      {
        columns: ["env_id", ...columnNames(columns)],
        json,
        pk: table === "published_docs" ? "b.owner_type||':'||b.owner_id" : `b.${id}`,
      },
    ]),
  ),
  contents: {
    columns: ["owner_type", "owner_id", "locale", "env_id", "data", "updated_at"],
    json: ["data"],
    pk: "b.owner_type||':'||b.owner_id",
  },
};

const REFS = [
  "target_type",
  "target_id",
  "owner_type",
  "owner_id",
  "root_type",
  "root_id",
  "state",
  "locale",
  "path",
  "env_id",
];
const DOCUMENTS = [
  "id",
  "kind",
  "ref_id",
  "locale",
  "status",
  "title",
  "slug",
  "body",
  "parent_id",
  "embedded_at",
  "updated_at",
];
const OPERATIONS = [
  "key",
  "tool",
  "args_digest",
  "result",
  "version_guard",
  "state_guard",
  "actor",
  "session_id",
  "run_id",
  "approval_id",
  "summary",
  "undo_of",
  "undone_by",
  "created_at",
];
const REVISIONS = [
  "id",
  "op_key",
  "seq",
  "entity_type",
  "entity_id",
  "version_before",
  "version_after",
  "before",
  "after",
  "created_at",
];

const quoted = (value: string): string => `'${value.replaceAll("'", "''")}'`;

const replaced = ({ set }: Scope, table: string, pk: string): string =>
  `EXISTS(SELECT 1 FROM main.change_set_rows s WHERE s.set_id=${quoted(set)} AND s.tbl='${table}' AND s.pk=${pk})`;

const asText = (value: string): string => `CAST(${value} AS TEXT)`;
const INTEGERS = new Set([
  "version",
  "published_version",
  "published_at",
  "publish_at",
  "publish_version",
  "deleted_at",
  "created_at",
  "updated_at",
  "indexing",
  "hidden",
  "visible",
  "is_default",
  "byte_size",
  "width",
  "height",
]);

/**
 * The rows that the set has of a table. With the types of its columns: where the two halves of a compound differ in
 * them, SQLite looks nothing up in either, and sorts both whole.
 */
function ownRows({ set }: Scope, table: string, columns: readonly string[], json: readonly string[]): string {
  const values = columns.map((one) => {
    const value = `j.value${json.includes(one) ? "->" : "->>"}'${one}'`;
    return `CAST(${value} AS ${INTEGERS.has(one) ? "INTEGER" : "TEXT"}) AS ${one}`;
  });
  return `SELECT ${values.join(",")} FROM main.change_set_rows r, json_each(r.rows) j
    WHERE r.set_id=${quoted(set)} AND r.tbl='${table}'`;
}

/** The replacement of a table, as the body of a common table expression. */
function bodyOf(scope: Scope, table: string): string | null {
  const keyed = ownValue(KEYED, table);
  if (keyed !== undefined) {
    const { columns, json = [], pk } = keyed;
    return `${ownRows(scope, table, columns, json)}
      UNION ALL SELECT ${columns.map((one) => `b.${one}`).join(",")} FROM main.${table} b WHERE NOT ${replaced(scope, table, pk)}`;
  }
  if (table === "asset_refs")
    return `${ownRows(scope, table, REFS, [])}
      UNION ALL SELECT ${REFS.map((one) => `b.${one}`).join(",")} FROM main.asset_refs b
      WHERE NOT ${replaced(scope, table, "b.owner_type||':'||b.owner_id||':'||b.state")}
        AND NOT ${replaced(scope, "asset_roots", "b.root_type||':'||b.root_id||':'||b.state")}`;
  if (table === "search_docs") {
    const suffix = scope.env === OWN_ENVIRONMENT ? "" : `@${scope.env}`;
    const key = `substr(doc_key,1,length(doc_key)-${scope.set.length + 1})||${quoted(suffix)}`;
    return `SELECT ${asText(key)} AS doc_key, ${asText(quoted(scope.env))} AS env_id, ${DOCUMENTS.join(",")} FROM main.search_docs
        WHERE env_id=${quoted(scope.set)}
      UNION ALL SELECT b.doc_key, b.env_id, ${DOCUMENTS.map((one) => `b.${one}`).join(",")} FROM main.search_docs b
        WHERE b.env_id<>${quoted(scope.set)} AND NOT ${replaced(scope, table, "b.kind||':'||b.ref_id")}`;
  }
  if (table === "operations" || table === "revisions") {
    const columns = ["rowid AS rowid", ...(table === "operations" ? OPERATIONS : REVISIONS)].join(",");
    return `SELECT ${columns}, ${asText(quoted(scope.env))} AS env_id FROM main.${table} WHERE env_id=${quoted(scope.set)}
      UNION ALL SELECT ${columns}, env_id FROM main.${table} WHERE env_id<>${quoted(scope.set)}`;
  }
  if (table === "site_counts") return countsBody(scope);
  return null;
}

/**
 * Counts through the set: those of the site, plus one for each of its own rows, minus one for each that they replace.
 * In pairs, because D1 allows only five terms in one compound.
 */
function countsBody(scope: Scope): string {
  const [set, env] = [quoted(scope.set), quoted(scope.env)];
  const counted = (kind: string, table: string, part: readonly string[], only = ""): string => {
    const partOf = (value: (column: string) => string): string =>
      part.length === 0 ? "''" : part.map((column) => `(${value(column)})`).join("||'/'||");
    const own = (column: string): string => `j.value->>'${column}'`;
    const its = (column: string): string => `b.${column}`;
    const where = (value: (column: string) => string): string =>
      `r.set_id=${set} AND r.tbl='${table}' AND ${value("deleted_at")} IS NULL ${only === "" ? "" : `AND ${value("kind")}='${only}'`}`;
    return `SELECT * FROM (SELECT ${env} AS env_id, '${kind}' AS kind, ${partOf(own)} AS part, 1 AS n
        FROM main.change_set_rows r, json_each(r.rows) j WHERE ${where(own)}
      UNION ALL SELECT ${env}, '${kind}', ${partOf(its)}, -1
        FROM main.change_set_rows r JOIN main.${table} b ON b.id=r.pk WHERE ${where(its)})`;
  };
  const texts = "kind IN ('page','section','entry')";
  return `SELECT env_id, kind, part, n FROM main.site_counts WHERE env_id=${env}
    UNION ALL ${counted("page", "pages", ["status"], "page")}
    UNION ALL ${counted("entry", "entries", ["collection_id", "status"])}
    UNION ALL ${counted("image", "images", [])}
    UNION ALL SELECT * FROM (SELECT ${env}, 'text', locale, 1 FROM main.search_docs WHERE env_id=${set} AND ${texts}
      UNION ALL SELECT ${env}, 'text', b.locale, -1 FROM main.change_set_rows r CROSS JOIN main.search_docs b
        ON b.doc_key>=r.pk||':' AND b.doc_key<r.pk||';'
        WHERE r.set_id=${set} AND r.tbl='search_docs' AND +b.env_id=${env} AND +b.${texts})`;
}

const NAMES = [...Object.keys(KEYED), "asset_refs", "search_docs", "operations", "revisions", "site_counts"];
const READ = new RegExp(`\\b(?:FROM|JOIN)\\s+(${NAMES.join("|")})\\b`, "gi");

/** A statement that reads the site as the set makes it. */
export function shadowed(sql: string, scope: Scope): string {
  const tables = new Set([...sql.matchAll(READ)].map((match) => (match[1] ?? "").toLowerCase()));
  const bodies = [...tables].flatMap((table) => {
    const body = bodyOf(scope, table);
    return body === null ? [] : [`${table} AS (${body})`];
  });
  if (bodies.length === 0) return sql;
  const own = /^\s*WITH\s+(?!RECURSIVE)/i;
  return own.test(sql)
    ? sql.replace(own, () => `WITH ${bodies.join(", ")}, `)
    : `WITH ${bodies.join(", ")} ${sql}`;
}

/** The database of an environment, read as an open set makes it. */
export function shadowDatabase(live: D1Database, scope: Scope): D1Database {
  const prepare = (sql: string): D1PreparedStatement => live.prepare(shadowed(sql, scope));
  const batch: D1Database["batch"] = (statements) => live.batch(statements);
  return { prepare, batch } as D1Database;
}
