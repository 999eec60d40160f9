import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FakePlatform, type Line } from "../platform/platform.ts";

// Some of these isolates die, or have faults that are reported to the operator.
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

const ended = (platform: FakePlatform): unknown[] =>
  platform.log.flatMap((entry) =>
    entry.kind === "run_ended" ? [[entry.run, entry.body.outcome, entry.body.reason]] : [],
  );
const byStep = (lines: Readonly<Record<string, Line>>) =>
  new FakePlatform((request) => lines[request.step] ?? { text: "The end." });

test("an error while publishing entries stops neither the run nor the request", async () => {
  const platform = byStep({ r1s1: { text: "Hello." } });
  platform.cross = (where) => {
    if (where === "publish") throw new Error("a socket broke");
  };
  expect(platform.say("hi").ok).toBe(true);
  await platform.settle();
  expect(ended(platform)).toEqual([["r1", "completed", null]]);
});
