import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { makeSite } from "../cms/fixture.ts";
import { openApi, type Api } from "./session-fixture.ts";
import { post } from "../http/routes-fixture.ts";

/** A name that nobody uses, at which somebody looks: the object that answers keeps nothing. */

beforeAll(makeSite);

const READER = "reader-real-token-0001";
const api: Api = openApi();
const readOnly = openApi({
  AUTH_TOKENS: { [READER]: { subject: "alice", scopes: ["read"] } },
});

const tablesOf = (session: string): Promise<string[]> =>
  runInDurableObject(env.SESSION.get(env.SESSION.idFromName(session)), (_object, { storage }) =>
    storage.sql
      .exec("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*' ORDER BY name")
      .toArray()
      .map((row) => String(row["name"])),
  );

const TABLES = [
  "blobs",
  "cards",
  "chunks",
  "cursor",
  "deliveries",
  "entries",
  "evidence",
  "family",
  "held",
  "indexed",
  "listed_tools",
  "mcp_tools",
  "meta",
  "outbox",
  "pages",
  "schedules",
  "seen",
  "snapshot",
  "table_versions",
  "urls",
];
const S = "/api/sessions/unused";
const decide = post({ decision: "approve" });

describe("looking at a session that does not exist leaves its object empty", () => {
  test.each<[string, string, RequestInit?]>([
    ["the session", S],
    ["its messages", `${S}/messages`],
    ["its events", `${S}/events`],
    ["its events, as a stream", `${S}/events`, { headers: { accept: "text/event-stream" } }],
    ["its memory", `${S}/memory`],
    ["its trace", `${S}/trace`],
    ["its schedules", `${S}/schedules`],
    ["an approval", `${S}/approvals/r1s1c0a1`],
    ["its deliveries", `${S}/deliveries`],
    ["its export", `${S}/export`],
    ["a run of it", "/api/runs/unused.r1"],
    ["the stream of its chat", "/api/chat/unused/stream"],
    ["its messages for a stock client", "/agents/session/unused/get-messages"],
    [
      "a change",
      S,
      { method: "PATCH", body: '{"title":"x"}', headers: { "content-type": "application/json" } },
    ],
    ["a deletion", S, { method: "DELETE" }],
    ["a cancel", `${S}/cancel`, post({})],
    ["a word to the live run", `${S}/steer`, post({ text: "x" })],
    ["a decision", `${S}/approvals/r1s1c0a1`, decide],
    ["a fork", `${S}/fork`, post({})],
    ["a schedule that cannot be", `${S}/schedules`, post({ text: "x", at: "2001-01-01T00:00:00Z" })],
  ])("%s", async (_name, path, init = {}) => {
    for (const who of ["alice", "root"] as const) {
      const response = await api.call(path, { ...init, who });
      await response.text();
      expect(response.status).toBeLessThan(500);
    }
    expect(await tablesOf("unused")).toEqual([]);
  });

  test("a socket that may not send is closed, and leaves nothing", async () => {
    const response = await readOnly.call("/agents/session/unused", {
      who: null,
      headers: { upgrade: "websocket", authorization: `Bearer ${READER}` },
    });
    const closed = new Promise<number>((resolve) =>
      response.webSocket?.addEventListener("close", ({ code }) => resolve(code)),
    );
    response.webSocket?.accept();
    expect(await closed).toBe(4403);
    expect(await tablesOf("unused")).toEqual([]);
  });

  test("an alarm that comes to it leaves nothing", async () => {
    await runInDurableObject(env.SESSION.get(env.SESSION.idFromName("unused")), (object) => object.alarm?.());
    expect(await tablesOf("unused")).toEqual([]);
  });
});

test("the first word makes the tables, and a session that was deleted is found empty", async () => {
  await api.say("used", "/say Hello.");
  expect(await tablesOf("used")).toEqual(TABLES);
  expect((await api.call("/api/sessions/used", { method: "DELETE" })).status).toBe(204);
  expect((await api.call("/api/sessions/used")).status).toBe(404);
  await api.say("used", "/say Hello again.");
  expect(await api.json(200, "/api/sessions/used")).toMatchObject({ messageCount: 1, runCount: 1 });
});

test("a first row that is rolled back takes the tables with it, and the next one makes them", async () => {
  const adopted = await env.SESSION.get(env.SESSION.idFromName("bad")).fetch("https://session/none");
  expect(adopted.status).toBe(401);
  await runInDurableObject(env.SESSION.get(env.SESSION.idFromName("bad")), async (_object, { storage }) => {
    const { objectDisk } = await import("../../../src/cairn/session/storage/durable-disk.ts");
    const disk = objectDisk(storage);
    const row = "INSERT INTO seen (source, id, answer, at) VALUES ('x', ?, '', 0)";
    expect(() =>
      disk.transaction(() => {
        disk.exec(row, "a");
        throw new Error("no");
      }),
    ).toThrow("no");
    expect(disk.exec("SELECT id FROM seen")).toEqual([]);
    disk.transaction(() => disk.exec(row, "b"));
    expect(disk.exec("SELECT id FROM seen")).toEqual([{ id: "b" }]);
  });
});

test("a session from before tables had a version opens, goes on, and has the version then", async () => {
  await api.say("older", "/say Hello.");
  const stub = env.SESSION.get(env.SESSION.idFromName("older"));
  await runInDurableObject(stub, (_object, { storage }) =>
    storage.sql.exec("DROP TABLE table_versions").toArray(),
  );
  await evictDurableObject(stub);
  await api.say("older", "/say Hello again.");
  expect(await api.json(200, "/api/sessions/older")).toMatchObject({ messageCount: 2, runCount: 2 });
  expect(await tablesOf("older")).toEqual(TABLES);
  const versions = await runInDurableObject(stub, (_object, { storage }) =>
    storage.sql.exec("SELECT part, version FROM table_versions").toArray(),
  );
  expect(versions).toContainEqual({ part: "log", version: 1 });
});
