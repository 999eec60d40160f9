import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { WAKE_MS_MAX } from "../../../src/core/limits.ts";
import type { ModelOutcome } from "../../../src/core/log/model.ts";
import type { Model } from "../../../src/session/engine/ports.ts";
import { Crash } from "../platform/disk.ts";
import { REPORT, byStep, type Line } from "../platform/fake-model.ts";
import { World } from "../platform/platform.ts";

/** A wake claims, performs and commits; what it does to its alarm, its signal and its memory when something comes between. */

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

const PLAIN = [
  "user_said",
  "run_queued",
  "run_started",
  "step_started",
  "model_replied",
  "review",
  "answer",
  "run_ended",
];
const ended = (world: World): unknown =>
  world.log.flatMap((row) =>
    row.kind === "run_ended" ? [[row.run, row.body.outcome, row.body.reason]] : [],
  );
const said = (outcome: Extract<ModelOutcome, { kind: "replied" }>["reply"]["parts"]): ModelOutcome => ({
  kind: "replied",
  reply: {
    parts: outcome,
    finish: "stop",
    usage: { inputTokens: 9, cachedInputTokens: 0, outputTokens: 2, reasoningTokens: 0, estimated: false },
    model: "scripted",
    ms: 1,
    firstTokenMs: 1,
  },
});

/** The next commit after this fails, as on a full disk; the isolate lives on. */
function failNextCommit(world: World): void {
  world.cross = (where) => {
    if (where !== "commit: before") return;
    world.cross = () => {};
    throw new Error("the disk is full");
  };
}

describe("a wake", () => {
  test("that comes while another is at work does nothing", async () => {
    const world = new World([{ text: "Hello." }]);
    world.onModel = () => world.engine.wake();
    world.say("hi");
    await world.settle();
    expect(world.kinds).toEqual(PLAIN);
    expect(world.requests).toHaveLength(1);
  });

  test("works tools for ten seconds, and then lets the next one go on", async () => {
    const lines: Line[] = [
      { calls: ["a", "b", "c", "d", "e"].map((name) => ["put", { name }]) },
      { text: "Done." },
    ];
    const world = new World(byStep(...lines));
    const wakes: number[] = [];
    world.onModel = () => void (world.now += 60_000);
    world.effects.onTool = () => {
      world.now += 5_000;
      wakes.push(world.wakes);
    };
    world.say("go");
    await world.settle();
    // The first with the model's minute, which does not count; two tools are ten seconds.
    expect(wakes).toEqual([1, 1, 2, 2, 3]);
    expect(world.wakes).toBe(4);
    expect(ended(world)).toEqual([["r1", "completed", null]]);
  });

  test("whose commit fails ends quietly, and the next one finds its claim and begins anew", async () => {
    const world = new World(byStep({ text: "Look.", calls: [["look", { name: "a" }]] }, { text: REPORT }));
    world.onModel = () => {
      world.onModel = null;
      failNextCommit(world);
    };
    world.say("go");
    await world.settle();
    expect(world.kinds).toEqual([
      ...PLAIN.slice(0, 4),
      "attempt_lost",
      "model_replied",
      "call_intended",
      "call_settled",
      "memory_changed",
      "step_started",
      ...PLAIN.slice(4),
    ]);
    const said = world.requests.map(({ step, attempt, messages }) => [
      ...[step, attempt],
      messages.map((message) => message.role).join(" "),
    ]);
    // Nothing of the reply that was rolled back is in what is asked next.
    expect(said).toEqual([
      ["r1s1", 1, "user user"],
      ["r1s1", 2, "user user"],
      ["r1s2", 1, "user assistant tool user"],
    ]);
    expect(world.published).toEqual(world.log);
    expect(world.folded).toEqual(world.state);
  });

  test("has an end of its own, after which the model is asked again", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      let calls = 0;
      const world = new World({
        call: async (_request, _draft, signal) => {
          if (++calls > 1) return said([{ type: "text", text: "Hello." }]);
          const gone = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
          vi.advanceTimersByTime(WAKE_MS_MAX - 1);
          expect(signal.aborted).toBe(false);
          vi.advanceTimersByTime(1);
          await gone;
          const reply = said([{ type: "text", text: "I was" }]);
          if (reply.kind !== "replied") throw new Error("no reply");
          return { kind: "aborted", partial: reply.reply };
        },
      } satisfies Model);
      world.say("hi");
      await world.settle();
      expect(world.kinds).toEqual([...PLAIN.slice(0, 4), "model_failed", ...PLAIN.slice(4)]);
      const failed = world.log.find((row) => row.kind === "model_failed");
      expect(failed?.body).toMatchObject({ attempt: 1, class: "timeout", then: "retry" });
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test("of a session that is empty leaves it empty", async () => {
    const world = new World([]);
    const { rowsWritten } = world.disk;
    await world.engine.wake();
    expect(world.store.loadCursor()).toBeNull();
    expect([world.disk.rowsWritten, world.disk.alarm]).toEqual([rowsWritten, null]);
  });

  test("runs the reads of a reply beside one another", async () => {
    const names = ["a", "b", "c", "d", "e"];
    const world = new World(byStep({ calls: names.map((name) => ["look", { name }]) }, { text: REPORT }));
    let open = 0;
    const together: number[] = [];
    world.effects.onTool = async () => {
      open++;
      await new Promise((resolve) => setImmediate(resolve));
      together.push(open);
      await new Promise((resolve) => setImmediate(resolve));
      open--;
    };
    world.say("go");
    await world.settle();
    expect(together).toEqual([4, 4, 4, 4, 1]);
  });
});

test("a wake whose claim was given up meanwhile brings nothing, and leaves the alarm of the one that works", async () => {
  let calls = 0;
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  let other: Promise<unknown> = Promise.resolve();
  const world: World = new World({
    call: async () => {
      if (++calls === 1) {
        // Nothing is heard of this isolate for a while, and another stands up.
        world.now += 2_000;
        world.restart();
        other = world.fire();
        await released;
        return said([{ type: "text", text: "The first." }]);
      }
      const { alarm } = world.disk;
      release();
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
      expect(world.disk.alarm).toBe(alarm);
      return said([{ type: "text", text: "The second." }]);
    },
  } satisfies Model);
  world.say("hi");
  world.now += 10;
  await world.fire();
  await other;
  await world.settle();
  expect(world.kinds).toEqual([...PLAIN.slice(0, 4), "attempt_lost", ...PLAIN.slice(4)]);
  const answer = world.log.find((row) => row.kind === "answer");
  expect(answer?.body).toMatchObject({ text: "The second." });
  expect([calls, world.disk.alarm]).toEqual([2, null]);
});

describe("words that come while a model is at work", () => {
  test("leave the alarm that stands behind it where it is", async () => {
    const world = new World([{ text: "One." }, { text: "Two." }]);
    world.onModel = () => {
      world.onModel = null;
      const { alarm } = world.disk;
      expect(alarm).toBe(world.now + 1_500);
      world.say("second");
      world.engine.rearm(() => undefined);
      expect(world.disk.alarm).toBe(alarm);
    };
    world.say("first");
    await world.settle();
    expect(ended(world)).toEqual([
      ["r1", "completed", null],
      ["r2", "completed", null],
    ]);
  });

  test("are shown to whoever watches at once", async () => {
    const world = new World([{ text: "One." }, { text: "Two." }]);
    const seen: number[] = [];
    world.onModel = () => {
      world.onModel = null;
      world.say("second");
      seen.push(world.published.length - world.log.length);
    };
    world.say("first");
    await world.settle();
    expect(seen).toEqual([0]);
  });
});

describe("an alarm", () => {
  test("behind an effect whose isolate died is left alone by what has nothing to do with it", async () => {
    const world = new World([{ text: "Hello." }]);
    world.say("hi");
    world.now += 10;
    world.cross = (where) => {
      if (where === "model: before") throw new Crash();
    };
    await world.fire().catch(() => {});
    world.cross = () => {};
    world.disk.firing = null;
    world.restart();
    const { alarm } = world.disk;
    expect(alarm).toBe(world.now + 1_500);
    world.engine.rearm(() => undefined);
    expect(world.disk.alarm).toBe(alarm);
  });

  test("that fired early is no floor for the next one", async () => {
    const world = new World([{ calls: [["publish", { name: "a" }]] }, { text: "Published." }]);
    world.say("go");
    await world.settle();
    const day = 24 * 3_600_000;
    expect(world.disk.alarm).toBeGreaterThan(world.now + day - 1_000);
    // Someone else's wake, long before the alarm of the expiry.
    await world.engine.wake();
    world.decide("approve");
    expect(world.disk.alarm).toBeLessThan(world.now + 1_000);
    await world.settle();
    expect(ended(world)).toEqual([["r1", "completed", null]]);
  });

  test("is later than the one that is handled, when the clock says otherwise", async () => {
    const world = new World(byStep({ calls: [["look", { name: "a" }]] }, { text: REPORT }));
    world.say("go");
    world.now += 30_000;
    const back = (): void => void (world.now -= 20_000);
    world.onModel = () => {
      world.onModel = null;
      back();
    };
    world.disk.alarm = world.now;
    await world.settle();
    expect(world.disk.stalls).toBe(0);
    const times = world.log.map((row) => row.at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(world.state.at).toBe(times.at(-1));
    expect(ended(world)).toEqual([["r1", "completed", null]]);
  });
});

test("an alarm that fires before its time is followed by one that is later than it, as often as it happens", async () => {
  const world = new World((request) =>
    request.tools.length === 0 ? { text: "So far." } : { calls: [["look", { name: request.step }]] },
  );
  world.say("go");
  const alarms: number[] = [];
  for (let wakes = 0; wakes < 30 && world.disk.alarm !== null; wakes++) {
    const { alarm } = world.disk;
    alarms.push(alarm);
    world.now = Math.max(world.now, alarm - 900);
    world.disk.alarm = null;
    world.disk.firing = alarm;
    await world.engine.wake();
    world.disk.firing = null;
  }
  expect(alarms.length).toBeGreaterThan(10);
  expect(alarms).toEqual([...new Set(alarms)].toSorted((a, b) => a - b));
  expect([world.disk.stalls, world.state.run]).toEqual([0, null]);
});

describe("a session that is deleted while a model is at work", () => {
  /** Deletes the session in the middle of the first call; `then` is what comes while it is still at work. */
  function deleted(then: (world: World) => void = () => {}): { world: World; aborted: boolean[] } {
    const aborted: boolean[] = [];
    let calls = 0;
    const world: World = new World({
      call: async (_request, draft, signal) => {
        if (++calls > 1) return said([{ type: "text", text: "The second." }]);
        world.store.erase();
        world.engine.drop();
        aborted.push(signal.aborted);
        draft({ type: "text", part: 0, text: "x".repeat(20_000) });
        then(world);
        return said([{ type: "text", text: "The first." }]);
      },
    } satisfies Model);
    world.say("secret words");
    return { world, aborted };
  }

  test("leaves nothing behind, on the disk or in the memory, and no alarm", async () => {
    const { world, aborted } = deleted();
    await world.settle();
    expect(aborted).toEqual([true]);
    expect([world.log, world.store.loadCursor(), world.disk.alarm]).toEqual([[], null, null]);
    expect(world.disk.exec("SELECT * FROM chunks")).toEqual([]);
    expect(world.published.map((row) => row.seq)).toEqual([1, 2, 3, 4]);
  });

  test("and made again is worked from its first word, with nothing of the one before it", async () => {
    const { world } = deleted((again) => void again.say("new words"));
    await world.settle();
    expect(world.kinds).toEqual(PLAIN);
    expect(world.published.slice(4)).toEqual(world.log);
    expect(world.requests).toHaveLength(2);
    expect(JSON.stringify(world.requests[1])).toContain("new words");
    expect(JSON.stringify(world.requests[1])).not.toContain("secret words");
    const answer = world.log.find((row) => row.kind === "answer");
    expect(answer?.body).toMatchObject({ text: "The second." });
  });
});

test("a claim that cannot be made waits a second, then as long as it has waited, and never more than an hour", async () => {
  const world = new World([{ text: "Hello." }]);
  world.broken = true;
  world.say("hi");
  const waits: number[] = [];
  for (let wakes = 0; wakes < 16; wakes++) {
    world.now = Math.max(world.now, world.disk.alarm ?? 0);
    await world.fire();
    waits.push((world.disk.alarm ?? 0) - world.now);
  }
  // A second early is as early as an alarm may be.
  world.now = (world.disk.alarm ?? 0) - 1_000;
  world.disk.firing = world.disk.alarm;
  await world.engine.wake();
  world.disk.firing = null;
  expect(waits.slice(0, 3)).toEqual([1_000, 1_001, 2_002]);
  expect(waits.at(-1)).toBe(3_600_000);
  world.broken = false;
  await world.settle(3_600_000);
  expect(world.kinds).toEqual(PLAIN);
  expect(world.disk.stalls).toBe(0);
});
