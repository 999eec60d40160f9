import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { entryCreate } from "../../../../src/plugins/cms/entries/entry-create.ts";
import { entryUpdate } from "../../../../src/plugins/cms/entries/entry-update.ts";
import { resolveEntry } from "../../../../src/plugins/cms/edit/refs.ts";
import { publishDue } from "../../../../src/plugins/cms/schedule/due.ts";
import { entryGet } from "../../../../src/plugins/cms/tools/entries.ts";
import { pageCreate } from "../../../../src/plugins/cms/tools/page-create.ts";
import { pageGet } from "../../../../src/plugins/cms/tools/read-pages.ts";
import { sectionUpdate } from "../../../../src/plugins/cms/tools/sections.ts";
import { spokenTime } from "../../../../src/plugins/cms/schedule/publish-time.ts";
import { setStatus } from "../../../../src/plugins/cms/tools/status.ts";
import { call, makeSite, previewOf, refusal, rowCounts, rows, services, T0 } from "../fixture.ts";
import { dying } from "./dying.ts";
import { loadPage } from "../pages-fixture.ts";
import type { OutputOf } from "../reading.ts";

const AT = T0 + 86_400_000;
const at = new Date(AT).toISOString();
const post = [{ type: "entry", ref: "the-new-path" }];
const page = [{ type: "page", ref: "about-us" }];

let made: OutputOf<typeof entryCreate>;

beforeEach(async () => {
  await makeSite();
  made = await call(entryCreate, { title: "The new path", content: { body: "It opens in May." } });
  await call(pageCreate, {
    name: "About us",
    sections: [{ template: "hero", content: { title: "Welcome" } }],
  });
});

const schedule = (targets: object): Promise<OutputOf<typeof setStatus>> =>
  call(setStatus, { targets, to: "published", at });
const entry = () => resolveEntry(services, "the-new-path");
const operations = () =>
  rows<{ key: string }>("SELECT key, tool, actor, approval_id FROM operations WHERE key LIKE 'sched:%'");
const epoch = async () => (await rows<{ epoch: number }>("SELECT epoch FROM environments"))[0]?.epoch ?? 0;
const became = async (now: number) => (await publishDue(env.DB, now)).map((one) => one.became);

describe("asking for a time", () => {
  test("is one approval, which names the time and what becomes public then", async () => {
    const preview = await previewOf(setStatus, { targets: post, to: "published", at });
    expect(preview.need.kind).toBe("ask");
    const said = spokenTime(AT);
    expect(preview.title).toBe(`Publish the entry “The new path” at ${said}`);
    expect(preview.summary).toBe(
      `At ${said}: Publish “The new path”: it becomes public at /site/blog/the-new-path.`,
    );
    expect(preview.impact[0]).toBe(`Time: ${said}. A change of the draft before it cancels this`);
  });

  test("leaves everything as visitors see it", async () => {
    const before = await epoch();
    const output = await schedule(post);
    expect(output).toMatchObject({
      publicNow: false,
      targets: [{ status: "draft", version: 2, publishAt: at }],
    });
    expect([await epoch(), (await rowCounts()).published_docs]).toEqual([before, 0]);
    expect(await entry()).toMatchObject({ status: "draft", publishAt: AT, publishVersion: 2 });
  });

  test.each([
    [{ at: new Date(T0 - 1).toISOString() }, "at"],
    [{ at: "2026-03-29T02:30", timeZone: "Europe/Berlin" }, "at"],
    [{ at: "soon" }, "at"],
    [{ at, timeZone: "Mars/Olympus", to: "unpublished" }, "at"],
    [{ at, to: "archived" }, "at"],
  ])("%j is refused before anyone is asked", async (wrong, field) => {
    const counts = await rowCounts();
    const failure = await refusal(previewOf(setStatus, { targets: post, to: "published", ...wrong }));
    expect([failure.code, failure.at]).toEqual(["invalid_input", field]);
    expect(failure.hint).not.toBe("");
    expect(await rowCounts()).toEqual(counts);
  });

  test("is cancelled by unpublished", async () => {
    await schedule(post);
    const output: OutputOf<typeof setStatus> = await call(setStatus, { targets: post, to: "unpublished" });
    expect(output.targets).toMatchObject([{ status: "draft", version: 3 }]);
    expect(await entry()).toMatchObject({ publishAt: null, publishVersion: null });
    expect(await became(AT)).toEqual([]);
  });

  test("is cancelled by unscheduled, and what visitors see of a public page stays", async () => {
    await call(setStatus, { targets: page, to: "published" });
    const [section] = (await loadPage("about-us")).sections;
    await call(sectionUpdate, { section: section?.id, content: { title: "Spring" } });
    await schedule([...page, ...post]);
    const before = [await rows("SELECT * FROM published_docs"), await epoch()];
    const targets = [...page, ...post];
    const preview = await previewOf(setStatus, { targets, to: "unscheduled" });
    expect(preview).toMatchObject({
      title: "Cancel the publishing of 2 things",
      summary: `“About us” is not published at ${spokenTime(AT)}. “The new path” is not published at ${spokenTime(AT)}.`,
    });
    const output: OutputOf<typeof setStatus> = await call(setStatus, { targets, to: "unscheduled" });
    expect(output).toMatchObject({
      publicNow: false,
      targets: [{ status: "published" }, { status: "draft" }],
    });
    expect([await rows("SELECT * FROM published_docs"), await epoch()]).toEqual(before);
    expect((await loadPage("about-us")).page).toMatchObject({ status: "published", publishAt: null });
    expect(await became(AT)).toEqual([]);
    // The edits are still there to be published.
    expect((await loadPage("about-us")).sections[0]?.content["en"]).toEqual({ title: "Spring" });
    expect(await call(setStatus, { targets, to: "unscheduled" })).toMatchObject({
      unchanged: true,
    });
    await call(setStatus, { targets: page, to: "published" });
    expect(await rows("SELECT doc->>'$.sections[0].content.en.title' AS title FROM published_docs")).toEqual([
      { title: "Spring" },
    ]);
  });
});

describe("at the time", () => {
  test("nothing happens a millisecond before; then it is public, once, under the approval that named it", async () => {
    await schedule([...post, ...page]);
    const before = await epoch();
    expect(await became(AT - 1)).toEqual([]);
    expect(await became(AT)).toEqual(["published", "published"]);
    expect(await became(AT + 300_000)).toEqual([]);
    expect(await entry()).toMatchObject({ status: "published", publishedAt: AT, publishAt: null });
    expect((await loadPage("about-us")).page).toMatchObject({ status: "published", publishAt: null });
    expect(await epoch()).toBe(before + 2);
    expect((await rowCounts()).published_docs).toBe(2);
    expect(await operations()).toContainEqual({
      key: `sched:entry:${made.entry.id}:${AT}`,
      tool: "set_status",
      actor: "system:schedule",
      approval_id: "ap_1",
    });
  });

  test("two passes at once publish once", async () => {
    await schedule(post);
    await Promise.all([publishDue(env.DB, AT), publishDue(env.DB, AT)]);
    expect((await operations()).length).toBe(1);
    expect((await entry()).version).toBe(3);
  });

  test("a worker that dies at any batch, before or after it, leaves it to be published once", async () => {
    const seen: string[] = [];
    for (const when of ["before", "after"] as const) {
      for (let nth = 1; nth <= 8; nth++) {
        await makeSite();
        await call(entryCreate, { title: "The new path", content: { body: "It opens in May." } });
        await schedule(post);
        const before = await epoch();
        const [first] = await publishDue(dying(when, nth), AT);
        seen.push(first?.became ?? "nothing");
        await publishDue(env.DB, AT + 300_000);
        expect([when, nth, (await entry()).status]).toEqual([when, nth, "published"]);
        expect([(await operations()).length, (await rowCounts()).published_docs, await epoch()]).toEqual([
          1,
          1,
          before + 1,
        ]);
      }
    }
    // Both kinds of death were met, and passes that no death disturbed.
    expect(new Set(seen)).toEqual(new Set(["later", "published"]));
  });

  test("a blocker leaves it as it was, and says why where the page is read", async () => {
    await schedule(page);
    const [section] = (await loadPage("about-us")).sections;
    await env.DB.prepare("UPDATE contents SET data=json_set(data,'$.title','') WHERE owner_id=?1")
      .bind(section?.id ?? "")
      .run();
    const before = await epoch();
    expect(await became(AT)).toEqual(["left"]);
    const read: OutputOf<typeof pageGet> = await call(pageGet, { page: "about-us" });
    expect(read.page).toMatchObject({
      status: "draft",
      publishFailure: expect.stringContaining("title") as string,
    });
    expect(read.page.publishAt).toBeUndefined();
    expect([await epoch(), (await rowCounts()).published_docs]).toEqual([before, 0]);
    expect(await became(AT + 300_000)).toEqual([]);
  });

  test("what was changed after the approval is not published without another one", async () => {
    await schedule([...post, ...page]);
    await call(entryUpdate, { entry: "the-new-path", content: { body: "Nobody has approved this." } });
    const [section] = (await loadPage("about-us")).sections;
    await call(sectionUpdate, { section: section?.id, content: { title: "Nor this" } });
    expect(await became(AT)).toEqual(["left", "left"]);
    const read: OutputOf<typeof entryGet> = await call(entryGet, { entry: "the-new-path" });
    expect(read.entry.publishFailure).toBe(
      "It was changed after its publishing was approved. Ask for publishing again.",
    );
    await call(setStatus, { targets: post, to: "published" });
    expect(await entry()).toMatchObject({ status: "published", publishFailure: null });
  });
});
