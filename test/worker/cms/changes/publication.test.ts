import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { changesBegin, changesDiscard } from "../../../../src/plugins/cms/changes/collect.ts";
import { publishDueSets } from "../../../../src/plugins/cms/changes/due-sets.ts";
import { changesPublish } from "../../../../src/plugins/cms/changes/publish.ts";
import { withinSet } from "../../../../src/plugins/cms/changes/within.ts";
import { collectionSave } from "../../../../src/plugins/cms/collections/collection-save.ts";
import { entryCreate } from "../../../../src/plugins/cms/entries/entry-create.ts";
import { entryDelete } from "../../../../src/plugins/cms/entries/entry-delete.ts";
import { entryUpdate } from "../../../../src/plugins/cms/entries/entry-update.ts";
import { undo } from "../../../../src/plugins/cms/history/undo.ts";
import { settingsUpdate } from "../../../../src/plugins/cms/settings/settings-update.ts";
import { pageCreate } from "../../../../src/plugins/cms/tools/page-create.ts";
import { pageDelete } from "../../../../src/plugins/cms/tools/page-delete.ts";
import { pageUpdate } from "../../../../src/plugins/cms/tools/pages.ts";
import { setStatus } from "../../../../src/plugins/cms/tools/status.ts";
import { openSite } from "../../site/fixture.ts";
import { call, contextOf, makeSite, previewOf, refusal, rows, T0 } from "../fixture.ts";
import { wholeSite } from "../history/whole-site.ts";
import type { OutputOf } from "../reading.ts";

/** Publication of a change set: pages that it removes leave the public site, and a set settles only once. */

const site = openSite({ seed: async () => {} });
const status = async (path: string): Promise<number> => (await site.fetch(path)).status;
const publish = (...targets: readonly object[]) => call(setStatus, { targets, to: "published" });
const page = (ref: string) => ({ type: "page", ref });
const post = { type: "entry", ref: "blog/news" };

beforeEach(async () => {
  await makeSite();
  for (const name of ["About us", "Contact"])
    await call(pageCreate, { name, sections: [{ template: "hero", content: { title: name } }] });
  await call(entryCreate, { title: "News", content: { body: "New." }, excerpt: "New." });
  await publish(page("about-us"), page("contact"), post);
  await call(changesBegin, { name: "Spring" });
});

describe("a deletion in a change set", () => {
  test.each([
    [
      "deletes",
      withinSet(pageDelete),
      { pages: ["contact"] },
      withinSet(entryDelete),
      { entries: ["blog/news"] },
      [],
    ],
    [
      "takes off the site",
      withinSet(setStatus),
      { targets: [page("contact")], to: "unpublished" },
      withinSet(setStatus),
      { targets: [post], to: "archived" },
      ["archived", "unpublished"],
    ],
  ])(
    "ends the public page when the set is published: what it %s",
    async (_, ofPage, pages, ofEntry, entries, statuses) => {
      await call(ofPage, pages);
      await call(ofEntry, entries);
      expect([await status("/site/contact"), await status("/site/blog/news")]).toEqual([200, 200]);
      const before = await wholeSite();
      expect((await previewOf(changesPublish, {})).need.kind).toBe("ask");
      const answer: OutputOf<typeof changesPublish> = await call(changesPublish, {});
      expect(answer.publicNow).toBe(true);
      expect([await status("/site/contact"), await status("/site/blog/news")]).toEqual([404, 404]);
      expect(await status("/site/about-us")).toBe(200);
      expect(await rows("SELECT doc->>'$.slug' AS slug FROM published_docs")).toEqual([{ slug: "about-us" }]);
      expect(
        await rows(
          "SELECT DISTINCT root_id FROM asset_refs WHERE state='published' AND root_id NOT IN (SELECT owner_id FROM published_docs)",
        ),
      ).toEqual([]);
      expect(
        await rows(`SELECT status FROM pages WHERE slug='contact' AND deleted_at IS NULL
        UNION SELECT status FROM entries WHERE deleted_at IS NULL`),
      ).toEqual(statuses.map((one) => ({ status: one })));
      await call(undo, {});
      expect(await wholeSite()).toEqual(before);
      expect([await status("/site/contact"), await status("/site/blog/news")]).toEqual([200, 200]);
    },
  );

  test.each([
    ["deletes", withinSet(pageDelete), { pages: ["contact"] }],
    ["takes off the site", withinSet(setStatus), { targets: [page("contact")], to: "unpublished" }],
  ])("does not apply to a page that became the home page meanwhile: what it %s", async (_, tool, args) => {
    await call(tool, args);
    await call(settingsUpdate, { set: { home: { page: "contact" } } });
    const before = await wholeSite();
    expect((await refusal(call(changesPublish, {}))).code).toBe("protected_page");
    expect(await wholeSite()).toEqual(before);
  });

  test("of a field removes later values too", async () => {
    await call(changesDiscard, {});
    await call(collectionSave, { collection: "blog", addFields: [{ key: "rating", type: "number" }] });
    await call(changesBegin, {});
    await call(withinSet(collectionSave), { collection: "blog", removeFields: ["rating"] });
    await call(entryUpdate, { entry: "blog/news", content: { rating: 4 } });
    await call(changesPublish, {});
    const [stored] = await rows<{ data: string }>("SELECT data FROM contents WHERE owner_type='entry'");
    expect(JSON.parse(stored?.data ?? "")).not.toHaveProperty("rating");
  });

  test("of a thing that the set created leaves nothing", async () => {
    const before = await wholeSite();
    await call(withinSet(pageCreate), {
      name: "Short",
      sections: [{ template: "hero", content: { title: "Short" } }],
    });
    await call(withinSet(pageDelete), { pages: ["short"] });
    await call(withinSet(pageUpdate), { page: "contact", name: "Write to us" });
    const answer: OutputOf<typeof changesPublish> = await call(changesPublish, {});
    expect(answer.items.map(({ what }) => what)).toEqual(["Page “Contact”"]);
    expect(await rows("SELECT id FROM pages WHERE name='Short'")).toEqual([]);
    expect((await wholeSite())["sections"]).toEqual(before["sections"]);
  });
});

describe("a set that is settled", () => {
  test("is neither published nor thrown away again", async () => {
    await call(withinSet(pageUpdate), { page: "contact", name: "Write to us" });
    const { set }: OutputOf<typeof changesPublish> = await call(changesPublish, {});
    for (const tool of [changesPublish, changesDiscard])
      expect((await refusal(call(tool, { set: set.id }))).code).toBe("nothing_to_do");
    expect(await rows("SELECT state FROM change_sets")).toEqual([{ state: "published" }]);
    await call(changesBegin, {});
    const { set: other }: OutputOf<typeof changesDiscard> = await call(changesDiscard, {});
    for (const tool of [changesPublish, changesDiscard])
      expect((await refusal(call(tool, { set: other.id }))).code).toBe("nothing_to_do");
  });

  test("has no time any more, and the name on the site stays", async () => {
    await call(withinSet(pageUpdate), { page: "contact", name: "Write to us" });
    const at = T0 + 86_400_000 * 30;
    await call(changesPublish, { at: new Date(at).toISOString() });
    expect(await rows("SELECT publish_at FROM change_sets")).toEqual([{ publish_at: at }]);
    await call(changesDiscard, {});
    expect(await rows("SELECT publish_at, state FROM change_sets")).toEqual([
      { publish_at: null, state: "discarded" },
    ]);
    expect(await publishDueSets(env.DB, at)).toEqual([]);
    expect(await rows("SELECT name FROM pages WHERE slug='contact'")).toEqual([{ name: "Contact" }]);
  });

  test("was approved as it was: a write into it that is taken back is a set that nobody has seen", async () => {
    await call(withinSet(pageUpdate), { page: "contact", name: "Write to us" });
    const context = contextOf();
    const { basis } = await previewOf(changesPublish, {}, context);
    await call(withinSet(pageUpdate), { page: "about-us", name: "We" });
    await call(withinSet(undo), {});
    const late = changesPublish.definition.run({}, { ...context, approved: { approval: "ap_1", basis } });
    expect((await refusal(late)).code).toBe("approval_stale");
    expect(await rows("SELECT name FROM pages WHERE slug='contact'")).toEqual([{ name: "Contact" }]);
  });
});
