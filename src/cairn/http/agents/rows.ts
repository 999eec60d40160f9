import type { IdempotencyKey } from "../../session/api/session-api.ts";

/** The rows of agents that were stored over the API (migrations/0008). Each write is one transaction of D1. */

export interface AgentRow {
  readonly name: string;
  readonly version: number;
  /** the definition as JSON */
  readonly body: string;
  /** milliseconds since the epoch */
  readonly updatedAt: number;
  readonly updatedBy: string;
}

const COLUMNS = "name, version, body, updated_at AS updatedAt, updated_by AS updatedBy";
/** each is read whenever they are listed */
export const AGENTS_STORED_MAX = 100;
const REQUEST_TTL_MS = 24 * 60 * 60_000;

export async function listRows(db: D1Database): Promise<readonly AgentRow[]> {
  const found = await db.prepare(`SELECT ${COLUMNS} FROM agents ORDER BY name`).all<AgentRow>();
  return found.results;
}

export async function listNames(db: D1Database): Promise<readonly string[]> {
  const found = await db.prepare("SELECT name FROM agents").all<Pick<AgentRow, "name">>();
  return found.results.map(({ name }) => name);
}

export async function findRow(db: D1Database, name: string): Promise<AgentRow | null> {
  return db.prepare(`SELECT ${COLUMNS} FROM agents WHERE name = ?`).bind(name).first<AgentRow>();
}

export interface AgentWrite {
  readonly name: string;
  readonly body: string;
  readonly by: string;
  /** milliseconds since the epoch */
  readonly at: number;
  /** the version that is replaced; null for any, or none */
  readonly ifVersion: number | null;
  readonly idempotency: IdempotencyKey | null;
}

export type Written =
  | {
      readonly kind: "written";
      /** 1 of one that was not there before */
      readonly version: number;
      readonly at: number;
      readonly replayed: boolean;
    }
  | { readonly kind: "key_conflict" | "version_mismatch" | "too_many" };

/** Stores an agent, or replaces one. A repeated request changes nothing, and gets its first answer. */
export async function writeRow(db: D1Database, write: AgentWrite): Promise<Written> {
  const { name, body, by, at, ifVersion, idempotency } = write;
  const { key, digest } = idempotency ?? { key: null, digest: "" };
  const [, known, before, written] = await db.batch<{ version: number; digest: string; at: number }>([
    db.prepare("DELETE FROM agent_requests WHERE at < ?").bind(at - REQUEST_TTL_MS),
    db.prepare("SELECT digest, version, at FROM agent_requests WHERE key = ?").bind(key),
    db.prepare("SELECT version FROM agents WHERE name = ?").bind(name),
    db
      .prepare(
        `INSERT INTO agents (name, version, body, updated_at, updated_by, request)
         SELECT ?1, 1, ?2, ?3, ?4, ?5
         WHERE NOT EXISTS (SELECT 1 FROM agent_requests WHERE key = ?5)
           AND (?6 IS NULL OR EXISTS (SELECT 1 FROM agents WHERE name = ?1 AND version = ?6))
           AND (EXISTS (SELECT 1 FROM agents WHERE name = ?1) OR (SELECT count(*) FROM agents) < ?7)
         ON CONFLICT (name) DO UPDATE SET version = version + 1, body = excluded.body,
           updated_at = excluded.updated_at, updated_by = excluded.updated_by, request = excluded.request
         RETURNING version`,
      )
      .bind(name, body, at, by, key, ifVersion, AGENTS_STORED_MAX),
    db
      .prepare(
        `INSERT INTO agent_requests (key, digest, version, at)
         SELECT request, ?2, version, updated_at FROM agents WHERE name = ?1 AND request = ?3
         ON CONFLICT (key) DO NOTHING`,
      )
      .bind(name, digest, key),
  ]);
  const first = known?.results[0];
  if (first !== undefined && first.digest !== digest) return { kind: "key_conflict" };
  if (first !== undefined) return { kind: "written", version: first.version, at: first.at, replayed: true };
  const version = written?.results[0]?.version;
  if (version !== undefined) return { kind: "written", version, at, replayed: false };
  const isThere = before?.results[0] !== undefined;
  return { kind: ifVersion !== null || isThere ? "version_mismatch" : "too_many" };
}

/** Takes it away. */
export async function deleteRow(
  db: D1Database,
  name: string,
  ifVersion: number | null,
): Promise<"deleted" | "missing" | "version_mismatch"> {
  const [before, gone] = await db.batch<{ version: number }>([
    db.prepare("SELECT version FROM agents WHERE name = ?").bind(name),
    db
      .prepare("DELETE FROM agents WHERE name = ?1 AND (?2 IS NULL OR version = ?2) RETURNING version")
      .bind(name, ifVersion),
  ]);
  if (gone?.results[0] !== undefined) return "deleted";
  return before?.results[0] === undefined ? "missing" : "version_mismatch";
}
