import { expect, test } from "vitest";
import type { Json } from "../../../src/cairn/core/log/json.ts";
import { idsIn, shownChanges } from "../../../src/plugins/cms/edit/shown-changes.ts";
import type { Change } from "../../../src/plugins/cms/model/types.ts";

const setting = (
  before: { readonly [key: string]: Json },
  after: { readonly [key: string]: Json },
): Change => ({
  type: "setting",
  before: { key: "seo", value: before, version: 1, updatedAt: 1 },
  after: { key: "seo", value: after, version: 2, updatedAt: 2 },
});
const shown = (changes: readonly Change[]) =>
  shownChanges(changes, [], (id) => (id === "im_ridge" ? "ridge.png" : id));

test("each field is shown before and after, an image and a link by what they are called", () => {
  const change = setting(
    { ogImage: null, title: "Old", same: 1 },
    {
      ogImage: { image: "im_ridge", alt: "A ridge" },
      title: "New",
      same: 1,
      link: { kind: "page", id: "pg_x" },
    },
  );
  expect(shown([change])).toEqual([
    { what: "Site settings, seo · Og image", before: null, after: "ridge.png, described as “A ridge”" },
    { what: "Site settings, seo · Title", before: "Old", after: "New" },
    { what: "Site settings, seo · Link", before: null, after: "pg_x" },
  ]);
  expect(idsIn([change])).toEqual(["im_ridge", "pg_x"]);
});

test("of a list the part that differs is shown, and what it gains", () => {
  const items = (...titles: string[]) => ({ items: titles.map((title) => ({ title })) });
  expect(shown([setting(items("One", "Two"), items("One", "Second", "Three"))])).toEqual([
    { what: "Site settings, seo · Items · 2 · Title", before: "Two", after: "Second" },
    { what: "Site settings, seo · Items · 3", before: null, after: "Title: Three" },
  ]);
});

test("of a long text the part that differs is shown, and both ends that are left out say so", () => {
  const [start, end] = ["a".repeat(5_000), "z".repeat(5_000)];
  const [change] = shown([setting({ title: `${start}old${end}` }, { title: `${start}new${end}` })]);
  expect(change?.before).toMatch(/^… a{120}oldz{120} …$/);
  expect(change?.after).toMatch(/^… a{120}newz{120} …$/);
  const long = `${"b".repeat(9_000)}HIDDEN`;
  expect(shown([setting({ title: start }, { title: start + long })])[0]?.after).toContain(long);
});

test("what is said twice is said once, and no change is left out", () => {
  const once = setting({ title: "Old" }, { title: "New" });
  expect(shown([once, once])).toHaveLength(1);
  const fields = (value: number) =>
    Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`f${n}`, value]));
  const many = shown([setting(fields(1), fields(2))]);
  expect(many).toHaveLength(65);
});
