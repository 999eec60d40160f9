import { describe, expect, test } from "vitest";
import { ToolError } from "../../../src/cairn/tools/define.ts";
import { FakePlatform, type Line } from "../platform/platform.ts";

const settled = (platform: FakePlatform): unknown[] =>
  platform.log.flatMap((entry) =>
    entry.kind === "call_settled" ? [[entry.body.call, entry.body.tool, entry.body.status]] : [],
  );
const prompts = (platform: FakePlatform): string[] =>
  platform.requests.map((request) => JSON.stringify(request.messages));
const byStep = (lines: Readonly<Record<string, Line>>) =>
  new FakePlatform((request) => lines[request.step] ?? { text: "The end." });

describe("an approval", () => {
  test("does not run a tool that changed meanwhile", async () => {
    const platform = byStep({
      r1s1: { calls: [["publish", { name: "a" }]] },
      r1s2: { text: "It has changed." },
    });
    platform.say("go");
    await platform.settle();
    platform.versions = { publish: 2 };
    platform.restart();
    platform.decide("approve");
    await platform.settle();
    expect(platform.effects.keyed.size).toBe(0);
    expect(settled(platform)).toEqual([["r1s1c0", "publish", "refused"]]);
    expect(prompts(platform).at(-1)).toContain("tool_changed");
  });
});

test("a preview is retried after a temporary failure", async () => {
  const platform = byStep({ r1s1: { calls: [["publish", { name: "a" }]] } });
  platform.effects.failures.set("publish: preview", [new ToolError("server", "unavailable", "blip")]);
  platform.say("go");
  await platform.settle();
  expect(platform.state.run?.phase.at).toBe("waiting_approval");
});
