import type { FakeD1 } from "../../sim/site/d1.ts";

/** The rows of the site that are there: without what was deleted, and without what hung on it. */

export type Row = Readonly<Record<string, unknown>>;

const NAMES = [
  "pages",
  "sections",
  "contents",
  "entries",
  "nav_items",
  "published_docs",
  "redirects",
  "settings",
  "images",
] as const;
type Name = (typeof NAMES)[number];
export type Tables = Readonly<Record<Name, readonly Row[]>>;

/** in which order the rows of a table are read */
const KEYS: Partial<Record<Name, string>> = {
  contents: "owner_type, owner_id, locale",
  published_docs: "owner_type, owner_id",
  redirects: "from_path",
  settings: "key",
};

export function readTables(db: FakeD1): Tables {
  return living(read((table) => db.rows(`SELECT * FROM ${table} ORDER BY ${KEYS[table] ?? "id"}`)));
}

/** As an open change set would make them: its rows in the place of those of the site. */
export function withSet(db: FakeD1, site: Tables, set: string): Tables {
  const puts = db.rows("SELECT tbl, pk, rows FROM change_set_rows WHERE set_id=?1", set);
  return living(
    read((table) => {
      const own = puts.filter((one) => one["tbl"] === table);
      const replaced = new Set(own.map(({ pk }) => pk));
      const rows = own.flatMap((one) => (JSON.parse(String(one["rows"])) as Row[]).map(asStored));
      return [...site[table].filter((row) => !replaced.has(keyOf(table, row))), ...rows];
    }),
  );
}

function read(rowsOf: (table: Name) => readonly Row[]): Tables {
  return Object.fromEntries(NAMES.map((table) => [table, rowsOf(table)])) as unknown as Tables;
}

function living(tables: Tables): Tables {
  const there = (row: Row): boolean => typeof row["deleted_at"] !== "number";
  const pages = tables.pages.filter(there);
  const ids = new Set(pages.map(({ id }) => id));
  const sections = tables.sections.filter((one) => there(one) && ids.has(one["page_id"]));
  return {
    ...tables,
    pages,
    sections,
    entries: tables.entries.filter(there),
    nav_items: tables.nav_items.filter(there),
    images: tables.images.filter(there),
  };
}

function keyOf(table: Name, row: Row): string {
  if (table === "contents" || table === "published_docs")
    return `${String(row["owner_type"])}:${String(row["owner_id"])}`;
  return String(row[table === "settings" ? "key" : table === "redirects" ? "from_path" : "id"]);
}

/** A row of a set holds JSON as it is; a table holds it as text, and a switch as a number. */
const asStored = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column,
      typeof value === "object" && value !== null
        ? JSON.stringify(value)
        : typeof value === "boolean"
          ? Number(value)
          : value,
    ]),
  );
