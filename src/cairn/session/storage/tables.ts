import type { Migration, TablePart } from "./migrations.ts";

/**
 * The tables of every session. Each statement reads or writes by primary key, and there is no secondary index.
 * Add a column as a further migration of its part; a database has run the earlier ones already.
 */
export const SESSION_TABLES: readonly TablePart[] = [
  {
    // The log, its snapshot, drafts, IDs already used, texts outside the log, and facts about the session.
    name: "log",
    migrations: [
      {
        version: 1,
        sql: `
        CREATE TABLE IF NOT EXISTS entries (
          seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, run TEXT, step TEXT, kind TEXT NOT NULL, v INTEGER NOT NULL, body TEXT NOT NULL) STRICT;
        CREATE TABLE IF NOT EXISTS cursor (
          one INTEGER PRIMARY KEY, head INTEGER NOT NULL, claim_no INTEGER NOT NULL, claim_effect TEXT, claimed_at INTEGER,
          armed_at INTEGER, alarm_floor INTEGER NOT NULL) STRICT;
        CREATE TABLE IF NOT EXISTS snapshot (
          one INTEGER PRIMARY KEY, schema INTEGER NOT NULL, state TEXT NOT NULL) STRICT;
        CREATE TABLE IF NOT EXISTS chunks (
          step TEXT NOT NULL, attempt INTEGER NOT NULL, idx INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (step, attempt, idx)) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS seen (
          source TEXT NOT NULL, id TEXT NOT NULL, answer TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (source, id)) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS blobs (
          ref TEXT NOT NULL, part INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (ref, part)) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS meta (
          one INTEGER PRIMARY KEY, owner TEXT NOT NULL, title TEXT NOT NULL, title_source TEXT NOT NULL, model TEXT,
          created_at INTEGER NOT NULL, version INTEGER NOT NULL, more TEXT NOT NULL DEFAULT '{}') STRICT;
        CREATE TABLE IF NOT EXISTS indexed (
          one INTEGER PRIMARY KEY, token TEXT NOT NULL, seq INTEGER NOT NULL, tries INTEGER NOT NULL, retry_at INTEGER NOT NULL) STRICT;
        `,
      },
    ],
  },
  {
    // Pages that were read, the quotes taken from them, and the addresses that calls named.
    name: "sources",
    migrations: [
      {
        version: 1,
        sql: `
        CREATE TABLE IF NOT EXISTS pages (
          n INTEGER PRIMARY KEY, digest TEXT NOT NULL, url TEXT NOT NULL, title TEXT NOT NULL, date TEXT, chars INTEGER NOT NULL,
          fetched_at INTEGER NOT NULL) STRICT;
        CREATE TABLE IF NOT EXISTS evidence (
          n INTEGER PRIMARY KEY, run TEXT NOT NULL, page TEXT NOT NULL, first INTEGER NOT NULL, behind INTEGER NOT NULL,
          quote TEXT NOT NULL) STRICT;
        CREATE TABLE IF NOT EXISTS urls (
          call TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
        `,
      },
    ],
  },
  {
    // Deliveries to webhooks and to people: due, ended, and waiting for their hour.
    name: "outbox",
    migrations: [
      {
        version: 1,
        sql: `
        CREATE TABLE IF NOT EXISTS outbox (
          id TEXT NOT NULL, target TEXT NOT NULL, type TEXT NOT NULL, body TEXT NOT NULL, at INTEGER NOT NULL, due INTEGER NOT NULL,
          tries INTEGER NOT NULL, status INTEGER, PRIMARY KEY (id, target)) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS deliveries (
          n INTEGER PRIMARY KEY, id TEXT NOT NULL, target TEXT NOT NULL, type TEXT NOT NULL, at INTEGER NOT NULL, tries INTEGER NOT NULL,
          status INTEGER, outcome TEXT NOT NULL, ended_at INTEGER NOT NULL) STRICT;
        CREATE TABLE IF NOT EXISTS held (
          id TEXT NOT NULL, target TEXT NOT NULL, type TEXT NOT NULL, body TEXT NOT NULL, at INTEGER NOT NULL, due INTEGER,
          tries INTEGER NOT NULL, status INTEGER, PRIMARY KEY (id, target)) STRICT, WITHOUT ROWID;
        `,
      },
    ],
  },
  {
    // Sessions that this session started.
    name: "children",
    migrations: [
      {
        version: 1,
        sql: `
        CREATE TABLE IF NOT EXISTS family (
          name TEXT PRIMARY KEY, run TEXT NOT NULL, call TEXT NOT NULL, state TEXT NOT NULL, due INTEGER, tries INTEGER NOT NULL,
          polls INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        `,
      },
    ],
  },
  {
    // Runs at a time.
    name: "schedules",
    migrations: [
      {
        version: 1,
        sql: `
        CREATE TABLE IF NOT EXISTS schedules (
          id TEXT PRIMARY KEY, next_at INTEGER, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
        `,
      },
    ],
  },
  {
    // Tools that plugins listed for the run.
    name: "listed-tools",
    migrations: [
      {
        version: 1,
        // Not used any more.
        sql: `
        CREATE TABLE IF NOT EXISTS mcp_tools (
          server TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
        `,
      },
      {
        version: 2,
        sql: `
        CREATE TABLE IF NOT EXISTS listed_tools (
          lister TEXT NOT NULL, name TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (lister, name)) STRICT, WITHOUT ROWID;
        `,
      },
    ],
  },
];

/** With the tables of plugins, each under a name that no part of the kernel has. */
export const tablesWith = (plugins: readonly Tabled[]): readonly TablePart[] => [
  ...SESSION_TABLES,
  ...pluginTables(plugins),
];

/** Those of plugins alone. */
export const pluginTables = (plugins: readonly Tabled[]): readonly TablePart[] =>
  plugins.flatMap(({ name, tables }) =>
    tables === undefined ? [] : [{ name: `${OF_PLUGIN}${name}`, migrations: tables }],
  );

/** The plugin of one of `pluginTables`. */
export const pluginOf = ({ name }: TablePart): string => name.slice(OF_PLUGIN.length);

const OF_PLUGIN = "plugin-";

interface Tabled {
  readonly name: string;
  readonly tables?: readonly Migration[];
}
