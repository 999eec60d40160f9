import { describe, expect, test, vi } from "vitest";
import { DELIVERIES_AT_ONCE, DELIVERY_ALARM_MS_MIN, DELIVERY_LOST_MS } from "../../../src/core/limits.ts";
import type { Answered } from "../../../src/core/log/delivery.ts";
import type { Delivery } from "../../../src/session/background/outbox.ts";
import { World } from "../platform/platform.ts";

/** What waits to be told outside: who takes it, how long it is theirs, and what becomes of it. */

const answered = (status: number | null): Answered => ({ status, retryAfterMs: null });
const SECRET = "whsec_Y2Fpcm4tZXhhbXBsZS1zZWNyZXQtMDAw";
const target = (id: string) => ({ id, url: `https://${id}.example/`, secret: SECRET, events: ["run.ended"] });

/** A session whose runs have ended, one a second; nobody has been told of them. */
async function owing(runs: number, ...targets: readonly string[]): Promise<World> {
  const world = new World((_request, index) => ({ text: `Answer ${index + 1}.` }));
  world.receiver.targets = targets.map(target);
  world.restart();
  for (let run = 0; run < runs; run++) {
    world.now += 1_000;
    world.say("Go on.");
    while (world.state.run !== null || world.state.queue.length > 0) await world.engine.wake();
  }
  return world;
}

const names = (taken: readonly Delivery[]): string[] => taken.map(({ target: name, id }) => `${name} ${id}`);
const waiting = (world: World): unknown[] =>
  world.outbox
    .page(100, null)
    .items.map(({ target: to, state, tries, lastStatus }) => [to, state, tries, lastStatus]);

describe("a notice", () => {
  test("has an alarm a second after its row, and is taken at once by whoever looks before", async () => {
    const world = await owing(1, "ops");
    const ended = world.log.find((row) => row.kind === "run_ended")?.at ?? 0;
    expect(world.outbox.due()).toBe(ended + DELIVERY_ALARM_MS_MIN);
    expect(world.outbox.claim(ended - 1)).toEqual([]);
    expect(world.outbox.claim(ended)).toMatchObject([{ target: "ops", tries: 1 }]);
  });

  test("that is on its way is nobody else's until its isolate must have died", async () => {
    const world = await owing(1, "ops");
    const { now } = world;
    expect(world.outbox.claim(now)).toHaveLength(1);
    expect(world.outbox.due()).toBe(now + DELIVERY_LOST_MS);
    expect(world.outbox.claim(now)).toEqual([]);
    expect(world.outbox.claim(now + DELIVERY_LOST_MS - DELIVERY_ALARM_MS_MIN - 1)).toEqual([]);
    expect(world.outbox.claim(now + DELIVERY_LOST_MS - DELIVERY_ALARM_MS_MIN)).toMatchObject([{ tries: 2 }]);
  });

  test("is taken in the order in which it was written, so many at once and each of its targets by itself", async () => {
    const world = await owing(DELIVERIES_AT_ONCE, "log", "ops");
    const ends = world.log.flatMap(({ kind, seq, at }) => (kind === "run_ended" ? [`ses.${seq}.${at}`] : []));
    const taken = world.outbox.claim(world.now);
    expect(taken).toHaveLength(DELIVERIES_AT_ONCE);
    expect(new Set(taken.map(({ id }) => id))).toEqual(new Set(ends.slice(0, DELIVERIES_AT_ONCE / 2)));
    const rest = world.outbox.claim(world.now);
    expect(new Set([...names(taken), ...names(rest)]).size).toBe(2 * DELIVERIES_AT_ONCE);
    expect(world.outbox.claim(world.now)).toEqual([]);
  });

  test("tells the answer of its own run", async () => {
    const world = await owing(3, "ops");
    const bodies = world.outbox
      .claim(world.now)
      .map(({ body }) => (JSON.parse(body) as { data: object }).data);
    expect(bodies).toMatchObject(
      [1, 2, 3].map((run) => ({ runId: `ses.r${run}`, answer: `Answer ${run}.` })),
    );
  });

  test("that cannot be written stops nothing", async () => {
    const complaint = vi.spyOn(console, "error").mockImplementation(() => {});
    const world = new World([{ calls: [["publish", { name: "a" }]] }, { text: "Public." }]);
    world.links = {
      get secrets(): readonly string[] {
        throw new Error("there is no key");
      },
      origin: "https://cairn.example",
    };
    world.receiver.listen("approval.*", "run.ended");
    world.say("Publish it.", { approvers: ["ada"] });
    await world.settle();
    expect(complaint).toHaveBeenCalledWith("cairn: a notice could not be written", expect.anything());
    complaint.mockRestore();
    world.decide("approve");
    await world.settle();
    expect(world.kinds.at(-1)).toBe("run_ended");
    expect(world.receiver.told.map(({ body }) => (JSON.parse(body) as { type: string }).type)).toEqual([
      "approval.decided",
      "run.ended",
    ]);
  });
});

describe("a try", () => {
  test("that was given up is heard only if it has succeeded, and then the next one is not", async () => {
    const world = await owing(1, "ops");
    const [first] = world.outbox.claim(world.now);
    const [second] = world.outbox.claim(world.now + DELIVERY_LOST_MS);
    if (first === undefined || second === undefined) throw new Error("nothing is owed");
    const at = world.now + DELIVERY_LOST_MS;
    for (const late of [503, 404, null]) world.outbox.settle(first, answered(late), at);
    expect(waiting(world)).toEqual([["ops", "pending", 2, null]]);
    expect(world.outbox.due()).toBe(at + DELIVERY_LOST_MS);
    world.outbox.settle(first, answered(200), at);
    expect(waiting(world)).toEqual([["ops", "delivered", 1, 200]]);
    for (const late of [503, 404, 200]) world.outbox.settle(second, answered(late), at);
    expect(waiting(world)).toEqual([["ops", "delivered", 1, 200]]);
    expect(world.outbox.due()).toBeNull();
  });

  test("that succeeded with one target leaves the others theirs", async () => {
    const world = await owing(1, "log", "ops");
    const [one] = world.outbox.claim(world.now);
    if (one === undefined) throw new Error("nothing is owed");
    world.outbox.settle(one, answered(204), world.now);
    const other = one.target === "log" ? "ops" : "log";
    expect(waiting(world)).toEqual([
      [other, "pending", 1, null],
      [one.target, "delivered", 1, 204],
    ]);
  });

  test("that ended the last of a page names no next one", async () => {
    const world = await owing(2, "ops");
    await world.webhookSender.work();
    expect(world.outbox.page(2, null).nextCursor).toBeNull();
    const { nextCursor } = world.outbox.page(1, null);
    expect(world.outbox.page(1, Number(nextCursor)).nextCursor).toBeNull();
  });
});

describe("the webhook sender", () => {
  /** Holds every post until it is let go. */
  function held(world: World): () => void {
    let letGo = (): void => {};
    const gate = new Promise<void>((resolve) => (letGo = resolve));
    world.receiver.onPost = () => gate;
    return letGo;
  }

  test("sends what is new at once, to each target, once, however often it is kicked", async () => {
    const world = await owing(2, "log", "ops");
    const letGo = held(world);
    const works = [world.webhookSender.work(), world.webhookSender.work()];
    const alarm = world.disk.alarm;
    letGo();
    await Promise.all([...works, world.webhookSender.work()]);
    expect(alarm).toBe(world.now + DELIVERY_LOST_MS);
    const told = world.receiver.told.map(({ target: to, id }) => `${to} ${id}`);
    expect([told.length, new Set(told).size]).toEqual([4, 4]);
    expect(waiting(world).map((row) => (row as unknown[])[1])).toEqual(Array(4).fill("delivered"));
    // Its outcome is on disk, and the alarm that stood for it is gone.
    expect([world.outbox.due(), world.disk.alarm]).toEqual([null, null]);
  });

  test("whose outcome cannot be written says so, and the others have theirs", async () => {
    const world = await owing(1, "log", "ops");
    const settle = world.outbox.settle.bind(world.outbox);
    world.outbox.settle = (delivery, answer, at) => {
      if (delivery.target === "log") throw new Error("the disk is full");
      settle(delivery, answer, at);
    };
    await expect(world.webhookSender.work()).rejects.toThrow("the disk is full");
    expect(waiting(world)).toEqual([
      ["log", "pending", 1, null],
      ["ops", "delivered", 1, 200],
    ]);
    expect(world.disk.alarm).toBe(world.now + DELIVERY_LOST_MS);
  });
});
