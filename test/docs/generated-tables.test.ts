import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { RUN_FIELD_DESCRIPTIONS } from "../../src/cairn/protocol/run-spec/field-docs.ts";
import { RUN_REQUEST } from "../../src/cairn/protocol/run-spec/shape.ts";
import { ROOT } from "../house/source-tree.ts";
import { DOCS, readText } from "./doc-pages.ts";
import {
  declaredFields,
  describedFields,
  documentedRoutes,
  expectedEntries,
  markedTables,
  withTables,
} from "./generated-tables.ts";

/** The tables of routes and fields are those of the code. `npm run docs` writes them. */

const routes = await documentedRoutes();

if (process.env["DOCS_TABLES"] === "write")
  for (const page of DOCS) {
    const before = readText(page);
    const after = withTables(before, routes);
    if (after !== before) writeFileSync(path.join(ROOT, page), after);
  }

const tables = DOCS.flatMap((page) => markedTables(readText(page)).map((table) => ({ page, ...table })));

test.each(tables)("the table of $kind $names in $page has what the code declares", (table) => {
  const { kind, names, entries } = table;
  expect(entries).toEqual(expectedEntries(kind, names, routes));
  expect(entries.length).toBeGreaterThan(0);
});

test("every documented route is in exactly one table", () => {
  const ofRoutes = tables.filter(({ kind }) => kind === "routes");
  const listed = ofRoutes.flatMap(({ entries }) => entries.map(([route]) => route));
  expect(listed.toSorted()).toEqual(routes.map(({ cells: [route] }) => route).toSorted());
});

test("the members of a declaration have a meaning, a link and a default, and none lacks a comment", () => {
  const opening = "interface One {";
  const source = `${opening}\n  /** Words @see tools.md#tier @default none */\n  readonly a?: string;\n  /** Count */\n  b: 1_000,\n}`;
  expect(declaredFields(source, opening)).toEqual({
    a: { meaning: "Words", see: "tools.md#tier", unset: "none" },
    b: { meaning: "Count", unset: "1000" },
  });
  expect(() => declaredFields(`${opening}\n  readonly a: string;\n}`, opening)).toThrow("a has no comment");
  expect(() => declaredFields("", opening)).toThrow("no interface One {");
});

test("the OpenAPI document describes every field of a run", async () => {
  const described = await describedFields("/api/runs", "post");
  expect(Object.keys(described).toSorted()).toEqual(Object.keys(RUN_REQUEST.shape).toSorted());
  expect(described).toEqual({ ...RUN_FIELD_DESCRIPTIONS });
});
