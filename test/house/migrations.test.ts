import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { migrationFaults } from "./migration-form.ts";

/** The D1 migrations: each file in the form that D1's server needs, and each can run again after it failed in the middle. */

const FOLDER = path.resolve(import.meta.dirname, "../../migrations");
const FILES = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".sql"))
  .toSorted();
const read = (name: string): string => readFileSync(path.join(FOLDER, name), "utf8");

/** Every object of a database by name, with its statement. */
function schemaOf(database: DatabaseSync): unknown[] {
  return database.prepare("SELECT type, name, sql FROM sqlite_master ORDER BY type, name").all();
}

describe("the migrations", () => {
  test("are numbered without a gap", () => {
    expect(FILES.map((name) => name.slice(0, 5))).toEqual(
      FILES.map((_, at) => `${String(at + 1).padStart(4, "0")}_`),
    );
  });

  test.each(FILES)("%s has the form that D1's server needs", (name) => {
    expect([...migrationFaults(read(name))]).toEqual([]);
  });

  test.each(FILES)("%s can be repeated after a failure in its middle", (name) => {
    const earlier = FILES.slice(0, FILES.indexOf(name)).map(read);
    expect(repeatFault(earlier, read(name))).toBeNull();
  });

  test("a later file may add a column, and one that cannot be repeated is found", () => {
    const earlier = FILES.map(read);
    expect(repeatFault(earlier, "ALTER TABLE sessions ADD COLUMN note TEXT;\n")).toBeNull();
    expect(
      repeatFault(earlier, "ALTER TABLE sessions ADD COLUMN note TEXT;\nDROP TABLE IF EXISTS none;\n"),
    ).toMatch(/duplicate column/);
  });
});

/** Runs a migration to each of its inner ends, and then whole: the error or the difference that this makes, or null. */
function repeatFault(earlier: readonly string[], sql: string): string | null {
  const lines = sql.split("\n");
  const ends = lines.flatMap((line, at) =>
    line.trimEnd().endsWith(";") && !line.startsWith("--") ? [at + 1] : [],
  );
  const [whole, again] = [databaseWith(earlier), databaseWith(earlier)];
  if (ends.length === 0) return "It has no statement.";
  whole.exec(sql);
  try {
    for (const end of ends.slice(0, -1)) {
      again.exec(lines.slice(0, end).join("\n"));
      again.exec(sql);
    }
    if (ends.length === 1) again.exec(sql);
  } catch (error) {
    return String(error);
  }
  return JSON.stringify(schemaOf(again)) === JSON.stringify(schemaOf(whole)) ? null : "The schema differs.";
}

function databaseWith(migrations: readonly string[]): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  for (const sql of migrations) database.exec(sql);
  return database;
}

describe("the check of the form", () => {
  const bad: readonly (readonly [what: string, sql: string, fault: string])[] = [
    [
      "a CREATE TABLE that fails the second time",
      "CREATE TABLE a(b TEXT);",
      "line 1: a CREATE without IF NOT EXISTS",
    ],
    ["such an index", "CREATE UNIQUE INDEX i ON a(b);", "line 1: a CREATE without IF NOT EXISTS"],
    [
      "such a virtual table",
      "CREATE VIRTUAL TABLE f USING fts5(b);",
      "line 1: a CREATE without IF NOT EXISTS",
    ],
    [
      "such a trigger",
      "CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM a; END;",
      "line 1: a CREATE without IF NOT EXISTS",
    ],
    ["a CREATE that is not known", "CREATE SEQUENCE s;", "line 1: a CREATE without IF NOT EXISTS"],
    [
      "a trigger of several lines",
      "CREATE TRIGGER IF NOT EXISTS t AFTER INSERT ON a BEGIN\n  DELETE FROM a; END;",
      "line 1: a trigger of several lines",
    ],
    [
      "a keyword in lower case",
      "CREATE TABLE IF NOT EXISTS a(b TEXT not NULL);",
      "line 1: not in lower case",
    ],
    ["a keyword in mixed case", "Create TABLE IF NOT EXISTS a(b TEXT);", "line 1: Create in lower case"],
    [
      "a trigger with its time in lower case",
      "CREATE TRIGGER IF NOT EXISTS t after INSERT ON a BEGIN DELETE FROM a; END;",
      "line 1: after in lower case",
    ],
    ["a comment with a semicolon", "-- one; two", "line 1: a semicolon, quote or backtick in a comment"],
    ["a comment with an apostrophe", "-- it's", "line 1: a semicolon, quote or backtick in a comment"],
    ["a comment with a quote", '-- the "name"', "line 1: a semicolon, quote or backtick in a comment"],
    ["a comment with a backtick", "-- the `name`", "line 1: a semicolon, quote or backtick in a comment"],
    [
      "a comment after code",
      "CREATE TABLE IF NOT EXISTS a(b TEXT); -- the name",
      "line 1: a comment that is not a line of its own",
    ],
    ["a block comment", "/* one */", "line 1: a comment that is not a line of its own"],
    [
      "a comment inside a statement",
      "CREATE TABLE IF NOT EXISTS a(\n  -- the name\n  b TEXT);",
      "line 2: a comment inside a statement",
    ],
    [
      "a semicolon in a text",
      "CREATE TABLE IF NOT EXISTS a(b TEXT DEFAULT 'x;y');",
      "line 1: a semicolon in a text",
    ],
    [
      "two statements on a line",
      "DROP TABLE IF EXISTS a; DROP TABLE IF EXISTS b;",
      "line 1: two statements on a line",
    ],
    [
      "a statement without an end",
      "CREATE TABLE IF NOT EXISTS a(b TEXT)",
      "the last statement does not end with a semicolon",
    ],
    [
      "a missing semicolon",
      "CREATE TABLE IF NOT EXISTS a(b TEXT)\nCREATE TABLE IF NOT EXISTS c(d TEXT);",
      "line 2: a CREATE inside another statement",
    ],
    [
      "an ALTER next to another statement",
      "ALTER TABLE a ADD COLUMN b TEXT;\nDROP TABLE IF EXISTS c;",
      "line 1: an ALTER that is not the only statement of its file",
    ],
    ["a transaction", "BEGIN;\nDROP TABLE IF EXISTS a;", "line 1: BEGIN or END outside a trigger"],
  ];

  test.each(bad)("finds %s", (_, sql, fault) => {
    expect([...migrationFaults(sql)]).toContain(fault);
  });

  test("accepts texts, several lines and triggers that are sound", () => {
    const sound = `-- The names, and their order.
CREATE TABLE IF NOT EXISTS a(b TEXT DEFAULT 'it''s "so" -- not a comment',
  key TEXT CHECK(key IN('select','end'))) STRICT, WITHOUT ROWID;

CREATE TRIGGER IF NOT EXISTS t AFTER UPDATE OF b ON a WHEN old.b<>new.b BEGIN UPDATE a SET b=CASE WHEN new.b='' THEN 'x' ELSE new.b END; DELETE FROM a WHERE rowid=1; END;
`;
    expect([...migrationFaults(sound)]).toEqual([]);
    expect([...migrationFaults("-- A note.\nALTER TABLE a ADD COLUMN c INTEGER;\n")]).toEqual([]);
  });
});
