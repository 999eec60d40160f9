import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { createChangeSets } from "../../../src/plugins/cms/renderer/api/change-sets.ts";
import { createHistory } from "../../../src/plugins/cms/renderer/api/history.ts";
import { createPreviewLinks } from "../../../src/plugins/cms/renderer/api/preview-link.ts";
import { changesBegin } from "../../../src/plugins/cms/changes/collect.ts";
import { withinSet } from "../../../src/plugins/cms/changes/within.ts";
import { ensureSeeded } from "../../../src/plugins/cms/seed/index.ts";
import { pageUpdate } from "../../../src/plugins/cms/tools/pages.ts";
import { sectionUpdate } from "../../../src/plugins/cms/tools/sections.ts";
import type { SiteAnswer } from "../../../src/plugins/cms/protocol/answers.ts";
import { call, contextOf } from "../cms/fixture.ts";
import { openDoors, post, verdictOf, type TOKENS } from "../http/routes-fixture.ts";
import { NOW, openSite, SECRET } from "./fixture.ts";
import { siteRoutes } from "./site-routes.ts";

/** Change sets at the doors: a person collects what a session writes, reads it, and publishes it. */

const site = openSite();
const text = async (path: string): Promise<string> => (await site.fetch(path)).text();
const doors = openDoors(
  {},
  {
    plugins: siteRoutes({
      changeSets: createChangeSets(ensureSeeded),
      history: createHistory(ensureSeeded),
      previewLink: createPreviewLinks(SECRET, ensureSeeded),
    }),
    now: () => NOW,
  },
);
type Who = keyof typeof TOKENS;

beforeAll(() => ensureSeeded(env, NOW - 1_000));

const PATH = "/api/cms/change-sets";
const begin = (session: string, who: Who = "alice") =>
  doors.call(PATH, { ...post({ session, name: "Spring" }), who });
const publish = (set: string, body: object = {}, who: Who = "alice", key = crypto.randomUUID()) =>
  doors.call(`${PATH}/${set}/publish`, { ...post(body, { "idempotency-key": key }), who });

/** when the next session of the name is made */
const LATER = Date.UTC(2040, 0, 1);
let session = "set-session";
async function opened(): Promise<SiteAnswer<"ChangeSetBrief">> {
  session = `set-session-${crypto.randomUUID().slice(0, 8)}`;
  // Alice's, from its first message on.
  expect((await doors.call(`/api/sessions/${session}/messages`, post({ text: "Hello" }))).status).toBe(202);
  const response = await begin(session);
  expect(response.status).toBe(201);
  return response.json();
}
const edit = (title: string): Promise<unknown> =>
  call(
    withinSet(sectionUpdate),
    { section: "sc_about_hero", content: { title } },
    contextOf({ at: NOW, facts: { session, run: "r1", subject: "user:alice" } }),
  );

test("what a session writes stands in the set, is previewed with it, and is public once it is published", async () => {
  const set = await opened();
  expect(set).toMatchObject({ name: "Spring", session, state: "open", by: "user:alice", publishAt: null });
  await edit("Spring is here");
  const difference = await (await doors.call(`${PATH}/${set.id}`)).json<SiteAnswer<"ChangeSet">>();
  expect(difference.items).toMatchObject([
    {
      what: "Page “About”",
      becomes: "changed",
      draft: { type: "page", id: "pg_about" },
      changes: [{ what: "Hero section on “About” · Title", after: "Spring is here" }],
    },
  ]);
  const link = await (
    await doors.call(`/api/cms/preview-link?type=page&id=pg_about&set=${set.id}`)
  ).json<SiteAnswer<"PreviewLink">>();
  const draft = new URL(link.url);
  expect(await text(draft.pathname + draft.search)).toContain("Spring is here");
  const plain = await (
    await doors.call("/api/cms/preview-link?type=page&id=pg_about")
  ).json<SiteAnswer<"PreviewLink">>();
  const unset = new URL(plain.url);
  expect(await text(unset.pathname + unset.search)).not.toContain("Spring is here");
  expect(await text("/site/about")).not.toContain("Spring is here");

  const key = crypto.randomUUID();
  const first = await publish(set.id, {}, "alice", key);
  expect(first.status).toBe(200);
  const done = await first.json<SiteAnswer<"ChangeSetSettled">>();
  expect(done).toMatchObject({ set: { state: "published" }, publicNow: true, publishAt: null });
  const again = await publish(set.id, {}, "alice", key);
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect(await again.json()).toEqual(done);
  expect(await text("/site/about")).toContain("Spring is here");

  const undone = await doors.call("/api/cms/undo", post({ operation: done.operation }));
  expect(undone.status).toBe(200);
  expect(await text("/site/about")).not.toContain("Spring is here");
});

test("a conflict is 409 with each field, and nothing is public", async () => {
  const set = await opened();
  await edit("Ours");
  await call(
    sectionUpdate,
    { section: "sc_about_hero", content: { title: "Theirs" } },
    contextOf({ at: NOW + 5 }),
  );
  const refused = await publish(set.id);
  expect(refused.status).toBe(409);
  expect(await refused.json()).toMatchObject({
    error: { code: "set_conflict" },
    details: { conflicts: [{ field: "title (en)" }] },
  });
  const { conflicts } = await (await doors.call(`${PATH}/${set.id}`)).json<SiteAnswer<"ChangeSet">>();
  expect(conflicts).toMatchObject([{ id: "sc_about_hero", field: "title (en)", by: "agent" }]);
  expect((await publish(set.id, { overwrite: ["sc_about_hero"] })).status).toBe(200);
  expect(await text("/site/about")).toContain("Ours");
});

test("publishing what was read publishes that, and nothing that came after it", async () => {
  const set = await opened();
  const read = async () => (await doors.call(`${PATH}/${set.id}`)).json<SiteAnswer<"ChangeSet">>();
  await edit("Read");
  const { digest } = await read();
  await edit("Written since");
  const refused = await publish(set.id, { digest });
  expect(refused.status).toBe(409);
  expect(await verdictOf(refused)).toEqual([409, "approval_stale"]);
  expect(await text("/site/about")).not.toContain("Written since");
  expect((await publish(set.id, { digest: (await read()).digest })).status).toBe(200);
  expect(await text("/site/about")).toContain("Written since");
});

test("is thrown away once, and is listed with what became of it", async () => {
  const set = await opened();
  await edit("Never");
  const gone = await doors.call(`${PATH}/${set.id}`, { method: "DELETE" });
  expect(await gone.json()).toMatchObject({ set: { state: "discarded" }, publicNow: false });
  expect((await doors.call(`${PATH}/${set.id}`, { method: "DELETE" })).status).toBe(409);
  const { items } = await (await doors.call(`${PATH}?state=discarded`)).json<SiteAnswer<"ChangeSets">>();
  expect(items.map((one) => one.id)).toContain(set.id);
  expect(await (await doors.call(`${PATH}/${set.id}`)).json()).toMatchObject({
    state: "discarded",
    items: [],
  });
});

test("nobody leads the writes of another's session aside, and publishing needs the scope approve", async () => {
  const set = await opened();
  await edit("Mine");
  expect((await begin(session, "bob")).status).toBe(404);
  expect(await verdictOf(await publish(set.id, {}, "sender"))).toEqual([403, "missing_scope"]);
  expect((await publish("cs_nowhere")).status).toBe(404);
  expect((await publish("..%2f")).status).toBe(404);
  expect((await publish(set.id, { at: "2020-01-01T00:00:00Z" })).status).toBe(400);
  const timed = await publish(set.id, { at: new Date(NOW + 86_400_000).toISOString() });
  expect(await timed.json()).toMatchObject({ set: { state: "open" }, publicNow: false });
  const shownNow = await (await doors.call(`${PATH}/${set.id}`)).json<SiteAnswer<"ChangeSet">>();
  expect(shownNow.publishAt).toBe(new Date(NOW + 86_400_000).toISOString());
  await call(pageUpdate, { page: "about", indexing: true }, contextOf({ at: NOW + 9 }));
});

test("a set of a deleted session takes no write of the next session of its name, and stays to be decided", async () => {
  const set = await opened();
  await edit("Of the deleted session");
  const before = await (await doors.call(`${PATH}/${set.id}`)).json<SiteAnswer<"ChangeSet">>();
  const later = { session, run: "r1", subject: "user:bob", createdAt: LATER };
  const context = contextOf({ at: LATER + 1, facts: later });
  await call(
    withinSet(sectionUpdate),
    { section: "sc_about_hero", content: { title: "Of the next" } },
    context,
  );
  const shown = await (await doors.call(`${PATH}/${set.id}`)).json<SiteAnswer<"ChangeSet">>();
  expect(shown.version).toBe(before.version);
  expect(shown.conflicts).toMatchObject([{ id: "sc_about_hero", field: "title (en)" }]);
  const begun = await call(
    withinSet(changesBegin),
    { name: "Next" },
    contextOf({ at: LATER + 2, facts: later }),
  );
  expect(begun).toMatchObject({ set: { name: "Next", state: "open" } });
  expect((await (await doors.call(`${PATH}/${set.id}`)).json<SiteAnswer<"ChangeSet">>()).state).toBe("open");
});

test("shows the session and the person of a set to nobody else but admins", async () => {
  const set = await opened();
  const seen = async (who: Who) => {
    const { items } = await (
      await doors.call(PATH, { who })
    ).json<{ items: SiteAnswer<"ChangeSetBrief">[] }>();
    const shown = await (await doors.call(`${PATH}/${set.id}`, { who })).json<SiteAnswer<"ChangeSet">>();
    return [items.find(({ id }) => id === set.id), shown].map((one) => [one?.session, one?.by]);
  };
  expect(await seen("alice")).toEqual([
    [session, "user:alice"],
    [session, "user:alice"],
  ]);
  expect(await seen("admin")).toEqual([
    [session, "user:alice"],
    [session, "user:alice"],
  ]);
  expect(await seen("bob")).toEqual([
    ["", "user"],
    ["", "user"],
  ]);
});
