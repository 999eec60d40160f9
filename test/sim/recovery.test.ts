import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Crash } from "./disk.ts";
import { World } from "./world.ts";

// A dying isolate complains on its way out.
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

/** Dies every time the place is crossed, and stands up again, until the session comes to rest. */
async function dieAt(world: World, place: string, wakesMax = 40): Promise<void> {
  let dead = false;
  world.cross = (where) => {
    if (dead || where === place) {
      dead = true;
      throw new Crash();
    }
  };
  for (let wakes = 0; wakes < wakesMax && world.disk.alarm !== null; wakes++) {
    world.now = Math.max(world.now, world.disk.alarm ?? world.now);
    try {
      await world.fire();
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    }
    if (dead) {
      dead = false;
      world.restart();
    }
  }
  world.cross = () => {};
}

const ended = (world: World): unknown =>
  world.log.flatMap((entry) => (entry.kind === "run_ended" ? [[entry.body.outcome, entry.body.reason]] : []));
const lost = (world: World): number => world.log.filter((entry) => entry.kind === "attempt_lost").length;
const statuses = (world: World): unknown =>
  world.log.flatMap((entry) => (entry.kind === "call_settled" ? [[entry.body.tool, entry.body.status]] : []));

describe("recovery is bounded", () => {
  test("a model call that always dies is claimed five times, and the run ends honestly", async () => {
    const world = new World([{ calls: [["look", { name: "a" }]] }, { text: "never said" }]);
    world.say("go");
    world.now += 10;
    await world.fire();
    await dieAt(world, "model: before");
    expect(lost(world)).toBe(5);
    expect(ended(world)).toEqual([["completed_partial", "recovery_exhausted"]]);
    const answer = world.log.find((entry) => entry.kind === "answer");
    expect(answer?.kind === "answer" && answer.body.text).toContain("interrupted too often");
    expect(world.disk.alarm).toBeNull();
    expect(world.folded).toEqual(world.state);
  });

  test("a read that always dies is an error after three, and the model goes on", async () => {
    const world = new World([{ calls: [["look", { name: "a" }]] }, { text: "I could not look." }]);
    world.say("go");
    await dieAt(world, "look: before");
    expect(statuses(world)).toEqual([["look", "error"]]);
    expect(lost(world)).toBe(3);
    expect(ended(world)).toEqual([["completed", null]]);
  });

  test("a keyed tool that dies after its effect is tried five times under one key, then its outcome is unknown", async () => {
    const world = new World([{ calls: [["put", { name: "a" }]] }, { text: "I do not know." }]);
    world.say("go");
    await dieAt(world, "put: after");
    expect(statuses(world)).toEqual([["put", "unknown"]]);
    expect([...world.effects.keyed]).toEqual([["ses/r1s1c0", 1]]);
    const keys = world.log.flatMap((entry) => (entry.kind === "call_intended" ? [entry.body.key] : []));
    expect(keys).toEqual(Array.from({ length: 5 }, () => "ses/r1s1c0"));
  });

  test("a once tool that dies is never run again", async () => {
    const world = new World([{ calls: [["send", { name: "a" }]] }, { text: "I do not know." }]);
    world.say("go");
    await dieAt(world, "send: after");
    expect(statuses(world)).toEqual([["send", "unknown"]]);
    expect(world.effects.once).toEqual(["r1s1c0"]);
    const told = world.requests.at(-1)?.messages.find((message) => message.role === "tool");
    expect(JSON.stringify(told)).toContain("unknown_outcome");
  });

  test("the dead-man alarm waits longer with each attempt, and never more than a minute", async () => {
    const world = new World([{ text: "never" }]);
    world.say("go");
    const waits: number[] = [];
    world.cross = (where) => {
      if (where === "model: before") waits.push((world.disk.alarm ?? 0) - world.now);
    };
    const inner = world.cross;
    let dead = false;
    world.cross = (where) => {
      inner(where);
      if (dead || where === "model: before") {
        dead = true;
        throw new Crash();
      }
    };
    for (let wakes = 0; wakes < 8 && world.disk.alarm !== null; wakes++) {
      world.now = Math.max(world.now, world.disk.alarm ?? 0);
      await world.fire().catch(() => {});
      dead = false;
      world.restart();
    }
    expect(waits).toEqual([1_500, 3_000, 6_000, 12_000, 24_000]);
  });
});

describe("time", () => {
  test("that people take costs nothing, and active time ends in an answer before its limit", async () => {
    const world = new World((request) =>
      request.tools.length === 0
        ? { text: "Out of time." }
        : { calls: [["look", { name: `p${world.requests.length}` }]] },
    );
    world.onModel = () => void (world.now += 9 * 60_000);
    world.say("go");
    await world.settle();
    expect(ended(world)).toEqual([["completed_partial", "budget:wall"]]);
    expect(world.requests.length).toBeLessThan(6);
  });

  test("of a wait for a person does not count as active", async () => {
    const world = new World([{ calls: [["publish", { name: "a" }]] }, { text: "Published." }]);
    world.say("go");
    await world.settle();
    world.now += 20 * 3_600_000;
    world.decide("approve");
    await world.settle();
    expect(ended(world)).toEqual([["completed", null]]);
    const end = world.log.find((entry) => entry.kind === "run_ended");
    expect(end?.kind === "run_ended" && end.body.activeMs).toBeLessThan(1_000);
  });
});

test("a thousand hops on a platform that loses alarms set for the running alarm's time do not stall", async () => {
  const world = new World((request) =>
    request.tools.length === 0
      ? { text: "Enough." }
      : { calls: [["look", { name: `p${world.requests.length}` }]] },
  );
  for (let message = 0; message < 70; message++) {
    world.say(`go ${message}`);
    await world.settle(60_000, 50);
    expect(world.state.run).toBeNull();
  }
  expect(world.wakes).toBeGreaterThan(1_000);
});

test("an alarm that the platform lost is armed again by the next touch", async () => {
  const world = new World([{ text: "Hello." }]);
  world.say("hi");
  world.disk.alarm = null;
  await world.engine.touch();
  expect(world.disk.alarm).not.toBeNull();
  await world.settle();
  expect(ended(world)).toEqual([["completed", null]]);
});
