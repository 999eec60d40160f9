import { abortAllDurableObjects, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { Session } from "../worker.ts";
import { sessionClient, type SessionClient } from "../../../src/cairn/http/kit/session-client.ts";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import type { Actor } from "../../../src/cairn/session/api/session-api.ts";

const ada: Actor = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" };
const bob: Actor = { subject: "bob", scopes: ["read", "send", "approve"], via: "http" };

const stubOf = (name: string): DurableObjectStub => env.SESSION.get(env.SESSION.idFromName(name));
const api = (name: string): SessionClient => sessionClient(env, name);

const say = (name: string, text: string, id = "m1") =>
  api(name).send(ada, {
    id,
    parts: [{ type: "text", text }],
    mode: null,
    source: "api",
    request: null,
    ask: {},
  });

async function log(name: string): Promise<readonly Entry[]> {
  const page = await api(name).events(ada, 0, 1000);
  if (!page.ok) throw new Error(page.error.code);
  return page.value.items;
}

/** Follows the log until the kind appears: alarms fire by themselves in this pool. */
async function until(name: string, kind: Entry["kind"]): Promise<readonly Entry[]> {
  return await expect
    .poll(async () => (await log(name)).some((entry) => entry.kind === kind), {
      timeout: 15_000,
      interval: 20,
    })
    .toBe(true)
    .then(() => log(name));
}

const kinds = (entries: readonly Entry[]): string[] => entries.map((entry) => entry.kind);

test("a message is on disk when it is acknowledged, and its run ends without further touch", async () => {
  const said = await say("plain", "/say Hello.");
  expect(said).toMatchObject({ ok: true, value: { runId: "plain.r1", seq: 1, queued: 0, duplicate: false } });
  const entries = await until("plain", "run_ended");
  expect(kinds(entries)).toEqual([
    "user_message",
    "run_queued",
    "run_started",
    "step_started",
    "model_replied",
    "review",
    "answer",
    "run_ended",
  ]);
  await runInDurableObject(stubOf("plain"), async (_object, state) => {
    expect(await state.storage.getAlarm()).toBeNull();
    const tables = state.storage.sql.exec("SELECT name FROM sqlite_master WHERE type = 'table'").toArray();
    // The SDK's own job table would mean that something else uses our alarm.
    expect(tables.map((row) => row["name"])).not.toContain("cf_agents_jobs");
  });
});

test("the same message twice is one run, and another text under its id is refused", async () => {
  await Promise.all(Array.from({ length: 10 }, () => say("twice", "/say Hello.")));
  expect((await say("twice", "/say Hello.")).ok && "duplicate").toBe("duplicate");
  expect(await say("twice", "/say Other.")).toMatchObject({
    ok: false,
    error: { status: 409, code: "message_exists" },
  });
  const entries = await until("twice", "run_ended");
  expect(entries.filter((entry) => entry.kind === "run_queued")).toHaveLength(1);
});

test("a stranger finds nothing, and cannot write", async () => {
  await say("private", "/say Hello.");
  expect(await api("private").events(bob, 0, 10)).toMatchObject({
    ok: false,
    error: { status: 404, code: "not_found" },
  });
  expect(await api("nowhere").events(bob, 0, 10)).toMatchObject({
    ok: false,
    error: { status: 404, code: "not_found" },
  });
  const parts = [{ type: "text", text: "hi" }] as const;
  const command = { id: "x", parts, mode: null, source: "api", request: null, ask: {} } as const;
  expect(await api("private").send(bob, command)).toMatchObject({ ok: false, error: { code: "id_taken" } });
});

test("an approval waits through an eviction, and the decision is on disk before anything happens", async () => {
  await say(
    "gated",
    '/call page_delete {"pages":["nowhere"]}\n/call section_delete {"sections":["sc_x"]}\n/then\n/say Done.',
  );
  // Both are refused before anyone is asked: nothing they name exists.
  expect(kinds(await until("gated", "run_ended"))).not.toContain("approval_requested");
  await evictDurableObject(stubOf("gated"));
  expect((await log("gated")).at(-1)?.kind).toBe("run_ended");
});

test("a stop reaches a model call that is under way", async () => {
  await say("stopped", "/wait 15000\n/say Too late.");
  await until("stopped", "step_started");
  const began = Date.now();
  const cancelled = await api("stopped").cancel(ada, {
    id: "stop",
    runId: null,
    all: false,
    reason: "enough",
  });
  expect(cancelled).toEqual({ ok: true, value: { cancelled: ["stopped.r1"], replayed: false } });
  const entries = await until("stopped", "run_ended");
  expect(Date.now() - began).toBeLessThan(5_000);
  expect(kinds(entries).slice(4)).toEqual(["command_queued", "model_replied", "answer", "run_ended"]);
});

test("a crash in the middle of a model call is counted, and the run ends by itself", async () => {
  await say("crashed", "/wait 1500\n/say Here.");
  await until("crashed", "step_started");
  await abortAllDurableObjects();
  const entries = await until("crashed", "run_ended");
  expect(kinds(entries)).toEqual([
    "user_message",
    "run_queued",
    "run_started",
    "step_started",
    "attempt_lost",
    "model_replied",
    "review",
    "answer",
    "run_ended",
  ]);
});

test("RPC reaches no more of a session than its command and what the platform calls", async () => {
  await runInDurableObject(stubOf("reached"), (object) => {
    const own = Object.getPrototypeOf(
      Object.getPrototypeOf(Object.getPrototypeOf(object) as object),
    ) as object;
    expect(Object.getOwnPropertyNames(own).toSorted()).toEqual(
      ["alarm", "command", "constructor", "createModel", "createTools", "fetch"].toSorted(),
    );
  });
});

test("a lost alarm is found by the next touch", async () => {
  expect(await say("lost", "/wait 1\n/say Here.")).toMatchObject({ ok: true, value: { runId: "lost.r1" } });
  await until("lost", "run_ended");
  await runInDurableObject(stubOf("lost"), async (_object, state) => {
    // The queue holds work and the alarm is gone, as after a fault of the platform.
    const object = (_object as Session).api;
    const sent = await object.send(ada, {
      id: "m2",
      parts: [{ type: "text", text: "/say Again." }],
      mode: null,
      source: "api",
      request: null,
      ask: {},
    });
    expect(sent).toMatchObject({ ok: true, value: { runId: "lost.r2" } });
    await state.storage.deleteAlarm();
    expect(await state.storage.getAlarm()).toBeNull();
  });
  await expect
    .poll(async () => (await log("lost")).filter((entry) => entry.kind === "run_ended").length, {
      timeout: 10_000,
      interval: 50,
    })
    .toBe(2);
});
