import { beforeEach, expect, test } from "vitest";
import type { OutputOf } from "./reading.ts";
import { navEdit } from "../../../src/plugins/cms/tools/nav.ts";
import type { ShownNavItem } from "../../../src/plugins/cms/tools/overview.ts";
import { pageCreate } from "../../../src/plugins/cms/tools/page-create.ts";
import { setStatus } from "../../../src/plugins/cms/tools/status.ts";
import { call, entities, makeSite, previewOf, refusal, rows } from "./fixture.ts";

beforeEach(async () => {
  await makeSite();
  await call(pageCreate, { name: "About" });
});

const edit = (...ops: object[]): Promise<OutputOf<typeof navEdit>> => call(navEdit, { ops });
const add = (label: string, target: string, more: object = {}) => ({
  op: "add",
  location: "header",
  label,
  target,
  ...more,
});
const outline = (items: readonly ShownNavItem[]): string =>
  items.map((one) => one.label + (one.children.length > 0 ? `[${outline(one.children)}]` : "")).join(" ");

test("a second item with the same target under the same parent exists already", async () => {
  await edit(add("About", "page:about"));
  const failure = await refusal(edit(add("Us", "page:about")));
  expect(failure).toMatchObject({ code: "already_exists", at: "ops[0]", suggestions: [{ label: "About" }] });
  await edit(add("Us", "page:about", { location: "footer" }));
  expect(await rows("SELECT count(*) AS n FROM nav_items")).toEqual([{ n: 2 }]);
});

test("two items with one label are told apart by id, and each can be removed alone", async () => {
  const { created } = await edit(add("More", "https://a.example"), add("More", "https://b.example"));
  const failure = await refusal(edit({ op: "remove", item: "More" }));
  expect(failure.code).toBe("ambiguous_reference");
  expect(failure.suggestions).toEqual(created.map((one) => ({ label: "More (header)", ref: one.id })));
  const { nav, removed } = await edit({ op: "remove", item: created[0]?.id });
  expect(removed.map((one) => one.id)).toEqual([created[0]?.id]);
  expect(nav.header.map((one) => one.target)).toEqual(["https://b.example"]);
});

test("items nest to three levels, and never under themselves", async () => {
  await edit(add("A", "none"));
  await edit(add("B", "none", { parent: "A" }));
  const { nav } = await edit(add("C", "none", { parent: "B" }));
  expect(outline(nav.header)).toBe("A[B[C]]");
  expect(await refusal(edit(add("D", "none", { parent: "C" })))).toMatchObject({
    code: "nav_depth",
    at: "ops[0]",
  });
  expect(await refusal(edit({ op: "move", item: "A", parent: "C" }))).toMatchObject({
    code: "nav_cycle",
    at: "ops[0].parent",
  });
  expect(await refusal(edit({ op: "move", item: "A", parent: "A" }))).toMatchObject({ code: "nav_cycle" });
  await edit(add("E", "none"), { op: "move", item: "E", position: 1 });
  expect(await refusal(edit({ op: "move", item: "A", parent: "E" }))).toMatchObject({ code: "nav_depth" });
});

test("twelve items are taken, and a new order is kept", async () => {
  const labels = Array.from({ length: 12 }, (_, i) => `N${i + 1}`);
  const { created } = await edit(...labels.map((label, i) => add(label, `https://example.org/${i}`)));
  expect(created.length).toBe(12);
  const { nav } = await edit(
    { op: "move", item: "N12", position: 1 },
    { op: "move", item: "N1", position: { after: created[4]?.id } },
    { op: "move", item: "N2", position: { before: created[0]?.id } },
  );
  expect(outline(nav.header)).toBe("N12 N3 N4 N5 N2 N1 N6 N7 N8 N9 N10 N11");
});

test("places given up in the same call are taken without a conflict", async () => {
  await edit(add("A", "none"));
  const { nav } = await edit(
    add("B", "none", { location: "footer" }),
    { op: "move", item: "A", location: "footer" },
    add("C", "none"),
  );
  expect([outline(nav.header), outline(nav.footer)]).toEqual(["C", "B A"]);
  const again = await edit({ op: "remove", item: "C" }, add("D", "none"), add("E", "none", { position: 1 }));
  expect(outline(again.nav.header)).toBe("E D");
});

test("a removed item leaves its children in its place, or takes them along", async () => {
  await edit(add("A", "none"), add("B", "none"), add("Z", "none"));
  await edit(add("B1", "none", { parent: "B" }), add("B2", "none", { parent: "B" }));
  expect(outline((await edit({ op: "remove", item: "B" })).nav.header)).toBe("A B1 B2 Z");
  await edit({ op: "move", item: "B2", parent: "A" });
  const { nav, removed } = await edit({ op: "remove", item: "A", children: "remove" });
  expect(outline(nav.header)).toBe("B1 Z");
  expect(removed.map((one) => one.label).sort()).toEqual(["A", "B2"]);
});

test("a subtree moves to another location as a whole", async () => {
  await edit(add("A", "none"));
  await edit(add("B", "page:about", { parent: "A" }));
  const { nav } = await edit({ op: "move", item: "A", location: "footer" });
  expect([outline(nav.header), outline(nav.footer)]).toEqual(["", "A[B]"]);
});

test("only an item to a draft is added without asking; once it is public, a person decides", async () => {
  const args = { ops: [add("About", "page:about")] };
  expect((await previewOf(navEdit, args)).need).toEqual({ kind: "none" });
  await call(setStatus, { targets: [{ type: "page", ref: "about" }], to: "published" });
  expect((await previewOf(navEdit, args)).need.kind).toBe("ask");
  expect((await previewOf(navEdit, { ops: [add("Out", "https://a.example")] })).need.kind).toBe("ask");
  expect((await previewOf(navEdit, { ops: [add("Blog", "collection:blog")] })).need.kind).toBe("ask");
});

test("the approval shows each edit and the tree before and after, items by id", async () => {
  const { created } = await edit(add("A", "none"), add("B", "https://b.example"));
  const [a, b] = created.map((one) => one.id);
  const args = {
    ops: [
      { op: "remove", item: b },
      { op: "update", item: "A", visible: false },
    ],
  };
  const preview = await previewOf(navEdit, args);
  expect(preview.need.kind).toBe("ask");
  expect(preview.summary).toBe("Change “A”, remove “B” on the public site at once.");
  expect(preview.impact).toEqual([
    `Remove “B” (${b}) from the header`,
    `Change “A” (${a}): hidden`,
    `The header before: A (${a}), B (${b})`,
    `The header after: A (${a}, hidden)`,
  ]);
  const output: OutputOf<typeof navEdit> = await call(navEdit, args);
  expect(entities(navEdit, args, output)).toEqual([
    { op: "touch", type: "nav_item", id: a, name: "A" },
    { op: "delete", type: "nav_item", id: b, name: "B" },
  ]);
});

test("a label in another locale stands beside the default one, and the target is kept as a use", async () => {
  await edit(add("About", "page:about"));
  await call(navEdit, { ops: [{ op: "update", item: "About", label: "Über uns" }], locale: "de" });
  expect(await rows("SELECT label FROM nav_items")).toEqual([{ label: "About" }]);
  expect(await rows("SELECT locale, data->>'label' AS label FROM contents WHERE owner_type='nav'")).toEqual([
    { locale: "de", label: "Über uns" },
  ]);
  expect(await rows("SELECT target_type, state, path FROM asset_refs")).toEqual([
    { target_type: "page", state: "live", path: "target" },
  ]);
});

test("an unknown target or item is refused with its place in the call", async () => {
  expect(await refusal(edit(add("X", "page:abot")))).toMatchObject({
    code: "not_found",
    at: "ops[0].target",
    suggestions: [{ label: "About (about)" }],
  });
  expect(await refusal(edit(add("A", "none"), { op: "remove", item: "nope" }))).toMatchObject({
    code: "not_found",
    at: "ops[1].item",
  });
  expect(await refusal(edit(add("X", "javascript:alert(1)")))).toMatchObject({
    code: "invalid_input",
    at: "ops[0].target",
  });
  expect(await rows("SELECT 1 FROM nav_items")).toEqual([]);
});
