import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { changesBegin, changesDiscard } from "../../../../src/plugins/cms/changes/collect.ts";
import { publishDueSets } from "../../../../src/plugins/cms/changes/due-sets.ts";
import { changesPublish } from "../../../../src/plugins/cms/changes/publish.ts";
import { changesShow } from "../../../../src/plugins/cms/changes/show.ts";
import { withinSet } from "../../../../src/plugins/cms/changes/within.ts";
import { entryCreate } from "../../../../src/plugins/cms/entries/entry-create.ts";
import { history } from "../../../../src/plugins/cms/history/history.ts";
import { undo } from "../../../../src/plugins/cms/history/undo.ts";
import { settingsUpdate } from "../../../../src/plugins/cms/settings/settings-update.ts";
import { spokenTime } from "../../../../src/plugins/cms/schedule/publish-time.ts";
import { find } from "../../../../src/plugins/cms/tools/find.ts";
import { navEdit } from "../../../../src/plugins/cms/tools/nav.ts";
import { pageCreate } from "../../../../src/plugins/cms/tools/page-create.ts";
import { pageDelete } from "../../../../src/plugins/cms/tools/page-delete.ts";
import { pageUpdate } from "../../../../src/plugins/cms/tools/pages.ts";
import { pageGet } from "../../../../src/plugins/cms/tools/read-pages.ts";
import { sectionUpdate } from "../../../../src/plugins/cms/tools/sections.ts";
import { setStatus } from "../../../../src/plugins/cms/tools/status.ts";
import { call, contextOf, makeSite, previewOf, refusal, rows, services, T0 } from "../fixture.ts";
import { dying } from "../publishing/dying.ts";
import { wholeSite } from "../history/whole-site.ts";
import { loadPage } from "../pages-fixture.ts";
import type { OutputOf } from "../reading.ts";

/** Changes that are collected, shown, decided and published as one. */

const kept = {
  update: withinSet(pageUpdate),
  section: withinSet(sectionUpdate),
  remove: withinSet(pageDelete),
};
const titleOf = async (slug: string) => (await loadPage(slug)).sections[0]?.content["en"]?.["title"];
const sectionOf = async (slug: string) => (await loadPage(slug)).sections[0]?.id ?? "";
const publicTitles = async () =>
  (
    await rows<{ title: string }>(
      "SELECT doc->>'$.sections[0].content.en.title' AS title FROM published_docs ORDER BY title",
    )
  ).map((row) => row.title);

beforeEach(async () => {
  await makeSite();
  for (const name of ["About us", "Contact", "Old news"])
    await call(pageCreate, { name, sections: [{ template: "hero", content: { title: `${name}!` } }] });
  const targets = ["about-us", "contact"].map((ref) => ({ type: "page", ref }));
  await call(setStatus, { targets, to: "published" });
});

/** A set with an edit of each of two public pages and a new page. */
async function collected(): Promise<void> {
  await call(changesBegin, { name: "Spring" });
  await call(kept.section, { section: await sectionOf("about-us"), content: { title: "Spring is here" } });
  await call(kept.update, { page: "contact", name: "Write to us" });
  await call(withinSet(pageCreate), {
    name: "Spring walks",
    sections: [{ template: "hero", content: { title: "Walks" } }],
    nav: { location: "header" },
  });
}

describe("collecting", () => {
  test("asks nobody, is read in the session, and shows nowhere else", async () => {
    const before = await wholeSite();
    await call(changesBegin, { name: "Spring" });
    const given = { page: "contact", slug: "write" };
    expect((await previewOf(kept.update, given)).need).toEqual({ kind: "none" });
    const answer: OutputOf<typeof pageUpdate> = await call(kept.update, given);
    expect(answer).toMatchObject({
      publicNow: false,
      notes: expect.arrayContaining([expect.stringContaining("change set “Spring”") as string]) as string[],
    });
    const other = contextOf({ facts: { session: "s2", run: "r2", subject: "user:2" } });
    const read: OutputOf<typeof pageGet> = await call(withinSet(pageGet), { page: "write" });
    expect(read.page.name).toBe("Contact");
    expect((await refusal(call(withinSet(pageGet), { page: "write" }, other))).code).toBe("not_found");
    expect(await wholeSite()).toEqual(before);
    expect(
      (await rows("SELECT 1 FROM operations WHERE env_id='env_main' AND summary LIKE '%write%'")).length,
    ).toBe(0);
  });

  test("new words are found in the set, and not outside of it", async () => {
    await collected();
    const found: OutputOf<typeof find> = await call(withinSet(find), { query: "Spring walks" });
    expect(found.items[0]).toMatchObject({ name: "Spring walks", score: 1 });
    const outside: OutputOf<typeof find> = await call(find, { query: "Spring walks" });
    expect(outside.items.filter((one) => one.score > 0.9)).toEqual([]);
  });

  test("an edit in the set is undone in the set, and the history of the site knows nothing of it", async () => {
    const before = await wholeSite();
    await collected();
    const listed: OutputOf<typeof history> = await call(withinSet(history), { limit: 1 });
    expect(listed.items[0]?.summary).toContain("Spring walks");
    await call(withinSet(undo), {});
    const shown: OutputOf<typeof changesShow> = await call(changesShow, {});
    expect(shown.items.map((one) => one.what).toSorted()).toEqual(["Page “About us”", "Page “Contact”"]);
    const live: OutputOf<typeof history> = await call(history, { limit: 50 });
    expect(live.items.filter((one) => one.summary.includes("Spring")).map((one) => one.summary)).toEqual([
      "Start the change set “Spring”.",
    ]);
    expect(await wholeSite()).toEqual(before);
  });

  test("a write on the site that is undone in the set is still there outside of it", async () => {
    const edit = contextOf();
    await call(pageUpdate, { page: "old-news", name: "News" }, edit);
    await call(changesBegin, {});
    await call(withinSet(undo), { operation: edit.key });
    expect((await loadPage("old-news")).page.name).toBe("News");
    const [operation] = await rows<{ undone_by: string | null }>(
      "SELECT undone_by FROM operations WHERE key=?1",
      edit.key,
    );
    expect(operation?.undone_by).toBeNull();
    await call(changesDiscard, {});
    await call(undo, { operation: edit.key });
    expect((await loadPage("old-news")).page.name).toBe("Old news");
  });

  test("a session has one open set; beginning again goes on with it, under one key once", async () => {
    const context = contextOf();
    const first: OutputOf<typeof changesBegin> = await call(changesBegin, { name: "One" }, context);
    const again: OutputOf<typeof changesBegin> = await call(changesBegin, { name: "One" }, context);
    expect(again).toMatchObject({ set: first.set, replayed: true });
    const second: OutputOf<typeof changesBegin> = await call(changesBegin, { name: "Two" });
    expect(second.set).toMatchObject({ id: first.set.id, name: "One" });
    expect((await rows("SELECT 1 FROM change_sets")).length).toBe(1);
  });

  test("a protected environment asks about publishing a set, not about each write into it", async () => {
    await env.DB.exec("UPDATE environments SET is_protected=1");
    expect((await previewOf(changesBegin, {})).need.kind).toBe("none");
    await call(changesBegin, {});
    expect((await previewOf(kept.update, { page: "contact", name: "X" })).need.kind).toBe("none");
    await call(kept.update, { page: "contact", name: "X" });
    expect((await previewOf(changesPublish, {})).need.kind).toBe("ask");
  });

  test("a time for one page of a set is refused: a set is published as one", async () => {
    await call(changesBegin, {});
    const failure = await refusal(
      call(withinSet(setStatus), {
        targets: [{ type: "page", ref: "old-news" }],
        to: "published",
        at: new Date(T0 + 86_400_000 * 40).toISOString(),
      }),
    );
    expect(failure).toMatchObject({ code: "invalid_input", at: "at" });
    const targets = [{ type: "page", ref: "old-news" }];
    const cancelled = await refusal(call(withinSet(setStatus), { targets, to: "unscheduled" }));
    expect(cancelled).toMatchObject({ code: "invalid_input", at: "to" });
    expect(cancelled.hint).toContain("changes_discard");
  });
});

describe("the difference", () => {
  test("is one item a page with what was and what will be, and the navigation", async () => {
    await collected();
    const shown: OutputOf<typeof changesShow> = await call(changesShow, {});
    expect(shown).toMatchObject({ blockers: [], conflicts: [], set: { name: "Spring", state: "open" } });
    expect(shown.items.map(({ what, becomes }) => [what, becomes])).toEqual([
      ["Page “About us”", "changed"],
      ["Page “Contact”", "changed"],
      ["Page “Spring walks”", "created"],
      ["Navigation", "changed"],
    ]);
    expect(shown.items[0]?.changes).toEqual([
      { what: "Hero section on “About us” · Title", before: "About us!", after: "Spring is here" },
    ]);
    expect(shown.items[1]?.changes).toContainEqual({ what: "Name", before: "Contact", after: "Write to us" });
  });

  test("is what the approval shows, bound to the set as it is: a later write makes it stale", async () => {
    await collected();
    const context = contextOf();
    const preview = await previewOf(changesPublish, {}, context);
    expect(preview).toMatchObject({
      title: "Publish the change set “Spring”",
      need: { kind: "ask" },
      batch: { name: "Spring", items: [{ what: "Page “About us”" }, {}, {}, { what: "Navigation" }] },
    });
    expect(preview.summary).toMatch(
      /^Publish “Spring”: \d+ changes of 3 pages and the navigation, all at once\.$/,
    );
    await call(kept.update, { page: "contact", name: "Nobody saw this" });
    const run = changesPublish.definition.run(
      {},
      { ...context, approved: { approval: "ap_1", basis: preview.basis } },
    );
    expect((await refusal(run)).code).toBe("approval_stale");
    expect(await publicTitles()).toEqual(["About us!", "Contact!"]);
  });
});

describe("publishing", () => {
  test("makes all of it public in one operation, which undo takes back whole", async () => {
    const before = await wholeSite();
    await collected();
    const context = contextOf();
    const answer: OutputOf<typeof changesPublish> = await call(changesPublish, {}, context);
    expect(answer).toMatchObject({ publicNow: true, set: { state: "published" } });
    expect(await publicTitles()).toEqual(["Contact!", "Spring is here", "Walks"]);
    expect(
      (await rows("SELECT 1 FROM operations WHERE env_id='env_main' AND key=?1", context.key)).length,
    ).toBe(1);
    expect((await refusal(call(changesPublish, { set: answer.set.id }))).code).toBe("nothing_to_do");
    await call(undo, {});
    expect(await wholeSite()).toEqual(before);
  });

  test("stands on what others have written since, field by field", async () => {
    await collected();
    const section = await sectionOf("about-us");
    await call(sectionUpdate, { section, content: { subtitle: "Written meanwhile" } });
    await call(changesPublish, {});
    expect((await loadPage("about-us")).sections[0]?.content["en"]).toMatchObject({
      title: "Spring is here",
      subtitle: "Written meanwhile",
    });
  });

  test("names the field that others have changed too, and overwrites it only when told to", async () => {
    await collected();
    const section = await sectionOf("about-us");
    await call(sectionUpdate, { section, content: { title: "Theirs", subtitle: "Theirs too" } });
    const before = await wholeSite();
    const failure = await refusal(call(changesPublish, {}));
    expect(failure).toMatchObject({
      code: "set_conflict",
      details: { conflicts: [{ id: section, field: "title (en)", by: "agent:s1" }] },
    });
    expect(failure.message).toContain("title (en) of the Hero section on “About us” was changed since");
    expect(await wholeSite()).toEqual(before);
    const shown: OutputOf<typeof changesShow> = await call(changesShow, {});
    expect(shown.conflicts).toMatchObject([{ id: section, field: "title (en)" }]);

    const preview = await previewOf(changesPublish, { overwrite: [section] });
    expect(preview.warnings).toContainEqual(expect.stringContaining("Overwritten: title (en)"));
    await call(changesPublish, { overwrite: [section] });
    expect((await loadPage("about-us")).sections[0]?.content["en"]).toMatchObject({
      title: "Spring is here",
      subtitle: "Theirs too",
    });
  });

  test("of a page that was deleted meanwhile is a conflict, and so is deleting one that was edited", async () => {
    await collected();
    await call(kept.remove, { pages: ["old-news"] });
    await call(pageDelete, { pages: ["contact"] });
    await call(sectionUpdate, {
      section: await sectionOf("old-news"),
      content: { subtitle: "Still needed" },
    });
    const { details } = await refusal(call(changesPublish, {}));
    expect(details).toMatchObject({
      conflicts: expect.arrayContaining([
        expect.objectContaining({ type: "page", field: "deletion" }),
        expect.objectContaining({ type: "page", field: "content" }),
      ]) as object[],
    });
  });

  test("lets pages exchange their addresses", async () => {
    const before = await wholeSite();
    await call(changesBegin, {});
    for (const [page, slug] of [
      ["about-us", "moving"],
      ["contact", "about-us"],
      ["moving", "contact"],
    ] as const)
      await call(kept.update, { page, slug });
    await call(changesPublish, {});
    const slugs = await rows<{ slug: string; name: string }>(
      "SELECT slug, name FROM pages WHERE kind='page' ORDER BY name",
    );
    expect(slugs).toEqual([
      { name: "About us", slug: "contact" },
      { name: "Contact", slug: "about-us" },
      { name: "Old news", slug: "old-news" },
    ]);
    await call(undo, {});
    expect(await wholeSite()).toEqual(before);
  });

  test("of an address that somebody else has taken meanwhile is refused with the holder", async () => {
    await collected();
    await call(pageCreate, { name: "Spring walks" });
    expect((await refusal(call(changesPublish, {}))).code).toBe("slug_taken");
  });

  test("is blocked as a whole by one blocker, and nothing of it is public", async () => {
    await collected();
    await call(kept.section, {
      section: await sectionOf("about-us"),
      content: { ctaText: "Read", ctaLink: "page:old-news" },
    });
    await call(kept.remove, { pages: ["old-news"] });
    const before = await wholeSite();
    const failure = await refusal(call(changesPublish, {}));
    expect(failure.code).toBe("publish_blocked");
    const shown: OutputOf<typeof changesShow> = await call(changesShow, {});
    expect(shown.blockers).toMatchObject([{ code: "broken_link" }]);
    expect(await wholeSite()).toEqual(before);
  });

  test("warns of two titles alike as the set makes them, and of none that it changes", async () => {
    const warned = async (): Promise<unknown[]> => {
      const { warnings }: OutputOf<typeof changesShow> = await call(changesShow, {});
      return warnings.filter((one) => one.code === "duplicate_title");
    };
    await call(pageUpdate, { page: "contact", meta: { title: "Say hello" } });
    await call(changesBegin, { name: "Titles" });
    await call(kept.update, { page: "about-us", meta: { title: "Say hello" } });
    expect(await warned()).toHaveLength(1);
    await call(kept.update, { page: "contact", meta: { title: "Write to us" } });
    expect(await warned()).toEqual([]);
    await call(kept.update, { page: "about-us", meta: { title: "write to us" } });
    expect(await warned()).toHaveLength(2);
  });

  test("leaves off the site what was taken off it, unless the set itself publishes it", async () => {
    await call(setStatus, { targets: [{ type: "page", ref: "contact" }], to: "unpublished" });
    await call(changesBegin, {});
    await call(kept.update, { page: "contact", name: "Write to us" });
    await call(withinSet(setStatus), { targets: [{ type: "page", ref: "about-us" }], to: "unpublished" });
    await call(changesPublish, {});
    expect(await publicTitles()).toEqual([]);
    expect((await loadPage("contact")).page).toMatchObject({ name: "Write to us", status: "unpublished" });
    await call(changesBegin, {});
    await call(withinSet(setStatus), { targets: [{ type: "page", ref: "contact" }], to: "published" });
    await call(changesPublish, {});
    expect(await publicTitles()).toEqual(["Contact!"]);
  });

  test("takes settings, navigation and posts along", async () => {
    await call(changesBegin, {});
    await call(withinSet(settingsUpdate), { set: { identity: { title: "Fern & Fell in spring" } } });
    await call(withinSet(entryCreate), { title: "The new path", content: { body: "It opens in May." } });
    await call(withinSet(navEdit), {
      ops: [{ op: "add", location: "header", label: "Write", target: "page:contact" }],
    });
    expect(await rows("SELECT 1 FROM settings WHERE key='identity'")).toEqual([]);
    await call(changesPublish, {});
    expect((await rows("SELECT value FROM settings WHERE key='identity'")).length).toBe(1);
    expect((await rows("SELECT 1 FROM entries WHERE status='published'")).length).toBe(1);
    expect((await rows("SELECT 1 FROM nav_items WHERE deleted_at IS NULL")).length).toBe(1);
  });

  test("of nothing is refused, and an unknown set names the open ones", async () => {
    expect((await refusal(call(changesPublish, {}))).code).toBe("not_found");
    await call(changesBegin, { name: "Empty" });
    expect((await refusal(call(changesPublish, {}))).code).toBe("nothing_to_do");
    const failure = await refusal(call(changesPublish, { set: "cs_nowhere" }));
    expect(failure).toMatchObject({ code: "not_found", suggestions: [{ label: "Empty" }] });
  });
});

describe("throwing away", () => {
  test("asks, because it cannot be undone, and leaves nothing behind but the record", async () => {
    const before = await wholeSite();
    await collected();
    expect((await previewOf(changesDiscard, {})).need.kind).toBe("ask");
    await call(changesDiscard, {});
    expect(await wholeSite()).toEqual(before);
    for (const table of ["change_set_rows", "change_set_things"])
      expect(await rows(`SELECT 1 FROM ${table}`)).toEqual([]);
    expect(await rows("SELECT state FROM change_sets")).toEqual([{ state: "discarded" }]);
    expect((await refusal(call(changesShow, {}))).code).toBe("not_found");
  });
});

describe("at a time", () => {
  const AT = T0 + 86_400_000 * 30;
  const at = new Date(AT).toISOString();
  const due = async (now = AT) => (await publishDueSets(env.DB, now)).map((one) => one.became);

  test("the set is published whole, once, under the approval that named the time", async () => {
    await collected();
    const preview = await previewOf(changesPublish, { at });
    expect(preview.title).toBe(`Publish the change set “Spring” at ${spokenTime(Date.parse(at))}`);
    await call(changesPublish, { at });
    expect(await publicTitles()).toEqual(["About us!", "Contact!"]);
    expect(await due(AT - 1)).toEqual([]);
    const [one, other] = await Promise.all([due(), due()]);
    expect([...one, ...other]).toContain("published");
    expect(await publicTitles()).toEqual(["Contact!", "Spring is here", "Walks"]);
    expect(await rows("SELECT actor, approval_id FROM operations WHERE key LIKE 'sched:set:%'")).toEqual([
      { actor: "system:schedule", approval_id: "ap_1" },
    ]);
    expect(await due(AT + 1)).toEqual([]);
  });

  test("a write into the set, or an edit of the same elsewhere, leaves it, and it says why", async () => {
    await collected();
    await call(changesPublish, { at });
    await call(kept.update, { page: "contact", name: "Nobody has approved this" });
    expect(await due()).toEqual(["left"]);
    const shown: OutputOf<typeof changesShow> = await call(changesShow, {});
    expect(shown.set.publishFailure).toContain("written into after its publishing was approved");
    await call(changesPublish, { at });
    await call(pageUpdate, { page: "about-us", indexing: false });
    expect(await due()).toEqual(["left"]);
    expect(await publicTitles()).toEqual(["About us!", "Contact!"]);
  });

  test("a worker that dies at any batch, before it or after it, leaves all of it or nothing, and the next pass ends it", async () => {
    const seen = new Set<string>();
    for (const when of ["before", "after"] as const) {
      for (let nth = 1; nth <= 14; nth++) {
        await makeSite();
        await call(pageCreate, {
          name: "About us",
          sections: [{ template: "hero", content: { title: "About us!" } }],
        });
        await call(setStatus, { targets: [{ type: "page", ref: "about-us" }], to: "published" });
        await call(changesBegin, {});
        await call(kept.section, { section: await sectionOf("about-us"), content: { title: "New" } });
        await call(withinSet(pageCreate), {
          name: "More",
          sections: [{ template: "hero", content: { title: "More" } }],
        });
        await call(changesPublish, { at });
        const [first] = await publishDueSets(dying(when, nth), AT);
        seen.add(first?.became ?? "nothing");
        expect([["About us!"], ["More", "New"]]).toContainEqual(await publicTitles());
        await publishDueSets(env.DB, AT + 300_000);
        expect([when, nth, await publicTitles()]).toEqual([when, nth, ["More", "New"]]);
        expect((await rows("SELECT 1 FROM operations WHERE key LIKE 'sched:set:%'")).length).toBe(1);
      }
    }
    expect(seen).toEqual(new Set(["later", "published"]));
  }, 180_000);
});

test("a call that is made again with its key, after a death at any batch, has written once into the set", async () => {
  let deaths = 0;
  for (const when of ["before", "after"] as const) {
    for (let nth = 1; nth <= 8; nth++) {
      await makeSite();
      await call(pageCreate, {
        name: "About us",
        sections: [{ template: "hero", content: { title: "Old" } }],
      });
      await call(changesBegin, {});
      const given = { section: await sectionOf("about-us"), content: { title: "New" } };
      const context = contextOf();
      const died = await call(kept.section, given, {
        ...context,
        services: { ...services, db: dying(when, nth) },
      }).then(
        () => false,
        () => true,
      );
      if (died) deaths += 1;
      await call(kept.section, given, context);
      expect((await rows("SELECT 1 FROM operations WHERE key=?1", context.key)).length).toBe(1);
      expect((await rows("SELECT 1 FROM revisions WHERE op_key=?1", context.key)).length).toBe(2);
      expect(await titleOf("about-us")).toBe("Old");
      await call(changesPublish, {});
      expect(await publicTitles()).toEqual(["New"]);
    }
  }
  expect(deaths).toBeGreaterThan(4);
}, 180_000);
