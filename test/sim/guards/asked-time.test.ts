import { describe, expect, test } from "vitest";
import { endOf } from "../../../src/cairn/core/guards/budget/amounts.ts";
import { checkLimits, limitsFor } from "../../../src/cairn/core/guards/budget/profiles.ts";
import { asKind, type RequestedLimits } from "../../../src/cairn/core/log/entry.ts";
import { FALLBACK_PRICE } from "../../../src/cairn/core/model-tables.ts";
import { REPORT } from "../platform/fake-model.ts";
import { FakePlatform } from "../platform/platform.ts";

/** The time that a run asks for is the time that it has. */

const PRICED = "openai-compatible:priced";
const REQUEST = { estimate: 12_000, maxOut: 1_024, price: FALLBACK_PRICE, contextCap: 120_000 };

describe("so little time is accepted", () => {
  test.each([
    [5_000, "fail"],
    [1_000, "fail"],
    [5_000, undefined],
    [1_000, undefined],
    [12_000, undefined],
  ] as const)("%i ms, on_exhausted %s", (wall, onExhausted) => {
    const found = limitsFor("standard", { wall });
    if (!found.ok) throw new Error("refused");
    expect(checkLimits(found.limits, REQUEST, endOf("standard", onExhausted))).toBeNull();
  });
});

/** Works without an end, each model call for so long; how long it has worked when its end is decided, and how long in all. */
async function worked(wanted: RequestedLimits, callMs: number) {
  const platform = new FakePlatform((request) => ({
    usage: { inputTokens: 1_000, outputTokens: 50 },
    ...(request.tools.length === 0
      ? { text: `This far I came: ${REPORT}` }
      : { calls: [["look", { name: `thing of ${request.step}` }]] }),
  }));
  platform.restart();
  platform.onModel = ({ timeoutMs }) => void (platform.now += Math.min(callMs, timeoutMs));
  const began = platform.now;
  platform.say("Look at everything.", { wanted });
  await platform.settle(3_600_000);
  const spent = platform.log
    .flatMap((entry) => asKind(entry, "verdict") ?? [])
    .find(({ body }) => /^(?:BUDGET_WALL|DEADLINE)$/.test(body.code));
  const ended = platform.log.flatMap((entry) => asKind(entry, "run_ended") ?? []).at(-1);
  return {
    code: spent?.body.code,
    after: (spent?.at ?? 0) - began,
    inAll: (ended?.at ?? 0) - began,
    answers: platform.log.flatMap((entry) => asKind(entry, "answer") ?? []).map(({ body }) => body.source),
  };
}

const failing = (activeMs: number): RequestedLimits => ({
  profile: "standard",
  onExhausted: "fail",
  limits: { activeMs, steps: 60, toolCalls: 200 },
});

describe("with on_exhausted fail nothing is kept for an answer", () => {
  test.each([20_000, 5_000, 60_000, 47_000])("%i ms are worked to their end", async (ms) => {
    const { code, after } = await worked(failing(ms), 1_500);
    expect(code).toBe("BUDGET_WALL");
    expect(after).toBeGreaterThanOrEqual(ms);
    expect(after).toBeLessThan(ms + 500);
  });

  test("with answer a fifth of it is kept, and the whole is never passed", async () => {
    const { code, after, inAll } = await worked(
      { profile: "standard", limits: { activeMs: 20_000, steps: 60 } },
      1_500,
    );
    expect(code).toBe("BUDGET_WALL");
    expect(after).toBeGreaterThan(11_000);
    expect(after).toBeLessThan(16_000);
    expect(inAll).toBeLessThan(20_000);
  });
});

describe("with on_exhausted fail no step, token or money is reserved for an answer", () => {
  /** Looks at something new in each step and never answers. */
  async function spend(wanted: RequestedLimits, tokens = 1_000) {
    const platform = new FakePlatform((request) => ({
      usage: { inputTokens: tokens, outputTokens: 50 },
      calls: [["look", { name: `thing of ${request.step}` }]],
    }));
    platform.prices = { [PRICED]: { input: 2, cachedInput: 2, output: 10 } };
    platform.restart();
    platform.say("Look at everything.", { wanted, model: PRICED });
    await platform.settle(3_600_000);
    expect(platform.folded).toEqual(platform.state);
    const ended = platform.log.flatMap((entry) => asKind(entry, "run_ended") ?? []).at(-1);
    const used = ended?.body.usage;
    return {
      steps: platform.requests.length,
      withTools: platform.requests.filter(({ tools }) => tools.length > 0).length,
      end: [ended?.body.outcome, ended?.body.reason],
      tokens: (used?.inputTokens ?? 0) + (used?.outputTokens ?? 0),
      cost: used?.cost ?? 0,
      notes: platform.requests.map(
        ({ messages }) => /This is your last step[^"]*/.exec(JSON.stringify(messages))?.[0],
      ),
    };
  }
  const fails = (limits: RequestedLimits["limits"]): RequestedLimits => ({
    profile: "standard",
    onExhausted: "fail",
    limits: { toolCalls: 200, ...limits },
  });

  test.each([1, 2, 3, 10])("%i steps are steps with tools, and the last one is announced", async (steps) => {
    const { steps: made, withTools, end, notes } = await spend(fails({ steps }));
    expect([made, withTools, end]).toEqual([steps, steps, ["failed_budget", "budget:steps"]]);
    expect(notes.map((note) => note !== undefined)).toEqual(
      Array.from({ length: steps }, (_, at) => at === steps - 1),
    );
    expect(notes.at(-1)).toContain("the run ends after it");
  });

  test.each([20_000, 40_000, 66_000])("%i tokens are used until no call fits", async (tokens) => {
    const found = await spend(fails({ steps: 200, tokens }), 4_000);
    expect(found.end).toEqual(["failed_budget", "budget:tokens"]);
    // A call reserves 1.15 of its estimate and 512 tokens of output at least: less than two calls of this size.
    expect(found.tokens).toBeGreaterThan(tokens - 2 * 4_050);
    expect(found.tokens).toBeLessThanOrEqual(tokens + 4_050);
  });

  test.each([60_000, 150_000])("%i millionths of a dollar too", async (cost) => {
    const found = await spend(fails({ steps: 200, cost }), 4_000);
    expect(found.end).toEqual(["failed_budget", "budget:cost"]);
    expect(found.cost).toBeGreaterThan(cost - 25_000);
    expect(found.cost).toBeLessThanOrEqual(cost + 8_500);
  });

  test("one step is accepted, and an answer in it is the answer", async () => {
    const platform = new FakePlatform(() => ({ text: REPORT }));
    platform.say("What is there?", { wanted: fails({ steps: 1 }) });
    await platform.settle(3_600_000);
    const ended = platform.log.flatMap((entry) => asKind(entry, "run_ended") ?? []);
    expect(ended.map(({ body }) => body.outcome)).toEqual(["completed"]);
    expect(platform.requests.map(({ tools }) => tools.length > 0)).toEqual([true]);
  });

  test("an answer of the last step that the review refuses is delivered as partial", async () => {
    const platform = new FakePlatform((request) =>
      request.step === "r1s1"
        ? { calls: [["look", { name: "a" }]] }
        : { text: "I have created the page and published it." },
    );
    platform.say("Create a page about tea and publish it.", { wanted: fails({ steps: 2 }) });
    await platform.settle(3_600_000);
    const ended = platform.log.flatMap((entry) => asKind(entry, "run_ended") ?? []).at(-1);
    expect(ended?.body.outcome).toBe("completed_partial");
    expect(ended?.body.reason).toMatch(/^review:/);
    const answers = platform.log.flatMap((entry) => asKind(entry, "answer") ?? []);
    expect(answers.map(({ body }) => body.text)).toEqual([
      expect.stringContaining("I have created the page"),
    ]);
    expect(platform.requests).toHaveLength(2);
  });
});

describe("a capsule lasts as long as it was given", () => {
  test.each([5, 7, 30])("%i minutes", async (minutes) => {
    const ms = minutes * 60_000;
    const { code, after, answers } = await worked(
      { profile: "time_capsule", limits: { activeMs: ms, cost: 50_000_000, steps: 500, tokens: 90_000_000 } },
      8_000,
    );
    expect(code).toBe("DEADLINE");
    // No call is begun in the last eleven seconds: it would be cut off.
    expect(after).toBeGreaterThan(ms - 11_000);
    expect(after).toBeLessThanOrEqual(ms + 1_000);
    expect(answers).toHaveLength(1);
  });
});
