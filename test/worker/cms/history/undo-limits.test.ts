import { beforeEach, expect, test } from "vitest";
import { undo } from "../../../../src/plugins/cms/history/undo.ts";
import { imageImport } from "../../../../src/plugins/cms/media/image-import.ts";
import { settingsUpdate } from "../../../../src/plugins/cms/settings/settings-update.ts";
import { imageAttach } from "../../../../src/plugins/cms/tools/image-attach.ts";
import { pageCreate } from "../../../../src/plugins/cms/tools/page-create.ts";
import { pageUpdate } from "../../../../src/plugins/cms/tools/pages.ts";
import { sectionUpdate } from "../../../../src/plugins/cms/tools/sections.ts";
import { setStatus } from "../../../../src/plugins/cms/tools/status.ts";
import { call, contextOf, makeSite, refusal, rows, services } from "../fixture.ts";
import { loadPage } from "../pages-fixture.ts";
import type { OutputOf } from "../reading.ts";
import { photos } from "./acts.ts";

/** Limits of an undo: it leaves alone anything that others need, and changes by another session of the same name. */

beforeEach(async () => {
  await makeSite();
  await call(pageCreate, { name: "About", sections: [{ template: "hero", content: { title: "A" } }] });
});

const heroOf = async (): Promise<string> => (await loadPage("about")).sections[0]?.id ?? "";

test("of a session that was made later takes back nothing of the one before it that had its name", async () => {
  const facts = { session: "s1", run: "r1", subject: "user:1" };
  await call(sectionUpdate, { section: await heroOf(), content: { title: "Theirs" } });
  const next = contextOf();
  const createdAt = next.at;
  expect(await refusal(call(undo, {}, { ...next, facts: { ...facts, createdAt } }))).toMatchObject({
    code: "nothing_to_undo",
  });
  const own = contextOf({ facts: { ...facts, createdAt } });
  await call(sectionUpdate, { section: await heroOf(), content: { title: "Ours" } }, own);
  const undone: OutputOf<typeof undo> = await call(undo, {}, contextOf({ facts: { ...facts, createdAt } }));
  expect(undone.undone?.operation).toBe(own.key);
  expect(undone.notes).toBeUndefined();
  expect((await loadPage("about")).sections[0]?.content).toEqual({ en: { title: "Theirs" } });
});

test("of an image is refused where a draft shows it, and takes it away where nothing does", async () => {
  const imported = contextOf({ services: { ...services, web: photos } });
  const { image }: OutputOf<typeof imageImport> = await call(
    imageImport,
    { source: "url", url: "https://photos.example.com/7.png" },
    imported,
  );
  const shown = contextOf();
  const target = { type: "section", ref: await heroOf() };
  await call(imageAttach, { image: image.id, target, field: "image" }, shown);
  expect(await refusal(call(undo, { operation: imported.key }))).toMatchObject({
    code: "in_use",
    message: expect.stringContaining("About") as string,
  });
  expect(await rows("SELECT deleted_at FROM images WHERE id=?1", image.id)).toEqual([{ deleted_at: null }]);
  await call(undo, { operation: shown.key });
  await call(undo, { operation: imported.key });
  expect(await rows("SELECT 1 FROM images WHERE id=?1 AND deleted_at IS NULL", image.id)).toEqual([]);
});

test("of a language is refused while another one falls back to it", async () => {
  const added = contextOf();
  await call(settingsUpdate, { locales: { add: { code: "it", name: "Italiano" } } }, added);
  const other = contextOf();
  await call(settingsUpdate, { locales: { add: { code: "fr", name: "Français", fallback: "it" } } }, other);
  const failure = await refusal(call(undo, { operation: added.key }));
  expect(failure).toMatchObject({ code: "undo_conflict", details: { conflicts: [{ field: "fallback" }] } });
  await call(undo, { operation: other.key });
  await call(undo, { operation: added.key });
  expect(await rows("SELECT code FROM locales ORDER BY code")).toEqual([{ code: "de" }, { code: "en" }]);
});

test("leaves a page to be published that still differs from what is public", async () => {
  await call(setStatus, { targets: [{ type: "page", ref: "about" }], to: "published" });
  const isClean = async (): Promise<boolean> => {
    const { version, publishedVersion } = (await loadPage("about")).page;
    return version === publishedVersion;
  };
  expect(await isClean()).toBe(true);
  const first = contextOf();
  await call(sectionUpdate, { section: await heroOf(), content: { title: "B" } }, first);
  const second = contextOf();
  await call(pageUpdate, { page: "about", name: "About us" }, second);
  await call(undo, { operation: second.key });
  expect(await isClean()).toBe(false);
  await call(undo, { operation: first.key });
  expect(await isClean()).toBe(true);
});
