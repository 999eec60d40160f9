import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import type { SessionView } from "../../../src/cairn/session/api/session-api.ts";
import { answers } from "../../../src/cairn/protocol/api.ts";
import type { RunView } from "../../../src/cairn/protocol/views.ts";
import { gated, openApi } from "./session-fixture.ts";
import { makeSite } from "../cms/fixture.ts";
import { post, verdictOf } from "../http/routes-fixture.ts";

/** Sessions through the real doors: made, found, changed, deleted, and what of them stands in the index. */

const api = openApi();
beforeAll(makeSite);

interface Page {
  readonly items: readonly (SessionView & { readonly snippet?: string })[];
  readonly nextCursor: string | null;
}
const list = (query = "", who: "alice" | "bob" | "root" = "alice") =>
  api.json<Page>(200, `/api/sessions${query}`, { who });
const idsOf = ({ items }: Page): string[] => items.map(({ id }) => id);
const patch = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  ...post(body, headers),
  method: "PATCH",
});
const stubOf = (session: string) => env.SESSION.get(env.SESSION.idFromName(session));

describe("a new session", () => {
  test("has its place, its facts and the id that was wished for, and is in the list at once", async () => {
    const body = { id: "made", title: "Plans", metadata: { team: "web" }, model: "rehearsal:" };
    const response = await api.call("/api/sessions", post(body));
    const session = (await response.json()) as SessionView;
    expect([response.status, response.headers.get("location"), response.headers.get("etag")]).toEqual([
      201,
      "/api/sessions/made",
      '"1"',
    ]);
    expect(session).toMatchObject({
      ...body,
      titleSource: "user",
      owner: "alice",
      status: "idle",
      archived: false,
      forkedFrom: null,
      imported: false,
      runCount: 0,
    });
    expect(idsOf(await list())).toContain("made");
    const again = await api.call("/api/sessions", post({ id: "made", title: "Other" }));
    expect([again.status, await again.json()]).toEqual([200, session]);
    expect(await verdictOf(await api.call("/api/sessions", { ...post({ id: "made" }), who: "bob" }))).toEqual(
      [409, "id_taken"],
    );
  });

  test("without an id gets one that is its own", async () => {
    const first = await api.json<SessionView>(201, "/api/sessions", { method: "POST" });
    const second = await api.json<SessionView>(201, "/api/sessions", { method: "POST" });
    expect([first.id, second.id]).toEqual([
      expect.stringMatching(/^ses_[a-z0-9]{20}$/),
      expect.stringMatching(/^ses_[a-z0-9]{20}$/),
    ]);
    expect(first.id).not.toBe(second.id);
  });

  test("is made once for a key, however often it is asked for", async () => {
    const key = { "idempotency-key": "make-1" };
    const ask = () => api.call("/api/sessions", post({ title: "Once" }, key));
    const answers = await Promise.all(Array.from({ length: 20 }, ask));
    const bodies = await Promise.all(answers.map((answer) => answer.text()));
    expect(new Set(bodies).size).toBe(1);
    expect(answers.every(({ status }) => status === 201)).toBe(true);
    expect(answers.filter(({ headers }) => headers.get("idempotent-replayed") === "true")).toHaveLength(19);
    const other = await api.call("/api/sessions", post({ title: "Twice" }, key));
    expect(await verdictOf(other)).toEqual([409, "idempotency_conflict"]);
    const bobs = await api.call("/api/sessions", { ...post({ title: "Once" }, key), who: "bob" });
    expect(bobs.status).toBe(201);
  });

  test.each([
    [{ id: "a b" }, 400, "invalid_id"],
    [{ owner: "bob" }, 400, "unknown_field"],
    [{ title: " " }, 400, "invalid_request"],
    [{ metadata: { note: "x".repeat(16_384) } }, 400, "invalid_request"],
    [{ agent: "nobody" }, 422, "unknown_agent"],
    [{ agent: "No body" }, 400, "invalid_request"],
    [{ model: "openai-compatible:gpt" }, 422, "model_not_allowed"],
  ])("%j is refused", async (body, status, code) => {
    expect(await verdictOf(await api.call("/api/sessions", post(body)))).toEqual([status, code]);
  });
});

describe("the list", () => {
  test("shows one's own, newest first, page by page; an admin sees everyone's", async () => {
    const own = openApi();
    for (const n of [1, 2, 3, 4, 5]) {
      await own.call("/api/sessions", { ...post({ id: `page-${n}` }), who: "bob" });
    }
    const mine = idsOf(await list("?limit=100", "bob"));
    expect(mine.every((id) => !id.startsWith("made"))).toBe(true);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Page = await list(`?limit=2${cursor === null ? "" : `&cursor=${cursor}`}`, "bob");
      seen.push(...idsOf(page));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(seen).toEqual(mine);
    expect(idsOf(await list("?limit=100", "root"))).toEqual(expect.arrayContaining([...mine, "made"]));
  });

  test("finds words of titles, of what was said and of answers, also across them", async () => {
    await api.say("found", "/say The lighthouse is painted.", { id: "m1" });
    await api.call("/api/sessions/found", patch({ title: "Harbour works" }));
    // The end of a run is told by its wake, a moment after its stream has ended.
    await expect.poll(async () => idsOf(await list("?q=lighthouse")), { timeout: 5_000 }).toEqual(["found"]);
    expect(idsOf(await list("?q=harb+PAINTED"))).toEqual(["found"]);
    expect((await list("?q=painted")).items[0]?.snippet).toContain("lighthouse is painted");
    expect(idsOf(await list("?q=lighthouse+submarine"))).toEqual([]);
    expect(idsOf(await list('?q="%29*'))).toEqual([]);
    expect(idsOf(await list("?q=lighthouse", "bob"))).toEqual([]);
  });

  test("tells status and archive apart", async () => {
    await api.call("/api/sessions/archived/messages", post({ text: "/say Hi." }));
    await api.call("/api/sessions/archived", patch({ archived: true }));
    expect(idsOf(await list("?archived=true"))).toEqual(["archived"]);
    expect(idsOf(await list("?limit=100"))).not.toContain("archived");
    await api.call("/api/sessions/busy/messages", post({ text: "/wait 3000\n/say Hi." }));
    await expect.poll(async () => idsOf(await list("?status=running")), { timeout: 5_000 }).toContain("busy");
    await api.call("/api/sessions/busy/cancel", post({}));
    await expect
      .poll(async () => idsOf(await list("?status=running")), { timeout: 5_000 })
      .not.toContain("busy");
  });

  test.each(["?status=lost", "?archived=maybe", "?limit=101", "?cursor=x"])("refuses %s", async (query) => {
    expect(await verdictOf(await api.call(`/api/sessions${query}`))).toEqual([400, "invalid_request"]);
  });
});

test("a write that the index lost is made again by the session itself", async () => {
  const break_ = "ALTER TABLE sessions RENAME TO sessions_away";
  const fix = "ALTER TABLE sessions_away RENAME TO sessions";
  await env.DB.prepare(break_).run();
  await api.say("list-lost", "/say Found again.");
  await env.DB.prepare(fix).run();
  expect(idsOf(await list("?q=found+again"))).toEqual([]);
  const due = await runInDurableObject(stubOf("list-lost"), (_object, state) => state.storage.getAlarm());
  expect(due).toBeGreaterThan(Date.now());
  await evictDurableObject(stubOf("list-lost"));
  await expect
    .poll(async () => idsOf(await list("?q=found+again")), { timeout: 20_000 })
    .toEqual(["list-lost"]);
  await expect
    .poll(() => runInDurableObject(stubOf("list-lost"), (_object, state) => state.storage.getAlarm()))
    .toBeNull();
});

describe("a change", () => {
  test("is made for the version that was seen, and a title of a person stays", async () => {
    await api.json(201, "/api/sessions", post({ id: "list-changed" }));
    const seen = await api.call("/api/sessions/list-changed");
    const etag = seen.headers.get("etag") ?? "";
    const first = await api.call(
      "/api/sessions/list-changed",
      patch({ title: "Mine" }, { "if-match": etag }),
    );
    expect([first.status, first.headers.get("etag")]).toEqual([200, '"2"']);
    const late = await api.call("/api/sessions/list-changed", patch({ title: "Late" }, { "if-match": etag }));
    expect(await verdictOf(late)).toEqual([412, "version_mismatch"]);
    await api.say("list-changed", "/say Hello.");
    expect(await api.json(200, "/api/sessions/list-changed")).toMatchObject({
      title: "Mine",
      titleSource: "user",
      version: 2,
    });
    const any = await api.json(200, "/api/sessions/list-changed", patch({ metadata: { a: 1 }, model: null }));
    expect(any).toMatchObject({ metadata: { a: 1 }, version: 3, title: "Mine" });
  });

  test("of a foreign session reads as of a missing one", async () => {
    const one = await api.call("/api/sessions/list-changed", { ...patch({ title: "x" }), who: "bob" });
    expect(await verdictOf(one)).toEqual([404, "not_found"]);
    expect(await verdictOf(await api.call("/api/sessions/nowhere", patch({ title: "x" })))).toEqual([
      404,
      "not_found",
    ]);
    const odd = await api.call("/api/sessions/list-changed", patch({ title: "x" }, { "if-match": "3" }));
    expect(await verdictOf(odd)).toEqual([400, "invalid_request"]);
  });
});

describe("the view", () => {
  test("says what is live and what waits", async () => {
    const said = await api.json<{ runId: string }>(
      202,
      "/api/sessions/live/messages",
      post({ text: "/wait 4000\n/say First." }),
    );
    await api.call("/api/sessions/live/messages", post({ text: "/say Second." }));
    await expect
      .poll(async () => (await api.json<{ activeRun: unknown }>(200, "/api/sessions/live")).activeRun, {
        timeout: 5_000,
      })
      .not.toBeNull();
    const view = await api.json(200, "/api/sessions/live");
    expect(view).toMatchObject({
      status: "running",
      queued: 1,
      activeRun: {
        id: said.runId,
        status: "running",
        objective: "/wait 4000\n/say First.",
        requester: "alice",
        outcome: null,
        previousRunId: null,
      },
      queue: [{ runId: "live.r2", position: 1, text: "/say Second." }],
      policies: [],
    });
    await api.call("/api/sessions/live/cancel", post({ all: true }));
  });
});

describe("a deleted session", () => {
  test("is gone with its rows, its alarm, its index entry and its sockets; its id is free again", async () => {
    await api.say("doomed", "/say The walrus sings.");
    await expect.poll(async () => idsOf(await list("?q=walrus"))).toEqual(["doomed"]);
    const upgrade = await api.call("/agents/session/doomed", { headers: { upgrade: "websocket" } });
    const socket = upgrade.webSocket;
    if (socket === null) throw new Error("not upgraded");
    const closed = new Promise<number>((resolve) => {
      socket.addEventListener("close", ({ code }) => resolve(code));
    });
    socket.accept();
    await api.call("/api/sessions/doomed/messages", post({ text: "/wait 20000\n/say Never." }));
    expect(await verdictOf(await api.call("/api/sessions/doomed", { method: "DELETE", who: "bob" }))).toEqual(
      [404, "not_found"],
    );
    expect((await api.call("/api/sessions/doomed", { method: "DELETE" })).status).toBe(204);
    expect(await closed).toBe(4403);
    expect(await verdictOf(await api.call("/api/sessions/doomed"))).toEqual([404, "not_found"]);
    expect(idsOf(await list("?q=walrus"))).toEqual([]);
    await runInDurableObject(stubOf("doomed"), async (object, state) => {
      expect(await state.storage.getAlarm()).toBeNull();
      // One that was on its way meanwhile.
      await object.alarm();
      expect(await state.storage.getAlarm()).toBeNull();
      for (const table of ["entries", "cursor", "snapshot", "chunks", "seen", "blobs", "meta", "indexed"])
        expect([table, state.storage.sql.exec(`SELECT * FROM ${table}`).toArray()]).toEqual([table, []]);
    });
    const other = await api.json<SessionView>(201, "/api/sessions", {
      ...post({ id: "doomed" }),
      who: "bob",
    });
    expect(other).toMatchObject({ owner: "bob", lastSeq: 0, messageCount: 0 });
  });

  test("stays when the index cannot be told, and says so", async () => {
    await api.json(201, "/api/sessions", post({ id: "kept" }));
    await env.DB.prepare("ALTER TABLE session_texts RENAME TO texts_away").run();
    const refused = await api.call("/api/sessions/kept", { method: "DELETE" });
    await env.DB.prepare("ALTER TABLE texts_away RENAME TO session_texts").run();
    expect(await verdictOf(refused)).toEqual([503, "index_unavailable"]);
    expect((await api.call("/api/sessions/kept")).status).toBe(200);
    expect((await api.call("/api/sessions/kept", { method: "DELETE" })).status).toBe(204);
  });
});

describe("usage", () => {
  test("counts runs, steps and tokens of one's own sessions; an admin counts all", async () => {
    await api.say("spent", "/call site_overview {}\n/then\n/say Seen.");
    interface Usage {
      items: { key: string; runs: number; steps: number; inputTokens: number; costUsd: number }[];
      total: { runs: number; steps: number };
    }
    const usage = (query: string, who: "alice" | "bob" | "root" = "alice") =>
      api.json<Usage>(200, `/api/usage${query}`, { who });
    const spent = async () =>
      (await usage("?groupBy=session")).items.find(({ key }) => key === "spent") ?? null;
    await expect.poll(spent, { timeout: 5_000 }).toMatchObject({ runs: 1, steps: 2, costUsd: 0 });
    expect((await spent())?.inputTokens).toBeGreaterThan(0);
    const today = new Date().toISOString().slice(0, 10);
    expect((await usage(`?from=${today}`)).items.map(({ key }) => key)).toEqual([today]);
    expect((await usage("?groupBy=model")).items.map(({ key }) => key)).toEqual(["rehearsal:"]);
    expect((await usage("?groupBy=subject", "root")).items.map(({ key }) => key)).toContain("alice");
    expect((await usage("?groupBy=session", "bob")).items.map(({ key }) => key)).not.toContain("spent");
    expect((await usage("?to=2020-01-01")).total).toMatchObject({ runs: 0, steps: 0 });
    for (const bad of ["?groupBy=hour", "?from=yesterday"])
      expect(await verdictOf(await api.call(`/api/usage${bad}`))).toEqual([400, "invalid_request"]);
  });
});

test("a run is read while it waits and when it has ended, then with the receipt of what it came to", async () => {
  await api.call("/api/sessions/told/messages", post({ text: gated() }));
  const run = () => api.json<RunView>(200, "/api/runs/told.r1");
  await expect.poll(async () => (await run()).status, { timeout: 5_000 }).toBe("paused");
  expect(await run()).toMatchObject({ id: "told.r1", result: null, receipt: null, answer: null });
  await api.call("/api/sessions/told/cancel", post({}));
  await expect.poll(async () => (await run()).status, { timeout: 5_000 }).toBe("cancelled");
  const ended = await run();
  expect(answers().Run.safeParse(ended).error ?? null).toBeNull();
  expect(ended.result).toEqual({ result: { answer: ended.answer, confidence: null, summary: null } });
  expect(ended.receipt).toMatchObject({
    changed: [{ tool: "page_create", state: "draft" }],
    failed: [{ tool: "page_delete" }],
    unknown: [],
  });
  for (const path of ["/api/runs/told.r2", "/api/runs/nobody.r1", "/api/runs/told", "/api/runs/told.r0"])
    expect(await verdictOf(await api.call(path))).toEqual([404, "not_found"]);
});

test("a run that is not there, or not at work, is named as such, with what to do", async () => {
  const refusal = async (response: Promise<Response>) => {
    const answer = await response;
    const { error } = await answer.json<{ error: { code: string; message: string; hint?: string } }>();
    return [answer.status, error.code, error.message, (error.hint ?? "").length > 10];
  };
  const extend = (body: object) => refusal(api.call("/api/sessions/lacking/extend", post(body)));
  await api.say("lacking", "/say Hi.");
  expect(await refusal(api.call("/api/sessions/lacking/trace?run=r7"))).toEqual([
    404,
    "not_found",
    "No such run.",
    true,
  ]);
  expect(await extend({ runId: "r1", steps: 1 })).toEqual([
    409,
    "not_live",
    "This run is not at work.",
    true,
  ]);
  await api.call("/api/sessions/lacking/messages", post({ text: gated() }));
  const waiting = async () => (await api.json<SessionView>(200, "/api/sessions/lacking")).status;
  await expect.poll(waiting, { timeout: 5_000 }).toBe("waiting");
  expect(await extend({ runId: "r2" })).toEqual([422, "nothing_asked", expect.any(String), true]);
  const given = await api.call("/api/sessions/lacking/extend", post({ runId: "r2", steps: 1 }));
  expect(given.status).toBe(200);
  expect(await extend({ runId: "r2", steps: 2 })).toEqual([
    409,
    "already_extended",
    expect.any(String),
    true,
  ]);
});

test("the agents of the deployment are listed with their tools and limits", async () => {
  expect(await api.json(200, "/api/agents")).toMatchObject({
    items: [
      { name: "default", model: "rehearsal:", limits: { steps: 15 } },
      { name: "editor", model: "rehearsal:", limits: { steps: 5 } },
      { name: "desk", model: "rehearsal:", tools: expect.arrayContaining(["agent_reader"]) as unknown },
      { name: "reader", model: "rehearsal:" },
    ],
  });
});

test("the 61st message of a minute is refused, with the time to wait", async () => {
  const say = (n: number) => api.call("/api/sessions/loud/messages", post({ text: "/say Hi.", id: `m${n}` }));
  await say(0);
  for (let n = 1; n < 60; n++)
    await api.call("/api/sessions/loud/cancel", post({ all: true })).then(() => say(n));
  const refused = await say(60);
  expect(await verdictOf(refused)).toEqual([429, "rate_limited"]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await say(0)).status).toBe(202);
});
