import { describe, expect, test } from "vitest";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import { chatRequest, LiveSession, RawClient } from "./sockets/session-fixture.ts";

/** A deployment in which no model can be called finds sessions that another one left at work. */

const logOf = (session: LiveSession): Entry[] => session.store.entriesAfter(0, 1_000);
const kindsOf = (session: LiveSession): string[] => logOf(session).map((entry) => entry.kind);

/** Said where a model could be called; then comes the deployment in which none can. */
async function redeployed(): Promise<LiveSession> {
  const session = new LiveSession([{ text: "Here I am." }]);
  await session.say("Go.", "m1");
  session.modelless = true;
  session.boot();
  return session;
}

/** Milliseconds from each alarm to the next. */
async function waits(session: LiveSession, alarms: number): Promise<number[]> {
  const found: number[] = [];
  for (let count = 0; count < alarms; count += 1) {
    session.now = Math.max(session.now, session.disk.alarm ?? Number.NaN);
    await session.fire();
    found.push((session.disk.alarm ?? Number.NaN) - session.now);
  }
  return found;
}

const WAITING = ["user_message", "run_queued", "run_started", "note"];

describe("where no model can be called", () => {
  test("a run that was queued says so once, and looks again ever later, up to an hour", async () => {
    const session = await redeployed();
    const found = await waits(session, 16);
    expect(found.slice(0, 5)).toEqual([1_000, 1_000, 2_000, 4_000, 8_000]);
    expect(found.slice(-2)).toEqual([3_600_000, 3_600_000]);
    expect(kindsOf(session)).toEqual(WAITING);
    expect(logOf(session).at(-1)?.body).toEqual({
      code: "model_unavailable",
      text: expect.stringContaining("GET /healthz names the variable to fix"),
    });
  });

  test("it goes on where one can be called, with the first word that is said there", async () => {
    const session = await redeployed();
    await waits(session, 12);
    session.modelless = false;
    session.boot();
    await session.say("Are you there?", "m2");
    expect((session.disk.alarm ?? Number.NaN) - session.now).toBeLessThanOrEqual(1);
    await session.settle();
    expect(
      logOf(session).flatMap((entry) => (entry.kind === "run_ended" ? [entry.body.outcome] : [])),
    ).toEqual(["completed", "completed"]);
  });

  test("a stop ends it there and then", async () => {
    const session = await redeployed();
    await waits(session, 3);
    const command = { id: "c1", runId: null, all: true, reason: null };
    expect((await session.api.cancel(session.actor(), command)).ok).toBe(true);
    await session.settle();
    expect(kindsOf(session)).toEqual([...WAITING, "command_queued", "answer", "run_ended"]);
    expect(session.disk.alarm).toBeNull();
  });

  test("every frame that would start a run is refused with what to do, and leaves no row", async () => {
    const session = new LiveSession([]);
    session.modelless = true;
    session.boot();
    session.store.saveMeta({
      owner: "ann",
      title: "",
      titleSource: "auto",
      model: "rehearsal:",
      createdAt: 0,
      version: 1,
    });
    const client = await RawClient.connect(session);
    await client.send({ type: "cairn:send", eventId: "e1", text: "Go." });
    await client.send({ type: "cairn:steer", eventId: "e2", text: "Go." });
    await client.send(chatRequest("q1", "m1", "Go."));
    const what = expect.stringContaining("GET /healthz names the variable to fix");
    const error = expect.objectContaining({ code: "model_unavailable", message: what });
    expect(client.ofType("cairn:ack")).toMatchObject([
      { eventId: "e1", ok: false, error },
      { eventId: "e2", ok: false, error },
    ]);
    expect(client.ofType("cf_agent_use_chat_response")).toMatchObject([
      { id: "q1", done: true, error: true, outcome: "error", body: what },
    ]);
    expect(kindsOf(session)).toEqual([]);
    // Refused, not taken: the same frame is heard where a model can be called.
    session.modelless = false;
    session.boot();
    await client.send({ type: "cairn:send", eventId: "e1", text: "Go." });
    expect(client.ofType("cairn:ack").at(-1)).toMatchObject({ eventId: "e1", ok: true });
  });
});
