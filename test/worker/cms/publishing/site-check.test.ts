import { beforeEach, expect, test } from "vitest";
import { entryCreate } from "../../../../src/plugins/cms/entries/entry-create.ts";
import { pageCreate } from "../../../../src/plugins/cms/tools/page-create.ts";
import { siteCheck } from "../../../../src/plugins/cms/tools/site-check.ts";
import { call, makeSite, refusal, rows } from "../fixture.ts";
import type { OutputOf } from "../reading.ts";

const check = (args: object = {}): Promise<OutputOf<typeof siteCheck>> => call(siteCheck, args);

beforeEach(async () => {
  await makeSite();
  await call(pageCreate, {
    name: "About us",
    sections: [{ template: "hero", content: { title: "Welcome" } }],
  });
  await call(entryCreate, {
    title: "The new path",
    content: { body: "It opens in May." },
    cover: "im_ridge",
  });
});

test("the site is looked through: what blocks, what is doubtful, each with its place and its fix", async () => {
  await rows("UPDATE images SET deleted_at=1 WHERE id='im_ridge'");
  await rows("UPDATE contents SET data='{}' WHERE owner_type='section'");
  const { blockers, warnings, checked, leftOut } = await check();
  expect(blockers.map((one) => [one.code, one.owner.type, one.field])).toEqual([
    ["missing_required", "section", "title"],
  ]);
  expect(warnings.map((one) => one.code)).toEqual(
    expect.arrayContaining(["meta_description", "orphan_page", "broken_image"]),
  );
  expect(blockers.every((one) => one.fix !== "")).toBe(true);
  // the layout is a page too
  expect([checked, leftOut]).toEqual([3, { documents: 0, blockers: 0, warnings: 0 }]);
});

test("a page or an entry is checked alone, and coverage is of its own texts", async () => {
  expect(await check({ scope: "page", ref: "about-us" })).toMatchObject({
    ref: { name: "About us" },
    checked: 1,
    coverage: { en: 100, de: 0 },
  });
  const entry = await check({ scope: "entry", ref: "the-new-path", locale: "de" });
  expect([entry.ref?.name, entry.coverage]).toEqual(["The new path", { de: 0 }]);
});

test.each([
  [{ scope: "page" }, "invalid_input"],
  [{ ref: "about-us" }, "invalid_input"],
  [{ scope: "page", ref: "about-uss" }, "not_found"],
  [{ locale: "fr" }, "locale_unknown"],
])("%j is refused", async (wrong, code) => {
  expect((await refusal(check(wrong))).code).toBe(code);
});
