import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { changesBegin } from "../../../../src/plugins/cms/changes/collect.ts";
import { withinSet } from "../../../../src/plugins/cms/changes/within.ts";
import { collectionSave } from "../../../../src/plugins/cms/collections/collection-save.ts";
import { entryUpdate } from "../../../../src/plugins/cms/entries/entry-update.ts";
import { history } from "../../../../src/plugins/cms/history/history.ts";
import { undo } from "../../../../src/plugins/cms/history/undo.ts";
import { imageUpdate } from "../../../../src/plugins/cms/media/image-update.ts";
import type { CmsServices } from "../../../../src/plugins/cms/model/types.ts";
import { ensureSeeded } from "../../../../src/plugins/cms/seed/index.ts";
import { settingsUpdate } from "../../../../src/plugins/cms/settings/settings-update.ts";
import { imageAttach } from "../../../../src/plugins/cms/tools/image-attach.ts";
import { navEdit } from "../../../../src/plugins/cms/tools/nav.ts";
import { pageUpdate } from "../../../../src/plugins/cms/tools/pages.ts";
import { sectionMove, sectionUpdate } from "../../../../src/plugins/cms/tools/sections.ts";
import { setStatus } from "../../../../src/plugins/cms/tools/status.ts";
import type { AnyTool } from "../../../../src/cairn/tools/define.ts";
import { NOW } from "../../site/fixture.ts";
import { call, contextOf, previewOf, refusal, rows } from "../fixture.ts";
import { loadPage } from "../pages-fixture.ts";
import type { OutputOf } from "../reading.ts";

/** An edit to what is there already: no operation, no revision, no version, and nobody is asked. */

/** Everything that a write could move, versions and times of writing included. */
const TABLES = [
  "pages",
  "sections",
  "entries",
  "collections",
  "images",
  "nav_items",
  "contents",
  "settings",
  "locales",
  "published_docs",
  "redirects",
  "asset_refs",
  "search_docs",
  "environments",
  "operations",
  "revisions",
  "change_set_rows",
  "change_set_things",
  "change_sets",
];
const everything = async () =>
  Object.fromEntries(
    await Promise.all(TABLES.map(async (table) => [table, await rows(`SELECT * FROM ${table}`)] as const)),
  );

const first = async (sql: string): Promise<string> => {
  const [row] = await rows<{ value: string }>(sql);
  if (row === undefined) throw new Error(`no row: ${sql}`);
  return row.value;
};
const about = async () => loadPage("about");
const sectionAt = async (place: number) => {
  const found = (await about()).sections[place];
  if (found === undefined) throw new Error("the page about has more sections");
  return found;
};

/** The site stays between the tests; what they say of it is said of no test before. */
let written = 0;
const fresh = (): string => `Name ${(written += 1)}`;

beforeEach(async () => {
  await ensureSeeded(env, NOW);
  await rows("UPDATE environments SET is_protected=0");
  for (const table of ["change_set_rows", "change_set_things", "change_sets"])
    await rows(`DELETE FROM ${table}`);
});

const SAME: readonly (readonly [string, AnyTool<CmsServices>, () => Promise<object>])[] = [
  [
    "page_update with the name, address and texts of the page",
    pageUpdate,
    async () => {
      const { name, slug, indexing, meta } = (await about()).page;
      return { page: "about", name, slug, indexing, meta: { title: meta["en"]?.["title"] } };
    },
  ],
  [
    "page_update that clears what is not there, in a language without texts",
    pageUpdate,
    () => Promise.resolve({ page: "about", unset: ["ogImage"], locale: "de" }),
  ],
  [
    "section_update with the texts of the section",
    sectionUpdate,
    async () => {
      const { id, content, variant, hidden } = await sectionAt(0);
      return { section: id, content: { ...content["en"] }, variant, hidden };
    },
  ],
  [
    "section_move to where the section stands",
    sectionMove,
    async () => ({ section: (await sectionAt(1)).id, position: { after: (await sectionAt(0)).id } }),
  ],
  [
    "entry_update with the title of the post",
    entryUpdate,
    async () => ({
      entry: await first("SELECT id AS value FROM entries WHERE slug='winter-routes'"),
      title: await first("SELECT title AS value FROM entries WHERE slug='winter-routes'"),
    }),
  ],
  [
    "image_update with the alternative text of the image",
    imageUpdate,
    async () => {
      await call(imageUpdate, { image: "im_valley", alt: "A valley" });
      return { image: "im_valley", alt: "A valley" };
    },
  ],
  [
    "image_attach of the image that is in the slot",
    imageAttach,
    async () => {
      const args = { image: "im_valley", target: { type: "entry", ref: "winter-routes" }, field: "cover" };
      await call(imageAttach, args);
      return args;
    },
  ],
  [
    "image_attach of the logo that the site has",
    imageAttach,
    async () => {
      const args = { image: "im_valley", target: { type: "setting", ref: "identity" }, field: "logo" };
      await call(imageAttach, args);
      return args;
    },
  ],
  [
    "settings_update with the title of the site",
    settingsUpdate,
    async () => ({
      set: {
        identity: {
          title: await first("SELECT value->>'title' AS value FROM settings WHERE key='identity'"),
        },
      },
      locales: { activate: "de", setDefault: "en" },
    }),
  ],
  [
    "collection_save with the name of the collection",
    collectionSave,
    async () => ({
      collection: "blog",
      name: await first("SELECT name AS value FROM collections WHERE slug='blog'"),
    }),
  ],
  [
    "nav_edit with the label of an item, and a move of it to where it stands",
    navEdit,
    async () => {
      const at = "FROM nav_items WHERE location='header' AND parent_id IS NULL ORDER BY sort_key";
      const item = await first(`SELECT id AS value ${at}`);
      const label = await first(`SELECT label AS value ${at}`);
      const ops = [
        { op: "update", item, label, visible: true },
        { op: "move", item, position: 1 },
      ];
      return { ops };
    },
  ],
  [
    "set_status of a page that is public as it is",
    setStatus,
    () => Promise.resolve({ targets: [{ type: "page", ref: "about" }], to: "published" }),
  ],
  [
    "set_status at the time that is set already",
    setStatus,
    async () => {
      const args = {
        targets: [{ type: "entry", ref: "winter-routes" }],
        to: "published",
        at: new Date(contextOf().at + 86_400_000).toISOString(),
      };
      await call(setStatus, args);
      return args;
    },
  ],
];

describe.each(SAME)("%s", (_, tool, args) => {
  test("writes nothing, asks nobody, and says so", async () => {
    const given = await args();
    const before = await everything();
    expect(await previewOf(tool, given)).toMatchObject({ need: { kind: "none" } });
    const output = await call(tool, given);
    expect(output).toMatchObject({
      ok: true,
      unchanged: true,
      publicNow: false,
      notes: ["It was like this already; nothing changed."],
    });
    expect(output).not.toHaveProperty("op");
    expect(await everything()).toEqual(before);
  });

  test("asks nobody in a protected environment either", async () => {
    const given = await args();
    await rows("UPDATE environments SET is_protected=1");
    const before = await everything();
    expect(await previewOf(tool, given)).toMatchObject({
      need: { kind: "none" },
      summary: "Nothing changes.",
    });
    expect(await call(tool, given)).toMatchObject({ ok: true, unchanged: true });
    expect(await everything()).toEqual(before);
  });
});

test("the versions that are answered are those that stand", async () => {
  const section = await sectionAt(0);
  const same = { section: section.id, content: { ...section.content["en"] } };
  const output: OutputOf<typeof sectionUpdate> = await call(sectionUpdate, same);
  const { version, publishedVersion } = (await about()).page;
  expect([output.section.version, output.page.version, output.page.dirty]).toEqual([
    section.version,
    version,
    version !== publishedVersion,
  ]);
});

test("history has no operation of it, and undo takes back what was changed before", async () => {
  const { name } = (await about()).page;
  const writing = contextOf({ at: NOW + 1_000 });
  const wish = { page: "about", name: fresh() };
  await call(pageUpdate, wish, writing);
  await call(pageUpdate, wish, contextOf({ at: NOW + 2_000 }));
  const listed: OutputOf<typeof history> = await call(history, { limit: 1 });
  expect(listed.items.map((one) => one.operation)).toEqual([writing.key]);
  await call(undo, {});
  expect((await about()).page.name).toBe(name);
});

test("run again under its key it answers the same", async () => {
  const context = contextOf();
  const { name } = (await about()).page;
  const one = await call(pageUpdate, { page: "about", name }, context);
  const before = await everything();
  expect(await call(pageUpdate, { page: "about", name }, { ...context, attempt: 2 })).toEqual(one);
  expect(await everything()).toEqual(before);
});

test("a write under its key is answered from what is stored, though it would change nothing now", async () => {
  const context = contextOf();
  const wish = { page: "about", name: fresh() };
  const one = await call(pageUpdate, wish, context);
  expect(one).not.toHaveProperty("unchanged");
  expect(await call(pageUpdate, wish, context)).toEqual({ ...one, replayed: true });
});

test("a change that somebody else made meanwhile is nothing to do, not a stale approval", async () => {
  const given = { set: { identity: { tagline: fresh() } } };
  const { basis, need } = await previewOf(settingsUpdate, given);
  expect(need.kind).toBe("ask");
  await call(settingsUpdate, given);
  const before = await everything();
  const { definition } = settingsUpdate;
  const approved = { approval: "ap_1", basis };
  const output = await definition.run(definition.input.parse(given), { ...contextOf(), approved });
  expect(output).toMatchObject({ ok: true, unchanged: true, changed: [] });
  expect(await everything()).toEqual(before);
});

test("a call that changed nothing at its preview and would change something now is asked about", async () => {
  const given = {
    set: {
      identity: { title: await first("SELECT value->>'title' AS value FROM settings WHERE key='identity'") },
    },
  };
  expect((await previewOf(settingsUpdate, given)).need.kind).toBe("none");
  await call(settingsUpdate, { set: { identity: { title: fresh() } } });
  const { definition } = settingsUpdate;
  const run = definition.run(definition.input.parse(given), contextOf());
  expect((await refusal(run)).code).toBe("approval_stale");
});

test("in a change set it leaves nothing of itself, and putting the old value back is a change", async () => {
  const { name } = (await about()).page;
  const update = withinSet(pageUpdate);
  await call(changesBegin, { name: "Spring" });
  const before = await everything();
  const output = await call(update, { page: "about", name });
  expect(output).toMatchObject({ unchanged: true, notes: ["It was like this already; nothing changed."] });
  expect(await everything()).toEqual(before);
  const wish = { page: "about", name: fresh() };
  await call(update, wish);
  expect(await call(update, wish)).toMatchObject({ unchanged: true });
  expect(await call(update, { page: "about", name })).not.toHaveProperty("unchanged");
});

test("a change set that is open already goes on, without an operation", async () => {
  await call(changesBegin, { name: "Spring" });
  const before = await everything();
  expect(await call(changesBegin, { name: "Summer" })).toMatchObject({
    unchanged: true,
    set: { name: "Spring" },
  });
  expect(await everything()).toEqual(before);
});
