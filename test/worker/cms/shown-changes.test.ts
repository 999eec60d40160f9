import { beforeEach, expect, test } from "vitest";
import { navEdit } from "../../../src/plugins/cms/tools/nav.ts";
import { pageCreate } from "../../../src/plugins/cms/tools/page-create.ts";
import { pageDelete } from "../../../src/plugins/cms/tools/page-delete.ts";
import { pageUpdate } from "../../../src/plugins/cms/tools/pages.ts";
import { sectionAdd, sectionUpdate } from "../../../src/plugins/cms/tools/sections.ts";
import { setStatus } from "../../../src/plugins/cms/tools/status.ts";
import { call, makeSite, previewOf } from "./fixture.ts";
import { loadPage } from "./pages-fixture.ts";

beforeEach(async () => {
  await makeSite();
  await call(pageCreate, { name: "About", sections: [] });
});

const status = (to: string) => ({ targets: [{ type: "page", ref: "about" }], to });
const publish = () => call(setStatus, status("published"));
const link = { op: "add", label: "About", target: "page:about", location: "header" };

test("a page that is taken off the site shows what visitors lose, and its draft", async () => {
  await publish();
  await call(navEdit, { ops: [link] });
  const preview = await previewOf(setStatus, status("unpublished"));
  expect(preview.changes).toEqual([
    { what: "Page “About”", before: "public at /about", after: "not public" },
    { what: "Navigation item “About” in the header", before: "shown", after: "not shown" },
  ]);
  const { page } = await loadPage("about");
  expect(preview.draft).toEqual({ type: "page", id: page.id });
});

test("a page published again shows each field that visitors see change, an image by its name", async () => {
  await call(sectionAdd, { page: "about", template: "hero", content: { title: "Hello" } });
  await publish();
  const section = (await loadPage("about")).sections[0];
  await call(sectionUpdate, {
    section: section?.id,
    content: { title: "Welcome", image: "im_ridge" },
  });
  expect((await previewOf(setStatus, status("published"))).changes).toEqual([
    { what: "Hero section on “About” · Title", before: "Hello", after: "Welcome" },
    { what: "Hero section on “About” · Image", before: null, after: "ridge.png" },
  ]);
});

test("a page that is deleted goes with its navigation item, and says that there is a way back", async () => {
  await publish();
  await call(navEdit, { ops: [link] });
  const preview = await previewOf(pageDelete, { pages: ["about"] });
  expect(preview.changes).toEqual([
    { what: "Page “About”", before: "/about", after: null },
    { what: "Navigation item “About” in the header", before: "to “About”", after: null },
  ]);
  expect(preview.impact).toContain("It can be undone");
});

test("a public page that moves shows its address before and after, once", async () => {
  await publish();
  const { changes } = await previewOf(pageUpdate, { page: "about", slug: "about-us" });
  expect(changes).toEqual([
    { what: "Page “About” · Slug", before: "about", after: "about-us" },
    { what: "Redirect from /site/about", before: null, after: "to “About”" },
  ]);
});

test("an edit of the navigation shows the items by their labels, and their order", async () => {
  await publish();
  await call(navEdit, { ops: [link, { ...link, label: "More", target: "https://a.example" }] });
  const ops = [
    { op: "move", item: "More", position: 1 },
    { op: "update", item: "More", label: "Elsewhere" },
  ];
  expect((await previewOf(navEdit, { ops })).changes).toEqual([
    { what: "Navigation item “More” in the header · Label", before: "More", after: "Elsewhere" },
    { what: "Order of the header", before: "About, More", after: "Elsewhere, About" },
  ]);
});

test("changes that need no approval are not computed", async () => {
  expect((await previewOf(navEdit, { ops: [link] })).changes).toBeUndefined();
});
