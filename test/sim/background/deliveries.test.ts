import { describe, expect, test, vi } from "vitest";
import {
  DELIVERIES_AT_ONCE,
  DELIVERY_ALARM_MS_MIN,
  DELIVERY_LOST_MS,
} from "../../../src/cairn/core/limits.ts";
import type { Answered } from "../../../src/cairn/session/background/delivery-retry.ts";
import type { Delivery } from "../../../src/cairn/session/background/outbox.ts";
import { FakePlatform } from "../platform/platform.ts";

/** Outgoing deliveries: who claims one, how long the claim lasts, and its outcome. */

const answered = (status: number | null): Answered => ({ status, retryAfterMs: null });
const SECRET = "whsec_Y2Fpcm4tZXhhbXBsZS1zZWNyZXQtMDAw";
const target = (id: string) => ({ id, url: `https://${id}.example/`, secret: SECRET, events: ["run.ended"] });

/** A session whose runs have ended, one a second; nobody has been told of them. */
async function owing(runs: number, ...targets: readonly string[]): Promise<FakePlatform> {
  const platform = new FakePlatform((_request, index) => ({ text: `Answer ${index + 1}.` }));
  platform.receiver.targets = targets.map(target);
  platform.restart();
  for (let run = 0; run < runs; run++) {
    platform.now += 1_000;
    platform.say("Go on.");
    while (platform.state.run !== null || platform.state.queue.length > 0) await platform.engine.wake();
  }
  return platform;
}

const names = (taken: readonly Delivery[]): string[] => taken.map(({ target: name, id }) => `${name} ${id}`);
const waiting = (platform: FakePlatform): unknown[] =>
  platform.outbox
    .page(100, null)
    .items.map(({ target: to, state, tries, lastStatus }) => [to, state, tries, lastStatus]);

describe("a notice", () => {
  test("has an alarm a second after its row, and is taken at once by whoever looks before", async () => {
    const platform = await owing(1, "ops");
    const ended = platform.log.find((row) => row.kind === "run_ended")?.at ?? 0;
    expect(platform.outbox.due()).toBe(ended + DELIVERY_ALARM_MS_MIN);
    expect(platform.outbox.claim(ended - 1)).toEqual([]);
    expect(platform.outbox.claim(ended)).toMatchObject([{ target: "ops", tries: 1 }]);
  });

  test("that is on its way is nobody else's until its isolate must have died", async () => {
    const platform = await owing(1, "ops");
    const { now } = platform;
    expect(platform.outbox.claim(now)).toHaveLength(1);
    expect(platform.outbox.due()).toBe(now + DELIVERY_LOST_MS);
    expect(platform.outbox.claim(now)).toEqual([]);
    expect(platform.outbox.claim(now + DELIVERY_LOST_MS - DELIVERY_ALARM_MS_MIN - 1)).toEqual([]);
    expect(platform.outbox.claim(now + DELIVERY_LOST_MS - DELIVERY_ALARM_MS_MIN)).toMatchObject([
      { tries: 2 },
    ]);
  });

  test("is taken in the order in which it was written, so many at once and each of its targets by itself", async () => {
    const platform = await owing(DELIVERIES_AT_ONCE, "log", "ops");
    const ends = platform.log.flatMap(({ kind, seq, at }) =>
      kind === "run_ended" ? [`ses.${seq}.${at}`] : [],
    );
    const taken = platform.outbox.claim(platform.now);
    expect(taken).toHaveLength(DELIVERIES_AT_ONCE);
    expect(new Set(taken.map(({ id }) => id))).toEqual(new Set(ends.slice(0, DELIVERIES_AT_ONCE / 2)));
    const rest = platform.outbox.claim(platform.now);
    expect(new Set([...names(taken), ...names(rest)]).size).toBe(2 * DELIVERIES_AT_ONCE);
    expect(platform.outbox.claim(platform.now)).toEqual([]);
  });

  test("tells the answer of its own run", async () => {
    const platform = await owing(3, "ops");
    const bodies = platform.outbox
      .claim(platform.now)
      .map(({ body }) => (JSON.parse(body) as { data: object }).data);
    expect(bodies).toMatchObject(
      [1, 2, 3].map((run) => ({ runId: `ses.r${run}`, answer: `Answer ${run}.` })),
    );
  });

  test("that cannot be written stops nothing", async () => {
    const complaint = vi.spyOn(console, "error").mockImplementation(() => {});
    const platform = new FakePlatform([{ calls: [["publish", { name: "a" }]] }, { text: "Public." }]);
    platform.links = {
      get secrets(): readonly string[] {
        throw new Error("there is no key");
      },
      origin: "https://cairn.example",
    };
    platform.receiver.listen("approval.*", "run.ended");
    platform.say("Publish it.", { approvers: ["ada"] });
    await platform.settle();
    expect(complaint).toHaveBeenCalledWith("cairn: a notice could not be written", expect.anything());
    complaint.mockRestore();
    platform.decide("approve");
    await platform.settle();
    expect(platform.kinds.at(-1)).toBe("run_ended");
    expect(platform.receiver.told.map(({ body }) => (JSON.parse(body) as { type: string }).type)).toEqual([
      "approval.decided",
      "run.ended",
    ]);
  });
});

describe("a try", () => {
  test("that was given up is heard only if it has succeeded, and then the next one is not", async () => {
    const platform = await owing(1, "ops");
    const [first] = platform.outbox.claim(platform.now);
    const [second] = platform.outbox.claim(platform.now + DELIVERY_LOST_MS);
    if (first === undefined || second === undefined) throw new Error("nothing is owed");
    const at = platform.now + DELIVERY_LOST_MS;
    for (const late of [503, 404, null]) platform.outbox.settle(first, answered(late), at);
    expect(waiting(platform)).toEqual([["ops", "pending", 2, null]]);
    expect(platform.outbox.due()).toBe(at + DELIVERY_LOST_MS);
    platform.outbox.settle(first, answered(200), at);
    expect(waiting(platform)).toEqual([["ops", "delivered", 1, 200]]);
    for (const late of [503, 404, 200]) platform.outbox.settle(second, answered(late), at);
    expect(waiting(platform)).toEqual([["ops", "delivered", 1, 200]]);
    expect(platform.outbox.due()).toBeNull();
  });

  test("that succeeded with one target leaves the others theirs", async () => {
    const platform = await owing(1, "log", "ops");
    const [one] = platform.outbox.claim(platform.now);
    if (one === undefined) throw new Error("nothing is owed");
    platform.outbox.settle(one, answered(204), platform.now);
    const other = one.target === "log" ? "ops" : "log";
    expect(waiting(platform)).toEqual([
      [other, "pending", 1, null],
      [one.target, "delivered", 1, 204],
    ]);
  });

  test("that ended the last of a page names no next one", async () => {
    const platform = await owing(2, "ops");
    await platform.outboxSender.work();
    expect(platform.outbox.page(2, null).nextCursor).toBeNull();
    const { nextCursor } = platform.outbox.page(1, null);
    expect(platform.outbox.page(1, Number(nextCursor)).nextCursor).toBeNull();
  });
});

describe("the webhook sender", () => {
  /** Holds every post until it is let go. */
  function held(platform: FakePlatform): () => void {
    let letGo = (): void => {};
    const gate = new Promise<void>((resolve) => (letGo = resolve));
    platform.receiver.onPost = () => gate;
    return letGo;
  }

  test("sends what is new at once, to each target, once, however often it is kicked", async () => {
    const platform = await owing(2, "log", "ops");
    const letGo = held(platform);
    const works = [platform.outboxSender.work(), platform.outboxSender.work()];
    const alarm = platform.disk.alarm;
    letGo();
    await Promise.all([...works, platform.outboxSender.work()]);
    expect(alarm).toBe(platform.now + DELIVERY_LOST_MS);
    const told = platform.receiver.told.map(({ target: to, id }) => `${to} ${id}`);
    expect([told.length, new Set(told).size]).toEqual([4, 4]);
    expect(waiting(platform).map((row) => (row as unknown[])[1])).toEqual(Array(4).fill("delivered"));
    // The outcome is on disk, and its alarm is gone.
    expect([platform.outbox.due(), platform.disk.alarm]).toEqual([null, null]);
  });

  test("whose outcome cannot be written says so, and the others have theirs", async () => {
    const platform = await owing(1, "log", "ops");
    const settle = platform.outbox.settle.bind(platform.outbox);
    platform.outbox.settle = (delivery, answer, at) => {
      if (delivery.target === "log") throw new Error("the disk is full");
      settle(delivery, answer, at);
    };
    await expect(platform.outboxSender.work()).rejects.toThrow("the disk is full");
    expect(waiting(platform)).toEqual([
      ["log", "pending", 1, null],
      ["ops", "delivered", 1, 200],
    ]);
    expect(platform.disk.alarm).toBe(platform.now + DELIVERY_LOST_MS);
  });
});
