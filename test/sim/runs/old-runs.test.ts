import { describe, expect, test } from "vitest";
import { receiveClear } from "../../../src/cairn/core/loop/receive.ts";
import { FakePlatform, type Line } from "../platform/platform.ts";

const prompts = (platform: FakePlatform): string[] =>
  platform.requests.map((request) => JSON.stringify(request.messages));
const byStep = (lines: Readonly<Record<string, Line>>) =>
  new FakePlatform((request) => lines[request.step] ?? { text: "The end." });

describe("the prompt", () => {
  test("contains no message of a run that was cancelled before it began", async () => {
    const platform = byStep({ r1s1: { text: "One." }, r3s1: { text: "Three." } });
    platform.onModel = () => {
      platform.onModel = null;
      platform.say("DELETE THE SITE");
      platform.engine.record((tx) => {
        const queued = tx.state.queue[0];
        if (queued === undefined) throw new Error("nothing is queued");
        tx.append([
          {
            kind: "run_ended",
            run: queued.run,
            step: null,
            body: {
              outcome: "cancelled",
              class: "cancelled",
              reason: "cancelled",
              steps: 0,
              usage: {
                inputTokens: 0,
                cachedInputTokens: 0,
                outputTokens: 0,
                reasoningTokens: 0,
                estimated: false,
                cost: null,
              },
              activeMs: 0,
            },
          },
        ]);
      });
    };
    platform.say("first");
    await platform.settle();
    platform.say("hello");
    await platform.settle();
    expect(prompts(platform).at(-1)).not.toContain("DELETE THE SITE");
  });

  test("contains nothing from before a clear, even if a run was live", async () => {
    const platform = byStep({
      r1s1: { calls: [["look", { name: "SECRET PLACE" }]] },
      r2s1: { text: "Hello." },
    });
    platform.effects.onTool = () => {
      platform.engine.record((tx) => tx.append(receiveClear(tx.state, { id: "c", actor: "ada" })));
    };
    platform.say("THE OLD STORY");
    await platform.settle();
    platform.effects.onTool = null;
    platform.say("hello");
    await platform.settle();
    expect(prompts(platform).at(-1)).not.toContain("THE OLD STORY");
    expect(prompts(platform).at(-1)).not.toContain("SECRET PLACE");
    expect(platform.folded).toEqual(platform.state);
  });
});
