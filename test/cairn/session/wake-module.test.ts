import { describe, expect, test } from "vitest";
import { onDemand } from "../../../src/cairn/core/on-demand.ts";
import { WAKE } from "../../../src/cairn/testing/wake.ts";
import { LiveSession } from "./sockets/session-fixture.ts";

/** A session whose code of a wake is loaded when a test says so. */
function unloaded(load: () => Promise<void>) {
  const session = new LiveSession([{ text: "Done." }]);
  session.wakeModule = onDemand(async () => {
    await load();
    return WAKE.load();
  });
  session.boot();
  return session;
}

const kinds = (session: LiveSession): readonly string[] =>
  session.store.entriesAfter(0, 100).map(({ kind }) => kind);

describe("the code of a wake", () => {
  test("is not loaded for a message, and is before the first claim", async () => {
    let loads = 0;
    const session = unloaded(async () => {
      loads++;
      expect(kinds(session)).toEqual(["user_message", "run_queued"]);
      expect(session.disk.alarm).toBeNull();
    });
    await session.say("Hello.", "m1");
    expect(loads).toBe(0);
    await session.settle();
    expect(loads).toBe(1);
    expect(kinds(session).at(-1)).toBe("run_ended");
    await session.say("Again.", "m2");
    await session.fire();
    expect(loads).toBe(1);
  });

  test("that cannot be loaded loses no run: the session looks again, ever later", async () => {
    let isThere = false;
    const session = unloaded(() => (isThere ? Promise.resolve() : Promise.reject(new Error("no module"))));
    await session.say("Hello.", "m1");
    const waits: number[] = [];
    for (let wakes = 0; wakes < 3; wakes++) {
      session.now = Math.max(session.now, session.disk.alarm ?? 0);
      await session.fire();
      expect(session.engine.isAwake).toBe(false);
      waits.push((session.disk.alarm ?? 0) - session.now);
    }
    expect(kinds(session)).toEqual(["user_message", "run_queued"]);
    expect(waits[0]).toBeGreaterThan(0);
    expect(waits[2]).toBeGreaterThan(waits[0] ?? 0);
    isThere = true;
    session.now = session.disk.alarm ?? 0;
    await session.settle();
    expect(kinds(session).at(-1)).toBe("run_ended");
  });

  test("takes a message that comes while it is loaded", async () => {
    const session = unloaded(async () => {
      if (kinds(session).length === 2) await session.say("And more.", "m2");
    });
    await session.say("Hello.", "m1");
    await session.settle();
    const said = kinds(session).filter((kind) => kind === "user_message");
    expect(said).toHaveLength(2);
    expect(session.state).toMatchObject({ run: null, queue: [] });
  });

  test("that is loaded while a run is stopped works the next one undisturbed", async () => {
    const session = new LiveSession([
      { calls: [["ask_human", { question: "Which colour?" }]] },
      { text: "Done." },
    ]);
    await session.say("Hello.", "m1");
    await session.settle();
    session.wakeModule = onDemand(async () => {
      await session.say("Next.", "m3");
      const stop = { id: "c1", runId: "ses_demo.r1", all: false, reason: null };
      expect(await session.api.cancel(session.actor(), stop)).toMatchObject({ ok: true });
      return WAKE.load();
    });
    session.boot();
    expect(
      await session.api.answer(session.actor(), { runId: null, question: null, value: "Red" }),
    ).toMatchObject({ ok: true });
    await session.settle();
    const ends = session.store
      .entriesAfter(0, 100)
      .flatMap(({ run, kind, body }) => (kind === "run_ended" ? [[run, body.outcome]] : []));
    expect(ends).toEqual([
      ["r1", "cancelled"],
      ["r2", "completed"],
    ]);
    expect(kinds(session)).not.toContain("model_failed");
  });

  test("finds a session that was deleted while it was loaded, and leaves nothing there", async () => {
    const session = unloaded(async () => {
      expect(await session.api.remove(session.actor())).toMatchObject({ ok: true });
    });
    await session.say("Hello.", "m1");
    await session.fire();
    expect(kinds(session)).toEqual([]);
    expect(session.disk.alarm).toBeNull();
  });
});
