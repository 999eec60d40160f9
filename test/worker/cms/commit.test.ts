import { beforeEach, expect, test } from "vitest";
import type { OutputOf } from "./reading.ts";
import { undo } from "../../../src/plugins/cms/history/undo.ts";
import { editPage } from "../../../src/plugins/cms/edit/plan.ts";
import type { SectionOutput } from "../../../src/plugins/cms/edit/section-plan.ts";
import type { CmsServices } from "../../../src/plugins/cms/model/types.ts";
import { classify, commitPlan } from "../../../src/plugins/cms/storage/commit.ts";
import { NO_PROJECTION } from "../../../src/plugins/cms/storage/projections.ts";
import { imageAttach } from "../../../src/plugins/cms/tools/image-attach.ts";
import { navEdit } from "../../../src/plugins/cms/tools/nav.ts";
import { pageCreate } from "../../../src/plugins/cms/tools/page-create.ts";
import { pageDelete } from "../../../src/plugins/cms/tools/page-delete.ts";
import { pageUpdate } from "../../../src/plugins/cms/tools/pages.ts";
import { sectionDelete } from "../../../src/plugins/cms/tools/section-delete.ts";
import { sectionAdd, sectionMove, sectionUpdate } from "../../../src/plugins/cms/tools/sections.ts";
import { setStatus } from "../../../src/plugins/cms/tools/status.ts";
import type { AnyTool } from "../../../src/cairn/tools/define.ts";
import { call, contextOf, makeSite, previewOf, refusal, rowCounts, rows, services } from "./fixture.ts";
import { loadPage } from "./pages-fixture.ts";

const about = {
  name: "About",
  sections: [
    { template: "hero", content: { title: "A" } },
    { template: "hero", content: { title: "B" } },
  ],
};

beforeEach(async () => {
  await makeSite();
  await call(pageCreate, about);
});

const firstSection = async () => (await loadPage("about")).sections[0]?.id ?? "";

test("every write tool, run again under its key, answers what is stored, and its rows exist once", async () => {
  const section = await firstSection();
  const writes: [AnyTool<CmsServices>, object][] = [
    [pageCreate, { name: "New", sections: [], nav: { location: "header" } }],
    [pageUpdate, { page: "about", name: "About us" }],
    [sectionAdd, { page: "about", template: "hero", content: { title: "C" } }],
    [sectionUpdate, { section, content: { subtitle: "S" } }],
    [sectionMove, { section, position: 2 }],
    [imageAttach, { image: "im_ridge", target: { type: "section", ref: section }, field: "image" }],
    [navEdit, { ops: [{ op: "add", location: "footer", label: "About", target: "page:about" }] }],
    [setStatus, { targets: [{ type: "page", ref: "about" }], to: "published" }],
    [sectionDelete, { sections: [section] }],
    [pageDelete, { pages: ["about"] }],
    [undo, {}],
  ];
  for (const [tool, args] of writes) {
    const context = contextOf();
    const input = tool.definition.input.parse(args);
    const preview = await previewOf(tool, args, context);
    const approved = preview.need.kind === "ask" ? { approval: "ap_1", basis: preview.basis } : null;
    const first = await tool.definition.run(input, { ...context, approved });
    const after = await rowCounts();
    // The answer is lost; the loop runs the same call again, later.
    const again = await tool.definition.run(input, {
      ...context,
      approved,
      attempt: 2,
      at: context.at + 60_000,
    });
    expect(again).toEqual({ ...JSON.parse(JSON.stringify(first)), replayed: true });
    expect([tool.definition.name, await rowCounts()]).toEqual([tool.definition.name, after]);
    expect(first).toMatchObject({ ok: true, op: context.key });
  }
});

test("a key that was used for other arguments is refused", async () => {
  const context = contextOf();
  await call(sectionAdd, { page: "about", template: "hero", content: { title: "C" } }, context);
  const failure = await refusal(
    call(sectionAdd, { page: "about", template: "hero", content: { title: "D" } }, context),
  );
  expect(failure).toMatchObject({ class: "conflict", code: "idempotency_mismatch" });
});

test("two runs of one call at once are one operation with one answer", async () => {
  const context = contextOf();
  const args = { page: "about", template: "hero", content: { title: "C" } };
  const once = (): Promise<SectionOutput> => call(sectionAdd, args, context);
  const both = await Promise.all([once(), once()]);
  expect(both[0]?.section).toEqual(both[1]?.section);
  expect((await loadPage("about")).sections.length).toBe(3);
});

test("different calls at once are all kept: who comes second plans again", async () => {
  const titles = ["C", "D", "E"];
  await Promise.all(
    titles.map((title) => call(sectionAdd, { page: "about", template: "hero", content: { title } })),
  );
  const { page, sections } = await loadPage("about");
  expect(sections.map((one) => one.content.en?.title).sort()).toEqual(["A", "B", "C", "D", "E"]);
  expect(page.version).toBe(4);
});

test("two sessions that change different fields of one section are both kept", async () => {
  const section = await firstSection();
  await Promise.all([
    call(sectionUpdate, { section, content: { title: "New" } }),
    call(sectionUpdate, { section, content: { subtitle: "Sub" } }),
  ]);
  expect((await loadPage("about")).sections[0]?.content).toEqual({ en: { title: "New", subtitle: "Sub" } });
});

test("a plan made from a version that has moved writes nothing at all", async () => {
  const before = await loadPage("about");
  await call(pageUpdate, { page: "about", name: "Us" });
  const counts = await rowCounts();
  const { changes } = editPage(before, { page: { name: "Stale" } }, 1);
  const operation = {
    key: "k1",
    tool: "t",
    argsDigest: "d",
    actor: "a",
    session: null,
    run: null,
    approval: null,
    at: 1,
  };
  const impact = { title: "", summary: "", lines: [], public: false };
  const outcome = await commitPlan(services, operation, {
    result: {},
    changes,
    projection: NO_PROJECTION,
    impact,
  });
  expect(outcome).toBe("version_conflict");
  expect(await rowCounts()).toEqual(counts);
  const guard = {
    sql: "SELECT count(*) FROM pages WHERE id IN (SELECT value FROM json_each(?1))",
    json: "[]",
    equals: 1,
  };
  const state = await commitPlan(services, operation, {
    result: {},
    changes: [],
    stateGuards: [guard],
    projection: NO_PROJECTION,
    impact,
  });
  expect(state).toBe("state_conflict");
  expect(await rowCounts()).toEqual(counts);
});

test("a slug taken between plan and commit is refused by the database", async () => {
  const { page }: OutputOf<typeof pageCreate> = await call(pageCreate, { name: "Other" });
  const other = await loadPage("other");
  const { changes } = editPage(other, { page: { slug: "about" } }, 1);
  const operation = {
    key: "k1",
    tool: "t",
    argsDigest: "d",
    actor: "a",
    session: null,
    run: null,
    approval: null,
    at: 1,
  };
  const impact = { title: "", summary: "", lines: [], public: false };
  expect(
    await commitPlan(services, operation, { result: {}, changes, projection: NO_PROJECTION, impact }),
  ).toBe("slug_taken");
  expect((await loadPage(page.id)).page.slug).toBe("other");
});

test("revisions hold each row with its contents before and after", async () => {
  const section = await firstSection();
  const context = contextOf();
  await call(sectionUpdate, { section, content: { title: "New" } }, context);
  const revisions = await rows<{ entity_type: string; before: string; after: string }>(
    "SELECT seq, entity_type, entity_id, version_before, version_after, before, after FROM revisions WHERE op_key=?1 ORDER BY seq",
    context.key,
  );
  expect(revisions.map((one) => one.entity_type)).toEqual(["page", "section"]);
  expect(revisions[1]).toMatchObject({ seq: 1, entity_id: section, version_before: 1, version_after: 2 });
  expect(JSON.parse(revisions[1]?.before ?? "")).toMatchObject({
    content: { en: { title: "A" } },
    version: 1,
  });
  expect(JSON.parse(revisions[1]?.after ?? "")).toMatchObject({
    content: { en: { title: "New" } },
    version: 2,
  });
  const [operation] = await rows(
    "SELECT tool, actor, session_id, run_id, summary, created_at FROM operations WHERE key=?1",
    context.key,
  );
  expect(operation).toEqual({
    tool: "section_update",
    actor: "agent:s1",
    session_id: "s1",
    run_id: "r1",
    summary: "Change title of Hero “A” on the draft of “About”.",
    created_at: context.at,
  });
});

test("ids come from the key, so that the same call planned twice names the same things", async () => {
  const context = contextOf();
  const args = { page: "about", template: "hero", content: { title: "C" } };
  const output: SectionOutput = await call(sectionAdd, args, context);
  expect(output.section.id).toMatch(/^sc_[a-z2-7]{12}$/);
  await makeSite();
  await call(pageCreate, about);
  const again: SectionOutput = await call(sectionAdd, args, context);
  expect(again.section.id).toBe(output.section.id);
});

test("a doubly encoded value is rejected by the database", async () => {
  const write = services.db
    .prepare("INSERT INTO settings(env_id,key,value,updated_at) VALUES('env_main','seo',?1,0)")
    .bind(JSON.stringify("{}"));
  await expect(write.run()).rejects.toThrow("CHECK constraint failed");
});

test("a large page is one operation of few statements", async () => {
  const items = Array.from({ length: 12 }, (_, i) => ({ title: `Item ${i}`, icon: "im_ridge" }));
  const sections = Array.from({ length: 20 }, (_, i) => ({
    template: "feature",
    content: { heading: `H${i}`, items },
  }));
  const seen: number[] = [];
  const db = new Proxy(services.db, {
    get: (target, property) => {
      if (property === "batch") {
        return (statements: D1PreparedStatement[]) => {
          seen.push(statements.length);
          return target.batch(statements);
        };
      }
      const value: unknown = Reflect.get(target, property);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  await call(pageCreate, { name: "Large", sections }, contextOf({ services: { ...services, db } }));
  expect(Math.max(...seen)).toBeLessThanOrEqual(25);
  expect((await rowCounts()).asset_refs).toBe(240);
});

test("a failure of the batch is told apart by the message of the database", () => {
  const failed = (message: string) => classify(new Error(`D1_ERROR: ${message}: SQLITE_CONSTRAINT`));
  expect(failed("UNIQUE constraint failed: operations.key")).toBe("duplicate_key");
  expect(failed("CHECK constraint failed: version_conflict")).toBe("version_conflict");
  expect(failed("CHECK constraint failed: state_conflict")).toBe("state_conflict");
  expect(failed("UNIQUE constraint failed: pages.env_id, pages.slug")).toBe("slug_taken");
  expect(failed("UNIQUE constraint failed: sections.page_id, sections.sort_key")).toBe("order_conflict");
  expect(failed("UNIQUE constraint failed: index 'ux_nav_order'")).toBe("order_conflict");
  expect(failed("FOREIGN KEY constraint failed")).toBe("not_found");
  expect(classify(new Error("network connection lost"))).toBe("unavailable");
});

test("when the database does not answer, the call is refused as one that may be repeated", async () => {
  const db = new Proxy(services.db, {
    get: (target, property) => {
      const value: unknown = Reflect.get(target, property);
      if (property === "batch") {
        return (statements: D1PreparedStatement[]) =>
          statements.length > 4
            ? Promise.reject(new Error("network connection lost"))
            : target.batch(statements);
      }
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const context = contextOf();
  const args = { page: "about", template: "hero", content: { title: "C" } };
  const failure = await refusal(call(sectionAdd, args, { ...context, services: { ...services, db } }));
  expect(failure).toMatchObject({ class: "server", code: "unavailable", retryable: true });
  const output: SectionOutput = await call(sectionAdd, args, context);
  expect(output.order.length).toBe(3);
});
