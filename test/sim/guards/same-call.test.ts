import { describe, expect, test } from "vitest";
import type { Entry } from "../../../src/core/log/entry.ts";
import { ToolError } from "../../../src/tools/define.ts";
import { REPORT, type Line } from "../platform/fake-model.ts";
import { World } from "../platform/platform.ts";

/** The loop rules through the real loop: what a model that repeats itself meets. */

const look = (name: string): [string, { name: string }] => ["look", { name }];
const worldOf = (line: (step: number) => Line): World =>
  new World((request) =>
    request.tools.length === 0
      ? { text: "As far as I got." }
      : line(Number(/s(\d+)$/.exec(request.step)?.[1] ?? 1)),
  );
const codes = (world: World): string[] =>
  world.log.flatMap((row) => (row.kind === "verdict" ? [row.body.code] : []));
const results = (world: World): unknown[] =>
  world.log.flatMap((row) =>
    row.kind === "call_settled"
      ? [[row.body.call, row.body.status, row.body.reusedFrom ?? row.body.skip ?? null]]
      : [],
  );
const ended = (world: World): unknown =>
  world.log.flatMap((row) => (row.kind === "run_ended" ? [[row.body.outcome, row.body.reason]] : []));
const kinds = (rows: readonly Entry[]): string[] => rows.map((row) => row.kind);

async function run(world: World): Promise<World> {
  world.say("go");
  await world.settle(3_600_000);
  expect(world.folded).toEqual(world.state);
  return world;
}

describe("the same call with the same result", () => {
  test("runs once, is answered three times, is blocked the fourth and acts the fifth time", async () => {
    const world = await run(worldOf(() => ({ calls: [look("a")] })));
    expect(results(world)).toEqual([
      ["r1s1c0", "ok", null],
      ["r1s2c0", "ok", "r1s1c0"],
      ["r1s3c0", "ok", "r1s1c0"],
      ["r1s4c0", "refused", "LOOP_BLOCK"],
      ["r1s5c0", "refused", "LOOP_BLOCK"],
    ]);
    expect(world.effects.reads).toBe(1);
    expect(codes(world)).toEqual(["LOOP_HINT", "LOOP_WARN", "LOOP_WARN", "STUCK"]);
    expect(ended(world)).toEqual([["completed_partial", "stuck"]]);
  });

  test("is told to the model: the hint, and the stored result beside the block", async () => {
    const world = await run(worldOf((step) => (step <= 4 ? { calls: [look("a")] } : { text: REPORT })));
    const last = JSON.stringify(world.requests.at(-1)?.messages);
    expect(last).toContain("loop_block");
    expect(last).toContain("Its last result, from r1s3c0");
    expect(ended(world)).toEqual([["completed", null]]);
  });

  test("is no loop when a person has said something in between", async () => {
    const world = worldOf((step) => (step <= 3 ? { calls: [look("a")] } : { text: REPORT }));
    world.effects.onTool = () => void world.say("Look again.", { mode: "join" });
    await run(world);
    expect(codes(world)).not.toContain("LOOP_HINT");
  });
});

test("four calls with four queries and no words are no loop", async () => {
  const world = await run(worldOf((step) => (step <= 4 ? { calls: [look(`q${step}`)] } : { text: REPORT })));
  expect(codes(world)).toEqual([]);
  expect(ended(world)).toEqual([["completed", null]]);
});

test("two pages looked at by turns are a cycle after two periods", async () => {
  const world = await run(
    worldOf((step) => (step <= 8 ? { calls: [look(step % 2 ? "a" : "b")] } : { text: "Hm." })),
  );
  expect(codes(world)[0]).toBe("LOOP_HINT");
  expect(world.effects.reads).toBe(2);
});

test("a change that was made is not made again, and its result is said again", async () => {
  const world = await run(
    worldOf((step) => (step <= 2 ? { calls: [["put", { name: "a" }]] } : { text: "It is there." })),
  );
  expect([...world.effects.keyed.keys()]).toEqual(["ses/r1s1c0"]);
  expect(results(world)).toEqual([
    ["r1s1c0", "ok", null],
    ["r1s2c0", "ok", "r1s1c0"],
  ]);
});

test("a call that failed for good is not tried again until something has changed", async () => {
  const world = worldOf((step) => {
    if (step === 3) return { calls: [["put", { name: "b" }]] };
    return step <= 4 ? { calls: [look("gone")] } : { text: "There is no such page." };
  });
  world.effects.failures.set("look", [new ToolError("not_found", "no_page", "There is no such page.")]);
  await run(world);
  expect(results(world)).toEqual([
    ["r1s1c0", "error", null],
    ["r1s2c0", "refused", "SIG_BANNED"],
    ["r1s3c0", "ok", null],
    ["r1s4c0", "ok", null],
  ]);
});

test("a once call whose outcome nobody knows is not made a second time without a person", async () => {
  const world = worldOf((step) =>
    step <= 2
      ? { calls: [["send", { name: "a" }]] }
      : { text: "It is not known whether it was sent, and it was not sent again." },
  );
  world.effects.failures.set("send", [new ToolError("timeout", "too_slow", "It took too long.")]);
  world.say("go");
  await world.settle(3_600_000);
  expect(world.state.run?.phase.at).toBe("waiting_approval");
  expect(world.decide("deny").ok).toBe(true);
  await world.settle(3_600_000);
  expect(world.effects.once).toEqual([]);
  expect(ended(world)).toEqual([["completed", null]]);
});

test("words alone end by the fourth turn, and never after a hundred", async () => {
  const world = await run(worldOf(() => ({ text: "" })));
  expect(world.requests.length).toBeLessThanOrEqual(5);
  expect(kinds(world.log).filter((kind) => kind === "run_ended")).toHaveLength(1);
});

test("a crash between two equal calls changes nothing", async () => {
  const line = (step: number): Line => (step <= 5 ? { calls: [look("a")] } : { text: "Done." });
  const calm = await run(worldOf(line));
  const world = worldOf(line);
  world.say("go");
  for (let wakes = 0; wakes < 40 && world.disk.alarm !== null; wakes++) {
    world.now = Math.max(world.now, world.disk.alarm ?? 0);
    await world.fire();
    world.restart();
  }
  expect(results(world)).toEqual(results(calm));
  expect(codes(world)).toEqual(codes(calm));
});
