import { readFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import {
  areDue,
  readVersions,
  runMigrations,
  type TablePart,
} from "../../../src/cairn/session/storage/migrations.ts";
import { SESSION_TABLES, tablesWith } from "../../../src/cairn/session/storage/tables.ts";

/** The runner of the session's migrations, and the tables of a session from before they had a version. */

const BEFORE = readFileSync(path.join(import.meta.dirname, "../../fixtures/tables/session-0.sql"), "utf8");

class Database {
  readonly sqlite = new DatabaseSync(":memory:");
  statements = 0;

  readonly exec = (query: string): Record<string, unknown>[] => {
    this.statements++;
    if (query.startsWith("SELECT")) return this.sqlite.prepare(query).all();
    this.sqlite.exec(query);
    return [];
  };

  /** As a session opens it. */
  open(parts: readonly TablePart[]): void {
    const versions = readVersions(this.exec) ?? new Map<string, number>();
    if (areDue(parts, versions)) runMigrations(this.exec, parts, versions);
  }

  versions(): Record<string, number> {
    return Object.fromEntries(readVersions(this.exec) ?? []);
  }

  /** Each table with its columns, without the table of versions. */
  tables(): Record<string, unknown> {
    const names = this.sqlite
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
      .all();
    return Object.fromEntries(
      names
        .map(({ name }) => String(name))
        .filter((name) => name !== "table_versions")
        .map((name) => [name, this.sqlite.prepare(`PRAGMA table_info(${name})`).all()]),
    );
  }
}

const notes: TablePart = {
  name: "notes",
  migrations: [{ version: 1, sql: "CREATE TABLE IF NOT EXISTS notes (n INTEGER PRIMARY KEY) STRICT" }],
};
const longerNotes: TablePart = {
  name: "notes",
  migrations: [
    ...notes.migrations,
    { version: 2, sql: "ALTER TABLE notes ADD COLUMN text TEXT; UPDATE notes SET text = 'old'" },
  ],
};

describe("the tables of a session", () => {
  test("from before versions are those of version 1, and open with their rows", () => {
    const old = new Database();
    old.sqlite.exec(BEFORE);
    old.sqlite.exec("INSERT INTO seen VALUES ('http', 'm1', '{}', 5)");
    const before = old.tables();
    old.open(SESSION_TABLES);
    expect(old.versions()).toEqual(
      Object.fromEntries(SESSION_TABLES.map(({ name, migrations }) => [name, migrations.length])),
    );
    expect(old.sqlite.prepare("SELECT id FROM seen").all()).toEqual([{ id: "m1" }]);
    // A later migration adds to this; version 1 alone is the frozen schema.
    const first = new Database();
    first.open(SESSION_TABLES.map(({ name, migrations }) => ({ name, migrations: migrations.slice(0, 1) })));
    // The cards of approvals belong to the plugin of channels since.
    const { cards, ...own } = before;
    expect(cards).toBeDefined();
    expect(first.tables()).toEqual(own);
    const fresh = new Database();
    fresh.open(SESSION_TABLES);
    expect(old.tables()).toEqual({ ...fresh.tables(), cards });
  });

  test("have those of plugins beside them, under names of their own", () => {
    const database = new Database();
    database.open(tablesWith([{ name: "log", tables: notes.migrations }, { name: "plain" }]));
    expect(database.versions()).toMatchObject({ log: 1, "plugin-log": 1 });
    expect(database.versions()).not.toHaveProperty("plugin-plain");
    expect(Object.keys(database.tables())).toEqual(expect.arrayContaining(["entries", "notes"]));
  });

  test("cost one statement when nothing is due", () => {
    const database = new Database();
    database.open(SESSION_TABLES);
    database.statements = 0;
    database.open(SESSION_TABLES);
    expect(database.statements).toBe(1);
  });
});

describe("a part with tables", () => {
  test("gets its next column once, with the rows that were there", () => {
    const database = new Database();
    database.open([notes]);
    database.exec("INSERT INTO notes (n) VALUES (1)");
    database.open([longerNotes]);
    database.exec("INSERT INTO notes (n, text) VALUES (2, 'new')");
    database.open([longerNotes]);
    expect(database.sqlite.prepare("SELECT n, text FROM notes").all()).toEqual([
      { n: 1, text: "old" },
      { n: 2, text: "new" },
    ]);
    expect(database.versions()).toEqual({ notes: 2 });
  });

  test("can come to a session that has others, and stays when an older version of the code opens it", () => {
    const database = new Database();
    database.open(SESSION_TABLES);
    database.open([...SESSION_TABLES, longerNotes]);
    database.open([...SESSION_TABLES, notes]);
    expect(database.versions()).toMatchObject({ notes: 2, log: 1 });
  });

  test("that is refused leaves the database as it was", () => {
    const refused: readonly (readonly [readonly TablePart[], string])[] = [
      [[notes, notes], "Two parts of the session are named notes."],
      [[{ ...notes, name: "Notes'" }], `The part "Notes'" must be named as [a-z][a-z0-9-]*.`],
      [[notes, { ...notes, name: "other" }], "notes and other both create the table notes."],
      [
        [{ name: "notes", migrations: [{ version: 2, sql: "SELECT 1" }] }],
        "Migration 1 of notes has the version 2.",
      ],
    ];
    for (const [parts, message] of refused) {
      const database = new Database();
      expect(() => database.open(parts)).toThrow(message);
      expect(database.tables()).toEqual({});
    }
  });

  test("fails with the error of the database, not as one without tables", () => {
    const database = new Database();
    database.exec("CREATE TABLE table_versions (other TEXT)");
    expect(() => database.open([notes])).toThrow("no such column");
  });
});
