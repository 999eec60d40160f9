import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ToolError } from "../../../src/cairn/tools/define.ts";
import { receiptLines, receiptText } from "../../../src/cairn/core/text/receipt-lines.ts";
import { FakePlatform } from "../platform/platform.ts";

// Some of these isolates die, or have faults that are reported to the operator.
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

const ended = (platform: FakePlatform): unknown[] =>
  platform.log.flatMap((entry) =>
    entry.kind === "run_ended" ? [[entry.run, entry.body.outcome, entry.body.reason]] : [],
  );
const answers = (platform: FakePlatform): string[] =>
  platform.log.flatMap((entry) => (entry.kind === "answer" ? [entry.body.text] : []));
const receipts = (platform: FakePlatform): string[] =>
  platform.log.flatMap((entry) =>
    entry.kind === "answer"
      ? [receiptText(receiptLines(entry.body.receipt, { outcome: "partial", reason: null }))]
      : [],
  );

test("a run whose calls are all used is asked for its answer, once", async () => {
  const platform = new FakePlatform((request) =>
    request.tools.length === 0 ? { text: "That is all." } : { calls: [["look", { name: request.step }]] },
  );
  platform.say("go", { limits: { steps: 15, activeMs: 1_800_000, outputTokens: 4_096, toolCalls: 2 } });
  await platform.settle();
  expect(ended(platform)).toEqual([["r1", "completed_partial", "budget:calls"]]);
  expect(platform.requests).toHaveLength(4);
});

describe("a forced answer", () => {
  const forced = (text: string): FakePlatform => {
    const platform = new FakePlatform((request) =>
      request.tools.length === 0 ? { text } : { calls: [["put", { name: `crew ${request.step}` }]] },
    );
    platform.effects.broken.set("put", new ToolError("conflict", "blocked", "The hero has no image."));
    platform.say("Publish Our crew", {
      limits: { steps: 15, activeMs: 1_800_000, outputTokens: 4_096, toolCalls: 1 },
    });
    return platform;
  };
  const answered = (platform: FakePlatform): unknown[] =>
    platform.log.flatMap((entry) =>
      entry.kind === "answer" ? [[entry.body.source, entry.body.receipt.changed]] : [],
    );

  test("that claims a failed change has a receipt that contradicts it", async () => {
    const platform = forced("Our crew is published and in the navigation.");
    await platform.settle();
    expect(answered(platform)).toEqual([["forced", []]]);
    expect(receipts(platform).at(-1)).toContain("Nothing was changed.\nFailed: Put: “crew r1s1”");
    expect(ended(platform)).toEqual([["r1", "completed_partial", "budget:calls"]]);
    expect(platform.folded).toEqual(platform.state);
  });

  test("that reports the failure is delivered", async () => {
    const platform = forced("I could not publish Our crew: its hero has no image.");
    await platform.settle();
    expect(answered(platform)).toEqual([["forced", []]]);
    expect(answers(platform)).toEqual(["I could not publish Our crew: its hero has no image."]);
  });
});

test("the retry of a forced answer takes no step that the run does not have", async () => {
  const platform = new FakePlatform((request) =>
    request.tools.length === 0
      ? { calls: [["look", { name: "a" }]] }
      : { calls: [["look", { name: request.step }]] },
  );
  platform.sayOnce("m1", { steps: 3 });
  await platform.settle();
  const steps = platform.log.filter((entry) => entry.kind === "step_started");
  expect(steps).toHaveLength(3);
  const end = platform.log.find((entry) => entry.kind === "run_ended");
  expect(end?.kind === "run_ended" && end.body).toMatchObject({ outcome: "completed_partial", steps: 3 });
});

test("waiting for a provider uses the time of the run, and an answer is requested before it ends", async () => {
  const platform = new FakePlatform((request) =>
    request.tools.length === 0
      ? { text: "Out of time." }
      : { fail: { class: "rate_limit", message: "slow", retryAfterMs: 14 * 60_000, usage: null } },
  );
  platform.say("go");
  await platform.settle(3_600_000);
  expect(platform.state.run).toBeNull();
  const end = platform.log.find((entry) => entry.kind === "run_ended");
  expect(end?.kind === "run_ended" && end.body.activeMs).toBeLessThanOrEqual(30 * 60_000);
});
