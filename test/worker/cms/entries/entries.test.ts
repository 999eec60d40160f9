import { beforeEach, describe, expect, test } from "vitest";
import { entryCreate } from "../../../../src/plugins/cms/entries/entry-create.ts";
import { entryDelete } from "../../../../src/plugins/cms/entries/entry-delete.ts";
import { entryUpdate } from "../../../../src/plugins/cms/entries/entry-update.ts";
import { loadEntries } from "../../../../src/plugins/cms/storage/load.ts";
import { navEdit } from "../../../../src/plugins/cms/tools/nav.ts";
import { setStatus } from "../../../../src/plugins/cms/tools/status.ts";
import { call, contextOf, makeSite, previewOf, refusal, rowCounts, rows, services } from "../fixture.ts";
import type { OutputOf } from "../reading.ts";

let first: OutputOf<typeof entryCreate>;

beforeEach(async () => {
  await makeSite();
  first = await call(entryCreate, {
    title: "Packing light",
    content: { body: "Take less." },
    excerpt: "What stays at home",
    category: "Guides",
    author: "Ada",
    cover: "im_ridge",
  });
});

const stored = async (ref = "blog/packing-light") => (await loadEntries(services, [ref]))[0];
const publish = (ref = "blog/packing-light") =>
  call(setStatus, { targets: [{ type: "entry", ref }], to: "published" });
/** every row that belongs to the entry, as bytes */
const bytes = async (id: string) =>
  JSON.stringify([
    await rows("SELECT * FROM entries WHERE id=?1", id),
    await rows("SELECT * FROM contents WHERE owner_id=?1", id),
    await rows("SELECT * FROM published_docs WHERE owner_id=?1", id),
  ]);

describe("entry_create", () => {
  test("makes a draft with its checks, in one operation with one revision", async () => {
    expect(first).toMatchObject({
      entry: { slug: "packing-light", status: "draft", version: 1, url: "/site/blog/packing-light" },
      checks: { blockers: [] },
      publicNow: false,
    });
    expect(await rowCounts()).toMatchObject({ operations: 1, revisions: 1, published_docs: 0 });
    expect(await stored()).toMatchObject({
      category: "Guides",
      author: "Ada",
      cover: "im_ridge",
      content: { en: { excerpt: "What stays at home", body: "Take less." } },
    });
  });

  test("with the slug of a published post is refused, and the post is byte for byte as before", async () => {
    await publish();
    const before = await bytes(first.entry.id);
    const counts = await rowCounts();
    const failure = await refusal(
      call(entryCreate, { title: "Other", slug: "packing-light", content: { body: "No." } }),
    );
    expect(failure).toMatchObject({
      code: "slug_taken",
      at: "slug",
      suggestions: [{ value: "packing-light-2" }, { value: "packing-light-3" }, { value: "packing-light-4" }],
      details: { holder: { id: first.entry.id, status: "published" } },
    });
    expect(failure.hint).toContain("entry_update");
    expect([await bytes(first.entry.id), await rowCounts()]).toEqual([before, counts]);
  });

  test("takes the same slug in another collection", async () => {
    await services.db
      .prepare(
        `INSERT INTO collections(id,env_id,slug,name,fields,updated_at)
         SELECT 'co_news',env_id,'news','News',fields,updated_at FROM collections WHERE id='co_blog'`,
      )
      .run();
    const made: OutputOf<typeof entryCreate> = await call(entryCreate, {
      collection: "news",
      title: "Packing light",
      content: { body: "News." },
    });
    expect(made.entry.url).toBe("/site/news/packing-light");
  });

  test.each([
    [{ collection: "blgo" }, "not_found", "collection", "The collections are: blog."],
    [{ content: { body: null } }, "required_field", "content.body", "Fields (* required)"],
    [{ content: {} }, "required_field", "content.body", "body* markdown"],
    [{ content: { body: "x", bdoy: "y" } }, "unknown_field", "content.bdoy", "body* markdown"],
    [{ cover: "im_rigde" }, "not_found", "cover", "image_search"],
    [{ locale: "fr" }, "locale_unknown", "locale", "en, de"],
  ])("refuses %j and writes nothing", async (wrong, code, at, hint) => {
    const counts = await rowCounts();
    const failure = await refusal(call(entryCreate, { title: "New", content: { body: "x" }, ...wrong }));
    expect([failure.code, failure.at]).toEqual([code, at]);
    expect(failure.hint).toContain(hint);
    expect(await rowCounts()).toEqual(counts);
  });

  test("copies another entry of the collection, as a draft of its own", async () => {
    await publish();
    const copy: OutputOf<typeof entryCreate> = await call(entryCreate, {
      title: "Packing lighter",
      copyFrom: "packing-light",
    });
    expect(copy.entry).toMatchObject({ slug: "packing-lighter", status: "draft", category: "Guides" });
    expect((await stored("blog/packing-lighter"))?.content).toEqual((await stored())?.content);
  });

  test("run again with its key answers the same, and writes once", async () => {
    const context = contextOf();
    const args = { title: "Twice", content: { body: "x" } };
    const one = await call(entryCreate, args, context);
    const counts = await rowCounts();
    expect(await call(entryCreate, args, context)).toEqual({ ...one, replayed: true });
    expect(await rowCounts()).toEqual(counts);
  });
});

describe("entry_update", () => {
  test("empties the excerpt, clears category and cover, and leaves the others", async () => {
    const before = await stored();
    const output: OutputOf<typeof entryUpdate> = await call(entryUpdate, {
      entry: "packing-light",
      excerpt: "",
      unset: ["category", "cover"],
    });
    expect(output.changed).toEqual(["category", "cover", "content.excerpt"]);
    expect(await stored()).toEqual({
      ...before,
      category: null,
      cover: null,
      version: 2,
      updatedAt: expect.any(Number) as number,
      content: { en: { excerpt: "", body: "Take less." } },
    });
  });

  test("of a published entry asks only when the URL changes, and the old one redirects", async () => {
    await publish();
    expect((await previewOf(entryUpdate, { entry: "packing-light", title: "New" })).need.kind).toBe("none");
    const preview = await previewOf(entryUpdate, { entry: "packing-light", slug: "pack-less" });
    expect(preview.need.kind).toBe("ask");
    expect(preview.summary).toBe(
      "“Packing light” moves from /site/blog/packing-light to /site/blog/pack-less at once; the old URL redirects there.",
    );
    const output: OutputOf<typeof entryUpdate> = await call(entryUpdate, {
      entry: "packing-light",
      slug: "pack-less",
    });
    expect(output).toMatchObject({
      redirect: "/site/blog/packing-light",
      publicNow: true,
      entry: { dirty: false },
    });
    expect(await rows("SELECT from_path, target_type, target_id FROM redirects")).toEqual([
      { from_path: "/site/blog/packing-light", target_type: "entry", target_id: first.entry.id },
    ]);
  });

  test.each([
    [{ content: { body: null } }, "required_field", "content.body"],
    [{ unset: ["body"] }, "required_field", "unset"],
    [{ unset: ["title"] }, "required_field", "unset"],
    [{ unset: ["coverr"] }, "unknown_field", "unset"],
    [{ expectedVersion: 7, title: "x" }, "version_conflict", "expectedVersion"],
  ])("refuses %j and writes nothing", async (wrong, code, at) => {
    const counts = await rowCounts();
    const failure = await refusal(call(entryUpdate, { entry: "packing-light", ...wrong }));
    expect([failure.code, failure.at]).toEqual([code, at]);
    expect(await rowCounts()).toEqual(counts);
  });

  test("of the title in another language leaves the default one", async () => {
    await call(entryUpdate, { entry: "packing-light", title: "Leicht packen", locale: "de" });
    expect(await stored()).toMatchObject({
      title: "Packing light",
      content: { de: { title: "Leicht packen" } },
    });
  });

  test("to what it was changes nothing", async () => {
    const output: OutputOf<typeof entryUpdate> = await call(entryUpdate, {
      entry: "packing-light",
      title: "Packing light",
    });
    expect([output.changed, output.entry.version]).toEqual([[], 1]);
  });
});

describe("entry_delete", () => {
  test("says what goes, and takes the public entry and its navigation with it", async () => {
    await publish();
    await call(navEdit, {
      ops: [{ op: "add", location: "header", label: "Pack", target: "entry:blog/packing-light" }],
    });
    const preview = await previewOf(entryDelete, { entries: ["packing-light"] });
    expect(preview.need.kind).toBe("ask");
    expect(preview.impact[0]).toBe("/site/blog/packing-light will answer 404 (“Packing light”)");
    expect(preview.impact.join("\n")).toMatch(/The navigation item “Pack” .* is removed from the header/);
    expect(preview.impact.join("\n")).toContain("ridge.png (im_ridge) is then used nowhere else");
    const output: OutputOf<typeof entryDelete> = await call(entryDelete, { entries: ["packing-light"] });
    expect(output.navRemoved.map((one) => one.label)).toEqual(["Pack"]);
    expect(await rowCounts()).toMatchObject({ published_docs: 0, asset_refs: 0 });
    expect(await stored()).toBeUndefined();
  });

  test("with one unknown entry deletes nothing, and asks nobody", async () => {
    const failure = await refusal(previewOf(entryDelete, { entries: ["packing-light", "packing-lihgt"] }));
    expect(failure).toMatchObject({ code: "not_found", suggestions: [{ ref: first.entry.id }] });
    expect(await stored()).toBeDefined();
  });

  test("is refused as stale when a link was added after the approval", async () => {
    const context = contextOf();
    const { basis } = await previewOf(entryDelete, { entries: ["packing-light"] }, context);
    await call(navEdit, {
      ops: [{ op: "add", location: "header", label: "Pack", target: "entry:blog/packing-light" }],
    });
    const { definition } = entryDelete;
    const run = definition.run(
      { entries: ["packing-light"] },
      { ...context, approved: { approval: "ap", basis } },
    );
    expect((await refusal(Promise.resolve(run))).code).toBe("approval_stale");
  });
});
