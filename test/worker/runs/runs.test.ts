import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { answers, type Answer } from "../../../src/cairn/protocol/api.ts";
import type { RunView } from "../../../src/cairn/protocol/views.ts";
import { makeSite } from "../cms/fixture.ts";
import { post, verdictOf } from "../http/routes-fixture.ts";
import { gated, openApi, type Person } from "../sessions/session-fixture.ts";

/** Every run through the real doors: listed, read with its trace, stopped, gone on with. */

const api = openApi();
beforeAll(makeSite);

type Page = Answer<"Runs">;
const within = { timeout: 15_000, interval: 50 };
const list = (query = "", who: Person = "alice"): Promise<Page> =>
  api.json<Page>(200, `/api/runs${query}`, { who });
const idsOf = ({ items }: Page): string[] => items.map(({ id }) => id);
const show = (id: string, who: Person = "alice"): Promise<RunView> =>
  api.json<RunView>(200, `/api/runs/${id}`, { who });
const stop = (id: string, who: Person = "alice"): Promise<Response> =>
  api.call(`/api/runs/${id}`, { method: "DELETE", who });
const resume = (id: string, body: object, who: Person = "alice"): Promise<Response> =>
  api.call(`/api/runs/${id}/resume`, { ...post(body), who });
const statusOf = async (id: string): Promise<string> => (await show(id)).status;

describe("the list of runs", () => {
  test("has every run of the caller, the newest first, page by page; an admin sees everyone's", async () => {
    for (const [session, who] of [
      ["lists-a", "alice"],
      ["lists-b", "alice"],
      ["lists-c", "bob"],
    ] as const) {
      for (const text of ["/say One.", "/say Two."])
        await api.call(`/api/sessions/${session}/messages`, { ...post({ text }), who });
    }
    const all = ["lists-c.r2", "lists-c.r1", "lists-b.r2", "lists-b.r1", "lists-a.r2", "lists-a.r1"];
    // Other tests have runs too.
    const here = (ids: readonly string[]): string[] => ids.filter((id) => id.startsWith("lists-"));
    const whole = async (query: string, who: Person) => here(idsOf(await list(`?limit=100${query}`, who)));
    await expect.poll(() => whole("&status=completed", "root"), within).toEqual(all);
    expect(await whole("", "alice")).toEqual(all.slice(2));
    expect(await whole("", "bob")).toEqual(all.slice(0, 2));
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Page = await list(`?limit=1${cursor === null ? "" : `&cursor=${cursor}`}`);
      seen.push(...idsOf(page));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(here(seen)).toEqual(all.slice(2));
    expect(new Set(seen).size).toBe(seen.length);
    const page = await list("?sessionId=lists-a");
    expect(answers().Runs.safeParse(page).error ?? null).toBeNull();
    const { id, sessionId, objective, agent, requester, source, outcome, partial } = page.items[1] ?? {};
    expect({ id, sessionId, objective, agent, requester, source, outcome, partial }).toEqual({
      id: "lists-a.r1",
      sessionId: "lists-a",
      objective: "/say One.",
      agent: "default",
      requester: "alice",
      source: "api",
      outcome: "answered",
      partial: false,
    });
    const shown = await show("lists-a.r1");
    expect(shown).toMatchObject(page.items[1] ?? {});
  });

  test("is of one status, one session, one agent", async () => {
    expect(idsOf(await list("?sessionId=lists-b"))).toEqual(["lists-b.r2", "lists-b.r1"]);
    expect(idsOf(await list("?agent=default&sessionId=lists-b&limit=1"))).toEqual(["lists-b.r2"]);
    for (const none of ["?sessionId=lists-c", "?agent=nobody", "?status=failed", "?sessionId=nowhere"])
      expect([none, idsOf(await list(none))]).toEqual([none, []]);
  });

  test.each(["?status=lost", "?limit=101", "?cursor=x", "?sessionId=a%20b"])("refuses %s", async (query) => {
    expect((await verdictOf(await api.call(`/api/runs${query}`)))[0]).toBe(400);
  });

  test("follows a run from its queue to its end, and forgets it with its session", async () => {
    await api.call("/api/sessions/course/messages", post({ text: gated() }));
    await api.call("/api/sessions/course/messages", post({ text: "/say Behind." }));
    const states = async () =>
      (await list("?sessionId=course")).items.map(({ id, status, startedAt, endedAt }) => [
        id,
        status,
        startedAt !== null,
        endedAt !== null,
      ]);
    await expect.poll(states, within).toEqual([
      ["course.r2", "queued", false, false],
      ["course.r1", "paused", true, false],
    ]);
    expect(idsOf(await list("?status=paused&sessionId=course"))).toEqual(["course.r1"]);
    expect((await stop("course.r2")).status).toBe(202);
    expect((await stop("course.r1")).status).toBe(202);
    await expect.poll(states, within).toEqual([
      ["course.r2", "cancelled", false, true],
      ["course.r1", "cancelled", true, true],
    ]);
    expect((await api.call("/api/sessions/course", { method: "DELETE" })).status).toBe(204);
    expect(await states()).toEqual([]);
  });
});

describe("one run", () => {
  test("has its trace within, or as that of its session", async () => {
    await api.say("traced", "/call site_overview {}\n/then\n/say Seen.");
    await api.say("traced", "/say Hello.");
    const whole = await api.json<Answer<"RunDetail">>(200, "/api/runs/traced.r1?include=trace");
    expect(answers().RunDetail.safeParse(whole).error ?? null).toBeNull();
    const { items } = await api.json<{ items: object[] }>(200, "/api/runs/traced.r1/trace");
    expect(items).toHaveLength(2);
    expect(whole.trace).toEqual(items);
    expect(await api.json(200, "/api/sessions/traced/trace?run=r1")).toEqual({ items });
    const lines = await (await api.call("/api/runs/traced.r2/trace?format=jsonl")).text();
    expect(lines).toBe(await (await api.call("/api/sessions/traced/trace?run=r2&format=jsonl")).text());
    const prompts = await api.json<{ items: object[] }>(200, "/api/runs/traced.r1/trace?include=prompts");
    expect(prompts.items).toMatchObject([{ request: { exact: true } }, { request: { exact: true } }]);
    for (const query of ["?include=all", "/trace?run=r1", "/trace?format=csv"])
      expect(await verdictOf(await api.call(`/api/runs/traced.r1${query}`))).toEqual([
        400,
        "invalid_request",
      ]);
  });

  test("is missing for everyone else, whatever is asked of it", async () => {
    await api.say("foreign", "/say Mine.");
    for (const path of ["foreign.r1", "foreign.r2", "nobody.r1", "foreign", "foreign.r0"]) {
      for (const asked of ["", "/trace", "?include=trace"])
        expect(await verdictOf(await api.call(`/api/runs/${path}${asked}`, { who: "bob" }))).toEqual([
          404,
          "not_found",
        ]);
      expect(await verdictOf(await stop(path, "bob"))).toEqual([404, "not_found"]);
      expect(await verdictOf(await resume(path, { retry: true }, "bob"))).toEqual([404, "not_found"]);
    }
    expect(await statusOf("foreign.r1")).toBe("completed");
    expect((await show("foreign.r1", "root")).answer).toBe("Mine.");
  });

  test("gives its answer under one name, with what the model says of it", async () => {
    const said = { answer: "It is green.", confidence: 0.8, summary: "Green." };
    await api.say("results", `/call complete ${JSON.stringify(said)}`);
    expect(await show("results.r1")).toMatchObject({
      answer: "It is green.",
      result: { result: said },
      receipt: { changed: [], failed: [] },
      warnings: [],
    });
    const messages = await api.json<{ metadata: { result?: object } }[]>(
      200,
      "/api/sessions/results/messages",
    );
    expect(messages.at(-1)?.metadata.result).toEqual({ result: said });
  });
});

describe("a stop", () => {
  test("ends a run that is live, one that waits in the queue alone, and nothing that has ended", async () => {
    await api.call("/api/sessions/stops/messages", post({ text: "/wait 20000\n/say Never." }));
    for (const text of ["/say Second.", "/say Third."])
      await api.call("/api/sessions/stops/messages", post({ text }));
    await expect.poll(() => statusOf("stops.r1"), within).toBe("running");
    const queued = await stop("stops.r2");
    expect([queued.status, ((await queued.json()) as RunView).status]).toEqual([202, "cancelled"]);
    expect((await stop("stops.r2")).status).toBe(204);
    const live = await stop("stops.r1");
    expect([live.status, ((await live.json()) as RunView).id]).toEqual([202, "stops.r1"]);
    await expect.poll(() => statusOf("stops.r1"), within).toBe("cancelled");
    await expect.poll(() => statusOf("stops.r3"), within).toBe("completed");
    expect((await stop("stops.r3")).status).toBe(204);
    expect(await statusOf("stops.r3")).toBe("completed");
  });
});

describe("going on", () => {
  test("answers the question of a run, once", async () => {
    await api.say("asks", '/call ask_human {"question":"Which colour?"}\n/then\n/say Painted.');
    const asked = await show("asks.r1");
    expect(asked).toMatchObject({ status: "paused", waitingFor: { kind: "answer", id: "r1s1c0q1" } });
    expect(await verdictOf(await resume("asks.r1", { retry: true }))).toEqual([409, "not_waiting"]);
    const wrong = { questionId: "r1s9c0q1", value: "Green." };
    expect(await verdictOf(await resume("asks.r1", wrong))).toEqual([404, "not_found"]);
    const taken = await resume("asks.r1", { questionId: "r1s1c0q1", value: "Green." });
    expect([taken.status, ((await taken.json()) as RunView).id]).toEqual([202, "asks.r1"]);
    await expect.poll(() => statusOf("asks.r1"), within).toBe("completed");
    const other = { questionId: "r1s1c0q1", value: "Blue." };
    expect(await verdictOf(await resume("asks.r1", other))).toEqual([409, "already_answered"]);
    expect(await verdictOf(await resume("asks.r1", { value: "Blue." }))).toEqual([409, "not_waiting"]);
    expect(await verdictOf(await resume("asks.r1", { retry: true }))).toEqual([409, "not_waiting"]);
  });

  test("decides no approval", async () => {
    await api.say("gate", gated());
    expect(await verdictOf(await resume("gate.r1", { value: "Yes." }))).toEqual([
      409,
      "waiting_for_approval",
    ]);
    expect(await verdictOf(await resume("gate.r1", { retry: true }))).toEqual([409, "waiting_for_approval"]);
    expect((await show("gate.r1")).waitingFor).toMatchObject({ kind: "approval" });
    await stop("gate.r1");
  });
});

test("each list of runs is read by an index, without sorting", async () => {
  const plan = async (where: string): Promise<string> => {
    const order = "ORDER BY created_at DESC, session_id DESC, number DESC LIMIT 21";
    const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN SELECT * FROM runs ${where} ${order}`).all<{
      detail: string;
    }>();
    return results.map(({ detail }) => detail).join("; ");
  };
  const owned = await plan("WHERE owner = 'a'");
  expect(owned).toBe("SEARCH runs USING INDEX ix_runs_owner (owner=?)");
  expect(await plan("WHERE owner = 'a' AND (created_at, session_id, number) < (1, 'a', 2)")).toBe(
    owned.replace("?", "? AND (created_at,session_id,number)<(?,?,?)"),
  );
  expect(await plan("")).toBe("SCAN runs USING INDEX ix_runs_time");
});
