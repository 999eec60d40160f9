import type { JsonObject } from "../../core/log/json.ts";
import { definitionSchema } from "./definition.ts";
import type { StoredTool } from "./pack.ts";

/** The rows of tools that were stored over the API (migrations/0033). Each write is one transaction of D1. */

export const TOOLS_STORED_MAX = 200;

export interface StoredRow {
  readonly name: string;
  readonly version: number;
  readonly body: string;
  readonly source: string | null;
  /** milliseconds since the epoch */
  readonly updatedAt: number;
  readonly updatedBy: string;
}

const COLUMNS = "name, version, body, source, updated_at AS updatedAt, updated_by AS updatedBy";
const STAMPED = "INSERT INTO http_tools_stamp(id, n) VALUES (1, 1) ON CONFLICT(id) DO UPDATE SET n = n + 1";

export async function readStamp(db: D1Database): Promise<number> {
  const row = await db.prepare("SELECT n FROM http_tools_stamp").first<{ n: number }>();
  return row?.n ?? 0;
}

export async function listRows(db: D1Database): Promise<readonly StoredRow[]> {
  const found = await db.prepare(`SELECT ${COLUMNS} FROM http_tools ORDER BY name`).all<StoredRow>();
  return found.results;
}

export async function findRow(db: D1Database, name: string): Promise<StoredRow | null> {
  return db.prepare(`SELECT ${COLUMNS} FROM http_tools WHERE name = ?`).bind(name).first<StoredRow>();
}

export const definitionOf = ({ body }: Pick<StoredRow, "body">): JsonObject => JSON.parse(body) as JsonObject;

/** A row that another version wrote and this one cannot read is null. */
export function toolOf(row: StoredRow): StoredTool | null {
  const read = definitionSchema.safeParse(definitionOf(row));
  return read.success ? { name: row.name, definition: read.data } : null;
}

export interface ToolWrite {
  readonly name: string;
  readonly body: string;
  readonly source: string | null;
}

export type ToolsWritten =
  | { readonly kind: "written"; readonly versions: readonly number[] }
  | { readonly kind: "version_mismatch" | "too_many" };

/** Stores these tools, or replaces them: all or none. */
export async function writeRows(
  db: D1Database,
  writes: readonly ToolWrite[],
  by: { readonly subject: string; readonly at: number; readonly ifVersion: number | null },
): Promise<ToolsWritten> {
  const { subject, at, ifVersion } = by;
  const known = new Map((await listRows(db)).map(({ name, version }) => [name, version]));
  const isNew = writes.filter(({ name }) => !known.has(name)).length;
  if (known.size + isNew > TOOLS_STORED_MAX) return { kind: "too_many" };
  if (ifVersion !== null && writes.some(({ name }) => known.get(name) !== ifVersion))
    return { kind: "version_mismatch" };
  const statements = writes.map(({ name, body, source }) =>
    db
      .prepare(
        `INSERT INTO http_tools (name, version, body, source, updated_at, updated_by)
         SELECT ?1, 1, ?2, ?3, ?4, ?5
         WHERE ?6 IS NULL OR EXISTS (SELECT 1 FROM http_tools WHERE name = ?1 AND version = ?6)
         ON CONFLICT (name) DO UPDATE SET version = version + 1, body = excluded.body, source = excluded.source,
           updated_at = excluded.updated_at, updated_by = excluded.updated_by
         RETURNING version`,
      )
      .bind(name, body, source, at, subject, ifVersion),
  );
  const results = await db.batch<{ version: number }>([...statements, db.prepare(STAMPED)]);
  const versions = results
    .slice(0, -1)
    .flatMap(({ results: [row] }) => (row === undefined ? [] : [row.version]));
  return versions.length === writes.length ? { kind: "written", versions } : { kind: "version_mismatch" };
}

export async function deleteRow(
  db: D1Database,
  name: string,
  ifVersion: number | null,
): Promise<"deleted" | "missing" | "version_mismatch"> {
  const [before, gone] = await db.batch<{ version: number }>([
    db.prepare("SELECT version FROM http_tools WHERE name = ?").bind(name),
    db
      .prepare("DELETE FROM http_tools WHERE name = ?1 AND (?2 IS NULL OR version = ?2) RETURNING version")
      .bind(name, ifVersion),
    db.prepare(STAMPED),
  ]);
  if (gone?.results[0] !== undefined) return "deleted";
  return before?.results[0] === undefined ? "missing" : "version_mismatch";
}
