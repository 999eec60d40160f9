import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { ensureSeeded } from "../../../src/plugins/cms/seed/index.ts";
import { sectionUpdate } from "../../../src/plugins/cms/tools/sections.ts";
import { setStatus } from "../../../src/plugins/cms/tools/status.ts";
import { createHistory } from "../../../src/plugins/cms/renderer/api/history.ts";
import type { SiteAnswer } from "../../../src/plugins/cms/protocol/answers.ts";
import { openDoors, post, verdictOf, type TOKENS } from "../http/routes-fixture.ts";
import { call, contextOf, rows } from "../cms/fixture.ts";
import { NOW, openSite } from "./fixture.ts";
import { siteRoutes } from "./site-routes.ts";

/** The history at the doors: what was changed is read, and taken back by a person without a run. */

const { shown } = openSite();
const doors = openDoors(
  {},
  { plugins: siteRoutes({ history: createHistory(ensureSeeded) }), now: () => NOW },
);
type Who = keyof typeof TOKENS;

beforeAll(async () => {
  await ensureSeeded(env, NOW - 1_000);
  // The session of `contextOf` is Alice's.
  await env.DB.prepare(
    "INSERT INTO sessions(id,owner,status,archived,created_at,updated_at,view) VALUES('s1','alice','idle',0,?1,?1,'{}')",
  )
    .bind(NOW - 500)
    .run();
});

async function list(query: string, who: Who = "alice"): Promise<SiteAnswer<"SiteHistory">> {
  const response = await doors.call(`/api/cms/history${query}`, { who });
  expect(response.status).toBe(200);
  return response.json();
}

const takeBack = (body: object, who: Who = "alice", key?: string): Promise<Response> =>
  doors.call("/api/cms/undo", {
    ...post(body, key === undefined ? {} : { "idempotency-key": key }),
    who,
  });

const edit = async (title: string): Promise<string> => {
  const context = contextOf({ at: NOW });
  await call(sectionUpdate, { section: "sc_home_hero", content: { title } }, context);
  return context.key;
};
const titleNow = async (): Promise<unknown> =>
  (
    await rows<{ title: unknown }>(
      "SELECT data->>'title' AS title FROM contents WHERE owner_id='sc_home_hero' AND locale='en'",
    )
  )[0]?.title;

test("lists what was changed, by page, run and day, and one operation field by field", async () => {
  const before = await titleNow();
  const operation = await edit("Walk on");
  const { items } = await list("?page=home&limit=1");
  expect(items).toMatchObject([
    {
      operation,
      tool: "section_update",
      actor: "agent:s1",
      session: "s1",
      run: "r1",
      undoable: true,
      isUndo: false,
    },
  ]);
  expect((await list("?run=none")).items).toEqual([]);
  expect((await list("?day=2020-02-02")).items).toEqual([]);
  const one = await list(`?operation=${encodeURIComponent(operation)}`);
  expect(one.items[0]?.changes).toEqual([
    { what: "Hero section on “Home” · Title (en)", before, after: "Walk on" },
  ]);
  const first = await list("?limit=1");
  const second = await list(`?limit=1&cursor=${first.nextCursor ?? ""}`);
  expect(second.items[0]?.tool).toBe("seed");
  expect(second.items[0]?.undoable).toBe(false);
});

test("takes an operation back once under its key, in the name of the person; the key of the answer redoes it", async () => {
  const before = await titleNow();
  const operation = await edit("Walk far");
  const response = await takeBack({ operation }, "sender", "press-1");
  const done = await response.json<SiteAnswer<"Undone">>();
  expect([response.status, done.publicNow, await titleNow()]).toEqual([200, false, before]);
  expect(done.restored.map(({ op, id }) => [op, id])).toEqual([
    ["touch", "pg_home"],
    ["touch", "sc_home_hero"],
  ]);
  const again = await takeBack({ operation }, "sender", "press-1");
  expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
  expect(await again.json()).toEqual(done);
  expect(await rows("SELECT actor, session_id, run_id FROM operations WHERE undo_of=?1", operation)).toEqual([
    { actor: "user:alice", session_id: null, run_id: null },
  ]);
  expect((await list("?limit=1")).items[0]).toMatchObject({
    isUndo: true,
    undoes: operation,
    actor: "user:alice",
  });
  expect((await takeBack({ operation: done.operation })).status).toBe(200);
  expect(await titleNow()).toBe("Walk far");
});

test("what visitors see at once needs the scope approve", async () => {
  const context = contextOf({ at: NOW });
  await call(setStatus, { targets: [{ type: "page", ref: "about" }], to: "unpublished" }, context);
  expect((await shown("/site/about").catch(() => null))?.document ?? null).toBeNull();
  expect(await verdictOf(await takeBack({ operation: context.key }, "sender"))).toEqual([403, "forbidden"]);
  const done = await takeBack({ operation: context.key });
  expect(await done.json()).toMatchObject({ publicNow: true });
  expect((await shown("/site/about")).document?.id).toBe("pg_about");
});

test("a conflict is 409, and names the field and the operation beside it", async () => {
  const first = await edit("One");
  const second = await edit("Two");
  const response = await takeBack({ operation: first });
  expect(response.status).toBe(409);
  expect(await response.json()).toMatchObject({
    error: { code: "undo_conflict", message: expect.stringContaining("title (en)") },
    details: { conflicts: [{ field: "title (en)", operation: second }] },
  });
});

test("puts a draft back as it is published", async () => {
  await edit("Not yet");
  const target = { type: "page", ref: "home" };
  expect((await takeBack({ target, to: "published" })).status).toBe(200);
  expect(await titleNow()).toBe("Walk with someone who knows the way");
});

test.each([
  [{}, 400, "invalid_request"],
  [{ operation: "s1/none" }, 404, "not_found"],
  [{ operation: "seed:v1" }, 409, "nothing_to_undo"],
  [{ operation: 7 }, 400, "invalid_request"],
  [{ operation: "x", approved: true }, 400, "unknown_field"],
  [{ operation: "x", environment: "env_none" }, 404, "not_found"],
  [{ target: { type: "page", ref: "none" }, to: "published" }, 404, "not_found"],
  [{ target: { type: "page", ref: "home" } }, 400, "invalid_input"],
  [{ target: { type: "page", ref: "home" }, revision: "rv_none" }, 410, "diff_unavailable"],
])("refuses %j with %i %s", async (body, status, code) => {
  expect(await verdictOf(await takeBack(body))).toEqual([status, code]);
});

test.each(["?limit=0", "?limit=x", "?day=today", "?environment=a.b", "?nothing=1", "?cursor=x"])(
  "refuses to list %s",
  async (query) => {
    expect((await doors.call(`/api/cms/history${query}`)).status).toBe(400);
  },
);

test("names sessions, runs and people to their owner and to admins alone; everybody may still take back by the name shown", async () => {
  const before = await titleNow();
  const operation = await edit("Walk unseen");
  const first = async (who: Who, query = "?page=home&limit=1") => (await list(query, who)).items[0];
  const whole = { operation, actor: "agent:s1", session: "s1", run: "r1" };
  expect([await first("alice"), await first("admin")]).toMatchObject([whole, whole]);
  const masked = await first("bob");
  expect(masked).toMatchObject({ actor: "agent", session: null, run: null, tool: "section_update" });
  expect(JSON.stringify(masked)).not.toMatch(/s1|r1|alice/);
  expect(await first("bob", `?operation=${encodeURIComponent(operation)}`)).toMatchObject({
    operation: masked?.operation,
    session: null,
  });
  for (const query of ["?session=s1", "?run=r1"]) {
    expect((await list(query, "alice")).items.length).toBeGreaterThan(0);
    expect((await list(query, "bob")).items).toEqual([]);
  }
  const done = await takeBack({ operation: masked?.operation ?? "" }, "bob");
  expect([done.status, await titleNow()]).toEqual([200, before]);
  const again = await takeBack({ operation: masked?.operation ?? "" }, "admin");
  expect(await again.text()).not.toMatch(/user:bob|agent:s1/);
  const undoing = await first("alice");
  expect(undoing).toMatchObject({ actor: "user", session: null, isUndo: true });
  // Operations older than the session belong to a deleted session of the same name.
  await env.DB.prepare("UPDATE sessions SET created_at=?1 WHERE id='s1'")
    .bind(NOW + 1)
    .run();
  expect((await list("?limit=50", "alice")).items.filter(({ session }) => session === "s1")).toEqual([]);
});
