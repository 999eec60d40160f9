/**
 * The records of the authorization server, in D1 (migrations/0024). Its package expects a KV namespace; with this
 * adapter a deployment needs no other binding, and reads are consistent: a used code is used everywhere.
 */

/** Methods used of a KV namespace. */
export interface OAuthStore {
  get(key: string, options?: { readonly type?: "text" | "json" }): Promise<unknown>;
  put(
    key: string,
    value: string,
    options?: { readonly expirationTtl?: number; readonly expiration?: number },
  ): Promise<void>;
  delete(key: string): Promise<void>;
  list(options: { readonly prefix: string; readonly limit?: number; readonly cursor?: string }): Promise<{
    readonly keys: readonly { readonly name: string }[];
    readonly list_complete: boolean;
    readonly cursor?: string;
  }>;
}

const PAGE = 1_000;
/** rows that have expired, taken away with each that is written: nothing is left to grow */
const SWEPT_MAX = 20;

const SWEEP = `DELETE FROM oauth_records WHERE key IN (
  SELECT key FROM oauth_records WHERE expires_at <= ? ORDER BY expires_at LIMIT ${SWEPT_MAX})`;

export function createOAuthStore(db: D1Database, now: () => number): OAuthStore {
  const seconds = (): number => Math.floor(now() / 1_000);
  return {
    async get(key, { type = "text" } = {}) {
      const found = await db
        .prepare("SELECT value FROM oauth_records WHERE key = ? AND (expires_at IS NULL OR expires_at > ?)")
        .bind(key, seconds())
        .first<{ value: string }>();
      if (found === null) return null;
      return type === "json" ? (JSON.parse(found.value) as unknown) : found.value;
    },
    async put(key, value, { expirationTtl, expiration } = {}) {
      const ends = expirationTtl === undefined ? (expiration ?? null) : seconds() + expirationTtl;
      await db.batch([
        db.prepare(SWEEP).bind(seconds()),
        db
          .prepare("INSERT OR REPLACE INTO oauth_records(key, value, expires_at) VALUES(?, ?, ?)")
          .bind(key, value, ends),
      ]);
    },
    async delete(key) {
      await db.prepare("DELETE FROM oauth_records WHERE key = ?").bind(key).run();
    },
    async list({ prefix, limit = PAGE, cursor = "" }) {
      const { results } = await db
        .prepare(
          `SELECT key FROM oauth_records WHERE key >= ?1 AND key < ?2 AND key > ?3
           AND (expires_at IS NULL OR expires_at > ?4) ORDER BY key LIMIT ?5`,
        )
        .bind(prefix, after(prefix), cursor, seconds(), limit + 1)
        .all<{ key: string }>();
      const keys = results.slice(0, limit).map(({ key: name }) => ({ name }));
      const last = keys.at(-1)?.name;
      return results.length <= limit || last === undefined
        ? { keys, list_complete: true }
        : { keys, list_complete: false, cursor: last };
    },
  };
}

/** The first key behind all that begin so. Keys are ASCII. */
const after = (prefix: string): string => `${prefix}\u{7f}`;

const CLIENTS = "client:";
const GRANTS = "grant:";

/** Clients that have registered themselves and have not expired. */
export async function countClients(db: D1Database, at: number): Promise<number> {
  const found = await db
    .prepare(
      "SELECT COUNT(*) AS n FROM oauth_records WHERE key >= ?1 AND key < ?2 AND (expires_at IS NULL OR expires_at > ?3)",
    )
    .bind(CLIENTS, after(CLIENTS), Math.floor(at / 1_000))
    .first<{ n: number }>();
  return found?.n ?? 0;
}

/** Deletes the oldest client without consent. False: there is none. */
export async function dropUnusedClient(db: D1Database, at: number): Promise<boolean> {
  const { meta } = await db
    .prepare(
      `DELETE FROM oauth_records WHERE key = (
         SELECT key FROM oauth_records WHERE key >= ?1 AND key < ?2 AND substr(key, ?3) NOT IN (
           SELECT json_extract(value, '$.clientId') FROM oauth_records
           WHERE key >= ?4 AND key < ?5 AND (expires_at IS NULL OR expires_at > ?6)
             AND json_extract(value, '$.clientId') IS NOT NULL)
         ORDER BY expires_at, key LIMIT 1)`,
    )
    .bind(CLIENTS, after(CLIENTS), CLIENTS.length + 1, GRANTS, after(GRANTS), Math.floor(at / 1_000))
    .run();
  return meta.changes > 0;
}
