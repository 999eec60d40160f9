import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { WAKE_MS_MAX } from "../../../src/cairn/core/limits.ts";
import type { Model, ModelOutcome } from "../../../src/cairn/core/log/model.ts";
import { Crash } from "../../../src/cairn/testing/disk.ts";
import { REPORT, byStep, type Line } from "../platform/fake-model.ts";
import { FakePlatform } from "../platform/platform.ts";

/** A wake claims, performs and commits; what it does to its alarm, its signal and its memory when something comes between. */

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

const PLAIN = [
  "user_message",
  "run_queued",
  "run_started",
  "step_started",
  "model_replied",
  "review",
  "answer",
  "run_ended",
];
const ended = (platform: FakePlatform): unknown =>
  platform.log.flatMap((entry) =>
    entry.kind === "run_ended" ? [[entry.run, entry.body.outcome, entry.body.reason]] : [],
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
function failNextCommit(platform: FakePlatform): void {
  platform.cross = (where) => {
    if (where !== "commit: before") return;
    platform.cross = () => {};
    throw new Error("the disk is full");
  };
}

describe("a wake", () => {
  test("that comes while another is at work does nothing", async () => {
    const platform = new FakePlatform([{ text: "Hello." }]);
    platform.onModel = () => platform.engine.wake();
    platform.say("hi");
    await platform.settle();
    expect(platform.kinds).toEqual(PLAIN);
    expect(platform.requests).toHaveLength(1);
  });

  test("works tools for ten seconds, and then lets the next one go on", async () => {
    const lines: Line[] = [
      { calls: ["a", "b", "c", "d", "e"].map((name) => ["put", { name }]) },
      { text: "Done." },
    ];
    const platform = new FakePlatform(byStep(...lines));
    const wakes: number[] = [];
    platform.onModel = () => void (platform.now += 60_000);
    platform.effects.onTool = () => {
      platform.now += 5_000;
      wakes.push(platform.wakes);
    };
    platform.say("go");
    await platform.settle();
    // The first with the model's minute, which does not count; two tools are ten seconds.
    expect(wakes).toEqual([1, 1, 2, 2, 3]);
    expect(platform.wakes).toBe(4);
    expect(ended(platform)).toEqual([["r1", "completed", null]]);
  });

  test("whose commit fails ends quietly, and the next one finds its claim and begins anew", async () => {
    const platform = new FakePlatform(
      byStep({ text: "Look.", calls: [["look", { name: "a" }]] }, { text: REPORT }),
    );
    platform.onModel = () => {
      platform.onModel = null;
      failNextCommit(platform);
    };
    platform.say("go");
    await platform.settle();
    expect(platform.kinds).toEqual([
      ...PLAIN.slice(0, 4),
      "attempt_lost",
      "model_replied",
      "call_intended",
      "call_settled",
      "step_started",
      ...PLAIN.slice(4),
    ]);
    const said = platform.requests.map(({ step, attempt, messages }) => [
      step,
      attempt,
      messages.map((message) => message.role).join(" "),
    ]);
    // Nothing of the reply that was rolled back is in what is asked next.
    expect(said).toEqual([
      ["r1s1", 1, "user user"],
      ["r1s1", 2, "user user"],
      ["r1s2", 1, "user assistant tool user"],
    ]);
    expect(platform.published).toEqual(platform.log);
    expect(platform.folded).toEqual(platform.state);
  });

  test("has an end of its own, after which the model is asked again", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      let calls = 0;
      const platform = new FakePlatform({
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
      platform.say("hi");
      await platform.settle();
      expect(platform.kinds).toEqual([...PLAIN.slice(0, 4), "model_failed", ...PLAIN.slice(4)]);
      const failed = platform.log.find((entry) => entry.kind === "model_failed");
      expect(failed?.body).toMatchObject({ attempt: 1, class: "timeout", then: "retry" });
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test("of a session that is empty leaves it empty", async () => {
    const platform = new FakePlatform([]);
    const { rowsWritten } = platform.disk;
    await platform.engine.wake();
    expect(platform.store.loadCursor()).toBeNull();
    expect([platform.disk.rowsWritten, platform.disk.alarm]).toEqual([rowsWritten, null]);
  });

  test("runs the reads of a reply beside one another", async () => {
    const names = ["a", "b", "c", "d", "e"];
    const platform = new FakePlatform(
      byStep({ calls: names.map((name) => ["look", { name }]) }, { text: REPORT }),
    );
    let open = 0;
    const together: number[] = [];
    platform.effects.onTool = async () => {
      open++;
      await new Promise((resolve) => setImmediate(resolve));
      together.push(open);
      await new Promise((resolve) => setImmediate(resolve));
      open--;
    };
    platform.say("go");
    await platform.settle();
    expect(together).toEqual([4, 4, 4, 4, 1]);
  });
});

test("a wake whose claim was given up meanwhile brings nothing, and leaves the alarm of the one that works", async () => {
  let calls = 0;
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  let other: Promise<unknown> = Promise.resolve();
  const platform: FakePlatform = new FakePlatform({
    call: async () => {
      if (++calls === 1) {
        // Nothing is heard of this isolate for a while, and another stands up.
        platform.now += 2_000;
        platform.restart();
        other = platform.fire();
        await released;
        return said([{ type: "text", text: "The first." }]);
      }
      const { alarm } = platform.disk;
      release();
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
      expect(platform.disk.alarm).toBe(alarm);
      return said([{ type: "text", text: "The second." }]);
    },
  } satisfies Model);
  platform.say("hi");
  platform.now += 10;
  await platform.fire();
  await other;
  await platform.settle();
  expect(platform.kinds).toEqual([...PLAIN.slice(0, 4), "attempt_lost", ...PLAIN.slice(4)]);
  const answer = platform.log.find((entry) => entry.kind === "answer");
  expect(answer?.body).toMatchObject({ text: "The second." });
  expect([calls, platform.disk.alarm]).toEqual([2, null]);
});

describe("words that come while a model is at work", () => {
  test("leave the alarm that stands behind it where it is", async () => {
    const platform = new FakePlatform([{ text: "One." }, { text: "Two." }]);
    platform.onModel = () => {
      platform.onModel = null;
      const { alarm } = platform.disk;
      expect(alarm).toBe(platform.now + 1_500);
      platform.say("second");
      platform.engine.rearm(() => undefined);
      expect(platform.disk.alarm).toBe(alarm);
    };
    platform.say("first");
    await platform.settle();
    expect(ended(platform)).toEqual([
      ["r1", "completed", null],
      ["r2", "completed", null],
    ]);
  });

  test("are shown to whoever watches at once", async () => {
    const platform = new FakePlatform([{ text: "One." }, { text: "Two." }]);
    const seen: number[] = [];
    platform.onModel = () => {
      platform.onModel = null;
      platform.say("second");
      seen.push(platform.published.length - platform.log.length);
    };
    platform.say("first");
    await platform.settle();
    expect(seen).toEqual([0]);
  });
});

describe("an alarm", () => {
  test("behind an effect whose isolate died is left alone by what has nothing to do with it", async () => {
    const platform = new FakePlatform([{ text: "Hello." }]);
    platform.say("hi");
    platform.now += 10;
    platform.cross = (where) => {
      if (where === "model: before") throw new Crash();
    };
    await platform.fire().catch(() => {});
    platform.cross = () => {};
    platform.disk.firing = null;
    platform.restart();
    const { alarm } = platform.disk;
    expect(alarm).toBe(platform.now + 1_500);
    platform.engine.rearm(() => undefined);
    expect(platform.disk.alarm).toBe(alarm);
  });

  test("that fired early is no floor for the next one", async () => {
    const platform = new FakePlatform([{ calls: [["publish", { name: "a" }]] }, { text: "Published." }]);
    platform.say("go");
    await platform.settle();
    const day = 24 * 3_600_000;
    expect(platform.disk.alarm).toBeGreaterThan(platform.now + day - 1_000);
    // Someone else's wake, long before the alarm of the expiry.
    await platform.engine.wake();
    platform.decide("approve");
    expect(platform.disk.alarm).toBeLessThan(platform.now + 1_000);
    await platform.settle();
    expect(ended(platform)).toEqual([["r1", "completed", null]]);
  });

  test("is later than the one that is handled, when the clock says otherwise", async () => {
    const platform = new FakePlatform(byStep({ calls: [["look", { name: "a" }]] }, { text: REPORT }));
    platform.say("go");
    platform.now += 30_000;
    const back = (): void => void (platform.now -= 20_000);
    platform.onModel = () => {
      platform.onModel = null;
      back();
    };
    platform.disk.alarm = platform.now;
    await platform.settle();
    expect(platform.disk.stalls).toBe(0);
    const times = platform.log.map((entry) => entry.at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(platform.state.at).toBe(times.at(-1));
    expect(ended(platform)).toEqual([["r1", "completed", null]]);
  });
});

test("an alarm that fires before its time is followed by one that is later than it, as often as it happens", async () => {
  const platform = new FakePlatform((request) =>
    request.tools.length === 0 ? { text: "So far." } : { calls: [["look", { name: request.step }]] },
  );
  platform.say("go");
  const alarms: number[] = [];
  for (let wakes = 0; wakes < 30 && platform.disk.alarm !== null; wakes++) {
    const { alarm } = platform.disk;
    alarms.push(alarm);
    platform.now = Math.max(platform.now, alarm - 900);
    platform.disk.alarm = null;
    platform.disk.firing = alarm;
    await platform.engine.wake();
    platform.disk.firing = null;
  }
  expect(alarms.length).toBeGreaterThan(10);
  expect(alarms).toEqual([...new Set(alarms)].toSorted((a, b) => a - b));
  expect([platform.disk.stalls, platform.state.run]).toEqual([0, null]);
});

describe("a session that is deleted while a model is at work", () => {
  /** Deletes the session in the middle of the first call; `then` is what comes while it is still at work. */
  function deleted(then: (platform: FakePlatform) => void = () => {}): {
    platform: FakePlatform;
    aborted: boolean[];
  } {
    const aborted: boolean[] = [];
    let calls = 0;
    const platform: FakePlatform = new FakePlatform({
      call: async (_request, draft, signal) => {
        if (++calls > 1) return said([{ type: "text", text: "The second." }]);
        platform.store.erase();
        platform.engine.drop();
        aborted.push(signal.aborted);
        draft({ type: "text", part: 0, text: "x".repeat(20_000) });
        then(platform);
        return said([{ type: "text", text: "The first." }]);
      },
    } satisfies Model);
    platform.say("secret words");
    return { platform, aborted };
  }

  test("leaves nothing behind, on the disk or in the memory, and no alarm", async () => {
    const { platform, aborted } = deleted();
    await platform.settle();
    expect(aborted).toEqual([true]);
    expect([platform.log, platform.store.loadCursor(), platform.disk.alarm]).toEqual([[], null, null]);
    expect(platform.disk.exec("SELECT * FROM chunks")).toEqual([]);
    expect(platform.published.map((entry) => entry.seq)).toEqual([1, 2, 3, 4]);
  });

  test("and made again is worked from its first word, with nothing of the one before it", async () => {
    const { platform } = deleted((again) => void again.say("new words"));
    await platform.settle();
    expect(platform.kinds).toEqual(PLAIN);
    expect(platform.published.slice(4)).toEqual(platform.log);
    expect(platform.requests).toHaveLength(2);
    expect(JSON.stringify(platform.requests[1])).toContain("new words");
    expect(JSON.stringify(platform.requests[1])).not.toContain("secret words");
    const answer = platform.log.find((entry) => entry.kind === "answer");
    expect(answer?.body).toMatchObject({ text: "The second." });
  });
});

test("a claim that cannot be made waits a second, then as long as it has waited, and never more than an hour", async () => {
  const platform = new FakePlatform([{ text: "Hello." }]);
  platform.broken = true;
  platform.say("hi");
  const waits: number[] = [];
  for (let wakes = 0; wakes < 16; wakes++) {
    platform.now = Math.max(platform.now, platform.disk.alarm ?? 0);
    await platform.fire();
    waits.push((platform.disk.alarm ?? 0) - platform.now);
  }
  // A second early is as early as an alarm may be.
  platform.now = (platform.disk.alarm ?? 0) - 1_000;
  platform.disk.firing = platform.disk.alarm;
  await platform.engine.wake();
  platform.disk.firing = null;
  expect(waits.slice(0, 3)).toEqual([1_000, 1_001, 2_002]);
  expect(waits.at(-1)).toBe(3_600_000);
  platform.broken = false;
  await platform.settle(3_600_000);
  expect(platform.kinds).toEqual(PLAIN);
  expect(platform.disk.stalls).toBe(0);
});
