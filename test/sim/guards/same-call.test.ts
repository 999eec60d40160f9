import { describe, expect, test } from "vitest";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import { ToolError } from "../../../src/cairn/tools/define.ts";
import { REPORT, type Line } from "../platform/fake-model.ts";
import { FakePlatform } from "../platform/platform.ts";

/** The loop rules through the real loop: what a model that repeats itself meets. */

const look = (name: string): [string, { name: string }] => ["look", { name }];
const platformOf = (line: (step: number) => Line): FakePlatform =>
  new FakePlatform((request) =>
    request.tools.length === 0
      ? { text: "As far as I got." }
      : line(Number(/s(\d+)$/.exec(request.step)?.[1] ?? 1)),
  );
const codes = (platform: FakePlatform): string[] =>
  platform.log.flatMap((entry) => (entry.kind === "verdict" ? [entry.body.code] : []));
const results = (platform: FakePlatform): unknown[] =>
  platform.log.flatMap((entry) =>
    entry.kind === "call_settled"
      ? [[entry.body.call, entry.body.status, entry.body.reusedFrom ?? entry.body.skip ?? null]]
      : [],
  );
const ended = (platform: FakePlatform): unknown =>
  platform.log.flatMap((entry) =>
    entry.kind === "run_ended" ? [[entry.body.outcome, entry.body.reason]] : [],
  );
const kinds = (entries: readonly Entry[]): string[] => entries.map((entry) => entry.kind);

async function run(platform: FakePlatform): Promise<FakePlatform> {
  platform.say("go");
  await platform.settle(3_600_000);
  expect(platform.folded).toEqual(platform.state);
  return platform;
}

describe("the same call with the same result", () => {
  test("runs once, is answered three times, is blocked the fourth and acts the fifth time", async () => {
    const platform = await run(platformOf(() => ({ calls: [look("a")] })));
    expect(results(platform)).toEqual([
      ["r1s1c0", "ok", null],
      ["r1s2c0", "ok", "r1s1c0"],
      ["r1s3c0", "ok", "r1s1c0"],
      ["r1s4c0", "refused", "LOOP_BLOCK"],
      ["r1s5c0", "refused", "LOOP_BLOCK"],
    ]);
    expect(platform.effects.reads).toBe(1);
    expect(codes(platform)).toEqual(["LOOP_HINT", "LOOP_WARN", "LOOP_WARN", "STUCK"]);
    expect(ended(platform)).toEqual([["completed_partial", "stuck"]]);
  });

  test("is told to the model: the hint, and the stored result beside the block", async () => {
    const platform = await run(platformOf((step) => (step <= 4 ? { calls: [look("a")] } : { text: REPORT })));
    const last = JSON.stringify(platform.requests.at(-1)?.messages);
    expect(last).toContain("loop_block");
    expect(last).toContain("Its last result, from r1s3c0");
    expect(ended(platform)).toEqual([["completed", null]]);
  });

  test("is no loop when a person has said something in between", async () => {
    const platform = platformOf((step) => (step <= 3 ? { calls: [look("a")] } : { text: REPORT }));
    platform.effects.onTool = () => void platform.say("Look again.", { mode: "join" });
    await run(platform);
    expect(codes(platform)).not.toContain("LOOP_HINT");
  });
});

test("four calls with four queries and no words are no loop", async () => {
  const platform = await run(
    platformOf((step) => (step <= 4 ? { calls: [look(`q${step}`)] } : { text: REPORT })),
  );
  expect(codes(platform)).toEqual([]);
  expect(ended(platform)).toEqual([["completed", null]]);
});

test("two pages looked at by turns are a cycle after two periods", async () => {
  const platform = await run(
    platformOf((step) => (step <= 8 ? { calls: [look(step % 2 ? "a" : "b")] } : { text: "Hm." })),
  );
  expect(codes(platform)[0]).toBe("LOOP_HINT");
  expect(platform.effects.reads).toBe(2);
});

test("a change that was made is not made again, and its result is said again", async () => {
  const platform = await run(
    platformOf((step) => (step <= 2 ? { calls: [["put", { name: "a" }]] } : { text: "It is there." })),
  );
  expect([...platform.effects.keyed.keys()]).toEqual(["ses/r1s1c0"]);
  expect(results(platform)).toEqual([
    ["r1s1c0", "ok", null],
    ["r1s2c0", "ok", "r1s1c0"],
  ]);
});

test("a call that failed for good is not tried again until something has changed", async () => {
  const platform = platformOf((step) => {
    if (step === 3) return { calls: [["put", { name: "b" }]] };
    return step <= 4 ? { calls: [look("gone")] } : { text: "There is no such page." };
  });
  platform.effects.failures.set("look", [new ToolError("not_found", "no_page", "There is no such page.")]);
  await run(platform);
  expect(results(platform)).toEqual([
    ["r1s1c0", "error", null],
    ["r1s2c0", "refused", "SIG_BANNED"],
    ["r1s3c0", "ok", null],
    ["r1s4c0", "ok", null],
  ]);
});

test("a once call whose outcome nobody knows is not made a second time without a person", async () => {
  const platform = platformOf((step) =>
    step <= 2
      ? { calls: [["send", { name: "a" }]] }
      : { text: "It is not known whether it was sent, and it was not sent again." },
  );
  platform.effects.failures.set("send", [new ToolError("timeout", "too_slow", "It took too long.")]);
  platform.say("go");
  await platform.settle(3_600_000);
  expect(platform.state.run?.phase.at).toBe("waiting_approval");
  expect(platform.decide("deny").ok).toBe(true);
  await platform.settle(3_600_000);
  expect(platform.effects.once).toEqual([]);
  expect(ended(platform)).toEqual([["completed", null]]);
});

test("words alone end by the fourth turn, and never after a hundred", async () => {
  const platform = await run(platformOf(() => ({ text: "" })));
  expect(platform.requests.length).toBeLessThanOrEqual(5);
  expect(kinds(platform.log).filter((kind) => kind === "run_ended")).toHaveLength(1);
});

test("a crash between two equal calls changes nothing", async () => {
  const line = (step: number): Line => (step <= 5 ? { calls: [look("a")] } : { text: "Done." });
  const calm = await run(platformOf(line));
  const platform = platformOf(line);
  platform.say("go");
  for (let wakes = 0; wakes < 40 && platform.disk.alarm !== null; wakes++) {
    platform.now = Math.max(platform.now, platform.disk.alarm ?? 0);
    await platform.fire();
    platform.restart();
  }
  expect(results(platform)).toEqual(results(calm));
  expect(codes(platform)).toEqual(codes(calm));
});
