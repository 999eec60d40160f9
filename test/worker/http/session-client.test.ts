import { expect, test } from "vitest";
import {
  readRefusal,
  sessionClient,
  type SessionClient,
} from "../../../src/cairn/http/kit/session-client.ts";
import type { Actor } from "../../../src/cairn/session/api/session-api.ts";

const alice: Actor = { subject: "alice", scopes: ["read"], via: "http" };
const command = { id: "stop", runId: null, all: false, reason: null };

/** A namespace whose stubs fail in turn with these, then answer. */
function namespaceOf(faults: unknown[]) {
  const stubs: string[] = [];
  const requests: Request[] = [];
  const asked: unknown[] = [];
  const next = <Value>(value: Value): Value => {
    if (faults.length > 0) throw faults.shift();
    return value;
  };
  const namespace = {
    idFromName: (name: string) => name,
    get: (name: string) => {
      stubs.push(name);
      return {
        command: async (name: string, _actor: Actor, [command]: readonly unknown[]) => {
          asked.push([name, command]);
          return next({ ok: true, value: { cancelled: [] } });
        },
        fetch: async (request: Request) => {
          requests.push(request);
          return next(new Response("data"));
        },
      };
    },
  };
  const api = sessionClient({ SESSION: namespace as unknown as Env["SESSION"] }, "ses_demo");
  return { api, stubs, requests, asked };
}

const fault = (flags: object) => Object.assign(new Error("reset"), flags);

test.each([{ retryable: true }, { durableObjectReset: true }])(
  "a call lost to %j is asked once more, of a new stub",
  async (flags) => {
    const { api, stubs, asked } = namespaceOf([fault(flags)]);
    expect(await api.cancel(alice, command)).toEqual({ ok: true, value: { cancelled: [] } });
    expect(stubs).toEqual(["ses_demo", "ses_demo"]);
    expect(asked).toEqual([
      ["cancel", command],
      ["cancel", command],
    ]);
  },
);

test("a second loss, a bug and an overload are not asked again", async () => {
  for (const [faults, asked] of [
    [[fault({ retryable: true }), fault({ retryable: true })], 2],
    [[fault({})], 1],
    [["text"], 1],
    [[fault({ retryable: true, overloaded: true })], 1],
  ] as const) {
    const { api, stubs } = namespaceOf([...faults]);
    await expect(api.cancel(alice, command)).rejects.toBe(faults.at(-1));
    expect(stubs.length).toBe(asked);
  }
});

test("what would be answered otherwise the second time is not asked again", async () => {
  for (const ask of [
    (api: SessionClient) => api.remove(alice),
    (api: SessionClient) => api.revoke(alice, "r1s1c0a1p"),
  ]) {
    const { api, stubs } = namespaceOf([fault({ retryable: true })]);
    await expect(ask(api)).rejects.toMatchObject({ retryable: true });
    expect(stubs).toHaveLength(1);
  }
});

test("streams are fetched at inner addresses, with who asks in a header", async () => {
  const { api, requests } = namespaceOf([fault({ retryable: true })]);
  await api.stream(alice, { kind: "events", after: 7, until: "idle" });
  await api.stream(alice, { kind: "events", after: 0, until: null });
  await api.stream(alice, { kind: "run", run: "ses_demo.r1", after: null, part: "first" });
  await api.stream(alice, { kind: "run", run: "ses_demo.r1", after: 12, part: "whole" });
  expect(requests.map((request) => request.url)).toEqual([
    "https://session/stream/events?after=7&until=idle",
    "https://session/stream/events?after=7&until=idle",
    "https://session/stream/events?after=0",
    "https://session/stream/run?run=ses_demo.r1&part=first",
    "https://session/stream/run?run=ses_demo.r1&part=whole&after=12",
  ]);
  for (const request of requests)
    expect(JSON.parse(request.headers.get("x-cairn-actor") ?? "")).toEqual(alice);
});

test("an upgrade is handed on with who asks, on the second try too", async () => {
  const { api, requests } = namespaceOf([fault({ durableObjectReset: true })]);
  const upgrade = new Request("https://cairn.example/agents/session/ses_demo?_pk=a", {
    headers: { upgrade: "websocket" },
  });
  await api.connect({ ...alice, via: "socket" }, upgrade);
  expect(
    requests.map(({ url, headers }) => [url, headers.get("upgrade"), headers.get("x-cairn-actor")]),
  ).toEqual(
    Array.from({ length: 2 }, () => [
      "https://cairn.example/agents/session/ses_demo?_pk=a",
      "websocket",
      '{"subject":"alice","scopes":["read"],"via":"socket"}',
    ]),
  );
});

test("a refusal of the session is read from its body, and anything else is an internal error", async () => {
  const missing = { status: 404, code: "not_found", message: "No such session." };
  expect(await readRefusal(Response.json({ ...missing, stack: "at Session" }, { status: 404 }))).toEqual(
    missing,
  );
  for (const response of [
    new Response("Error: at Session"),
    Response.json({ status: 200 }),
    new Response(null),
  ])
    expect(await readRefusal(response)).toMatchObject({ status: 500, code: "internal" });
});
