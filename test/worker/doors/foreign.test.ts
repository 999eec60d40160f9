import { beforeAll, describe, expect, test } from "vitest";
import { makeSite } from "../cms/fixture.ts";
import { gated, openApi } from "../sessions/session-fixture.ts";
import { post, untilClosed } from "../http/routes-fixture.ts";

/** Scenario 8: to Bob, a session of Alice's is exactly what one is that does not exist, on every path. */

const api = openApi({ APPROVAL_LINK_SECRET: "0123456789abcdef0123456789abcdef" });

beforeAll(async () => {
  await makeSite();
  await api.say("hers", gated());
});

const READS = [
  "",
  "/messages",
  "/events",
  "/trace",
  "/memory",
  "/pages/p1",
  "/shares",
  "/schedules",
  "/heartbeat",
  "/approvals/r1s2c0a1",
];
const WRITES: readonly (readonly [method: string, path: string, body?: unknown])[] = [
  ["PATCH", "", { title: "Mine" }],
  ["DELETE", ""],
  ["POST", "/fork", {}],
  ["POST", "/cancel", {}],
  ["POST", "/steer", { text: "Hi." }],
  ["POST", "/extend", { runId: "hers.r1", steps: 1 }],
  ["POST", "/approvals/r1s2c0a1", { decision: "approve" }],
  ["DELETE", "/memory?key=tone"],
  ["PUT", "/memory/facts/tone", { value: "Mine." }],
  ["POST", "/shares", {}],
  ["DELETE", "/shares/shr_1"],
  ["POST", "/approvals/r1s2c0a1/preview", { args: {} }],
  ["DELETE", "/schedules/sch_00000000000000000000"],
  ["PUT", "/heartbeat", { enabled: true }],
  ["DELETE", "/policies/r1s2c0a1"],
];

/** Status, headers and body, without what differs between any two requests. */
async function seen(path: string, init: RequestInit = {}): Promise<object> {
  const response = await api.call(path, { ...init, who: "bob" });
  const headers = [...response.headers].filter(([name]) => name !== "x-request-id");
  const text = (await response.text()).replace(/"requestId":"[^"]*"/, "").replaceAll("hers", "none");
  return { status: response.status, headers, text };
}

const initOf = (method: string, body: unknown): RequestInit =>
  body === undefined ? { method } : { ...post(body), method };

describe("Bob at Alice's session", () => {
  test.each([
    ...READS.map((path) => ["GET", path, undefined] as const),
    ...READS.map((path) => ["HEAD", path, undefined] as const),
    ...WRITES.map(([method, path, body]) => [method, path, body] as const),
  ])("%s %s is a missing one's", async (method, path, body) => {
    const foreign = await seen(`/api/sessions/hers${path}`, initOf(method, body));
    expect(foreign).toEqual(await seen(`/api/sessions/none${path}`, initOf(method, body)));
    expect(foreign).toMatchObject({ status: 404 });
  });

  test("gets nothing by event stream, chat, runs and stock lists", async () => {
    const stream = { headers: { accept: "text/event-stream" } };
    expect(await seen("/api/sessions/hers/events", stream)).toEqual(
      await seen("/api/sessions/none/events", stream),
    );
    const answer = post({ value: "yes" });
    expect(await seen("/api/runs/hers.r1/resume", answer)).toEqual(
      await seen("/api/runs/none.r1/resume", answer),
    );
    const run = await seen("/api/runs/hers.r1");
    expect(run).toMatchObject({ status: 404 });
    expect(run).toEqual(await seen("/api/runs/none.r1"));
    for (const [path, status] of [
      ["/api/chat/{id}/stream", 204],
      ["/agents/session/{id}/get-messages", 200],
    ] as const) {
      const foreign = await seen(path.replace("{id}", "hers"));
      expect(foreign).toEqual(await seen(path.replace("{id}", "none")));
      expect(foreign).toMatchObject({ status });
    }
    expect(await seen("/api/approvals?sessionId=hers&state=all")).toEqual(
      await seen("/api/approvals?sessionId=none&state=all"),
    );
    expect(await seen("/api/sessions?q=gated")).toMatchObject({
      status: 200,
      text: '{"items":[],"nextCursor":null}',
    });
  });

  test("is told that the id is taken, and his socket is closed", async () => {
    for (const [path, body] of [
      ["/api/sessions", { id: "hers" }],
      ["/api/sessions/hers/messages", { text: "Hi." }],
    ] as const)
      expect(await seen(path, post(body))).toMatchObject({
        status: 409,
        text: expect.stringContaining("id_taken"),
      });
    const socket = await api.call("/agents/session/hers", { who: "bob", headers: { upgrade: "websocket" } });
    expect(await untilClosed(socket)).toEqual({ code: 4403, reason: "not_found", frames: [] });
  });

  test("has changed nothing", async () => {
    expect(await api.json(200, "/api/sessions/hers")).toMatchObject({
      owner: "alice",
      status: "waiting",
      pendingApprovals: 1,
    });
  });
});
