import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import type { Session } from "../worker.ts";
import type { ClientApi } from "../../../src/cairn/session/commands/commands.ts";
import { sessionClient } from "../../../src/cairn/http/kit/session-client.ts";
import { fold } from "../../../src/cairn/core/state/apply.ts";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import { EMPTY_STATE, type State } from "../../../src/cairn/core/state/state.ts";
import { objectDisk } from "../../../src/cairn/session/storage/durable-disk.ts";
import type { Actor, ApiResult, SendCommand } from "../../../src/cairn/session/api/session-api.ts";
import { SqlStore } from "../../../src/cairn/session/storage/store.ts";
import { LATE_MS, outsideOf } from "./outside.ts";

/** The real sessions of this project as a test meets them, and what must always hold of them. */

export const ada: Actor = { subject: "anonymous", scopes: ["read", "send", "approve"], via: "http" };

/** long enough for any machine: what is awaited comes in a few seconds or not at all */
export const PATIENCE = { timeout: 20_000, interval: 5 };

/** A new stub each time: one whose object was aborted stays broken. */
export const stubOf = (session: string): DurableObjectStub =>
  env.SESSION.get(env.SESSION.idFromName(session));
export const api = (session: string): ClientApi => sessionClient(env, session);

export async function given<Value>(answer: Promise<ApiResult<Value>>): Promise<Value> {
  const result = await answer;
  if (!result.ok) throw new Error(result.error.code);
  return result.value;
}

const command = (id: string): SendCommand => ({
  id,
  parts: [{ type: "text", text: "Do it." }],
  mode: null,
  source: "api",
  request: null,
  ask: {},
});

export const say = (session: string, id = "m1") => given(api(session).send(ada, command(id)));

/** Does something in the object whose alarm must not fire yet: right after it, the alarm is set LATE_MS later. */
export async function withAlarmLate(
  session: string,
  act: (object: ClientApi) => Promise<ApiResult<unknown>>,
): Promise<void> {
  await runInDurableObject(stubOf(session), async (object, state) => {
    await given(act((object as Session).api));
    await state.storage.setAlarm(Date.now() + LATE_MS);
  });
}

export const sayLate = (session: string, id = "m1"): Promise<void> =>
  withAlarmLate(session, (object) => object.send(ada, command(id)));

/** Waits until the session stands where it was told to. */
export async function stands(session: string): Promise<void> {
  await vi.waitUntil(() => outsideOf(session).stands, PATIENCE);
}

/** A person says yes to what is asked first, through the door or in the object itself. */
export async function decide(session: string, object: ClientApi = api(session)) {
  const yes = { approval: "r1s1c0a1", decision: "approve", args: null, reason: null, digest: null } as const;
  return object.decide(ada, yes);
}

/** Reads the disk directly, without touching the session. */
export async function disk(
  session: string,
): Promise<{ log: readonly Entry[]; state: State; alarm: number | null; drafts: number }> {
  return runInDurableObject(stubOf(session), async (_object, { storage }) => {
    const kept = objectDisk(storage);
    const store = new SqlStore(kept);
    return {
      log: store.entriesAfter(0, 1_000),
      state: store.loadCursor()?.state ?? EMPTY_STATE,
      alarm: await storage.getAlarm(),
      drafts: kept.exec("SELECT * FROM chunks").length,
    };
  });
}

/** Waits until the session's own wakes have left this at the end of the log. Nobody touches the session meanwhile. */
export async function left(session: string, kind: Entry["kind"], times = 1): Promise<void> {
  const count = (): number => outsideOf(session).log.filter((entry) => entry.kind === kind).length;
  await vi.waitUntil(() => count() >= times, PATIENCE);
}

/** Checks that hold for every session at rest. */
export async function expectSound(session: string): Promise<readonly Entry[]> {
  const outside = outsideOf(session);
  const { log, state, alarm, drafts } = await disk(session);
  expect(log.map((entry) => entry.seq)).toEqual(log.map((_, index) => index + 1));
  expect(state).toEqual(fold(EMPTY_STATE, log));
  expect([state.run, alarm, drafts]).toEqual([null, null, 0]);
  const runs = (kind: Entry["kind"]) => log.flatMap((entry) => (entry.kind === kind ? [entry.run] : []));
  expect(runs("run_ended").sort()).toEqual(runs("run_queued").sort());
  const asked = log.flatMap((entry) =>
    entry.kind === "model_replied" ? entry.body.calls.map((call) => call.call) : [],
  );
  const settled = log.flatMap((entry) => (entry.kind === "call_settled" ? [entry.body.call] : []));
  expect(settled.sort()).toEqual(asked.sort());
  const keys = log.flatMap((entry) => (entry.kind === "call_intended" ? [entry.body.key] : []));
  expect(keys).toEqual(expect.arrayContaining([...outside.put.keys()]));
  expect(outside.sent).toEqual([...new Set(outside.sent)]);
  return log;
}
