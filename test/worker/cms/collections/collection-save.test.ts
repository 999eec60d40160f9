import { beforeEach, expect, test } from "vitest";
import { changesBegin } from "../../../../src/plugins/cms/changes/collect.ts";
import { changesPublish } from "../../../../src/plugins/cms/changes/publish.ts";
import { withinSet } from "../../../../src/plugins/cms/changes/within.ts";
import { collectionSave } from "../../../../src/plugins/cms/collections/collection-save.ts";
import { entryCreate } from "../../../../src/plugins/cms/entries/entry-create.ts";
import { entryUpdate } from "../../../../src/plugins/cms/entries/entry-update.ts";
import { undo } from "../../../../src/plugins/cms/history/undo.ts";
import { find } from "../../../../src/plugins/cms/tools/find.ts";
import { siteOverview } from "../../../../src/plugins/cms/tools/overview.ts";
import { pageCreate } from "../../../../src/plugins/cms/tools/page-create.ts";
import { schemaList } from "../../../../src/plugins/cms/tools/schema.ts";
import { setStatus } from "../../../../src/plugins/cms/tools/status.ts";
import { loadEntries } from "../../../../src/plugins/cms/storage/load.ts";
import { siteAt } from "./site-at.ts";
import {
  call,
  contextOf,
  entities,
  makeSite,
  previewOf,
  refusal,
  rowCounts,
  rows,
  services,
} from "../fixture.ts";
import { wholeSite } from "../history/whole-site.ts";

const RECIPES = {
  name: "Recipes",
  addFields: [
    { key: "body", type: "markdown", required: true },
    { key: "rating", label: "Rating", type: "number", max: 5 },
    { key: "course", type: "select", options: ["starter", "main"] },
  ],
};
const save = (args: object, context = contextOf()) => call(collectionSave, args, context);
const recipe = async (title: string, rating: number): Promise<void> =>
  void (await call(entryCreate, { collection: "recipes", title, content: { body: "Boil it.", rating } }));
const publish = (...refs: string[]) =>
  call(setStatus, { targets: refs.map((ref) => ({ type: "entry", ref })), to: "published" });
const contentOf = async (ref: string) => (await loadEntries(services, [ref]))[0]?.content;

beforeEach(makeSite);

test("a new collection is made unasked, and every tool and the public site know it", async () => {
  const preview = await previewOf(collectionSave, RECIPES);
  expect(preview.need.kind).toBe("none");
  const output = await save(RECIPES);
  expect(output).toMatchObject({
    ok: true,
    collection: { slug: "recipes", name: "Recipes", version: 1, url: "/site/recipes/" },
    changed: ["name", "fields.body", "fields.rating", "fields.course"],
    publicNow: true,
  });
  expect(entities(collectionSave, RECIPES, output)).toMatchObject([
    { op: "create", type: "collection", name: "Recipes", slug: "recipes" },
  ]);
  await recipe("Soup", 4);
  expect(await call(schemaList, { key: "recipes" })).toMatchObject({
    collections: [{ fields: [{ key: "body" }, { key: "rating" }, { key: "course", label: "Course" }] }],
  });
  expect(await call(siteOverview, {})).toMatchObject({
    collections: [{ slug: "blog" }, { slug: "recipes", entries: { draft: 1 } }],
  });
  expect(await call(find, { query: "Recipes" })).toMatchObject({ items: [{ type: "collection", score: 1 }] });
  expect(await siteAt("/site/recipes/")).toMatchObject({ status: 200 });
  await publish("recipes/soup");
  expect((await siteAt("/site/recipes/soup")).text).toMatch(/Rating.*4/s);
  expect((await siteAt("/site/sitemap.xml")).text).toContain("/site/recipes/soup");
  expect((await siteAt("/site/feed.xml")).text).toContain("/site/recipes/soup");
});

test.each([
  [{ name: "Blog" }, "slug_taken", "slug"],
  [{ name: "About" }, "slug_taken", "slug"],
  [{ name: "Media" }, "slug_reserved", "slug"],
  [{ name: "De" }, "slug_reserved", "slug"],
  [{}, "invalid_input", "name"],
  [{ name: "R", sort: "rating asc" }, "invalid_input", "sort"],
  [{ name: "Recipes", removeFields: ["body"] }, "invalid_input", "removeFields"],
  [{ collection: "blgo", name: "x" }, "not_found", "collection"],
  [{ collection: "blog", slug: "notes" }, "invalid_input", "slug"],
  [{ collection: "blog", removeFields: ["bodi"] }, "unknown_field", "removeFields[0]"],
  [{ collection: "blog", updateFields: [{ key: "bodi" }] }, "unknown_field", "updateFields[0].key"],
  [{ collection: "blog", addFields: [{ key: "body", type: "text" }] }, "already_exists", "addFields"],
  [{ name: "R", addFields: [{ key: "a" }] }, "invalid_content", "addFields[0].type"],
  [{ name: "R", addFields: [{ key: "a", type: "string" }] }, "invalid_content", "addFields[0].type"],
  [{ name: "R", addFields: [{ key: "a b", type: "text" }] }, "invalid_content", "addFields[0].key"],
  [{ name: "R", addFields: [{ key: "title", type: "text" }] }, "invalid_content", "addFields[0].key"],
  [{ name: "R", addFields: [{ key: "a", type: "select" }] }, "invalid_content", "addFields[0].options"],
  [{ name: "R", addFields: [{ key: "a", type: "list" }] }, "invalid_content", "addFields[0].item"],
  [
    { name: "R", addFields: [{ key: "a", type: "text", min: 3, max: 2 }] },
    "invalid_content",
    "addFields[0].min",
  ],
  [
    { name: "R", addFields: [{ key: "a", type: "number", default: "x" }] },
    "invalid_content",
    "addFields[0].default",
  ],
  [{ collection: "blog", name: "Notes", expectedVersion: 7 }, "version_conflict", "expectedVersion"],
])("%j is refused before anyone is asked, and writes nothing", async (wrong, code, at) => {
  await call(pageCreate, { name: "About" });
  const counts = await rowCounts();
  const failure = await refusal(previewOf(collectionSave, wrong));
  expect([failure.code, failure.at]).toEqual([code, at]);
  expect(await rowCounts()).toEqual(counts);
});

test("a bad type names the types that there are, and what was probably meant; an unknown collection the nearest", async () => {
  const failure = await refusal(save({ name: "R", addFields: [{ key: "a", type: "string" }] }));
  expect(failure.message).toBe("The field “a” cannot be of the type “string”.");
  expect(failure.hint).toContain("text, markdown, image");
  expect(failure.suggestions).toEqual([{ label: "text", value: "text" }]);
  const unknown = await refusal(save({ collection: "blogs", name: "x" }));
  expect(unknown.suggestions).toMatchObject([{ label: "Blog", value: "blog" }]);
});

test("removing a field that holds values asks, with their count and all of them, and undo puts each back", async () => {
  await save(RECIPES);
  for (const [i, title] of ["A", "B", "C", "D", "E", "F", "G"].entries()) await recipe(title, i % 5);
  await publish("recipes/a");
  const before = await wholeSite();
  const args = { collection: "recipes", removeFields: ["rating"] };
  const preview = await previewOf(collectionSave, args);
  expect(preview.need.kind).toBe("ask");
  expect(preview.warnings?.[0]).toBe(
    "“Rating” goes, with its value in 7 entries: “0” (A), “1” (B), “2” (C), “3” (D), “4” (E), “0” (F), “1” (G)",
  );
  const context = contextOf();
  expect(await save(args, context)).toMatchObject({ entriesChanged: 7, publicNow: true });
  expect(await contentOf("recipes/b")).toEqual({ en: { body: "Boil it." } });
  const frozen = await rows<{ doc: string }>("SELECT doc FROM published_docs WHERE owner_type='entry'");
  expect(frozen[0]?.doc).toContain('"rating":0');
  expect((await siteAt("/site/recipes/a")).text).not.toContain("Rating");
  const undoing = contextOf();
  await call(undo, { operation: context.key }, undoing);
  expect(await wholeSite()).toEqual(before);
  await call(undo, { operation: undoing.key });
  expect(await contentOf("recipes/b")).toEqual({ en: { body: "Boil it." } });
});

test("a field without values is removed unasked, and one that takes less asks only where it holds something", async () => {
  await save(RECIPES);
  const less = { collection: "recipes", updateFields: [{ key: "rating", max: 3 }] };
  expect((await previewOf(collectionSave, less)).need.kind).toBe("none");
  expect(
    (await previewOf(collectionSave, { collection: "recipes", removeFields: ["course"] })).need.kind,
  ).toBe("none");
  await recipe("Soup", 4);
  expect((await previewOf(collectionSave, less)).warnings).toEqual([
    "“Rating”: it takes at most 3. 1 entry has a value in it, which stays until it is written again: “4” (Soup)",
  ]);
  await save(less);
  expect(await contentOf("recipes/soup")).toMatchObject({ en: { rating: 4 } });
  const other = { collection: "recipes", updateFields: [{ key: "rating", type: "text" }] };
  expect((await previewOf(collectionSave, other)).warnings?.[0]).toMatch(
    /becomes text.*is taken away: “4” \(Soup\)/,
  );
  const required = { collection: "recipes", updateFields: [{ key: "course", required: true }] };
  expect((await previewOf(collectionSave, required)).warnings).toEqual([
    "“Course” becomes required: 1 entry has no value in it and cannot be published until it has one",
  ]);
});

test("another name asks once entries are published, and the URLs stay", async () => {
  await save(RECIPES);
  await recipe("Soup", 4);
  const args = { collection: "recipes", name: "Dishes" };
  expect((await previewOf(collectionSave, args)).need.kind).toBe("none");
  await publish("recipes/soup");
  const preview = await previewOf(collectionSave, args);
  expect([preview.need.kind, preview.warnings]).toEqual([
    "ask",
    ["/site/recipes/ is titled “Dishes” at once, and 1 entry is published"],
  ]);
  await save(args);
  expect((await siteAt("/site/recipes/")).text).toContain("Dishes");
});

test("null clears what a field may have, and another type begins anew", async () => {
  await save(RECIPES);
  const fields = async () =>
    (await call<{ collections: { fields: Record<string, unknown>[] }[] }>(schemaList, { key: "recipes" }))
      .collections[0]?.fields[1];
  await save({ collection: "recipes", updateFields: [{ key: "rating", max: null, help: "Of five" }] });
  expect(await fields()).toEqual({
    key: "rating",
    label: "Rating",
    type: "number",
    help: "Of five",
    example: 1,
  });
  await save({ collection: "recipes", updateFields: [{ key: "rating", type: "boolean" }] });
  expect(await fields()).toMatchObject({ type: "boolean", label: "Rating", help: "Of five" });
});

test("taking back a collection frees its slug, and is refused while something was written into it since", async () => {
  const making = contextOf();
  const before = await wholeSite();
  await save(RECIPES, making);
  const writing = contextOf();
  await call(entryCreate, { collection: "recipes", title: "Soup", content: { body: "x" } }, writing);
  const failure = await refusal(call(undo, { operation: making.key }));
  expect([failure.code, failure.message]).toEqual(["undo_conflict", expect.stringContaining("“Soup”")]);
  await call(undo, { operation: writing.key });
  const undoing = contextOf();
  await call(undo, { operation: making.key }, undoing);
  expect(await wholeSite()).toEqual(before);
  expect(await siteAt("/site/recipes/")).toMatchObject({ status: 404 });
  expect((await refusal(call(undo, { operation: writing.key }))).code).toBe("already_undone");
  await save({ name: "Recipes" });
  expect((await refusal(call(undo, { operation: undoing.key }))).code).toBe("slug_taken");
});

test("taking back a new field is refused while an entry has a value in it", async () => {
  await save(RECIPES);
  const adding = contextOf();
  await save({ collection: "recipes", addFields: [{ key: "time", type: "number" }] }, adding);
  await call(entryCreate, { collection: "recipes", title: "Soup", content: { body: "x", time: 9 } });
  const failure = await refusal(call(undo, { operation: adding.key }));
  expect([failure.code, failure.message]).toEqual([
    "undo_conflict",
    expect.stringContaining("time (en) of “Soup”"),
  ]);
});

test("into a change set it goes unseen and unasked, and drafts that only lose a field stay drafts", async () => {
  await save(RECIPES);
  await recipe("Soup", 4);
  await recipe("Stew", 3);
  await publish("recipes/soup");
  const before = await wholeSite();
  await call(changesBegin, {});
  const inSet = withinSet(collectionSave);
  await call(inSet, { collection: "recipes", name: "Dishes", removeFields: ["rating"] });
  await call(inSet, { name: "Tours" });
  await call(withinSet(entryCreate), { collection: "tours", title: "North", content: { body: "Up." } });
  expect(await wholeSite()).toEqual(before);
  // Meanwhile somebody gives another entry a value.
  await call(entryCreate, { collection: "recipes", title: "Pie", content: { body: "x", rating: 1 } });
  const publishing = contextOf();
  expect(await call(changesPublish, {}, publishing)).toMatchObject({
    items: expect.arrayContaining([
      { what: "Collection “Recipes”", becomes: "changed", changes: 2 },
    ]) as unknown,
  });
  expect(await rows("SELECT slug, status FROM entries ORDER BY slug")).toEqual([
    { slug: "north", status: "published" },
    { slug: "pie", status: "draft" },
    { slug: "soup", status: "published" },
    { slug: "stew", status: "draft" },
  ]);
  expect(await contentOf("recipes/pie")).toEqual({ en: { body: "x" } });
  await call(undo, { operation: publishing.key });
  expect(await contentOf("recipes/soup")).toMatchObject({ en: { rating: 4 } });
  expect(await contentOf("recipes/pie")).toMatchObject({ en: { rating: 1 } });
});

test("run again with its key it answers the same, and writes once", async () => {
  const context = contextOf();
  const one = await save(RECIPES, context);
  const counts = await rowCounts();
  const { definition } = collectionSave;
  const again = await definition.run(definition.input.parse(RECIPES), context);
  expect(JSON.parse(JSON.stringify(again))).toEqual({ ...one, replayed: true });
  expect(await rowCounts()).toEqual(counts);
});

test("a value that was written while a person decided makes the approval stale", async () => {
  await save(RECIPES);
  await recipe("Soup", 4);
  const { definition } = collectionSave;
  const args = definition.input.parse({ collection: "recipes", removeFields: ["rating"] });
  const context = contextOf();
  const preview = await definition.preview?.(args, context);
  await call(entryUpdate, { entry: "recipes/soup", content: { rating: 5 } });
  const approved = { approval: "ap_1", basis: preview?.basis ?? null };
  expect((await refusal(Promise.resolve(definition.run(args, { ...context, approved })))).code).toBe(
    "approval_stale",
  );
});
