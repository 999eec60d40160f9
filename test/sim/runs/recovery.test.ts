import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { DraftPiece } from "../../../src/core/log/model.ts";
import type { Model } from "../../../src/session/engine/ports.ts";
import { Crash } from "../platform/disk.ts";
import { World } from "../platform/platform.ts";

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

  test("the recovery alarm waits longer with each attempt, and never more than a minute", async () => {
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

test("what an approval would show is computed three times, each with more time, and is then an error", async () => {
  const world = new World([{ calls: [["publish", { name: "a" }]] }, { text: "I could not prepare it." }]);
  world.say("go");
  const waits: number[] = [];
  let dead = false;
  world.cross = (where) => {
    if (where === "publish: preview") waits.push((world.disk.alarm ?? 0) - world.now);
    if (!dead && where !== "publish: preview") return;
    dead = true;
    throw new Crash();
  };
  for (let wakes = 0; wakes < 8 && world.disk.alarm !== null; wakes++) {
    world.now = Math.max(world.now, world.disk.alarm ?? 0);
    await world.fire().catch(() => {});
    if (!dead) continue;
    dead = false;
    world.restart();
  }
  expect(waits).toEqual([1_500, 3_000, 6_000]);
  const lost = world.log.flatMap((row) => (row.kind === "attempt_lost" ? [row.body] : []));
  expect(lost).toEqual([1, 2, 3].map((attempt) => ({ effect: "r1s1c0", what: "preview", attempt })));
  const settled = world.log.find((row) => row.kind === "call_settled");
  expect(settled?.body).toMatchObject({ status: "error", failure: { code: "preview_interrupted" } });
  expect(ended(world)).toEqual([["completed", null]]);
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

describe("a model call that is stopped, and whose isolate then dies", () => {
  /** Says `pieces` with so many seconds between them, is stopped, and dies with its isolate. */
  async function died(pieces: readonly DraftPiece[]): Promise<World> {
    const world: World = new World({
      call: (_request, draft) => {
        for (const piece of pieces) {
          draft(piece);
          world.now += 2_000;
        }
        world.cancel("enough");
        throw new Crash();
      },
    } satisfies Model);
    world.say("go");
    await world.fire().catch(() => {});
    world.now += 1_000;
    await world.fire().catch(() => {});
    world.restart();
    await world.settle();
    return world;
  }
  const kinds = ["user_said", "run_queued", "run_started", "step_started", "command_queued", "attempt_lost"];

  test("is charged for, and what had been saved of it is kept as its last words", async () => {
    const world = await died([
      { type: "reasoning", part: 0, text: "Let me " },
      { type: "reasoning", part: 0, text: "think. " },
      { type: "text", part: 1, text: "I was " },
      { type: "text", part: 1, text: "about " },
      { type: "text", part: 1, text: "to" },
      { type: "text", part: 1, text: " say" },
    ]);
    expect(world.kinds).toEqual([...kinds, "model_replied", "answer", "run_ended"]);
    const [, , , started, , lost, replied, , end] = world.log;
    if (started?.kind !== "step_started" || end?.kind !== "run_ended") throw new Error("another log");
    const { reservedTokens, reservedCost } = started.body;
    expect(lost?.body).toEqual({ effect: "r1s1", what: "model", attempt: 1, cost: reservedCost });
    expect(replied?.body).toMatchObject({
      attempt: 2,
      base: lost?.seq,
      readTo: 1,
      calls: [],
      finish: "aborted",
      usage: { inputTokens: 0, outputTokens: 0, estimated: true, cost: 0 },
    });
    // Saved at 2, 4 and 8 seconds: what came after the last of them is lost.
    expect(replied?.kind === "model_replied" && replied.body.parts).toEqual([
      { type: "reasoning", text: "Let me think. " },
      { type: "text", text: "I was about to" },
    ]);
    const { usage } = end.body;
    expect([usage.inputTokens + usage.outputTokens, usage.cost]).toEqual([reservedTokens, reservedCost]);
    expect(world.disk.exec("SELECT * FROM chunks")).toEqual([]);
    expect(world.folded).toEqual(world.state);
  });

  test("of which nothing had been saved has said nothing", async () => {
    const world = await died([{ type: "text", part: 0, text: "I" }]);
    expect(world.kinds).toEqual([...kinds, "answer", "run_ended"]);
  });
});

test("a model call that died without a stop is asked again, and what was saved of it is nobody's answer", async () => {
  let deaths = 1;
  const world: World = new World((_request, index) => ({ text: index === 0 ? "Half of it" : "The whole." }));
  world.onPiece = () => void (world.now += 5_000);
  world.onModel = () => {
    if (deaths-- > 0) throw new Crash();
  };
  world.say("go");
  world.now += 10;
  await world.fire().catch(() => {});
  expect(world.disk.exec("SELECT * FROM chunks").length).toBeGreaterThan(0);
  world.restart();
  // The alarm finds the claim: the drafts go with the attempt.
  world.onModel = () => expect(world.disk.exec("SELECT * FROM chunks")).toEqual([]);
  world.onPiece = null;
  await world.settle();
  expect(world.kinds).toEqual([
    "user_said",
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

test("a lost attempt is charged by the price of the model that a hook had put in its place", async () => {
  const world = new World([{ text: "Hello." }]);
  const price = (input: number) => ({ input, cachedInput: input, output: input * 5 });
  world.prices = { "rehearsal:": price(1), "openai-compatible:dear": price(50) };
  world.hooks = { name: "test", version: 1, prepareStep: () => ({ model: "openai-compatible:dear" }) };
  world.restart();
  world.say("go");
  let deaths = 1;
  world.onModel = () => {
    if (deaths-- > 0) throw new Crash();
  };
  world.now += 10;
  await world.fire().catch(() => {});
  world.restart();
  await world.settle();
  const started = world.log.find((row) => row.kind === "step_started");
  const lost = world.log.find((row) => row.kind === "attempt_lost");
  if (started?.kind !== "step_started" || lost?.kind !== "attempt_lost") throw new Error("another log");
  expect(started.body.model).toBe("openai-compatible:dear");
  expect(lost.body.cost).toBe(started.body.reservedCost);
  expect(world.requests.map((request) => request.model)).toEqual(
    world.requests.map(() => started.body.model),
  );
});
