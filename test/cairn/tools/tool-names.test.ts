import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createTools } from "../../fixtures/deployment/plugins.ts";
import { WHOLE_WEB } from "../../fixtures/search/whole-web.ts";
import { TOOL_NAMES } from "../../plugins/rehearsal/site.ts";
import { readTexts, ROOT } from "../../house/source-tree.ts";

/** A hint that names a tool which is not there sends the model, or a person, into a wall. */

// The bindings are never touched: only the declarations are read.
const registry = createTools(
  { ...WHOLE_WEB, DB: {} as unknown as D1Database, MEDIA: {} as unknown as R2Bucket },
  "s",
  () => 0,
  { observations: { read: () => null } },
);
const offered = new Set(registry.cards().map((card) => card.name));

/** How tools are called: a thing and what is done to it. Columns and codes of errors are not called so. */
const TOOL_LIKE = new RegExp(
  `\\b(?:${["site", "page", "section", "entry", "image", "nav", "schema", "collection", "post", "media", "settings", "web", "scholar", "http"].join("|")})_` +
    `(?:${["overview", "list", "get", "create", "update", "delete", "add", "move", "edit", "attach", "search", "check", "upload", "generate", "remove", "request", "restore", "replace", "import", "save"].join("|")})\\b`,
  "g",
);

/** Not tools: the type of a field. */
const OTHER = ["image_list"];

const notThere = (text: string): string[] =>
  [...new Set(text.match(TOOL_LIKE) ?? [])].filter((name) => !offered.has(name) && !OTHER.includes(name));

const texts = (folder: string, ending: string): [string, string][] =>
  readdirSync(path.join(ROOT, folder))
    .filter((name) => name.endsWith(ending))
    .map((name) => [path.join(folder, name), readFileSync(path.join(ROOT, folder, name), "utf8")]);

describe("what names a tool", () => {
  test("is found, and what is offered is passed over", () => {
    expect(notThere("Set it with entry_restore (image_attach), or page_get.")).toEqual(["entry_restore"]);
    expect([...offered].filter((name) => name.match(TOOL_LIKE) !== null).length).toBeGreaterThan(10);
  });

  test.each([
    ...readTexts("src").map((file): [string, string] => [file.path, file.text]),
    ...texts("prompts", ".xml"),
    ...texts("docs", ".md"),
    ...texts(".", "README.md"),
  ])("in %s names one that there is", (_file, text) => {
    expect(notThere(text)).toEqual([]);
  });
});

test("the fake site of the rehearsal model has only tools of the CMS", () => {
  const cms = registry.cards().filter(({ pack }) => pack === "cms" || pack === "images");
  const names = new Set(cms.map(({ name }) => name));
  expect(TOOL_NAMES.filter((name) => !names.has(name))).toEqual([]);
});

describe("a view of a run", () => {
  test("has no field that is always the same", () => {
    const view = readFileSync(path.join(ROOT, "src/cairn/protocol/views.ts"), "utf8");
    const constants = view.match(/^ {4}\w+: (?:null|\[\]|\{\}|true|false|""|\d+),$/gm) ?? [];
    expect(constants).toEqual([]);
  });
});
