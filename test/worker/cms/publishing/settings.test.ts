import { beforeEach, expect, test } from "vitest";
import { settingsUpdate } from "../../../../src/plugins/cms/settings/settings-update.ts";
import { loadSettings } from "../../../../src/plugins/cms/storage/load.ts";
import { pageCreate } from "../../../../src/plugins/cms/tools/page-create.ts";
import { setStatus } from "../../../../src/plugins/cms/tools/status.ts";
import { call, contextOf, makeSite, previewOf, refusal, rowCounts, rows, services } from "../fixture.ts";
import type { OutputOf } from "../reading.ts";

const update = (args: object): Promise<OutputOf<typeof settingsUpdate>> => call(settingsUpdate, args);
const value = async (key: "identity" | "seo" | "home" | "theme") =>
  (await loadSettings(services)).get(key)?.value;
const epoch = async () => (await rows<{ epoch: number }>("SELECT epoch FROM environments"))[0]?.epoch ?? 0;

beforeEach(async () => {
  await makeSite();
  await rows("DELETE FROM settings");
  await update({ set: { identity: { title: "Fern & Fell", tagline: "Slowly" } } });
});

test("a setting is asked for with each value before and after, and shows at once", async () => {
  const args = { set: { identity: { tagline: "On foot" }, theme: { accent: "#2f6f4f" } } };
  const preview = await previewOf(settingsUpdate, args);
  expect([preview.need.kind, preview.summary]).toEqual([
    "ask",
    "Change identity.tagline, theme.accent; every page shows it at once.",
  ]);
  expect(JSON.stringify(preview.changes)).toMatch(/Slowly.*On foot/);
  const before = await epoch();
  expect(await update(args)).toMatchObject({
    publicNow: true,
    changed: ["identity.tagline", "theme.accent"],
  });
  expect([await value("identity"), await value("theme")]).toEqual([
    { title: "Fern & Fell", tagline: "On foot" },
    { accent: "#2f6f4f" },
  ]);
  expect(await epoch()).toBe(before + 1);
});

test("an image becomes a use of that image, and unset clears a key and leaves the others", async () => {
  await update({ set: { identity: { logo: "im_ridge" } }, unset: ["identity.tagline"] });
  expect(await value("identity")).toEqual({ title: "Fern & Fell", logo: { image: "im_ridge" } });
  expect(await rows("SELECT owner_id, path FROM asset_refs WHERE target_id='im_ridge'")).toEqual([
    { owner_id: "env_main/identity", path: "logo" },
  ]);
});

test("the home page is a public one, and its preview says where the old one goes", async () => {
  for (const name of ["First", "Second"]) await call(pageCreate, { name });
  const home = (page: string) => ({ set: { home: { page } } });
  expect(await refusal(update(home("first")))).toMatchObject({ code: "invalid_input", at: "set.home.page" });
  const targets = ["first", "second"].map((ref) => ({ type: "page", ref }));
  await call(setStatus, { targets, to: "published" });
  await update(home("first"));
  const preview = await previewOf(settingsUpdate, home("second"));
  expect(preview.impact).toEqual(
    expect.arrayContaining(["/site/ shows “Second”", "“First” is then at /site/first"]),
  );
});

test.each([
  [{ set: { identity: { titel: "x" } } }, "unknown_field", "set.identity.titel"],
  [{ set: { identity: { title: null } } }, "required_field", "set.identity.title"],
  [{ unset: ["identity.title"] }, "required_field", "unset"],
  [{ unset: ["identity"] }, "unknown_field", "unset"],
  [{ set: { seo: { titleTemplate: "Fern" } } }, "invalid_input", "set.seo.titleTemplate"],
  [{ set: { theme: { accent: "green" } } }, "invalid_input", "set.theme.accent"],
  [{ set: { home: { page: "nowhere" } } }, "not_found", "set.home.page"],
])("%j is refused before anyone is asked, and writes nothing", async (wrong, code, at) => {
  const counts = await rowCounts();
  const failure = await refusal(previewOf(settingsUpdate, wrong));
  expect([failure.code, failure.at]).toEqual([code, at]);
  expect(await rowCounts()).toEqual(counts);
});

test("run again with its key it answers the same, and writes once", async () => {
  const context = contextOf();
  const args = { set: { identity: { tagline: "On foot" } } };
  const one = await call(settingsUpdate, args, context);
  const counts = await rowCounts();
  const { definition } = settingsUpdate;
  const again = await definition.run(definition.input.parse(args), context);
  expect(JSON.parse(JSON.stringify(again))).toEqual({ ...one, replayed: true });
  expect(await rowCounts()).toEqual(counts);
});
