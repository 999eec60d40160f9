import { beforeEach, expect, test } from "vitest";
import { changesBegin } from "../../../../src/plugins/cms/changes/collect.ts";
import { changesPublish } from "../../../../src/plugins/cms/changes/publish.ts";
import { withinSet } from "../../../../src/plugins/cms/changes/within.ts";
import { collectionSave } from "../../../../src/plugins/cms/collections/collection-save.ts";
import { entryCreate } from "../../../../src/plugins/cms/entries/entry-create.ts";
import { entryUpdate } from "../../../../src/plugins/cms/entries/entry-update.ts";
import { undo } from "../../../../src/plugins/cms/history/undo.ts";
import { imageUpdate } from "../../../../src/plugins/cms/media/image-update.ts";
import { settingsUpdate } from "../../../../src/plugins/cms/settings/settings-update.ts";
import { find } from "../../../../src/plugins/cms/tools/find.ts";
import { navEdit } from "../../../../src/plugins/cms/tools/nav.ts";
import { siteOverview } from "../../../../src/plugins/cms/tools/overview.ts";
import { pageCreate } from "../../../../src/plugins/cms/tools/page-create.ts";
import { sectionUpdate } from "../../../../src/plugins/cms/tools/sections.ts";
import { setStatus } from "../../../../src/plugins/cms/tools/status.ts";
import { siteAt } from "../collections/site-at.ts";
import { call, contextOf, entities, makeSite, previewOf, refusal, rowCounts, rows } from "../fixture.ts";
import { wholeSite } from "../history/whole-site.ts";

const locales = (given: object, context = contextOf()) => call(settingsUpdate, { locales: given }, context);
const preview = (given: object) => previewOf(settingsUpdate, { locales: given });
const stored = () =>
  rows("SELECT code, name, fallback, is_default AS first, status FROM locales ORDER BY code");
const FRENCH = { code: "fr", name: "Français", fallback: "en" };

beforeEach(makeSite);

test("a language off the site is added and renamed unasked; one on the site is renamed, and put on or off, by a person", async () => {
  expect((await preview({ add: FRENCH })).need.kind).toBe("none");
  const output = await locales({ add: FRENCH });
  expect(output).toMatchObject({ ok: true, publicNow: false, changed: ["language fr"] });
  expect(entities(settingsUpdate, { locales: { add: FRENCH } }, output)).toEqual([
    { op: "touch", type: "site", id: "site_main", name: "Fern & Fell" },
    { op: "create", type: "locale", id: "fr", name: "Français" },
  ]);
  expect(await siteAt("/site/fr/")).toMatchObject({ status: 404 });
  expect((await preview({ add: { code: "FR", name: "French" } })).need.kind).toBe("none");
  await locales({ add: { code: "FR", name: "French" } });
  expect(await stored()).toContainEqual({
    code: "fr",
    name: "French",
    fallback: "en",
    first: 0,
    status: "inactive",
  });
  expect((await preview({ activate: "fr" })).need.kind).toBe("ask");
  await locales({ activate: "fr" });
  expect((await preview({ deactivate: "fr" })).need.kind).toBe("ask");
  // The locale's name appears in the switcher of every page.
  expect((await preview({ add: { code: "de", name: "German" } })).need.kind).toBe("ask");
  expect((await preview({ add: { code: "de", name: "German", fallback: "fr" } })).need.kind).toBe("ask");
});

test("the preview says which URLs appear or vanish, and how much is translated", async () => {
  const { page } = await call<{ page: { id: string } }>(pageCreate, {
    name: "About",
    sections: [{ template: "hero", content: { title: "About us" } }],
  });
  await call(setStatus, { targets: [{ type: "page", ref: page.id }], to: "published" });
  await locales({ add: FRENCH });
  const on = await preview({ activate: "fr" });
  expect(on.impact).toEqual([
    "New URLs: /site/fr/about; what is not translated falls back to en",
    "0 % of what en says is translated into fr",
  ]);
  expect(on.changes).toEqual([
    { what: "Language “Français” (fr) · Shown", before: "not on the site", after: "on the site" },
  ]);
  await locales({ activate: "fr" });
  expect((await siteAt("/site/fr/about")).text).toContain("About us");
  expect((await preview({ deactivate: "fr" })).impact).toEqual(["These URLs answer 404: /site/fr/about"]);
  expect(await call(siteOverview, {})).toMatchObject({
    locales: [{ code: "en" }, { code: "de" }, { code: "fr", active: true }],
  });
});

test.each([
  [{ deactivate: "en" }, "invalid_input", "locales.deactivate"],
  [{ activate: "gr" }, "locale_unknown", "locales.activate"],
  [{ add: { code: "français", name: "x" } }, "invalid_input", "locales.add.code"],
  [{ add: { code: "fr", name: "x", fallback: "it" } }, "locale_unknown", "locales.add.fallback"],
  [{ add: { code: "it", name: "x" } }, "slug_taken", "locales.add.code"],
  [{ add: { code: "eo", name: "x" } }, "slug_taken", "locales.add.code"],
  [{ add: { code: "api", name: "x" } }, "slug_reserved", "locales.add.code"],
  [{ add: { code: "en", name: "x", fallback: "de" } }, "invalid_input", "locales.add.fallback"],
  [{ add: { code: "de", name: "x", fallback: "de" } }, "invalid_input", "locales.add.fallback"],
  [{ setDefault: "sv" }, "invalid_input", "locales.setDefault"],
])("%j is refused before anyone is asked, and writes nothing", async (wrong, code, at) => {
  await call(pageCreate, { name: "IT", slug: "it" });
  await call(collectionSave, { name: "Eo" });
  await locales({ add: { code: "sv", name: "Svenska" } });
  const counts = await rowCounts();
  const failure = await refusal(preview(wrong));
  expect([failure.code, failure.at]).toEqual([code, at]);
  expect(await rowCounts()).toEqual(counts);
});

test("fallbacks that go round in a circle are refused, and a slug cannot be a code", async () => {
  await locales({ add: { code: "nn", name: "Nynorsk", fallback: "de" } });
  const circle = await refusal(locales({ add: { code: "de", name: "Deutsch", fallback: "nn" } }));
  expect(circle.message).toBe("The fallbacks go round in a circle: de → nn → de.");
  expect((await refusal(call(pageCreate, { name: "NN" }))).code).toBe("slug_reserved");
});

test("adding a language is taken back and done again, unless something is written in it", async () => {
  const before = await wholeSite();
  const adding = contextOf();
  await locales({ add: FRENCH }, adding);
  const added = await wholeSite();
  await call(undo, { operation: adding.key });
  expect(await wholeSite()).toEqual(before);
  const [{ key } = { key: "" }] = await rows<{ key: string }>(
    "SELECT key FROM operations WHERE undo_of IS NOT NULL",
  );
  await call(undo, { operation: key });
  expect(await wholeSite()).toEqual(added);
  await call(entryCreate, { title: "Hut", content: { body: "x" } });
  await call(entryUpdate, { entry: "blog/hut", title: "Cabane", locale: "fr" });
  const failure = await refusal(call(undo, { operation: adding.key }));
  expect([failure.code, failure.message]).toEqual(["undo_conflict", expect.stringContaining("fr of “Hut”")]);
});

test("languages wait in a change set, and become public with it", async () => {
  await call(changesBegin, {});
  await call(withinSet(settingsUpdate), { locales: { add: FRENCH, activate: "fr" } });
  expect(await stored()).toHaveLength(2);
  const late = await refusal(call(withinSet(settingsUpdate), { locales: { setDefault: "de" } }));
  expect([late.code, late.message]).toEqual([
    "invalid_input",
    expect.stringContaining("cannot wait in a change set"),
  ]);
  await call(changesPublish, {});
  expect(await stored()).toContainEqual({
    code: "fr",
    name: "Français",
    fallback: "en",
    first: 0,
    status: "active",
  });
});

/** A page, a post, an item and an image, in both languages. */
async function bilingual(): Promise<void> {
  const { page, sections } = await call<{ page: { id: string }; sections: { id: string }[] }>(pageCreate, {
    name: "About",
    sections: [
      { template: "hero", content: { title: "About us", subtitle: "Since 1999", image: "im_ridge" } },
    ],
    nav: { location: "header" },
  });
  await call(entryCreate, { title: "Hut", content: { body: "A hut." } });
  const targets = [
    { type: "page", ref: page.id },
    { type: "entry", ref: "blog/hut" },
  ];
  await call(setStatus, { targets, to: "published" });
  await call(sectionUpdate, { section: sections[0]?.id, content: { title: "Über uns" }, locale: "de" });
  await call(entryUpdate, {
    entry: "blog/hut",
    title: "Hütte",
    content: { body: "Eine Hütte." },
    locale: "de",
  });
  const [item] = await rows<{ id: string }>("SELECT id FROM nav_items");
  await call(navEdit, { ops: [{ op: "update", item: item?.id, label: "Wir" }], locale: "de" });
  await call(imageUpdate, { image: "im_ridge", alt: "Ein Grat im Morgenlicht", locale: "de" });
  await call(imageUpdate, { image: "im_ridge", caption: "At dawn" });
}

const publishAll = () =>
  call(setStatus, {
    targets: [
      { type: "page", ref: "about" },
      { type: "entry", ref: "blog/hut" },
    ],
    to: "published",
  });

test("a language that lacks a required text, in a draft or in public, cannot be the default one", async () => {
  await bilingual();
  await call(entryCreate, { title: "Lake", content: { body: "A lake." } });
  const failure = await refusal(preview({ setDefault: "de" }));
  expect([failure.code, failure.at]).toEqual(["required_field", "locales.setDefault"]);
  // About and Hut are still public in English only.
  expect(failure.details).toEqual({
    missing: ["About, Hero: title", "Hut: Body", "Hut: Title", "Lake: Body", "Lake: Title"],
  });
});

test("another default language moves titles, labels and descriptions, keeps pictures, and is taken back byte for byte", async () => {
  await bilingual();
  await publishAll();
  // The site of the fixture is not in the search yet; the first round puts it there.
  const first = contextOf();
  await locales({ setDefault: "de" }, first);
  await call(undo, { operation: first.key });
  const before = await wholeSite();
  const asked = await preview({ setDefault: "de" });
  expect(asked.need.kind).toBe("ask");
  expect(asked.impact).toEqual([
    "English moves from /site/ to /site/en/",
    "/site/ is in Deutsch; /site/de/ answers 404 from then on",
    "75 % of what en says is translated into de",
    "1 text that only en has is then shown at its own URLs only",
  ]);
  const context = contextOf();
  await locales({ setDefault: "de" }, context);
  expect(await rows("SELECT title FROM entries")).toEqual([{ title: "Hütte" }]);
  expect(await rows("SELECT label FROM nav_items")).toEqual([{ label: "Wir" }]);
  expect(await rows("SELECT alt, caption FROM images")).toEqual([
    { alt: "Ein Grat im Morgenlicht", caption: "" },
  ]);
  // Published documents without changes still have none.
  expect(await rows("SELECT slug FROM pages WHERE version<>published_version AND kind='page'")).toEqual([]);
  expect(await rows("SELECT slug FROM entries WHERE version<>published_version")).toEqual([]);
  const german = await siteAt("/site/about");
  expect(german.text).toMatch(/<html lang="de"/);
  expect(german.text).toMatch(/ridge\.png.*Über uns/s);
  expect(german.text).toContain("Ein Grat im Morgenlicht");
  expect(german.text).not.toContain("Since 1999");
  const english = await siteAt("/site/en/about");
  expect(english.text).toMatch(/<html lang="en".*About us/s);
  expect(english.text).toContain("A ridge at dawn");
  expect((await siteAt("/site/blog/hut")).text).toContain("Hütte");
  expect((await siteAt("/site/en/blog/hut")).text).toMatch(/<h1[^>]*>Hut/);
  expect(await siteAt("/site/de/about")).toMatchObject({ status: 404 });
  expect(await call(find, { query: "Hütte", locale: "de" })).toMatchObject({ items: [{ type: "entry" }] });
  const undoing = contextOf();
  const switched = await wholeSite();
  await call(undo, { operation: context.key }, undoing);
  expect(await wholeSite()).toEqual(before);
  await call(undo, { operation: undoing.key });
  expect(await wholeSite()).toEqual(switched);
});

test("run again with its key it answers the same, and writes once", async () => {
  const context = contextOf();
  const args = { locales: { add: FRENCH, activate: "fr" } };
  const one = await call(settingsUpdate, args, context);
  const counts = await rowCounts();
  const { definition } = settingsUpdate;
  const again = await definition.run(definition.input.parse(args), context);
  expect(JSON.parse(JSON.stringify(again))).toEqual({ ...one, replayed: true });
  expect(await rowCounts()).toEqual(counts);
});
