import { describe, expect, test } from "vitest";
import { FakePlatform, type Line } from "../platform/platform.ts";

const ended = (platform: FakePlatform): unknown[] =>
  platform.log.flatMap((entry) =>
    entry.kind === "run_ended" ? [[entry.run, entry.body.outcome, entry.body.reason]] : [],
  );
const prompts = (platform: FakePlatform): string[] =>
  platform.requests.map((request) => JSON.stringify(request.messages));
const byStep = (lines: Readonly<Record<string, Line>>) =>
  new FakePlatform((request) => lines[request.step] ?? { text: "The end." });

describe("a joined message", () => {
  test("that arrives during a forced answer gets its own run", async () => {
    const platform = new FakePlatform((request) => {
      if (request.step.startsWith("r2")) return { text: "Read." };
      return request.tools.length === 0 ? { text: "Forced." } : { calls: [["look", { name: request.step }]] };
    });
    platform.onModel = (request) => {
      if (request.tools.length === 0 && request.step.startsWith("r1"))
        platform.say("ONE MORE THING", { mode: "join" });
    };
    platform.say("go");
    await platform.settle();
    expect(ended(platform).map((entry) => (entry as string[])[0])).toEqual(["r1", "r2"]);
    expect(prompts(platform).at(-1)).toContain("ONE MORE THING");
    expect(platform.folded).toEqual(platform.state);
  });

  test("that arrives after a stop starts a new run", async () => {
    const platform = byStep({ r1s1: { text: "Never." }, r2s1: { text: "Read." } });
    platform.onModel = () => {
      platform.onModel = null;
      platform.cancel();
      platform.say("AFTER THE STOP", { mode: "join" });
    };
    platform.say("go");
    await platform.settle();
    expect(ended(platform).map((entry) => (entry as string[]).slice(0, 2))).toEqual([
      ["r1", "cancelled"],
      ["r2", "completed"],
    ]);
    expect(prompts(platform).at(-1)).toContain("AFTER THE STOP");
  });

  test("is part of the conversation in later runs", async () => {
    const platform = byStep({
      r1s1: { calls: [["look", { name: "a" }]] },
      r1s2: { text: "One." },
      r2s1: { text: "Two." },
    });
    platform.onModel = () => {
      platform.onModel = null;
      platform.say("MY NAME IS ADA", { mode: "join" });
    };
    platform.say("go");
    await platform.settle();
    platform.say("what is my name?");
    await platform.settle();
    expect(prompts(platform).at(-1)).toContain("MY NAME IS ADA");
  });
});
