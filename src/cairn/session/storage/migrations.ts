/**
 * The tables in a session's SQLite, as numbered migrations for each part. Migrations only add: an older version of the
 * code works on the tables of a newer one. A database never runs a migration twice, so one that was released stays as it is.
 */

/** One change of a part's tables. */
export interface Migration {
  /** 1, 2, 3, … within the part */
  readonly version: number;
  /** one or several statements; the first migration creates its tables with IF NOT EXISTS */
  readonly sql: string;
}

/** A part of the session with tables: a store of the kernel, or a plugin. */
export interface TablePart {
  /** `[a-z][a-z0-9-]*`, once in a session */
  readonly name: string;
  readonly migrations: readonly Migration[];
}

/** Runs statements without values. */
type Exec = (query: string) => readonly Record<string, unknown>[];

/** The version of each part in a database. */
export type Versions = ReadonlyMap<string, number>;

const NO_VERSIONS: Versions = new Map();
const NAME = /^[a-z][a-z0-9-]*$/;
const CREATED = /\bCREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(\w+)/gi;

/**
 * The versions in a database, read with one statement. Null for a database without tables; empty for one whose tables
 * were created before they had a version.
 */
export function readVersions(exec: Exec): Versions | null {
  try {
    return new Map(
      exec("SELECT part, version FROM table_versions").map(({ part, version }) => [
        String(part),
        Number(version),
      ]),
    );
  } catch (error) {
    const tables = exec(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('cursor', 'table_versions')",
    );
    if (tables.length === 0) return null;
    if (tables.every(({ name }) => name === "cursor")) return NO_VERSIONS;
    throw error;
  }
}

/** True where a part has a migration that the database has not run. */
export function areDue(parts: readonly TablePart[], versions: Versions): boolean {
  return parts.some(({ name, migrations }) => (migrations.at(-1)?.version ?? 0) > (versions.get(name) ?? 0));
}

/**
 * Runs the migrations that are due and stores the versions. The caller opens the transaction. Throws for parts that
 * cannot be run, before anything is written: a wrong or repeated name, a gap in the numbers, a table of two parts.
 */
export function runMigrations(exec: Exec, parts: readonly TablePart[], versions: Versions): void {
  checkParts(parts);
  exec(
    "CREATE TABLE IF NOT EXISTS table_versions (part TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT, WITHOUT ROWID",
  );
  for (const { name, migrations } of parts) {
    const due = migrations.filter(({ version }) => version > (versions.get(name) ?? 0));
    for (const { sql } of due) exec(sql);
    const last = due.at(-1);
    if (last !== undefined)
      exec(`INSERT OR REPLACE INTO table_versions (part, version) VALUES ('${name}', ${last.version})`);
  }
}

/** Throws a sentence for parts that cannot be run, whatever is in the database. */
export function checkParts(parts: readonly TablePart[]): void {
  const names = new Set<string>();
  const owners = new Map<string, string>();
  for (const { name, migrations } of parts) {
    if (!NAME.test(name))
      throw new Error(`The part ${JSON.stringify(name)} must be named as [a-z][a-z0-9-]*.`);
    if (names.has(name)) throw new Error(`Two parts of the session are named ${name}.`);
    names.add(name);
    for (const [at, { version, sql }] of migrations.entries()) {
      if (version !== at + 1) throw new Error(`Migration ${at + 1} of ${name} has the version ${version}.`);
      for (const [, table = ""] of sql.matchAll(CREATED)) {
        const owner = owners.get(table) ?? name;
        if (owner !== name) throw new Error(`${owner} and ${name} both create the table ${table}.`);
        owners.set(table, name);
      }
    }
  }
}
