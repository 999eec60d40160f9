import type { McpListing } from "./listed-tool.ts";
import { mcpServerSchema, type McpServer } from "./server.ts";

/** The rows of MCP servers in D1 (migrations/0025): which there are, what they last listed, and accounts at them. */

export interface ServerRow {
  readonly server: McpServer;
  /** milliseconds since the epoch */
  readonly updatedAt: number;
  readonly updatedBy: string;
}

interface StoredServer {
  readonly name: string;
  readonly body: string;
  readonly updatedAt: number;
  readonly updatedBy: string;
}

export const SERVERS_STORED_MAX = 20;

/** A row that another version wrote and this one cannot read is left out. */
export async function readServers(db: D1Database): Promise<readonly ServerRow[]> {
  const { results } = await db
    .prepare(
      "SELECT name, body, updated_at AS updatedAt, updated_by AS updatedBy FROM mcp_servers ORDER BY name",
    )
    .all<StoredServer>();
  return results.flatMap(({ body, updatedAt, updatedBy }) => {
    const server = mcpServerSchema.safeParse(JSON.parse(body));
    return server.success ? [{ server: server.data, updatedAt, updatedBy }] : [];
  });
}

/** Stores a server, or replaces one; false if the limit is reached. Its earlier listing is deleted. */
export async function writeServer(
  db: D1Database,
  server: McpServer,
  by: string,
  at: number,
): Promise<"created" | "replaced" | "too_many"> {
  const { name } = server;
  const [before, written] = await db.batch<{ name: string }>([
    db.prepare("SELECT name FROM mcp_servers WHERE name = ?").bind(name),
    db
      .prepare(
        `INSERT INTO mcp_servers (name, body, updated_at, updated_by)
         SELECT ?1, ?2, ?3, ?4
         WHERE EXISTS (SELECT 1 FROM mcp_servers WHERE name = ?1) OR (SELECT count(*) FROM mcp_servers) < ?5
         ON CONFLICT (name) DO UPDATE SET body = excluded.body, updated_at = excluded.updated_at,
           updated_by = excluded.updated_by
         RETURNING name`,
      )
      .bind(name, JSON.stringify(server), at, by, SERVERS_STORED_MAX),
    db.prepare("DELETE FROM mcp_listings WHERE server = ?").bind(name),
  ]);
  if (written?.results[0] === undefined) return "too_many";
  return before?.results[0] === undefined ? "created" : "replaced";
}

/** Takes a server away, with the accounts at it; false where there is none. */
export async function deleteServer(db: D1Database, name: string): Promise<boolean> {
  const [gone] = await db.batch<{ name: string }>([
    db.prepare("DELETE FROM mcp_servers WHERE name = ? RETURNING name").bind(name),
    db.prepare("DELETE FROM mcp_listings WHERE server = ?").bind(name),
    db.prepare("DELETE FROM mcp_accounts WHERE server = ?").bind(name),
  ]);
  return gone?.results[0] !== undefined;
}

export interface ListingRow {
  readonly server: string;
  readonly account: string;
  readonly settings: string;
  /** null where it never answered */
  readonly listing: McpListing | null;
  /** why it did not the last time; null where it did */
  readonly problem: string | null;
  /** milliseconds since the epoch */
  readonly triedAt: number;
}

interface StoredListing extends Omit<ListingRow, "listing"> {
  readonly body: string | null;
}

const LISTING = "server, account, settings, body, problem, tried_at AS triedAt";
// Only this code has written it, with the settings' schema.
const listingOf = ({ body, ...row }: StoredListing): ListingRow => ({
  ...row,
  listing: body === null ? null : (JSON.parse(body) as McpListing),
});

export async function readListings(db: D1Database, account: string | null): Promise<readonly ListingRow[]> {
  const some = account === null ? "" : " WHERE account IN ('', ?1)";
  const statement = db.prepare(`SELECT ${LISTING} FROM mcp_listings${some}`);
  const { results } = await (account === null ? statement : statement.bind(account)).all<StoredListing>();
  return results.map(listingOf);
}

export async function writeListing(db: D1Database, row: ListingRow): Promise<void> {
  const { server, account, settings, listing, problem, triedAt } = row;
  await db
    .prepare(
      `INSERT INTO mcp_listings (server, account, settings, body, problem, tried_at) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (server, account) DO UPDATE SET settings = excluded.settings, body = excluded.body,
         problem = excluded.problem, tried_at = excluded.tried_at`,
    )
    .bind(server, account, settings, listing === null ? null : JSON.stringify(listing), problem, triedAt)
    .run();
}

/** The next run asks the server anew. */
export async function forgetListings(db: D1Database, server: string): Promise<void> {
  await db.prepare("DELETE FROM mcp_listings WHERE server = ?").bind(server).run();
}

interface AccountRow {
  readonly server: string;
  readonly account: string;
  readonly sealed: string;
  /** milliseconds since the epoch */
  readonly at: number;
}

export async function readAccount(db: D1Database, server: string, account: string): Promise<string | null> {
  return db
    .prepare("SELECT sealed FROM mcp_accounts WHERE server = ? AND account = ?")
    .bind(server, account)
    .first<string>("sealed");
}

/**
 * Condition for replacing a row: `any`, even if it is missing; `kept`, unless it was deleted; or only the exact row
 * that was read.
 */
export type Replaced = "any" | "kept" | { readonly sealed: string };

/** Stores an account, replacing the stored one; false, and nothing is written, if that one may not be replaced. */
export async function writeAccount(
  db: D1Database,
  { server, account, sealed, at }: AccountRow,
  over: Replaced,
): Promise<boolean> {
  const written =
    over === "any"
      ? db
          .prepare(
            `INSERT INTO mcp_accounts (server, account, sealed, updated_at) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (server, account) DO UPDATE SET sealed = excluded.sealed, updated_at = excluded.updated_at`,
          )
          .bind(server, account, sealed, at)
      : db
          .prepare(
            `UPDATE mcp_accounts SET sealed = ?3, updated_at = ?4
             WHERE server = ?1 AND account = ?2 AND (?5 IS NULL OR sealed = ?5)`,
          )
          .bind(server, account, sealed, at, over === "kept" ? null : over.sealed);
  const { meta } = await written.run();
  return meta.changes > 0;
}

export async function deleteAccount(db: D1Database, server: string, account: string): Promise<void> {
  await db.batch([
    db.prepare("DELETE FROM mcp_accounts WHERE server = ? AND account = ?").bind(server, account),
    db.prepare("DELETE FROM mcp_listings WHERE server = ? AND account = ?").bind(server, account),
  ]);
}
