import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Crash } from "../../../src/cairn/testing/disk.ts";
import { FakePlatform, type Line } from "../platform/platform.ts";

// Some of these isolates die, or have faults that are reported to the operator.
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

const byStep = (lines: Readonly<Record<string, Line>>) =>
  new FakePlatform((request) => lines[request.step] ?? { text: "The end." });

test("a lost attempt costs its whole reservation", async () => {
  const platform = byStep({ r1s1: { text: "Hello." } });
  let dead = false;
  platform.cross = (where) => {
    if (dead || (where === "model: before" && platform.log.every((entry) => entry.kind !== "attempt_lost"))) {
      dead = true;
      throw new Crash();
    }
  };
  platform.say("hi");
  platform.now += 10;
  await platform.fire().catch(() => {});
  dead = false;
  platform.restart();
  await platform.settle();
  const end = platform.log.find((entry) => entry.kind === "run_ended");
  expect(end?.kind === "run_ended" && end.body.usage.estimated).toBe(true);
  expect(end?.kind === "run_ended" && end.body.usage.inputTokens).toBeGreaterThan(4_000);
});

describe("a reply above the size limit", () => {
  test.each([
    ["text", { text: "word ".repeat(60_000) }],
    ["arguments", { calls: [["put", { name: "x".repeat(300_000) }]] }],
  ] as const)("is requested once more, without a crash (%s)", async (_what, line) => {
    const platform = new FakePlatform((request) => (request.attempt === 1 ? line : { text: "Short." }));
    platform.say("go");
    await platform.settle();
    expect(platform.kinds).toEqual([
      "user_message",
      "run_queued",
      "run_started",
      "step_started",
      "model_failed",
      "model_replied",
      "review",
      "answer",
      "run_ended",
    ]);
    expect(platform.effects.keyed.size).toBe(0);
  });

  test("that repeats ends the run as failed_provider", async () => {
    const platform = new FakePlatform(() => ({ text: "word ".repeat(60_000) }));
    platform.say("go");
    await platform.settle();
    const end = platform.log.find((entry) => entry.kind === "run_ended");
    expect(end?.kind === "run_ended" && [end.body.outcome, end.body.reason]).toEqual([
      "failed_provider",
      "provider:internal",
    ]);
  });
});
