/** What a session keeps on its disk. Each statement of the store reads or writes by primary key; there is no secondary index. */
const TABLES = `
  CREATE TABLE IF NOT EXISTS entries (
    seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, run TEXT, step TEXT, kind TEXT NOT NULL, v INTEGER NOT NULL, body TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS cursor (
    one INTEGER PRIMARY KEY, schema INTEGER NOT NULL, state TEXT NOT NULL, claim_no INTEGER NOT NULL, claim_effect TEXT,
    claimed_at INTEGER, armed_at INTEGER, alarm_floor INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS chunks (
    step TEXT NOT NULL, attempt INTEGER NOT NULL, idx INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (step, attempt, idx)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS seen (
    source TEXT NOT NULL, id TEXT NOT NULL, answer TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (source, id)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS blobs (
    ref TEXT NOT NULL, part INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (ref, part)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS outbox (
    id TEXT NOT NULL, target TEXT NOT NULL, type TEXT NOT NULL, body TEXT NOT NULL, at INTEGER NOT NULL, due INTEGER NOT NULL,
    tries INTEGER NOT NULL, status INTEGER, PRIMARY KEY (id, target)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS deliveries (
    n INTEGER PRIMARY KEY, id TEXT NOT NULL, target TEXT NOT NULL, type TEXT NOT NULL, at INTEGER NOT NULL, tries INTEGER NOT NULL,
    status INTEGER, outcome TEXT NOT NULL, ended_at INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS schedules (
    id TEXT PRIMARY KEY, next_at INTEGER, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS meta (
    one INTEGER PRIMARY KEY, owner TEXT NOT NULL, title TEXT NOT NULL, title_source TEXT NOT NULL, model TEXT,
    created_at INTEGER NOT NULL, version INTEGER NOT NULL, more TEXT NOT NULL DEFAULT '{}') STRICT;
  CREATE TABLE IF NOT EXISTS indexed (
    one INTEGER PRIMARY KEY, token TEXT NOT NULL, seq INTEGER NOT NULL, tries INTEGER NOT NULL, retry_at INTEGER NOT NULL) STRICT;
`;

/** Their names. */
export const TABLE_NAMES: readonly string[] = Array.from(
  TABLES.matchAll(/CREATE TABLE IF NOT EXISTS (\w+)/g),
  ([, name = ""]) => name,
);

/** Makes those that are not there yet, and brings the others up to what is written here. */
export function makeTables(exec: (query: string) => unknown): void {
  for (const table of TABLES.split(";")) if (table.trim() !== "") exec(table);
  try {
    exec("SELECT more FROM meta LIMIT 0");
  } catch {
    // A session of before there was more to know of it.
    exec("ALTER TABLE meta ADD COLUMN more TEXT NOT NULL DEFAULT '{}'");
  }
}
