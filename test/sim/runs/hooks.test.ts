import { describe, expect, test } from "vitest";
import {
  budgetUsed,
  stepCountIs,
  textIncludes,
  toolCalled,
  type Hooks,
  type HookView,
} from "../../../src/cairn/core/loop/hooks.ts";
import { Crash } from "../../../src/cairn/testing/disk.ts";
import { REPORT } from "../platform/fake-model.ts";
import { FakePlatform, type Line } from "../platform/platform.ts";

function platformOf(hooks: Partial<Hooks>, lines: readonly Line[] | ((step: string) => Line)): FakePlatform {
  const platform = new FakePlatform((request) => {
    if (typeof lines === "function") return lines(request.step);
    return lines[Number(/s(\d+)$/.exec(request.step)?.[1]) - 1] ?? { text: "The end." };
  });
  platform.hooks = { name: "test", version: 1, ...hooks };
  platform.restart();
  return platform;
}

const look = (name: string): Line => ({ calls: [["look", { name }]] });
const ended = (platform: FakePlatform): unknown =>
  platform.log.flatMap((entry) =>
    entry.kind === "run_ended" ? [[entry.body.outcome, entry.body.reason]] : [],
  );

describe("prepareStep", () => {
  test("narrows one step's call, is stored with it, and cannot widen it", async () => {
    const platform = platformOf(
      {
        prepareStep: ({ step }) =>
          step === 0
            ? {
                tools: ["look", "rm_rf"],
                temperature: 0.1,
                maxOutputTokens: 1_000_000,
                instructions: "Only look.",
              }
            : null,
      },
      [look("a"), { text: "Done." }],
    );
    platform.say("go");
    await platform.settle();
    const [first, second] = platform.requests;
    expect(first).toMatchObject({ temperature: 0.1, maxOutputTokens: 4_096 });
    expect(first?.tools.map((tool) => tool.name)).toEqual(["look"]);
    expect(JSON.stringify(first?.messages.at(-1))).toContain("Only look.");
    expect(first?.instructions).toBe(second?.instructions);
    expect(second?.tools.length).toBeGreaterThan(1);
    const started = platform.log.find((entry) => entry.kind === "step_started");
    expect(started?.kind === "step_started" && started.body.patch).toEqual({
      tools: ["look"],
      temperature: 0.1,
      maxOutputTokens: 4_096,
      instructions: "Only look.",
    });
  });

  test("is asked once per step, also when the step is attempted three times", async () => {
    let asked = 0;
    const platform = platformOf({ prepareStep: () => ({ temperature: (asked += 1) / 10 }) }, [
      { text: "Done." },
    ]);
    let deaths = 2;
    let dead = false;
    platform.cross = (where) => {
      if (dead || (where === "model: before" && deaths-- > 0)) {
        dead = true;
        throw new Crash();
      }
    };
    platform.say("go");
    for (let wakes = 0; wakes < 6 && platform.disk.alarm !== null; wakes++) {
      platform.now = Math.max(platform.now, platform.disk.alarm ?? 0);
      await platform.fire().catch(() => {});
      if (dead) {
        dead = false;
        platform.restart();
      }
    }
    expect(asked).toBe(1);
    expect(platform.requests.map((request) => [request.attempt, request.temperature])).toEqual([[3, 0.1]]);
  });

  test("is asked for each step, and each try of a step goes by what it said of that one", async () => {
    const fail = { class: "rate_limit", message: "no", retryAfterMs: null, usage: null } as const;
    let failures = 1;
    const platform = platformOf({ prepareStep: ({ step }) => ({ temperature: (step + 1) / 10 }) }, (step) => {
      if (step === "r1s1") return look("a");
      return failures-- > 0 ? { fail } : { text: REPORT };
    });
    platform.say("go");
    await platform.settle();
    expect(platform.requests.map((request) => [request.step, request.attempt, request.temperature])).toEqual([
      ["r1s1", 1, 0.1],
      ["r1s2", 1, 0.2],
      ["r1s2", 2, 0.2],
    ]);
  });

  test("that throws changes nothing, says so, and is left alone after three times", async () => {
    let asked = 0;
    const platform = platformOf(
      {
        prepareStep: () => {
          asked++;
          throw new Error("boom");
        },
      },
      [look("a"), look("b"), look("c"), look("d"), { text: REPORT }],
    );
    platform.say("go");
    await platform.settle();
    expect(asked).toBe(3);
    expect(platform.log.filter((entry) => entry.kind === "note").map((entry) => entry.body)).toEqual(
      Array.from({ length: 3 }, () => ({ code: "hook_failed", text: "prepareStep: boom" })),
    );
    expect(ended(platform)).toEqual([["completed", null]]);
  });

  test("gets a frozen view", async () => {
    const thrown: string[] = [];
    const platform = platformOf(
      {
        prepareStep: (view) => {
          try {
            (view.memory as { entities: unknown }).entities = [];
          } catch (error) {
            thrown.push(String(error));
          }
          return null;
        },
      },
      [{ text: "Done." }],
    );
    platform.say("go");
    await platform.settle();
    expect(thrown).toHaveLength(1);
  });
});

describe("onStepFinish", () => {
  test("sees the step and adds hints and memory that are committed with it", async () => {
    const seen: unknown[] = [];
    const platform = platformOf(
      {
        onStepFinish: (_view, step) => {
          seen.push([step.n, step.calls.map((call) => [call.tool, call.status])]);
          return {
            hints: ["Look closer."],
            memory: [{ op: "touch", type: "note", id: "n1", name: "A note" }],
          };
        },
      },
      [look("a"), { text: REPORT }],
    );
    platform.say("go");
    await platform.settle();
    expect(seen).toEqual([[1, [["look", "ok"]]]]);
    expect(JSON.stringify(platform.requests[1]?.messages)).toContain("Look closer.");
    expect(platform.state.memory.entities.map((entity) => entity.id)).toContain("n1");
    expect(platform.folded).toEqual(platform.state);
  });
});

describe("stopWhen", () => {
  test("is asked once before each step but the first, however often the step is tried", async () => {
    const asked: number[] = [];
    const hooks = { stopWhen: [{ name: "never", check: ({ step }: HookView) => (asked.push(step), null) }] };
    const fail = { class: "rate_limit", message: "no", retryAfterMs: null, usage: null } as const;
    let failures = 2;
    const platform = platformOf(hooks, (step) =>
      step === "r1s1" ? look("a") : failures-- > 0 ? { fail } : { text: REPORT },
    );
    platform.say("go");
    await platform.settle();
    expect(asked).toEqual([1]);
    expect(ended(platform)).toEqual([["completed", null]]);
  });

  test.each([
    ["stepCountIs(2)", stepCountIs(2)],
    ["toolCalled(put)", toolCalled("put")],
    ["textIncludes(enough)", textIncludes("enough")],
    ["budgetUsed(0.1)", budgetUsed(0.1)],
  ])("%s forces the answer", async (name, condition) => {
    const platform = platformOf({ stopWhen: [condition] }, (step) => {
      if (step === "r1s3") return { text: "This is it." };
      return step === "r1s1" ? look("a") : { text: "That is enough.", calls: [["put", { name: "b" }]] };
    });
    platform.say("go");
    await platform.settle();
    expect(ended(platform)).toEqual([["completed_partial", `stopWhen:${name}`]]);
    expect(platform.requests.at(-1)?.tools).toEqual([]);
  });

  test("in mode end takes the answer that needs no model", async () => {
    const platform = platformOf({ stopWhen: [toolCalled("put", "end")] }, [
      { calls: [["put", { name: "b" }]] },
    ]);
    platform.say("go");
    await platform.settle();
    expect(platform.requests).toHaveLength(1);
    expect(ended(platform)).toEqual([["completed_partial", "stopWhen:toolCalled(put)"]]);
  });
});
