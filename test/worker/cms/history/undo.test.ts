import { beforeEach, describe, expect, test } from "vitest";
import { diff, history } from "../../../../src/plugins/cms/history/history.ts";
import { undo } from "../../../../src/plugins/cms/history/undo.ts";
import type { CmsServices } from "../../../../src/plugins/cms/model/types.ts";
import { imageAttach } from "../../../../src/plugins/cms/tools/image-attach.ts";
import { navEdit } from "../../../../src/plugins/cms/tools/nav.ts";
import { pageCreate } from "../../../../src/plugins/cms/tools/page-create.ts";
import { pageDelete } from "../../../../src/plugins/cms/tools/page-delete.ts";
import { pageUpdate } from "../../../../src/plugins/cms/tools/pages.ts";
import { sectionDelete } from "../../../../src/plugins/cms/tools/section-delete.ts";
import { sectionAdd, sectionMove, sectionUpdate } from "../../../../src/plugins/cms/tools/sections.ts";
import { setStatus } from "../../../../src/plugins/cms/tools/status.ts";
import type { AnyTool } from "../../../../src/cairn/tools/define.ts";
import { call, contextOf, makeSite, previewOf, refusal, rows } from "../fixture.ts";
import { loadPage } from "../pages-fixture.ts";
import type { OutputOf } from "../reading.ts";
import { wholeSite } from "./whole-site.ts";

const about = {
  name: "About",
  sections: [
    { template: "hero", content: { title: "A", subtitle: "Under A" } },
    { template: "hero", content: { title: "B" } },
  ],
};

type Undone = OutputOf<typeof undo>;
type Listed = OutputOf<typeof history>;

beforeEach(async () => {
  await makeSite();
  await call(pageCreate, about);
});

/** Runs a tool; the key of its operation. */
async function did(tool: AnyTool<CmsServices>, args: object, more = {}): Promise<string> {
  const context = contextOf(more);
  await call(tool, args, context);
  return context.key;
}

const sectionAt = async (place: number): Promise<string> =>
  (await loadPage("about")).sections[place]?.id ?? "";
const titles = async (): Promise<unknown[]> =>
  (await loadPage("about")).sections.map((one) => one.content["en"]?.["title"]);
const publish = () => did(setStatus, { targets: [{ type: "page", ref: "about" }], to: "published" });
const link = { op: "add", location: "header", label: "About", target: "page:about" };

describe("an undo restores every row as it was", () => {
  const ACTS: readonly (readonly [string, AnyTool<CmsServices>, () => Promise<object>])[] = [
    [
      "a page made with sections and navigation",
      pageCreate,
      async () => ({ ...about, name: "New", nav: { location: "both" } }),
    ],
    [
      "a publication",
      setStatus,
      async () => ({ targets: [{ type: "page", ref: "about" }], to: "published" }),
    ],
    ["a page deleted with its navigation", pageDelete, async () => ({ pages: ["shown"] })],
    [
      "a page taken off",
      setStatus,
      async () => ({ targets: [{ type: "page", ref: "shown" }], to: "unpublished" }),
    ],
    ["a public page that moved", pageUpdate, async () => ({ page: "shown", slug: "moved" })],
    [
      "a setting that was not there",
      imageAttach,
      async () => ({ image: "im_ridge", target: { type: "setting", ref: "identity" }, field: "logo" }),
    ],
    ["sections deleted", sectionDelete, async () => ({ sections: [await sectionAt(0), await sectionAt(1)] })],
    [
      "a section moved to another page",
      sectionMove,
      async () => ({ section: await sectionAt(0), toPage: "shown", position: 1 }),
    ],
  ];

  test.each(ACTS)("%s", async (_, tool, args) => {
    await call(pageCreate, { name: "Shown", sections: about.sections, nav: { location: "header" } });
    await call(setStatus, { targets: [{ type: "page", ref: "shown" }], to: "published" });
    const before = await wholeSite();
    const operation = await did(tool, await args());
    const after = await wholeSite();
    expect(after).not.toEqual(before);
    const taken = await did(undo, {});
    expect(await wholeSite()).toEqual(before);
    expect(await rows("SELECT undone_by FROM operations WHERE key=?1", operation)).toEqual([
      { undone_by: taken },
    ]);
    await call(undo, { operation: taken });
    expect(await wholeSite()).toEqual(after);
  });
});

describe("later changes", () => {
  test("of other fields of the same section stay", async () => {
    const section = await sectionAt(0);
    const first = await did(sectionUpdate, { section, content: { title: "New" } });
    await did(sectionUpdate, { section, content: { subtitle: "Later" } });
    await did(sectionUpdate, { section, content: { title: "Titel" }, locale: "de" });
    await call(undo, { operation: first });
    expect((await loadPage("about")).sections[0]?.content).toEqual({
      en: { title: "A", subtitle: "Later" },
      de: { title: "Titel" },
    });
  });

  test("of the same field are a conflict that names it and who changed it, and nothing is written", async () => {
    const section = await sectionAt(0);
    const first = await did(sectionUpdate, { section, content: { title: "New", subtitle: "Both" } });
    const second = await did(
      sectionUpdate,
      { section, content: { title: "Newer" } },
      { facts: { session: "s2", run: "r2", subject: "user:2" } },
    );
    const before = await wholeSite();
    const failure = await refusal(call(undo, { operation: first }));
    expect(failure).toMatchObject({ class: "conflict", code: "undo_conflict" });
    expect(failure.message).toContain("title (en) of the Hero section on “About” was changed later");
    expect(failure.message).not.toContain("subtitle (en)");
    expect(failure.details).toEqual({
      conflicts: [
        {
          type: "section",
          id: section,
          name: "the Hero section on “About”",
          field: "title (en)",
          operation: second,
          summary: "Change title of Hero “New” on the draft of “About”.",
          by: "agent:s2",
          at: expect.stringMatching(/^2026-/),
        },
      ],
    });
    expect(await wholeSite()).toEqual(before);
    await call(undo, { operation: second });
    await call(undo, { operation: first });
    expect(await titles()).toEqual(["A", "B"]);
  });

  test("a page is not taken away under a section that somebody added", async () => {
    const made = await did(pageCreate, { ...about, name: "New" });
    await call(sectionAdd, { page: "new", template: "hero", content: { title: "Mine" } });
    const failure = await refusal(call(undo, { operation: made }));
    expect(failure.code).toBe("undo_conflict");
    expect(failure.message).toContain("Hero section on “New”");
  });

  test("an edit of what was deleted since says so", async () => {
    const section = await sectionAt(0);
    const edit = await did(sectionUpdate, { section, content: { title: "New" } });
    const deletion = await did(sectionDelete, { sections: [section] });
    const failure = await refusal(call(undo, { operation: edit }));
    expect(failure.code).toBe("undo_conflict");
    expect(failure.message).toContain("was deleted later: Delete 1 section");
    expect(failure.suggestions).toMatchObject([{ value: { operation: deletion } }]);
  });

  test("an address that another page has now is refused with its holder", async () => {
    const deletion = await did(pageDelete, { pages: ["about"] });
    await call(pageCreate, { name: "Other", slug: "about" });
    expect(await refusal(call(undo, { operation: deletion }))).toMatchObject({ code: "slug_taken" });
  });

  test("a section comes back beside one that has its place now", async () => {
    const [first, second] = [await sectionAt(0), await sectionAt(1)];
    const deletion = await did(sectionDelete, { sections: [first, second] });
    await call(sectionAdd, { page: "about", template: "hero", content: { title: "C" } });
    await call(undo, { operation: deletion });
    expect((await titles()).toSorted()).toEqual(["A", "B", "C"]);
    const keys = (await loadPage("about")).sections.map((one) => one.sortKey);
    expect(new Set(keys).size).toBe(3);
  });
});

describe("the choice of an operation to undo", () => {
  test("takes the session's last operation that is not undone, one after the other", async () => {
    const section = await sectionAt(0);
    await did(sectionUpdate, { section, content: { title: "One" } });
    await did(sectionUpdate, { section, content: { title: "Two" } });
    const other = { facts: { session: "s2", run: "r9", subject: "user:1" } };
    await did(sectionUpdate, { section: await sectionAt(1), content: { title: "Theirs" } }, other);
    await call(undo, {});
    expect(await titles()).toEqual(["One", "Theirs"]);
    const second = await did(undo, {});
    expect(await titles()).toEqual(["A", "Theirs"]);
    await call(undo, { operation: second });
    expect(await titles()).toEqual(["One", "Theirs"]);
    await call(undo, {});
    expect(await titles()).toEqual(["A", "Theirs"]);
    const nobody = { facts: { session: "s9", run: "r1", subject: "user:1" } };
    expect(await refusal(call(undo, {}, contextOf(nobody)))).toMatchObject({ code: "nothing_to_undo" });
  });

  test("names the operation before, because an equal call in a run is not repeated", async () => {
    const section = await sectionAt(0);
    const first = await did(sectionUpdate, { section, content: { title: "One" } });
    await did(sectionUpdate, { section, content: { title: "Two" } });
    const undone: Undone = await call(undo, {});
    expect(undone.notes).toEqual([
      `The one before it is “Change title of Hero “A” on the draft of “About”.” To take it back too, name operation "${first}": undo without arguments is this same call.`,
    ]);
    await call(undo, { operation: first });
    expect(await titles()).toEqual(["A", "B"]);
    // The page itself was made first; nothing was done before it.
    const last: Undone = await call(undo, {});
    expect(last.notes).toBeUndefined();
  });

  test("refuses an undone operation, and undoes a redo", async () => {
    const edit = await did(sectionUpdate, { section: await sectionAt(0), content: { title: "One" } });
    const taken = await did(undo, { operation: edit });
    expect(await refusal(call(undo, { operation: edit }))).toMatchObject({
      code: "already_undone",
      suggestions: [{ value: { operation: taken } }],
    });
    await call(undo, { operation: taken });
    await call(undo, { operation: edit });
    expect(await titles()).toEqual(["A", "B"]);
  });

  test("taken back twice at once, it happens once", async () => {
    const edit = await did(sectionUpdate, { section: await sectionAt(0), content: { title: "One" } });
    const both = await Promise.allSettled([call(undo, { operation: edit }), call(undo, { operation: edit })]);
    expect(both.map((one) => one.status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(await titles()).toEqual(["A", "B"]);
  });

  test("an unknown key, and words that do not go together", async () => {
    expect(await refusal(call(undo, { operation: "s1/none" }))).toMatchObject({ code: "not_found" });
    expect(await refusal(call(undo, { to: "published" }))).toMatchObject({
      code: "invalid_input",
      at: "target",
    });
    const target = { type: "page", ref: "about" };
    expect(await refusal(call(undo, { target }))).toMatchObject({ code: "invalid_input" });
    expect(
      await refusal(call(undo, { target: { type: "page", ref: "abouts" }, to: "published" })),
    ).toMatchObject({
      code: "not_found",
      suggestions: [{ label: "About (about)" }],
    });
  });
});

describe("the approval of an undo", () => {
  test("is needed for public content and deletions, not for drafts", async () => {
    const edit = await did(sectionUpdate, { section: await sectionAt(0), content: { title: "One" } });
    expect((await previewOf(undo, { operation: edit })).need.kind).toBe("none");
    const publication = await publish();
    expect(await previewOf(undo, { operation: publication })).toMatchObject({
      need: { kind: "ask", reason: "It changes what visitors see." },
      title: "Undo",
      impact: ["/site/about will answer 404"],
    });
    const made = await did(sectionAdd, { page: "about", template: "hero", content: { title: "C" } });
    expect(await previewOf(undo, { operation: made })).toMatchObject({
      need: { kind: "ask", reason: "It deletes." },
      impact: ["1 section is deleted"],
      changes: [{ what: "Hero section on “About”", before: "C", after: null }],
    });
  });

  test("is requested again after a change", async () => {
    const publication = await publish();
    const context = contextOf();
    const { basis } = await previewOf(undo, { operation: publication }, context);
    await call(sectionUpdate, { section: await sectionAt(0), content: { title: "One" } });
    const input = undo.definition.input.parse({ operation: publication });
    const late = undo.definition.run(input, { ...context, approved: { approval: "ap_1", basis } });
    expect(await refusal(late)).toMatchObject({ code: "approval_stale" });
  });

  test("the home page stays public", async () => {
    const publication = await publish();
    const { page } = await loadPage("about");
    await rows(
      "INSERT INTO settings(env_id,key,value,updated_at) VALUES('env_main','home',?1,1)",
      JSON.stringify({ page: page.id }),
    );
    expect(await refusal(call(undo, { operation: publication }))).toMatchObject({ code: "protected_page" });
  });
});

describe("a restored draft", () => {
  const target = { type: "page", ref: "about" };

  test("equals the published page: edits, added and removed sections, their order", async () => {
    await publish();
    const before = await wholeSite();
    await call(sectionUpdate, { section: await sectionAt(0), content: { title: "One" } });
    await call(sectionAdd, { page: "about", template: "hero", content: { title: "C" }, position: 1 });
    await call(sectionDelete, { sections: [await sectionAt(2)] });
    await call(pageUpdate, { page: "about", name: "Us" });
    const output: Undone = await call(undo, { target, to: "published" });
    expect(output).toMatchObject({ publicNow: false, preview: { path: "/site/about" } });
    expect(await wholeSite()).toEqual(before);
    const { page } = await loadPage("about");
    expect(page.version).toBe(page.publishedVersion);
  });

  test("equals the chosen time or revision, and the public page stays", async () => {
    const section = await sectionAt(0);
    const morning = contextOf();
    await call(sectionUpdate, { section, content: { title: "Morning" } }, morning);
    await publish();
    await call(sectionUpdate, { section, content: { title: "Noon" } });
    await call(sectionDelete, { sections: [await sectionAt(1)] });
    const docs = await rows("SELECT * FROM published_docs");
    const listed: Listed = await call(history, { target });
    const last = await did(undo, { target, time: new Date(morning.at).toISOString() });
    expect(await titles()).toEqual(["Morning", "B"]);
    await call(undo, { operation: last });
    expect(await titles()).toEqual(["Noon"]);
    const revision = listed.items.find((one) => one.operation === morning.key)?.revision;
    await call(undo, { target, revision });
    expect(await titles()).toEqual(["Morning", "B"]);
    expect(await rows("SELECT * FROM published_docs")).toEqual(docs);
    expect(await refusal(call(undo, { target, revision }))).toMatchObject({ code: "nothing_to_do" });
  });

  test("cannot come from a time before the page, a revision of another thing, or an unpublished page", async () => {
    expect(await refusal(call(undo, { target, time: "2020-01-01T00:00:00Z" }))).toMatchObject({
      code: "not_found",
    });
    expect(await refusal(call(undo, { target, revision: "rv_other" }))).toMatchObject({
      code: "diff_unavailable",
    });
    expect(await refusal(call(undo, { target, to: "published" }))).toMatchObject({
      code: "diff_unavailable",
    });
  });
});

describe("history and diff", () => {
  test("select by session, run, day and target, in pages, newest first", async () => {
    const section = await sectionAt(0);
    const edit = await did(sectionUpdate, { section, content: { title: "One" } });
    const theirs = await did(
      navEdit,
      { ops: [link] },
      { facts: { session: "s2", run: "r7", subject: "user:1" } },
    );
    const keys = async (args: object): Promise<string[]> => {
      const { items }: Listed = await call(history, args);
      return items.map((one) => one.operation);
    };
    // The key of another session's operation names that session.
    const [shown = "", own] = await keys({});
    expect([shown, own]).toEqual([expect.stringMatching(/^op_\d+_\d+$/), edit]);
    expect((await call<Listed>(history, { operation: shown })).items[0]?.tool).toBe("nav_edit");
    expect(await keys({ run: "r7" })).toEqual([]);
    expect((await keys({ session: "current" })).filter((key) => key === theirs || key === shown)).toEqual([]);
    expect(await keys({ target: { type: "section", ref: section } })).toEqual([edit, expect.any(String)]);
    expect(await keys({ day: "2020-01-01" })).toEqual([]);
    expect((await keys({ day: "2026-01-01" })).length).toBe(3);
    // By another clock it is another day.
    expect(
      (await keys({ day: "2026-01-01+14:00" })).length + (await keys({ day: "2026-01-02+14:00" })).length,
    ).toBe(3);
    await expect(call(history, { day: "2026-02-30" })).rejects.toBeInstanceOf(Error);
    const first: Listed = await call(history, { limit: 2 });
    const rest: Listed = await call(history, { limit: 2, cursor: first.nextCursor });
    expect([...first.items, ...rest.items].map((one) => one.operation)).toEqual(await keys({}));
    expect(rest.nextCursor).toBeUndefined();
  });

  test("an operation says who, in which run, whether it can be undone, and each field before and after", async () => {
    const edit = await did(sectionUpdate, { section: await sectionAt(0), content: { title: "One" } });
    const taken = await did(undo, {});
    const { items }: Listed = await call(history, { operation: edit });
    expect(items).toEqual([
      {
        operation: edit,
        tool: "section_update",
        actor: "agent:s1",
        session: "s1",
        run: "r1",
        at: expect.any(String),
        undoable: false,
        undoneBy: taken,
        summary: "Change title of Hero “A” on the draft of “About”.",
        changes: [{ what: "Hero section on “About” · Title", before: "A", after: "One" }],
      },
    ]);
    const { items: undos }: Listed = await call(history, { limit: 1 });
    expect(undos).toMatchObject([
      {
        undoes: edit,
        isUndo: true,
        undoable: true,
        summary: "Undo: Change title of Hero “A” on the draft of “About”.",
      },
    ]);
  });

  test("a diff is between what is published, the draft and revisions", async () => {
    await publish();
    await call(sectionUpdate, { section: await sectionAt(0), content: { title: "One" } });
    const target = { type: "page", ref: "about" };
    const changesOf = async (args: object): Promise<OutputOf<typeof diff>["changes"]> => {
      const { changes }: OutputOf<typeof diff> = await call(diff, { target, ...args });
      return changes;
    };
    const change = { what: "Hero section on “About” · Title", before: "A", after: "One" };
    expect(await changesOf({})).toEqual([change]);
    const { items }: Listed = await call(history, { target });
    expect(await changesOf({ from: items[1]?.revision, to: items[0]?.revision })).toEqual([change]);
    await rows("DELETE FROM revisions");
    const purged = refusal(call(diff, { target, from: items[1]?.revision }));
    expect(await purged).toMatchObject({ class: "not_found", code: "diff_unavailable" });
  });
});
