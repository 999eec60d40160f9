import { beforeEach, expect, test } from "vitest";
import type { OutputOf } from "./reading.ts";
import { pageCreate } from "../../../src/plugins/cms/tools/page-create.ts";
import { loadPublished } from "../../../src/plugins/cms/storage/load.ts";
import { sectionDelete } from "../../../src/plugins/cms/tools/section-delete.ts";
import { sectionAdd, sectionMove, sectionUpdate } from "../../../src/plugins/cms/tools/sections.ts";
import { setStatus } from "../../../src/plugins/cms/tools/status.ts";
import { call, makeSite, previewOf, refusal, rowCounts, rows, services, T0 } from "./fixture.ts";
import { loadPage } from "./pages-fixture.ts";

let page: OutputOf<typeof pageCreate>;

beforeEach(async () => {
  await makeSite();
  page = await call(pageCreate, {
    name: "About us",
    meta: { title: "About us", description: "Who we are" },
    sections: [
      { template: "hero", content: { title: "Welcome" } },
      { template: "hero", content: { title: "Secret" }, hidden: true },
    ],
    nav: { location: "header", label: "About" },
  });
});

const set = (to: string, ref = "about-us"): Promise<OutputOf<typeof setStatus>> =>
  call(setStatus, { targets: [{ type: "page", ref }], to });
const published = async () => (await loadPublished(services, [page.page.id])).get(page.page.id);
const epoch = async () => (await rows<{ epoch: number }>("SELECT epoch FROM environments"))[0]?.epoch;

test("publishing is one approval that says what becomes public, where, and what appears with it", async () => {
  const preview = await previewOf(setStatus, {
    targets: [{ type: "page", ref: "about-us" }],
    to: "published",
  });
  expect(preview.need.kind).toBe("ask");
  expect(preview.title).toBe("Publish the page “About us”");
  expect(preview.summary).toBe(
    "Publish “About us”: it becomes public at /site/about-us, and 1 navigation item appears.",
  );
  expect(preview.impact.slice(0, 3)).toEqual([
    "URL: /site/about-us",
    "Sections: Hero “Welcome”",
    `The navigation item “About” (${page.nav[0]?.id}) appears in the header`,
  ]);
});

test("a new page with only a name publishes into the layout, and nobody had to give it header or footer", async () => {
  await call(pageCreate, { name: "Bare" });
  const output = await set("published", "bare");
  expect(output).toMatchObject({
    publicNow: true,
    targets: [{ slug: "bare", status: "published", url: "/site/bare", version: 2 }],
  });
  const [row] = await rows<{ doc: string }>("SELECT doc FROM published_docs");
  expect(JSON.parse(row?.doc ?? "")).toMatchObject({
    v: 1,
    type: "page",
    kind: "page",
    slug: "bare",
    name: "Bare",
    sections: [],
  });
});

test("a hidden section and an edit not yet published are not in the public document", async () => {
  const before = await epoch();
  await set("published");
  expect((await published())?.document).toMatchObject({
    sections: [{ content: { en: { title: "Welcome" } } }],
  });
  expect(await epoch()).toBe((before ?? 0) + 1);
  const sections = (await loadPage("about-us")).sections;
  await call(sectionUpdate, { section: sections[0]?.id, content: { title: "Changed", image: "im_ridge" } });
  await call(sectionAdd, { page: "about-us", template: "hero", content: { title: "New" } });
  expect((await published())?.document).toMatchObject({
    sections: [{ content: { en: { title: "Welcome" } } }],
  });
  expect(await epoch()).toBe((before ?? 0) + 1);
  expect(await rows("SELECT DISTINCT state FROM asset_refs WHERE target_id='im_ridge'")).toEqual([
    { state: "draft" },
  ]);
  await set("published");
  expect(await rows("SELECT state FROM asset_refs WHERE target_id='im_ridge' ORDER BY state")).toEqual([
    { state: "draft" },
    { state: "published" },
  ]);
});

test("publishing again shows each difference, then is unchanged", async () => {
  await set("published");
  const [first, second] = (await loadPage("about-us")).sections;
  await call(sectionUpdate, { section: first?.id, content: { title: "Hello" }, locale: "en" });
  await call(sectionUpdate, { section: second?.id, hidden: false });
  await call(sectionMove, { section: second?.id, position: 1 });
  const preview = await previewOf(setStatus, {
    targets: [{ type: "page", ref: "about-us" }],
    to: "published",
  });
  expect(preview.summary).toBe("Publish “About us” again: 2 changes become public at /site/about-us.");
  expect(preview.impact.slice(0, 3)).toEqual([
    "URL: /site/about-us",
    "Hero “Secret” is added",
    "Hero “Hello” title (en): “Welcome” → “Hello”",
  ]);
  await call(sectionDelete, { sections: [second?.id] });
  await set("published");
  const before = await rowCounts();
  const output = await set("published");
  expect(output.targets[0]).toMatchObject({ status: "published", unchanged: true });
  expect(output.publicNow).toBe(false);
  expect((await rowCounts()).revisions).toBe(before.revisions);
});

test("a published page is clean until it is edited", async () => {
  await set("published");
  const { page: row } = await loadPage("about-us");
  expect([row.status, row.version, row.publishedVersion]).toEqual(["published", 2, 2]);
  await call(sectionAdd, { page: "about-us", template: "hero", content: { title: "New" } });
  const { page: edited } = await loadPage("about-us");
  expect([edited.version, edited.publishedVersion]).toEqual([3, 2]);
});

test("a blocker of publishing is named with its fix before anyone is asked, and nothing is published", async () => {
  await call(sectionAdd, {
    page: "about-us",
    template: "hero",
    content: { subtitle: "nur hier" },
    locale: "de",
  });
  const failure = await refusal(
    previewOf(setStatus, { targets: [{ type: "page", ref: "about-us" }], to: "published" }),
  );
  expect(failure).toMatchObject({
    code: "publish_blocked",
    class: "conflict",
    details: { blockers: [{ code: "missing_required", field: "title" }] },
  });
  expect(failure.suggestions?.length).toBe(1);
  expect((await rowCounts()).published_docs).toBe(0);
});

test("unpublishing takes the document away at once and says which links and items go", async () => {
  await set("published");
  const contact = {
    name: "Contact",
    sections: [{ template: "hero", content: { title: "C", ctaText: "Us", ctaLink: "page:about-us" } }],
  };
  await call(pageCreate, contact);
  await set("published", "contact");
  const preview = await previewOf(setStatus, {
    targets: [{ type: "page", ref: "about-us" }],
    to: "unpublished",
  });
  expect(preview.summary).toBe(
    "Unpublish “About us”: /site/about-us answers 404 at once, and 1 navigation item vanishes.",
  );
  expect(preview.impact).toContain("Links to it on “Contact” show as plain text then");
  const output = await set("unpublished");
  expect(output.targets[0]).toMatchObject({ status: "unpublished", version: 3 });
  expect(await published()).toBeUndefined();
  expect(
    await rows("SELECT DISTINCT status FROM search_docs WHERE ref_id=?1 OR parent_id=?1", page.page.id),
  ).toEqual([{ status: "unpublished" }]);
  expect((await set("unpublished")).targets[0]?.unchanged).toBe(true);
});

test("two things that link to each other are published together without a warning about drafts", async () => {
  await call(pageCreate, {
    name: "A",
    sections: [{ template: "hero", content: { title: "A", ctaText: "B", ctaLink: "page:about-us" } }],
  });
  const targets = ["a", "about-us"].map((ref) => ({ type: "page", ref }));
  const preview = await previewOf(setStatus, { targets, to: "published" });
  expect(preview.title).toBe("Publish 2 things");
  expect(preview.impact.filter((one) => one.includes("not public"))).toEqual([]);
  const output: OutputOf<typeof setStatus> = await call(setStatus, { targets, to: "published" });
  expect(output.targets.map((one) => one.status)).toEqual(["published", "published"]);
});

test("entries are published, archived and taken back; pages cannot be archived", async () => {
  await rows(
    `INSERT INTO entries(id,env_id,collection_id,slug,title,created_at,updated_at) VALUES('en_1','env_main','co_blog','packing','Packing light',?1,?1)`,
    T0,
  );
  await rows(
    `INSERT INTO contents VALUES('entry','en_1','en','env_main','{"body":"See [us](page:${page.page.id})."}',?1)`,
    T0,
  );
  const entry = (to: string): Promise<OutputOf<typeof setStatus>> =>
    call(setStatus, { targets: [{ type: "entry", ref: "blog/packing" }], to });
  expect((await entry("published")).targets[0]).toMatchObject({
    type: "entry",
    status: "published",
    url: "/site/blog/packing",
    version: 2,
  });
  const [doc] = await rows<{ doc: string }>("SELECT doc FROM published_docs WHERE owner_id='en_1'");
  expect(JSON.parse(doc?.doc ?? "")).toMatchObject({
    type: "entry",
    collection: "co_blog",
    content: { en: { title: "Packing light" } },
  });
  expect(await rows("SELECT state FROM asset_refs WHERE root_id='en_1' ORDER BY state")).toEqual([
    { state: "draft" },
    { state: "published" },
  ]);
  expect((await entry("archived")).targets[0]).toMatchObject({ status: "archived" });
  expect((await entry("unpublished")).targets[0]).toMatchObject({ status: "draft" });
  expect((await rowCounts()).published_docs).toBe(0);
  expect(await refusal(set("archived"))).toMatchObject({ code: "invalid_input" });
});

test("the layout stays public", async () => {
  expect(await refusal(set("unpublished", "_layout"))).toMatchObject({ code: "protected_page" });
});
