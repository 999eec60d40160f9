import { beforeEach, expect, test } from "vitest";
import type { OutputOf } from "./reading.ts";
import { entryCreate } from "../../../src/plugins/cms/entries/entry-create.ts";
import { navEdit } from "../../../src/plugins/cms/tools/nav.ts";
import { pageCreate } from "../../../src/plugins/cms/tools/page-create.ts";
import { pageDelete } from "../../../src/plugins/cms/tools/page-delete.ts";
import { pageUpdate, type PageUpdateOutput } from "../../../src/plugins/cms/tools/pages.ts";
import { cmsPack, imagesPack } from "../../../src/plugins/cms/pack.ts";
import { sectionAdd, sectionUpdate } from "../../../src/plugins/cms/tools/sections.ts";
import { setStatus } from "../../../src/plugins/cms/tools/status.ts";
import { call, contextOf, entities, makeSite, previewOf, refusal, rowCounts, rows } from "./fixture.ts";
import { loadPage } from "./pages-fixture.ts";

beforeEach(makeSite);

const hero = (title: string, more: object = {}) => ({ template: "hero", content: { title, ...more } });
const publish = (slug: string) =>
  call(setStatus, { targets: [{ type: "page", ref: slug }], to: "published" });

test("a page whose second section has an unknown template leaves every table as it was; corrected, it is one operation", async () => {
  const before = await rowCounts();
  const args = (template: string) => ({
    name: "About us",
    sections: [hero("A", { image: "im_ridge" }), { template, content: { heading: "B" } }, hero("C")],
    nav: { location: "both" },
  });
  expect(await refusal(call(pageCreate, args("featur")))).toMatchObject({
    code: "unknown_template",
    at: "sections[1].template",
    suggestions: [{ value: "feature" }],
  });
  expect(
    await refusal(call(pageCreate, { ...args("feature"), sections: [hero("A"), hero("")] })),
  ).toMatchObject({
    code: "required_field",
    at: "sections[1].content.title",
  });
  expect(await rowCounts()).toEqual(before);

  const output: OutputOf<typeof pageCreate> = await call(pageCreate, args("feature"));
  expect(output.page).toMatchObject({
    slug: "about-us",
    status: "draft",
    version: 1,
    dirty: true,
    url: "/site/about-us",
  });
  expect(output.sections.map((one) => [one.position, one.template, one.heading])).toEqual([
    [1, "hero", "A"],
    [2, "feature", "B"],
    [3, "hero", "C"],
  ]);
  expect(output.nav.map((one) => [one.location, one.label])).toEqual([
    ["header", "About us"],
    ["footer", "About us"],
  ]);
  expect(output.checks.blockers.map((one) => one.code)).toEqual([]);
  const after = await rowCounts();
  expect([after.pages, after.sections, after.nav_items, after.operations].map(Number)).toEqual([2, 3, 2, 1]);
  expect(after.asset_refs).toBe(3);
  expect(after.revisions).toBe(6);
  expect(entities(pageCreate, args("feature"), output).map((one) => `${one.op} ${one.type}`)).toEqual([
    "create page",
    "create section",
    "create section",
    "create section",
    "create nav_item",
    "create nav_item",
  ]);
});

test("a slug that is taken names the holder and free slugs; nothing is overwritten", async () => {
  await call(pageCreate, { name: "About" });
  await call(pageCreate, { name: "Other", slug: "about-2" });
  const failure = await refusal(call(pageCreate, { name: "About" }));
  expect(failure).toMatchObject({ code: "slug_taken", class: "conflict" });
  expect(failure.suggestions).toEqual(
    ["about-3", "about-4", "about-5"].map((slug) => ({ label: slug, value: slug })),
  );
  expect(await refusal(call(pageCreate, { name: "Blog" }))).toMatchObject({
    code: "slug_taken",
    details: { holder: { type: "collection" } },
  });
  expect(await refusal(call(pageCreate, { name: "De" }))).toMatchObject({ code: "slug_reserved" });
});

test("a copy has the meta and sections of its source, under ids of its own", async () => {
  await call(pageCreate, { name: "About", meta: { title: "T" }, sections: [hero("A"), hero("B")] });
  const source = await loadPage("about");
  const output: OutputOf<typeof pageCreate> = await call(pageCreate, {
    name: "Team",
    copyFrom: "about",
    meta: { description: "D" },
  });
  const copy = await loadPage("team");
  expect(copy.page.meta).toEqual({ en: { title: "T", description: "D" } });
  expect(copy.sections.map((one) => one.content)).toEqual(source.sections.map((one) => one.content));
  expect(output.sections.some((one) => source.sections.some((other) => other.id === one.id))).toBe(false);
});

test("meta is patched key by key, and a draft edit asks nobody", async () => {
  await call(pageCreate, { name: "About", meta: { title: "T", description: "D" } });
  const args = { page: "about", meta: { title: "New" }, unset: ["description"] };
  expect((await previewOf(pageUpdate, args)).need).toEqual({ kind: "none" });
  const output: PageUpdateOutput = await call(pageUpdate, args);
  expect(output).toMatchObject({
    changed: ["meta.title", "meta.description"],
    publicNow: false,
    page: { version: 2 },
  });
  expect((await loadPage("about")).page.meta).toEqual({ en: { title: "New" } });
});

test("a new slug of a public page is asked for, redirects the old URL, and leaves nothing to publish", async () => {
  const { page }: OutputOf<typeof pageCreate> = await call(pageCreate, {
    name: "About",
    sections: [hero("A")],
    nav: { location: "header" },
  });
  await publish("about");
  const args = { page: "about", slug: "team" };
  const preview = await previewOf(pageUpdate, args);
  expect(preview.need.kind).toBe("ask");
  expect(preview.summary).toBe(
    "“About” moves from /site/about to /site/team at once; the old URL redirects there.",
  );
  expect(preview.impact.slice(0, 2)).toEqual([
    "Old URL: /site/about (redirects to the new one)",
    "New URL: /site/team",
  ]);
  expect(preview.impact[2]).toMatch(/^The navigation item “About” \(nv_/);
  const output: PageUpdateOutput = await call(pageUpdate, args);
  expect(output).toMatchObject({
    publicNow: true,
    redirect: "/site/about",
    page: { slug: "team", dirty: false },
  });
  expect(await rows("SELECT from_path, target_id FROM redirects")).toEqual([
    { from_path: "/site/about", target_id: page.id },
  ]);
  expect(await rows("SELECT doc->>'slug' AS slug FROM published_docs")).toEqual([{ slug: "team" }]);
  await call(pageUpdate, { page: "team", slug: "about" });
  expect(await rows("SELECT from_path FROM redirects")).toEqual([{ from_path: "/site/team" }]);
});

test("a deletion without an approval of it is not one that the model can give: no input has a word for consent", async () => {
  const parsed = pageDelete.definition.input.safeParse({ pages: ["about"], confirmed: true });
  expect(parsed.success).toBe(false);
  const consent = /^(confirm|confirmed|force|approved|approval|consent|yes|sure)$/i;
  for (const { definition } of [...cmsPack.tools, ...imagesPack.tools]) {
    const json = JSON.stringify(definition.input.toJSONSchema());
    const keys = [...json.matchAll(/"([a-zA-Z]+)":/g)].map(([, key = ""]) => key);
    expect([definition.name, keys.filter((key) => consent.test(key))]).toEqual([definition.name, []]);
  }
  expect((await rowCounts()).operations).toBe(0);
});

test("every write tool of the pack really asks in a protected environment", async () => {
  await call(pageCreate, { name: "About", sections: [hero("A"), hero("Z")] });
  const section = (await loadPage("about")).sections[0]?.id ?? "";
  await call(entryCreate, { title: "Post", content: { body: "x" } });
  await rows("UPDATE environments SET is_protected=1");
  await rows(
    `INSERT INTO images(id,env_id,sha256,filename,media_type,ext,byte_size,origin,created_at,updated_at)
     VALUES('im_other','env_main','01','other.png','image/png','png',1000,'seed',1,1)`,
  );
  await call(sectionUpdate, { section, content: { image: "im_ridge" } });
  const args: Record<string, object> = {
    page_create: { name: "New" },
    page_update: { page: "about", name: "Us" },
    page_delete: { pages: ["about"] },
    section_add: { page: "about", ...hero("B") },
    section_update: { section, content: { title: "B" } },
    section_move: { section, position: 2 },
    section_delete: { sections: [section] },
    entry_create: { title: "New", content: { body: "x" } },
    entry_update: { entry: "post", title: "Another" },
    entry_delete: { entries: ["post"] },
    set_status: { targets: [{ type: "page", ref: "about" }], to: "published" },
    nav_edit: { ops: [{ op: "add", location: "header", label: "About", target: "page:about" }] },
    settings_update: { set: { identity: { title: "Ours" } } },
    collection_save: { name: "Recipes" },
    image_attach: { image: "im_other", target: { type: "section", ref: section }, field: "image" },
    image_import: { source: "url", url: "https://photos.example.com/a.jpg" },
    image_update: { image: "im_ridge", alt: "Another" },
    image_replace: { from: "im_ridge", to: "im_other" },
    image_delete: { images: ["im_other"] },
    undo: {},
  };
  // Those of change sets have tests of their own (changes/): writes into one are asked about when it is published.
  const keyed = [...cmsPack.tools, ...imagesPack.tools].filter(
    ({ definition: { name, effect } }) => effect === "keyed" && !name.startsWith("changes_"),
  );
  expect(keyed.map((one) => one.definition.name).sort()).toEqual(Object.keys(args).sort());
  for (const tool of keyed) {
    const given = args[tool.definition.name] ?? {};
    const preview = await previewOf(tool, given);
    expect([tool.definition.name, preview.need.kind]).toEqual([tool.definition.name, "ask"]);
    expect(preview.basis).toMatch(/^sha256:/);
    const unasked = tool.definition.run(tool.definition.input.parse(given), contextOf());
    expect(await refusal(unasked)).toMatchObject({ code: "approval_stale" });
  }
});

async function makeLinkedSite(): Promise<{ id: string; navIds: readonly string[] }> {
  await call(pageCreate, { name: "A", slug: "a", nav: { location: "header" } });
  const about: OutputOf<typeof pageCreate> = await call(pageCreate, {
    name: "About",
    sections: [hero("One"), hero("Two"), hero("Three", { image: "im_ridge" })],
    nav: { location: "both" },
  });
  await call(pageCreate, {
    name: "Contact",
    sections: [hero("C", { ctaText: "Us", ctaLink: "page:about" })],
  });
  await publish("about");
  return { id: about.page.id, navIds: about.nav.map((one) => one.id) };
}

test("the approval of a page deletion lists sections, navigation and inbound links beforehand, by id", async () => {
  const { id, navIds } = await makeLinkedSite();
  const contact = (await loadPage("contact")).sections[0]?.id ?? "";
  const preview = await previewOf(pageDelete, { pages: ["about"] });
  expect(preview.title).toBe("Delete the page “About”");
  expect(preview.summary).toBe(
    "Delete “About”: its URL answers 404 at once, 2 navigation items go with it, 1 link to it leads nowhere.",
  );
  expect(preview.impact).toEqual([
    "/site/about will answer 404 (“About”)",
    "3 sections of “About”: Hero “One”, Hero “Two”, Hero “Three”",
    `The navigation item “About” (${navIds[0]}) is removed from the header`,
    `The navigation item “About” (${navIds[1]}) is removed from the footer`,
    "The image ridge.png (im_ridge) is then used nowhere else; it stays in the library",
    "It can be undone",
    "Links to it on “Contact” lead nowhere then, and show as text",
  ]);

  const output: OutputOf<typeof pageDelete> = await call(pageDelete, { pages: ["about"] });
  expect(output.deleted.map((one) => [one.id, one.sections.length])).toEqual([[id, 3]]);
  expect(output.navRemoved.map((one) => one.id).sort()).toEqual([...navIds].sort());
  expect(output.deadLinks).toEqual([{ owner: contact, ownerName: "Contact", field: "ctaLink" }]);
  expect(await rows("SELECT label FROM nav_items WHERE deleted_at IS NULL")).toEqual([{ label: "A" }]);
  expect(
    await rows("SELECT 1 FROM published_docs UNION ALL SELECT 1 FROM asset_refs WHERE root_id=?1", id),
  ).toEqual([]);
  expect(await rows("SELECT 1 FROM search_docs WHERE ref_id=?1 OR parent_id=?1", id)).toEqual([]);
  expect((await rowCounts()).sections).toBe(4);
  expect(await refusal(call(pageDelete, { pages: ["about"] }))).toMatchObject({ code: "not_found" });
});

test("a link added between preview and approval makes the approval stale, and nothing is deleted", async () => {
  await makeLinkedSite();
  const context = contextOf();
  const preview = await previewOf(pageDelete, { pages: ["about"] }, context);
  await call(sectionAdd, { page: "contact", ...hero("New", { ctaText: "Us", ctaLink: "page:about" }) });
  const approved = { approval: "ap_1", basis: preview.basis };
  const input = pageDelete.definition.input.parse({ pages: ["about"] });
  const failure = await refusal(pageDelete.definition.run(input, { ...context, approved }));
  expect(failure).toMatchObject({ class: "conflict", code: "approval_stale" });
  expect((await loadPage("about")).sections.length).toBe(3);
});

test("children of a removed navigation item take its place, also when their parent goes with another page", async () => {
  await makeLinkedSite();
  const { nav }: OutputOf<typeof navEdit> = await call(navEdit, {
    ops: [
      {
        op: "add",
        location: "header",
        label: "Team",
        target: "page:contact",
        parent: (await aboutItem()).id,
      },
      { op: "move", item: "A", position: 99 },
    ],
  });
  expect(nav.header.map((one) => one.label)).toEqual(["About", "A"]);
  await call(pageDelete, { pages: ["about"] });
  expect(
    await rows(
      "SELECT label, parent_id FROM nav_items WHERE location='header' AND deleted_at IS NULL ORDER BY sort_key",
    ),
  ).toEqual([
    { label: "Team", parent_id: null },
    { label: "A", parent_id: null },
  ]);
});

async function aboutItem(): Promise<{ id: string }> {
  const [item] = await rows<{ id: string }>(
    "SELECT id FROM nav_items WHERE label='About' AND location='header'",
  );
  if (item === undefined) throw new Error("the fixture has an item");
  return item;
}

test("the layout and the home page cannot be deleted", async () => {
  await call(pageCreate, { name: "Home" });
  const home = (await loadPage("home")).page.id;
  await rows(
    "INSERT OR REPLACE INTO settings(env_id,key,value,updated_at) VALUES('env_main','home',?1,0)",
    JSON.stringify({ page: home }),
  );
  for (const ref of ["home", "_layout"]) {
    expect(await refusal(previewOf(pageDelete, { pages: [ref] }))).toMatchObject({ code: "protected_page" });
  }
});
