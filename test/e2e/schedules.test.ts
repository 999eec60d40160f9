import { describe, expect, test } from "vitest";
import type { ScheduleView } from "../../src/cairn/session/api/session-api.ts";
import { answerOf, fetchLog, ofKind } from "./clients/log.ts";
import { useServer } from "./clients/server.ts";

/** Schedules on a real server: on time, and after it was down. */

const server = useServer();

const at = (session: string): string => `${server.url}/api/sessions/${session}/schedules`;
async function schedule(session: string, body: object): Promise<ScheduleView> {
  const init = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  const response = await fetch(at(session), init);
  expect(response.status).toBe(201);
  return (await response.json()) as ScheduleView;
}
const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();
const ended = async (session: string): Promise<number> =>
  ofKind(await fetchLog(server.url, session), "run_ended").length;
const list = async (session: string): Promise<readonly ScheduleView[]> =>
  ((await (await fetch(at(session))).json()) as { items: ScheduleView[] }).items;

describe("a schedule", () => {
  test("is said at its time, and once", async () => {
    const made = await schedule("soon", { text: "/say On time.", at: inMs(1_500) });
    await expect.poll(() => ended("soon"), { timeout: 20_000 }).toBe(1);
    const log = await fetchLog(server.url, "soon");
    expect(answerOf(log)).toContain("On time.");
    const [said] = ofKind(log, "user_message");
    expect(said?.body).toMatchObject({
      id: `${made.id}.${Date.parse(made.nextAt ?? "")}`,
      source: "schedule",
    });
    expect(Date.parse(said?.at ?? "")).toBeGreaterThanOrEqual(Date.parse(made.nextAt ?? ""));
    expect(await list("soon")).toEqual([]);
  });

  test("whose time comes while the server is down is said when it is up again, once", async () => {
    const made = await schedule("down", { text: "/say Late, but here.", at: inMs(1_000) });
    const dropped = await schedule("deleted", { text: "/say Never.", at: inMs(1_000) });
    await fetch(`${at("deleted")}/${dropped.id}`, { method: "DELETE" });
    await server.kill();
    // Not before its time has passed.
    await expect
      .poll(() => Date.now(), { timeout: 5_000 })
      .toBeGreaterThan(Date.parse(made.nextAt ?? "") + 500);
    await server.start();
    await expect.poll(() => ended("down"), { timeout: 20_000 }).toBe(1);
    expect(ofKind(await fetchLog(server.url, "down"), "user_message")).toHaveLength(1);
    expect(await fetchLog(server.url, "deleted")).toEqual([]);
  });

  test("is said once when the server is killed at its time: just before, in the middle of it, just after", async () => {
    const killAt = Date.now() + 5_000;
    // Times before and after the kill, so that it comes at every moment of one of them.
    const times = Array.from({ length: 11 }, (_, n) => killAt + (n - 7) * 40);
    const made = await Promise.all(
      times.map((time, n) =>
        schedule(`kill-${n}`, { text: `/say Said ${n}.`, at: new Date(time).toISOString() }),
      ),
    );
    await expect.poll(() => Date.now(), { timeout: 10_000, interval: 5 }).toBeGreaterThanOrEqual(killAt);
    await server.kill();
    await server.start();
    for (const [n, { id, at: time }] of made.entries()) {
      await expect.poll(() => ended(`kill-${n}`), { timeout: 30_000 }).toBe(1);
      const log = await fetchLog(server.url, `kill-${n}`);
      expect(ofKind(log, "user_message").map(({ body }) => body["id"])).toEqual([
        `${id}.${Date.parse(time ?? "")}`,
      ]);
      expect(ofKind(log, "run_ended")).toHaveLength(1);
      expect(answerOf(log)).toContain(`Said ${n}.`);
      expect(await list(`kill-${n}`)).toEqual([]);
    }
  });

  test("by cron stands in the list with its next time, and is gone when it is deleted", async () => {
    const made = await schedule("cron", {
      text: "Look at the site.",
      cron: "0 9 * * 1-5",
      timeZone: "America/New_York",
      catchUp: "skip",
    });
    expect(await list("cron")).toEqual([made]);
    const gone = await fetch(`${at("cron")}/${made.id}`, { method: "DELETE" });
    expect([gone.status, await gone.text(), await list("cron")]).toEqual([204, "", []]);
  });
});
