import { DEFAULT_RUN_POLICY } from "../../../src/cairn/core/log/run.ts";
import { describe, expect, test } from "vitest";
import { defineAgent } from "../../../src/cairn/agents/define.ts";
import { RUN_LIMITS } from "../../../src/cairn/core/limits.ts";
import type { Json } from "../../../src/cairn/core/log/json.ts";
import type { RunPolicy } from "../../../src/cairn/core/log/run.ts";
import { ToolError } from "../../../src/cairn/tools/define.ts";
import { REPORT, type Line } from "../platform/fake-model.ts";
import { FakePlatform } from "../platform/platform.ts";

/** Loops, retries and the ladder, through the real loop. */

type Called = [tool: string, input: Json];
const look = (name: string): Called => ["look", { name }];
const put = (name: string): Called => ["put", { name }];
const call = (...calls: readonly Called[]): Line => ({ calls });
const DONE: Line = { text: REPORT };

const platformOf = (line: (step: number) => Line, policy: Partial<RunPolicy> | null = null): FakePlatform => {
  const platform = new FakePlatform((request) =>
    request.tools.length === 0
      ? { text: "As far as I got." }
      : line(Number(/s(\d+)$/.exec(request.step)?.[1] ?? 1)),
  );
  if (policy === null) return platform;
  platform.policy = policy;
  platform.restart();
  return platform;
};
/** One line a step, then the answer. */
const steps = (...lines: readonly Line[]): ((step: number) => Line) => {
  return (step) => lines[step - 1] ?? DONE;
};
const loops = (platform: FakePlatform): unknown[] =>
  platform.log.flatMap((entry) =>
    entry.kind === "verdict" && /^(LOOP|STUCK)/.test(entry.body.code)
      ? [[entry.step, entry.body.code, entry.body.rule]]
      : [],
  );
const results = (platform: FakePlatform): unknown[] =>
  platform.log.flatMap((entry) =>
    entry.kind === "call_settled"
      ? [
          [
            entry.body.call,
            entry.body.status,
            entry.body.reusedFrom ?? entry.body.skip ?? entry.body.failure?.class ?? null,
          ],
        ]
      : [],
  );
const ended = (platform: FakePlatform): unknown[] =>
  platform.log.flatMap((entry) =>
    entry.kind === "run_ended" ? [[entry.run, entry.body.outcome, entry.body.reason]] : [],
  );

async function run(platform: FakePlatform, stepsMax: number = RUN_LIMITS.steps): Promise<FakePlatform> {
  platform.say("go", { limits: { ...RUN_LIMITS, steps: stepsMax } });
  await platform.settle(3_600_000);
  expect(platform.folded).toEqual(platform.state);
  return platform;
}

describe("1: work that only looks like a loop", () => {
  test("four calls with four queries and no words", async () => {
    const platform = await run(platformOf(steps(...["a", "b", "c", "d"].map((name) => call(look(name))))));
    expect(loops(platform)).toEqual([]);
  });

  test("read, write, read, write, each time with new arguments", async () => {
    const platform = await run(
      platformOf(steps(call(look("a")), call(put("a")), call(look("b")), call(put("b")))),
    );
    expect(loops(platform)).toEqual([]);
  });
});

test("2: the same call with the same result is answered three times, then blocked, then acted on", async () => {
  const platform = await run(
    platformOf(() => call(look("a"))),
    100,
  );
  expect(loops(platform)).toEqual([
    ["r1s3", "LOOP_HINT", "loop.same_result"],
    ["r1s4", "LOOP_WARN", expect.any(String)],
    ["r1s5", "LOOP_WARN", expect.any(String)],
    ["r1s5", "STUCK", "stuck"],
  ]);
  expect(platform.requests).toHaveLength(6);
  expect(ended(platform)).toEqual([["r1", "completed_partial", "stuck"]]);
});

describe("3: turns that repeat each other", () => {
  test("two by two are hinted at in the fourth turn", async () => {
    const platform = await run(platformOf((step) => (step <= 4 ? call(look(step % 2 ? "a" : "b")) : DONE)));
    expect(loops(platform)).toEqual([["r1s4", "LOOP_HINT", "loop.cycle"]]);
  });

  test("three by three in the sixth", async () => {
    const platform = await run(
      platformOf((step) => (step <= 6 ? call(look(["c", "a", "b"][step % 3] ?? "")) : DONE)),
    );
    expect(loops(platform)).toEqual([["r1s6", "LOOP_HINT", "loop.cycle"]]);
  });
});

describe("4: page after page", () => {
  const paging = (step: number): Line => (step <= 5 ? call(["list", { page: step }]) : DONE);

  test("with new rows is silent", async () => {
    const platform = platformOf(paging);
    platform.effects.pages = (page) => [`row${page}`];
    expect(loops(await run(platform))).toEqual([]);
  });

  test("with nothing on them drifts, which is said at the fourth", async () => {
    expect(loops(await run(platformOf(paging)))[0]).toEqual(["r1s4", "LOOP_HINT", "loop.drift"]);
  });
});

describe("5: a tool that is asked how far it is", () => {
  const job: Called = ["job", { name: "import" }];

  test("fifteen equal answers, five seconds apart, are no loop, and all are stored", async () => {
    const platform = platformOf((step) => (step <= 15 ? call(job) : DONE));
    platform.onModel = () => void (platform.now += 5_000);
    await run(platform, 40);
    expect(loops(platform)).toEqual([]);
    expect(results(platform)).toEqual(Array.from({ length: 15 }, (_, n) => [`r1s${n + 1}c0`, "ok", null]));
  });

  test("asked again within a second it waits for its time, without a model call", async () => {
    const platform = platformOf((step) => (step <= 2 ? call(job) : DONE));
    await run(platform);
    const asked = platform.log.flatMap((entry) => (entry.kind === "call_intended" ? [entry.at] : []));
    expect((asked[1] ?? 0) - (asked[0] ?? 0)).toBeGreaterThanOrEqual(5_000);
    expect(platform.requests).toHaveLength(3);
  });
});

describe("6: four things that are not there", () => {
  const gone = (line: (step: number) => Line): FakePlatform => {
    const platform = platformOf(line);
    platform.effects.broken.set("look", new ToolError("not_found", "no_page", "There is no such page."));
    return platform;
  };
  const told = { text: `None of these pages is there: a, b, c and d were not found. ${REPORT}` };

  test("looked for one after the other are a streak of errors", async () => {
    // By two tools: one alone rests after its third failure.
    const platform = gone(
      steps(call(look("a")), call(["list", { page: 1 }]), call(look("b")), call(["list", { page: 2 }]), told),
    );
    platform.effects.broken.set("list", new ToolError("not_found", "no_list", "There is no such list."));
    expect(loops(await run(platform))[0]).toEqual(["r1s4", "LOOP_HINT", "loop.error_streak"]);
  });

  test("looked for at once are not", async () => {
    const platform = await run(
      gone((step) => (step === 1 ? call(look("a"), look("b"), look("c"), look("d")) : told)),
    );
    expect(loops(platform)).toEqual([]);
  });
});

describe("7: words alone, unusable each time", () => {
  test("are hinted at, reminded of, and over by the fourth turn", async () => {
    const platform = await run(
      platformOf(() => ({ text: "" })),
      100,
    );
    expect(platform.requests.length).toBeLessThanOrEqual(5);
    expect(ended(platform)).toHaveLength(1);
  });
});

describe("7: what an agent says of a run that is stuck", () => {
  const stuck = (policy: RunPolicy["onStuck"]): Promise<FakePlatform> =>
    run(
      platformOf(() => call(look("a")), { onStuck: policy }),
      100,
    );

  test("retry_with_hint goes on once with the hint, and the second time forces the answer", async () => {
    const platform = await stuck({ action: "retry_with_hint", hint: "Look at page b instead." });
    expect(loops(platform).filter((entry) => (entry as string[])[1] === "STUCK")).toHaveLength(2);
    expect(
      platform.requests.filter((one) => JSON.stringify(one.messages).includes("Look at page b")),
    ).not.toEqual([]);
    expect(ended(platform)).toEqual([["r1", "completed_partial", "stuck"]]);
  });

  test("fail ends it without another model call", async () => {
    const platform = await stuck({ action: "fail" });
    expect(platform.requests).toHaveLength(5);
    expect(ended(platform)).toEqual([["r1", "failed_stuck", "stuck"]]);
    expect(platform.log.find((entry) => entry.kind === "answer")?.body).toMatchObject({
      source: "mechanical",
    });
  });

  test("iterations replaces the count of equal results", async () => {
    const platform = await stuck({ action: "force_answer", iterations: 5 });
    expect(loops(platform)[0]).toEqual(["r1s5", "LOOP_HINT", "loop.same_result"]);
  });

  test("is checked when the agent is declared", () => {
    const agent = (onStuck: object) => () => defineAgent({ description: "x", onStuck });
    expect(agent({ action: "answer", iterations: 4 })().spec.policy.onStuck).toEqual({
      action: "force_answer",
      iterations: 4,
    });
    expect(agent({ iterations: 1 })).toThrow("from 2 to 10");
    expect(agent({ hint: "x".repeat(1_001) })).toThrow("1000 characters");
    expect(() => defineAgent({ description: "x", questions: { waitMs: 0 } })).toThrow("positive");
    expect(defineAgent({ description: "x" }).spec.policy).toEqual(DEFAULT_RUN_POLICY);
  });
});

describe("8: what lies between two equal calls", () => {
  test("a crash changes nothing", async () => {
    const line = (step: number): Line => (step <= 5 ? call(look("a")) : DONE);
    const calm = await run(platformOf(line));
    const platform = platformOf(line);
    platform.say("go");
    for (let wakes = 0; wakes < 40 && platform.disk.alarm !== null; wakes++) {
      platform.now = Math.max(platform.now, platform.disk.alarm);
      await platform.fire();
      platform.restart();
    }
    expect([results(platform), loops(platform)]).toEqual([results(calm), loops(calm)]);
  });

  test("a person who speaks begins anew", async () => {
    const platform = platformOf((step) => (step <= 3 ? call(look("a")) : DONE));
    platform.effects.onTool = () => void platform.say("Look again.", { mode: "join" });
    expect(loops(await run(platform))).toEqual([]);
  });
});

describe("20: two calls in one reply", () => {
  test("that are equal run once, and both get the result", async () => {
    const platform = await run(platformOf(steps(call(look("a"), look("a")))));
    expect(platform.effects.reads).toBe(1);
    expect(results(platform)).toEqual([
      ["r1s1c0", "ok", null],
      ["r1s1c1", "ok", "r1s1c0"],
    ]);
  });

  test("that differ both run, each with its own arguments", async () => {
    const platform = await run(platformOf(steps(call(look("a"), look("b")))));
    const seen = platform.log.flatMap((entry) =>
      entry.kind === "call_settled" ? [entry.body.observation] : [],
    );
    expect(seen).toEqual(['{"ok":true,"name":"a"}', '{"ok":true,"name":"b"}']);
  });
});

describe("22: a read that fails", () => {
  test("with 503 and then works has one result, and nothing is banned", async () => {
    const platform = platformOf(steps(call(look("a"))));
    platform.effects.failures.set("look", [new ToolError("server", "http_503", "Unavailable.")]);
    const bans: unknown[] = [];
    platform.effects.onTool = () => void bans.push(...(platform.state.run?.loop.bans ?? []));
    await run(platform);
    expect(bans).toEqual([]);
    expect(results(platform)).toEqual([["r1s1c0", "ok", null]]);
  });

  test("with 404 is not called again before something has changed", async () => {
    const platform = platformOf(steps(call(look("a")), call(look("a")), call(put("b")), call(look("a"))));
    platform.effects.failures.set("look", [new ToolError("not_found", "no_page", "There is no such page.")]);
    await run(platform);
    expect(results(platform)).toEqual([
      ["r1s1c0", "error", "not_found"],
      ["r1s2c0", "refused", "SIG_BANNED"],
      ["r1s3c0", "ok", null],
      ["r1s4c0", "ok", null],
    ]);
  });
});

describe("23: what a failure is called", () => {
  const told = { text: `Nothing could be read: the look-up failed. ${REPORT}` };

  test("a tool that throws is a fault inside, and nothing about JSON", async () => {
    const platform = platformOf((step) => (step === 1 ? call(look("a")) : told));
    platform.effects.onTool = () => {
      throw new Error("undefined is not a function");
    };
    await run(platform);
    expect(results(platform)).toEqual([["r1s1c0", "error", "internal"]]);
    expect(JSON.stringify(platform.requests.at(-1)?.messages)).not.toMatch(/JSON|undefined is not/);
  });

  test("a refused key is no access, and not an empty result", async () => {
    const platform = platformOf((step) => (step <= 2 ? call(look("a")) : told));
    platform.effects.broken.set("look", new ToolError("auth", "bad_key", "The key was refused."));
    await run(platform);
    expect(results(platform)).toEqual([
      ["r1s1c0", "error", "auth"],
      ["r1s2c0", "refused", "TOOL_BANNED"],
    ]);
  });
});

test("a tool that fails three times in a row rests for three steps, and the second time for good", async () => {
  const names = Array.from({ length: 14 }, (_, n) => `p${n}`);
  const platform = platformOf((step) =>
    step <= 14
      ? call(look(names[step - 1] ?? ""), put(`x${step}`))
      : { text: `The look-ups failed. ${REPORT}` },
  );
  platform.effects.broken.set("look", new ToolError("conflict", "changed", "Changed meanwhile."));
  await run(platform, 40);
  const looks = results(platform).filter((entry) => String((entry as string[])[0]).endsWith("c0"));
  const told = looks.map((entry) => (entry as string[])[2]);
  expect(told.slice(0, 3)).toEqual(["conflict", "conflict", "conflict"]);
  expect(told.filter((code) => code === "TOOL_COOLDOWN")).toHaveLength(3);
  expect(told.at(-1)).toBe("TOOL_BANNED");
  expect(told.filter((code) => code === "conflict")).toHaveLength(6);
});

test("45: 429 with Retry-After 40 waits 40 s, runs no tool again and shows the model no error", async () => {
  const platform: FakePlatform = new FakePlatform((request) => {
    if (request.step === "r1s2" && platform.requests.length === 1)
      return { fail: { class: "rate_limit", message: "slow down", retryAfterMs: 40_000, usage: null } };
    return request.step === "r1s1" ? call(look("a")) : DONE;
  });
  platform.say("go");
  await platform.settle(30_000);
  expect(platform.requests).toHaveLength(2);
  expect((platform.disk.alarm ?? 0) - platform.now).toBeGreaterThanOrEqual(39_000);
  await platform.settle(3_600_000);
  expect(platform.effects.reads).toBe(1);
  expect(JSON.stringify(platform.requests.at(-1)?.messages)).not.toContain("slow down");
  expect(ended(platform)).toEqual([["r1", "completed", null]]);
});

test("47: a stop during a model call lets no tool begin, and the late reply changes nothing", async () => {
  const platform = platformOf(() => call(put("a")));
  platform.onModel = () => void platform.cancel("enough");
  await run(platform);
  expect(platform.effects.keyed.size).toBe(0);
  expect(ended(platform)).toEqual([["r1", "cancelled", "enough"]]);
  const { head } = platform.state;
  await platform.engine.wake();
  expect([platform.state.head, platform.requests.length, platform.disk.alarm]).toEqual([head, 1, null]);
});

test("48: two messages 200 ms apart are one conversation, and both are answered in order", async () => {
  const platform: FakePlatform = new FakePlatform((request) => ({ text: `Answer of ${request.step}.` }));
  platform.say("first");
  platform.now += 200;
  platform.say("second");
  await platform.settle();
  expect(ended(platform)).toEqual([
    ["r1", "completed", null],
    ["r2", "completed", null],
  ]);
  const last = JSON.stringify(platform.requests.at(-1)?.messages);
  expect(last.indexOf("first")).toBeLessThan(last.indexOf("second"));
  expect(last).toContain("Answer of r1s1.");
});
