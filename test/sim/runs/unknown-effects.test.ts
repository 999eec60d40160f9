import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ToolError } from "../../../src/cairn/tools/define.ts";
import { receiptLines, receiptText } from "../../../src/cairn/core/text/receipt-lines.ts";
import { Crash } from "../../../src/cairn/testing/disk.ts";
import { FakePlatform, type Line } from "../platform/platform.ts";

// Some of these isolates die, or have faults that are reported to the operator.
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

const settled = (platform: FakePlatform): unknown[] =>
  platform.log.flatMap((entry) =>
    entry.kind === "call_settled" ? [[entry.body.call, entry.body.tool, entry.body.status]] : [],
  );
const ended = (platform: FakePlatform): unknown[] =>
  platform.log.flatMap((entry) =>
    entry.kind === "run_ended" ? [[entry.run, entry.body.outcome, entry.body.reason]] : [],
  );
const receipts = (platform: FakePlatform): string[] =>
  platform.log.flatMap((entry) =>
    entry.kind === "answer"
      ? [receiptText(receiptLines(entry.body.receipt, { outcome: "partial", reason: null }))]
      : [],
  );
const byStep = (lines: Readonly<Record<string, Line>>) =>
  new FakePlatform((request) => lines[request.step] ?? { text: "The end." });

describe("an effect whose answer is lost", () => {
  test.each([
    ["a broken connection", new TypeError("fetch failed")],
    ["a gateway's error", new ToolError("server", "bad_gateway", "502")],
  ])("in a once tool, by %s, is unknown and not repeated", async (_how, error) => {
    const platform = byStep({ r1s1: { calls: [["send", { name: "a" }]] } });
    platform.effects.cross = (where) => {
      if (where === "send: after") throw error;
    };
    platform.say("go");
    await platform.settle();
    expect(platform.effects.once).toEqual(["r1s1c0"]);
    expect(settled(platform)).toEqual([["r1s1c0", "send", "unknown"]]);
  });

  test("in a keyed tool is unknown after its last retry", async () => {
    const platform = byStep({ r1s1: { calls: [["put", { name: "a" }]] } });
    platform.effects.cross = (where) => {
      if (where === "put: after") throw new ToolError("server", "unavailable", "no answer");
    };
    platform.say("go");
    await platform.settle(3_600_000);
    expect(settled(platform)).toEqual([["r1s1c0", "put", "unknown"]]);
    expect([...platform.effects.keyed]).toEqual([["ses/r1s1c0", 1]]);
  });

  test("is an error if the tool says that nothing was done", async () => {
    const platform = byStep({ r1s1: { calls: [["send", { name: "a" }]] } });
    platform.effects.failures.set("send", [
      new ToolError("server", "closed", "closed", { nothingDone: true }),
    ]);
    platform.say("go");
    await platform.settle();
    expect(settled(platform)).toEqual([["r1s1c0", "send", "error"]]);
  });
});

test("a run that gives up during its calls reports the result of each", async () => {
  const platform = new FakePlatform((request) =>
    Number(/s(\d+)$/.exec(request.step)?.[1]) < 5
      ? { calls: [["look", { name: request.step }]] }
      : { calls: [["send", { name: "a" }]] },
  );
  let deaths = 0;
  let dead = false;
  platform.cross = (where) => {
    const fatal =
      (where === "look: before" && deaths < 19) || where === "send: after" || where === "model: before";
    if (dead || (fatal && deaths < 20)) {
      if (!dead) deaths++;
      dead = true;
      throw new Crash();
    }
  };
  platform.say("go");
  for (let wakes = 0; wakes < 80 && platform.disk.alarm !== null; wakes++) {
    platform.now = Math.max(platform.now, platform.disk.alarm ?? 0);
    await platform.fire().catch(() => {});
    if (!dead) continue;
    dead = false;
    platform.restart();
  }
  const calls = platform.log.flatMap((entry) =>
    entry.kind === "model_replied" ? entry.body.calls.map((call) => call.call) : [],
  );
  expect(settled(platform).map((entry) => (entry as string[])[0])).toEqual(calls);
  expect(ended(platform)).toHaveLength(1);
  expect(platform.folded).toEqual(platform.state);
});

describe("the receipt of an ended run", () => {
  test("names a call of unknown outcome after a stop", async () => {
    const platform = byStep({ r1s1: { calls: [["send", { name: "a" }]] } });
    let dead = false;
    platform.cross = (where) => {
      if (dead || where === "send: after") {
        dead = true;
        throw new Crash();
      }
    };
    platform.say("go");
    platform.now += 10;
    await platform.fire().catch(() => {});
    platform.cross = () => {};
    platform.restart();
    platform.cancel();
    await platform.settle();
    expect(settled(platform)).toEqual([["r1s1c0", "send", "unknown"]]);
    expect(receipts(platform).at(-1)).toContain(
      "Not known whether it happened: Send: “a”. Look before you ask for it again.",
    );
  });

  test("does not list a failure that a later call repaired", async () => {
    const platform = byStep({
      r1s1: { calls: [["put", { name: "a" }]] },
      // After a conflict the same is tried again only when something was looked at.
      r1s2: { calls: [["look", { name: "a" }]] },
      r1s3: { calls: [["put", { name: "a" }]] },
      r1s4: { fail: { class: "auth", message: "no", retryAfterMs: null, usage: null } },
    });
    platform.effects.failures.set("put", [new ToolError("conflict", "slug_taken", "taken")]);
    platform.say("go");
    await platform.settle();
    expect(receipts(platform).at(-1)).toContain("Changed: Put");
    expect(receipts(platform).at(-1)).not.toContain("Failed");
  });
});
