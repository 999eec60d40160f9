import { DatabaseSync } from "node:sqlite";
import * as z from "zod";
import { parseEntries, type Log, type Problem } from "./log.ts";

/** The first bytes of every SQLite file (https://www.sqlite.org/fileformat.html). */
const MAGIC = "SQLite format 3\u0000";

const headSchema = z.object({ head: z.int() });
const snapshotSchema = z.object({ schema: z.int(), state: z.string() });
const entrySchema = z.looseObject({ seq: z.int(), body: z.string() });

const problem = (text: string): Problem => ({ kind: "problem", problem: text });

export function isSqlite(bytes: Uint8Array): boolean {
  return new TextDecoder("latin1").decode(bytes.subarray(0, MAGIC.length)) === MAGIC;
}

/**
 * The entries and the stored state of a session's SQLite file (session/storage/store.ts). Opened read-only and read in one
 * transaction, so that a server may go on writing to it. A file that is none is a problem, not an exception.
 */
export function readSessionFile(path: string): Log | Problem {
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(path, { readOnly: true });
    database.exec("BEGIN");
    const tables = database
      .prepare(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('entries', 'cursor', 'snapshot')",
      )
      .all();
    if (tables.length < 3)
      return problem(
        "This database is not a session: it has no tables `entries`, `cursor` and `snapshot`. If the session is running, keep the file that ends in -wal beside this one: it holds the newest entries.",
      );
    const stored = database.prepare("SELECT * FROM entries ORDER BY seq").all();
    const [cursor] = database.prepare("SELECT head FROM cursor WHERE one = 1").all();
    const lastSeq = cursor === undefined ? null : headSchema.parse(cursor).head;
    const [snapshot] = database.prepare("SELECT schema, state FROM snapshot WHERE one = 1").all();
    const entries = stored.map((entry) => {
      const { body, ...rest } = entrySchema.parse(entry);
      return { ...rest, body: parseJson(body, `entry ${rest.seq}`) };
    });
    if (snapshot === undefined) return parseEntries(entries, null, lastSeq);
    const { schema, state } = snapshotSchema.parse(snapshot);
    const snapshotState = { schema, state: z.json().parse(parseJson(state, "the state")), digest: null };
    return parseEntries(entries, snapshotState, lastSeq);
  } catch (error) {
    return problem(`The database cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    database?.close();
  }
}

function parseJson(text: string, what: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    throw new Error(`${what} is not JSON`);
  }
}
