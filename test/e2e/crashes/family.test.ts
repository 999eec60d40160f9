import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { answerOf, fetchLog, ofKind, say, type Logged } from "../clients/log.ts";
import { useServer } from "../clients/server.ts";
import { signal, type Signal } from "../clients/signal.ts";

/** Trees of sessions on a real server that is killed under them: each child reports once, and a stop reaches all. */

const factOf = (place: string): string => `The hut ${place} opens in May.`;
/** the place at whose request the server is killed, until it was */
const held = new Map<string, Signal>([["b", signal()]]);

function answer(url: string, response: ServerResponse): void {
  const { hostname, searchParams } = new URL(url);
  const type = searchParams.get("type");
  if (type !== null) {
    const Answer = type === "A" ? [{ type: 1, data: "93.184.215.14" }] : [];
    response.end(JSON.stringify({ Status: 0, Answer }));
    return;
  }
  const place = hostname.split(".", 1)[0] ?? "";
  const waiting = held.get(place);
  if (waiting !== undefined) return waiting.fire();
  response.setHeader("content-type", "text/html");
  response.end(`<title>Hut ${place}</title><p>Words before it.</p><p>${factOf(place)}</p>`);
}

let web: Server;
beforeAll(async () => {
  web = createServer((request, response) => answer(String(request.headers["x-asked"]), response));
  await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  web.closeAllConnections();
  web.close();
});

const server = useServer(
  () => ["WEB:on", `WEB_STAND_IN:http://127.0.0.1:${(web.address() as AddressInfo).port}/`],
  "test/e2e/crashes/research-worker.ts",
);

const hand = (...lines: readonly string[]): string =>
  `/call run_agent ${JSON.stringify({ objective: lines.join("\n") })}`;
const visit = (place: string): string =>
  `/call visit ${JSON.stringify({ urls: [`http://${place}.example.com/`], goal: "when the hut opens" })}`;
const research = (place: string, ...more: readonly string[]): string =>
  hand(visit(place), "/then", ...more, `/say ${factOf(place)}`);
/** Words of a large piece of work, which has room for others to do parts of it. */
const LARGE =
  "First I looked at every page, then compared all of them, after that changed the ten oldest, and finally report what was done.";
const takeDown = (page: string): string =>
  `/call set_status ${JSON.stringify({ targets: [{ type: "page", ref: page }], to: "unpublished" })}`;

/** A session whose agent may start others: it names the tool by which it does. */
async function open(session: string): Promise<void> {
  const agent = { description: "Hands out work.", tools: ["visit", "set_status", "run_agent"] };
  const stored = await fetch(`${server.url}/api/agents/boss`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(agent),
  });
  expect(stored.status).toBeLessThan(300);
  const made = await fetch(`${server.url}/api/sessions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ id: session, agent: "boss" }),
  });
  expect(made.status).toBe(201);
}

const inbox = z.object({ items: z.array(z.object({ id: z.string(), sessionId: z.string() })) });
const within = { timeout: 60_000 };

async function waiting(): Promise<z.infer<typeof inbox>["items"]> {
  const response = await fetch(`${server.url}/api/approvals?state=pending`);
  return inbox.parse(await response.json()).items;
}

async function post(path: string, body: object): Promise<number> {
  const response = await fetch(`${server.url}/api/sessions/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  await response.text();
  return response.status;
}

const ended = async (session: string): Promise<unknown[]> =>
  ofKind(await fetchLog(server.url, session), "run_ended").map(({ body }) => body["outcome"]);

const reports = (log: readonly Logged[]): unknown[] =>
  ofKind(log, "child_reported").map(({ body }) => [body["child"], body["outcome"]]);

test("three children research side by side while the server is killed twice; each reports once", async () => {
  const children = ["r1s1c0", "r1s1c1", "r1s1c2"].map((call) => `huts~${call}`);
  await open("huts");
  await say(
    server.url,
    "huts",
    [
      research("a"),
      research("b"),
      research("c", takeDown("about"), "/then"),
      "/then",
      `/say One page. ${LARGE}`,
    ].join("\n"),
  );
  for (const [place, arrived] of held) {
    await arrived.came;
    await server.kill();
    held.delete(place);
    await server.start();
  }
  // Nobody touches the tree: it goes on by its alarms until one of it asks.
  await expect.poll(waiting, within).toEqual([{ id: "r1s2c0a1", sessionId: children[2] }]);
  await server.kill();
  await server.start();
  expect(await waiting()).toEqual([{ id: "r1s2c0a1", sessionId: children[2] }]);
  expect(await post(`${children[2]}/approvals/r1s2c0a1`, { decision: "approve" })).toBe(200);
  await expect.poll(() => ended("huts"), within).toEqual(["completed"]);

  const log = await fetchLog(server.url, "huts");
  expect(answerOf(log)).toBe(`One page. ${LARGE}`);
  expect(reports(log).toSorted()).toEqual(children.map((child) => [child, "completed"]));
  expect(ofKind(log, "call_settled").map(({ body }) => body["status"])).toEqual(["ok", "ok", "ok"]);
  for (const [at, child] of children.entries()) {
    const own = await fetchLog(server.url, child);
    expect(ofKind(own, "run_queued")).toHaveLength(1);
    expect(await ended(child)).toEqual(["completed"]);
    expect(answerOf(own)).toBe(factOf(["a", "b", "c"][at] ?? ""));
  }
  const decided = ofKind(await fetchLog(server.url, children[2] ?? ""), "approval_decided");
  expect(decided.map(({ body }) => body["decision"])).toEqual(["approve"]);
  expect(await waiting()).toEqual([]);
});

test("a stop of the root ends the child of its child, though the server was killed as they waited", async () => {
  const tree = ["deep", "deep~r1s1c0", "deep~r1s1c0~r1s1c0"];
  await open("deep");
  await say(
    server.url,
    "deep",
    [
      hand(hand(takeDown("contact"), "/then", "/say Down."), "/then", `/say ${LARGE}`),
      "/then",
      `/say ${LARGE}`,
    ].join("\n"),
  );
  await expect.poll(waiting, within).toEqual([{ id: "r1s1c0a1", sessionId: tree[2] }]);
  await server.kill();
  await server.start();
  expect(await post("deep/cancel", {})).toBe(202);
  for (const session of tree) await expect.poll(() => ended(session), within).toEqual(["cancelled"]);
  await expect.poll(waiting, within).toEqual([]);
  for (const session of tree)
    expect(ofKind(await fetchLog(server.url, session), "run_queued")).toHaveLength(1);
});
