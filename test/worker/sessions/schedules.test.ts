import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { SessionView, ScheduleView } from "../../../src/cairn/session/api/session-api.ts";
import { answers } from "../../../src/cairn/protocol/api.ts";
import { makeSite } from "../cms/fixture.ts";
import { post, verdictOf } from "../http/routes-fixture.ts";
import { openApi } from "./session-fixture.ts";

/** Schedules through the real doors and the real object. */

const api = openApi();
beforeAll(makeSite);

const at = (session: string): string => `/api/sessions/${session}/schedules`;
const make = (session: string, body: object, headers = {}) =>
  api.json<ScheduleView>(201, at(session), post(body, headers));
const list = async (session: string): Promise<readonly ScheduleView[]> =>
  (await api.json<{ items: ScheduleView[] }>(200, at(session))).items;
const alarmOf = (session: string): Promise<number | null> =>
  runInDurableObject(env.SESSION.get(env.SESSION.idFromName(session)), (_, state) =>
    state.storage.getAlarm(),
  );
const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();
const HOUR = 3_600_000;

describe("a schedule", () => {
  test("is made, listed and deleted, and the session's alarm is its time", async () => {
    const before = Date.now();
    const made = await make("s-made", { text: "Look at it.", everyMs: HOUR });
    expect(answers().Schedule.safeParse(made).error ?? null).toBeNull();
    expect(made).toMatchObject({
      kind: "interval",
      everyMs: HOUR,
      catchUp: "once",
      by: "alice",
      missed: null,
    });
    expect(made.id).toMatch(/^sch_[a-z0-9]{20}$/);
    expect(Date.parse(made.nextAt ?? "")).toBeGreaterThanOrEqual(before + HOUR);
    const listed = await api.json(200, at("s-made"));
    expect(answers().Schedules.safeParse(listed).error ?? null).toBeNull();
    expect(listed).toEqual({ items: [made] });
    expect(await api.json(200, `${at("s-made")}/${made.id}`)).toEqual(made);
    const none = await api.call(`${at("s-made")}/sch_none`);
    expect(await verdictOf(none)).toEqual([404, "not_found"]);
    await expect.poll(() => alarmOf("s-made")).toBe(Date.parse(made.nextAt ?? ""));
    for (const _ of ["once", "again"]) {
      const gone = await api.call(`${at("s-made")}/${made.id}`, { method: "DELETE" });
      expect([gone.status, await gone.text()]).toEqual([204, ""]);
    }
    expect(await list("s-made")).toEqual([]);
    expect(await verdictOf(await api.call(`${at("s-made")}/${made.id}`))).toEqual([404, "not_found"]);
    await expect.poll(() => alarmOf("s-made")).toBeNull();
  });

  test("whose row cannot be read stops no other work, and is said once it can be read again", async () => {
    const reported = vi.spyOn(console, "error").mockImplementation(() => {});
    const session = "s-unreadable";
    const change = (query: string): Promise<void> =>
      runInDurableObject(env.SESSION.get(env.SESSION.idFromName(session)), (_, state) => {
        state.storage.sql.exec(query);
      });
    const made = await make(session, { text: "/say At last.", at: inMs(1_500) });
    await change("UPDATE schedules SET body = '{' || body");
    await expect.poll(Date.now, { timeout: 10_000 }).toBeGreaterThan(Date.parse(made.at ?? ""));
    await api.say(session, "/say Meanwhile.");
    const messages = async (): Promise<string> =>
      JSON.stringify(await api.json(200, `/api/sessions/${session}/messages`));
    expect(await messages()).toContain("Meanwhile.");
    await expect.poll(() => reported.mock.calls.length, { timeout: 10_000 }).toBeGreaterThan(0);
    await change("UPDATE schedules SET body = substr(body, 2)");
    await expect.poll(messages, { timeout: 20_000 }).toContain("At last.");
    reported.mockRestore();
  });

  test("is said at its time, as a run", async () => {
    const made = await make("s-said", { text: "/say On time.", at: inMs(700) });
    await expect
      .poll(async () => JSON.stringify(await api.json(200, "/api/sessions/s-said/messages")), {
        timeout: 20_000,
      })
      .toContain("On time.");
    const { items } = await api.json<{ items: { kind: string; body: Record<string, unknown> }[] }>(
      200,
      "/api/sessions/s-said/events",
    );
    expect(items.filter(({ kind }) => kind === "run_queued").map(({ body }) => body)).toMatchObject([
      { message: `${made.id}.${Date.parse(made.at ?? "")}`, source: "schedule", actor: "alice" },
    ]);
    expect(await list("s-said")).toEqual([]);
    const session = await api.json<SessionView>(200, "/api/sessions/s-said");
    expect([session.owner, session.title]).toEqual(["alice", "/say On time."]);
  });

  test("is said although the object was put away, and nobody touched it since", async () => {
    const stub = env.SESSION.get(env.SESSION.idFromName("s-asleep"));
    await make("s-asleep", { text: "/say Awake.", at: inMs(1_000) });
    await evictDurableObject(stub);
    // Looks at the disk, past every door.
    const ends = (): Promise<unknown> =>
      runInDurableObject(stub, (_object, state) =>
        state.storage.sql.exec("SELECT kind FROM entries WHERE kind = 'run_ended'").toArray(),
      );
    await expect.poll(ends, { timeout: 20_000, interval: 2_000 }).toEqual([{ kind: "run_ended" }]);
  });

  test("is one for the same Idempotency-Key, and refused for the same with another body", async () => {
    const key = { "idempotency-key": "k-1" };
    const made = await make("s-key", { text: "Once.", everyMs: HOUR }, key);
    const again = await api.call(at("s-key"), post({ text: "Once.", everyMs: HOUR }, key));
    expect([again.status, again.headers.get("idempotent-replayed"), await again.json()]).toEqual([
      201,
      "true",
      made,
    ]);
    const other = await api.call(at("s-key"), post({ text: "Twice.", everyMs: HOUR }, key));
    expect(await verdictOf(other)).toEqual([409, "idempotency_conflict"]);
    expect(await list("s-key")).toHaveLength(1);
  });
});

describe("an invalid schedule", () => {
  test.each([
    [422, "invalid_schedule", { text: "Hi.", at: "2020-01-01T00:00:00Z" }],
    [422, "invalid_schedule", { text: "Hi.", at: "soon" }],
    [422, "invalid_schedule", { text: "Hi.", everyMs: 59_999 }],
    [422, "invalid_schedule", { text: "Hi.", cron: "0 0 30 2 *" }],
    [422, "invalid_schedule", { text: "Hi.", cron: "0 0 0 0 0" }],
    [422, "invalid_schedule", { text: "Hi.", cron: "0 9 * * *", timeZone: "Europe/Nowhere" }],
    [422, "invalid_schedule", { text: "Hi." }],
    [422, "invalid_schedule", { text: "Hi.", everyMs: HOUR, cron: "0 9 * * *" }],
    [400, "unknown_field", { text: "Hi.", everyMs: HOUR, every: "day" }],
    [400, "invalid_request", { everyMs: HOUR }],
    [400, "invalid_request", { text: " \n", everyMs: HOUR }],
    [400, "invalid_request", { text: "Hi.", everyMs: 1.5 * HOUR + 0.5 }],
    [400, "invalid_request", { text: "Hi.", everyMs: HOUR, catchUp: "all" }],
    [413, "message_too_large", { text: "x".repeat(65_537), everyMs: HOUR }],
  ])("is refused: %i %s %j", async (status, code, body) => {
    const response = await api.call(at("s-never"), post(body));
    const { error } = await response.clone().json<{ error: { message: string; hint: string | null } }>();
    expect(await verdictOf(response)).toEqual([status, code]);
    expect([error.message !== "", status !== 422 || error.hint !== null]).toEqual([true, true]);
  });

  test("creates nothing, not even the session", async () => {
    expect(await verdictOf(await api.call(at("s-never")))).toEqual([404, "not_found"]);
  });
});

describe("somebody else's session", () => {
  test("reads as missing, and takes no schedule", async () => {
    const made = await make("s-hers", { text: "Mine.", everyMs: HOUR });
    const bob = { who: "bob" } as const;
    expect(await verdictOf(await api.call(at("s-hers"), bob))).toEqual([404, "not_found"]);
    const look = await api.call(`${at("s-hers")}/${made.id}`, bob);
    expect(await verdictOf(look)).toEqual([404, "not_found"]);
    const drop = await api.call(`${at("s-hers")}/${made.id}`, { method: "DELETE", ...bob });
    expect(await verdictOf(drop)).toEqual([404, "not_found"]);
    const body = post({ text: "His.", everyMs: HOUR });
    expect(await verdictOf(await api.call(at("s-hers"), { ...body, ...bob }))).toEqual([409, "id_taken"]);
    expect(await list("s-hers")).toEqual([made]);
  });
});

describe("the end of a session and its copies", () => {
  test("a deleted session has no schedule and no alarm, and neither has the next of its name", async () => {
    await make("s-gone", { text: "Look.", everyMs: HOUR });
    expect((await api.call("/api/sessions/s-gone", { method: "DELETE" })).status).toBe(204);
    expect(await alarmOf("s-gone")).toBeNull();
    await api.json(201, "/api/sessions", post({ id: "s-gone" }));
    expect(await list("s-gone")).toEqual([]);
  });

  test("a fork and an import have none of them", async () => {
    await api.say("s-copied", "/say Hello.");
    await make("s-copied", { text: "Look.", everyMs: HOUR });
    const fork = await api.json<SessionView>(201, "/api/sessions/s-copied/fork", post({}));
    expect(await list(fork.id)).toEqual([]);
    const file = await api.json(200, "/api/sessions/s-copied/export", { who: "root" });
    expect(JSON.stringify(file)).not.toContain("sch_");
    const imported = await api.json<SessionView>(201, "/api/sessions/import", { ...post(file), who: "root" });
    const there = await api.json<{ items: unknown[] }>(200, at(imported.id), { who: "root" });
    expect(there.items).toEqual([]);
  });
});
