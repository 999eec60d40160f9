import { beforeEach, expect, test } from "vitest";
import type { OutputOf } from "./reading.ts";
import { hashedFraction } from "../../../src/cairn/core/log/digest.ts";
import type { SectionOutput } from "../../../src/plugins/cms/edit/section-plan.ts";
import { pageCreate } from "../../../src/plugins/cms/tools/page-create.ts";
import { sectionDelete } from "../../../src/plugins/cms/tools/section-delete.ts";
import { sectionAdd, sectionMove, sectionUpdate } from "../../../src/plugins/cms/tools/sections.ts";
import { call, contextOf, entities, makeSite, previewOf, refusal, rowCounts, rows } from "./fixture.ts";
import { loadPage } from "./pages-fixture.ts";

beforeEach(async () => {
  await makeSite();
  await call(pageCreate, { name: "About" });
});

const add = async (title: string, more: object = {}): Promise<SectionOutput> =>
  call(sectionAdd, { page: "about", template: "hero", content: { title }, ...more });
const headings = async (page = "about") =>
  (await loadPage(page)).sections.map((one) => one.content.en?.title);

test("sections stand where they were asked to, and their positions are distinct", async () => {
  await add("A");
  const { section: b } = await add("B");
  const first = (await loadPage("about")).sections[0]?.id ?? "";
  await call(sectionDelete, { sections: [first] });
  const { section: c } = await add("C");
  await add("D", { position: { before: b.id } });
  await call(sectionMove, { section: c.id, position: 1 });
  const copy: SectionOutput = await call(sectionAdd, {
    page: "about",
    copyFrom: b.id,
    position: { after: b.id },
  });
  expect(await headings()).toEqual(["C", "D", "B", "B"]);
  expect(copy.order.map((one) => one.position)).toEqual([1, 2, 3, 4]);
  const keys = (await loadPage("about")).sections.map((one) => one.sortKey);
  expect(new Set(keys).size).toBe(4);
});

test("moves in a row keep the order as asked", async () => {
  const ids: string[] = [];
  for (const title of ["A", "B", "C", "D"]) ids.push((await add(title)).section.id);
  for (let n = 0; n < 12; n++) {
    const id = ids[Math.floor(hashedFraction("id", n) * ids.length)] ?? "";
    const position = 1 + Math.floor(hashedFraction("to", n) * ids.length);
    const { order }: SectionOutput = await call(sectionMove, { section: id, position });
    ids.splice(ids.indexOf(id), 1);
    ids.splice(position - 1, 0, id);
    expect(order.map((one) => one.id)).toEqual(ids);
  }
});

test("an addition answers with the section, its page and the draft that shows it", async () => {
  const args = {
    page: "about",
    template: "cta",
    content: { heading: "Call", buttonText: "Go", buttonLink: "page:about" },
  };
  const output: SectionOutput = await call(sectionAdd, args);
  const { section, page } = output;
  expect(output).toMatchObject({
    ok: true,
    publicNow: false,
    preview: { path: "/site/about", section: section.id },
  });
  expect(section).toMatchObject({
    template: "cta",
    variant: "default",
    position: 1,
    hidden: false,
    heading: "Call",
    version: 1,
  });
  expect(page).toMatchObject({ slug: "about", version: 2, dirty: true });
  expect(entities(sectionAdd, args, output)).toEqual([
    {
      op: "create",
      type: "section",
      id: section.id,
      name: "cta “Call”",
      parent: { type: "page", id: page.id },
    },
    { op: "touch", type: "page", id: page.id, name: "About", slug: "about" },
  ]);
});

test("links and images are stored by id, and their uses are kept beside", async () => {
  await call(pageCreate, { name: "Contact" });
  const { section } = await add("A", {
    content: { title: "A", image: "im_ridge", ctaText: "Go", ctaLink: "page:contact#form" },
  });
  const { page, sections } = await loadPage("about");
  const contact = await loadPage("contact");
  expect(sections[0]?.content.en).toEqual({
    title: "A",
    image: { image: "im_ridge" },
    ctaText: "Go",
    ctaLink: { kind: "page", id: contact.page.id, anchor: "form" },
  });
  const refs = await rows(
    "SELECT target_id, owner_id, root_id, state, locale, path FROM asset_refs ORDER BY path",
  );
  const owner = { owner_id: section.id, root_id: page.id, state: "draft", locale: "en" };
  expect(refs).toEqual([
    { target_id: contact.page.id, ...owner, path: "ctaLink" },
    { target_id: "im_ridge", ...owner, path: "image" },
  ]);
  const found = await rows(
    "SELECT ref_id FROM search_docs d JOIN search_fts f ON f.rowid=d.id WHERE search_fts MATCH '\"go\"' ORDER BY kind",
  );
  expect(found).toEqual([{ ref_id: page.id }, { ref_id: section.id }]);
});

test("an update with an unknown key, a null for a required field or too long a text stores nothing", async () => {
  const { section } = await add("A");
  const before = await rowCounts();
  const update = (content: object) => refusal(call(sectionUpdate, { section: section.id, content }));
  const unknown = await update({ titel: "B" });
  expect(unknown).toMatchObject({
    code: "unknown_field",
    at: "content.titel",
    details: { allowed: ["title", "subtitle", "image", "ctaText", "ctaLink"] },
    suggestions: [{ label: "title", value: "title" }],
  });
  expect(await update({ title: null })).toMatchObject({ code: "required_field", at: "content.title" });
  expect(await update({ title: "x".repeat(121) })).toMatchObject({
    code: "invalid_content",
    at: "content.title",
  });
  expect(await update({ image: "im_none" })).toMatchObject({ code: "not_found", at: "content.image" });
  expect(await rowCounts()).toEqual(before);
  expect(await headings()).toEqual(["A"]);
});

test("a patch keeps what it does not name, unset clears, and each locale has its own values", async () => {
  const { section } = await add("A", { content: { title: "A", subtitle: "S", ctaText: "Go" } });
  await call(sectionUpdate, { section: section.id, content: { subtitle: "" }, unset: ["ctaText"] });
  const output: SectionOutput = await call(sectionUpdate, {
    section: section.id,
    content: { subtitle: "Deutsch" },
    locale: "de",
  });
  expect(output.changed).toEqual(["subtitle"]);
  expect((await loadPage("about")).sections[0]?.content).toEqual({
    en: { title: "A", subtitle: "" },
    de: { subtitle: "Deutsch" },
  });
  expect(
    await refusal(call(sectionUpdate, { section: section.id, content: {}, locale: "fr" })),
  ).toMatchObject({ code: "locale_unknown" });
});

test("a hidden section leaves the search text of its page", async () => {
  const { section, page } = await add("Moraine");
  await call(sectionUpdate, { section: section.id, hidden: true });
  const found = await rows("SELECT kind FROM search_docs WHERE body LIKE '%Moraine%' AND ref_id=?1", page.id);
  expect(found).toEqual([]);
});

test("a deletion that names one unknown id deletes nothing and asks nobody", async () => {
  const { section } = await add("A");
  const failure = await refusal(previewOf(sectionDelete, { sections: [section.id, "sc_none"] }));
  expect(failure).toMatchObject({ class: "not_found", code: "not_found", details: { unknown: ["sc_none"] } });
  expect(failure.message).toContain("sc_none");
  expect(await headings()).toEqual(["A"]);
});

test("a deletion is asked for with what goes, and goes as a whole", async () => {
  const { section: a } = await add("A", { content: { title: "A", image: "im_ridge" } });
  const { section: b } = await add("B");
  const args = { sections: [a.id, b.id] };
  const preview = await previewOf(sectionDelete, args);
  expect(preview.need.kind).toBe("ask");
  expect(preview.title).toBe("Delete 2 sections from “About”");
  expect(preview.impact).toEqual([
    `Hero “A” (${a.id}), section 1 of 2 on “About”`,
    `Hero “B” (${b.id}), section 2 of 2 on “About”`,
    "The image ridge.png (im_ridge) is then used nowhere else; it stays in the library",
    "It can be undone",
  ]);
  const output: OutputOf<typeof sectionDelete> = await call(sectionDelete, args);
  expect(output.deleted.map((one) => one.id)).toEqual([a.id, b.id]);
  expect(await headings()).toEqual([]);
  expect(await rows("SELECT * FROM asset_refs")).toEqual([]);
  expect(await rows("SELECT * FROM search_docs WHERE kind='section'")).toEqual([]);
});

test("a template of another region has no place, and an unknown one comes with the nearest", async () => {
  const main = (args: object) =>
    refusal(call(sectionAdd, { content: { title: "A", companyName: "F" }, ...args }));
  expect(await main({ page: "about", template: "footer" })).toMatchObject({ code: "template_region" });
  expect(await main({ page: "_layout", template: "hero" })).toMatchObject({ code: "template_region" });
  const unknown = await main({ page: "about", template: "heros" });
  expect(unknown).toMatchObject({ code: "unknown_template", suggestions: [{ value: "hero" }] });
});

test("a section moves to another page with its content, and both pages get a new version", async () => {
  await call(pageCreate, { name: "Contact" });
  const { section, page } = await add("A");
  const output: SectionOutput = await call(sectionMove, {
    section: section.id,
    position: 1,
    toPage: "contact",
  });
  expect(output.page).toMatchObject({ slug: "contact", version: 2 });
  expect((await loadPage("about")).page.version).toBe(page.version + 1);
  expect([await headings(), await headings("contact")]).toEqual([[], ["A"]]);
  expect(await rows("SELECT parent_id FROM search_docs WHERE kind='section'")).toEqual([
    { parent_id: output.page.id },
  ]);
});

test("a version that has moved on is refused with what changed, by whom and when", async () => {
  const { section } = await add("A");
  const context = contextOf();
  await call(sectionUpdate, { section: section.id, content: { subtitle: "S" } }, context);
  const failure = await refusal(
    call(sectionUpdate, { section: section.id, content: { title: "B" }, expectedVersion: 1 }),
  );
  expect(failure).toMatchObject({
    code: "version_conflict",
    details: { current: 2, changedFields: ["content"], by: "agent:s1", at: context.at },
  });
});

test("the forty-first section does not fit", async () => {
  const source = await add("A");
  for (let n = 1; n < 40; n++) await call(sectionAdd, { page: "about", copyFrom: source.section.id });
  expect(await refusal(add("B"))).toMatchObject({ code: "limit_exceeded" });
});
