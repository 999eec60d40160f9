import { describe, expect, test } from "vitest";
import { DAY_CAPS } from "../../../src/cairn/core/guards/budget/admit.ts";
import type { Json } from "../../../src/cairn/core/log/json.ts";
import type { PromptMessage, TokenUsage, Usage } from "../../../src/cairn/core/log/model.ts";
import { TOOL_TIMEOUT_MS } from "../../../src/cairn/core/limits.ts";
import { ToolError } from "../../../src/cairn/tools/define.ts";
import { REPORT } from "../platform/fake-model.ts";
import { FakePlatform } from "../platform/platform.ts";

/** Budgets, through the real loop. */

const ADA = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" } as const;
const OPEN = { limits: {} };
const PRICED = "openai-compatible:priced";
const PRICE = { input: 2, cachedInput: 2, output: 10 };
const look = (name: string): [string, { name: string }] => ["look", { name }];

/** Looks at something new in each step; says where it got to when it has no tools. */
const curious = (more: { readonly usage?: Partial<Usage> } = {}): FakePlatform =>
  new FakePlatform((request) =>
    request.tools.length === 0
      ? { text: `This far I came: ${REPORT}`, ...more }
      : { calls: [look(`thing of ${request.step}`)], ...more },
  );
const ends = (platform: FakePlatform): unknown =>
  platform.log.flatMap((entry) =>
    entry.kind === "run_ended" ? [[entry.body.outcome, entry.body.reason]] : [],
  );
const answers = (platform: FakePlatform): string[] =>
  platform.log.flatMap((entry) => (entry.kind === "answer" ? [entry.body.text] : []));
const codes = (platform: FakePlatform): string[] =>
  platform.log.flatMap((entry) => (entry.kind === "verdict" ? [entry.body.code] : []));
const classes = (platform: FakePlatform): string[] =>
  platform.log.flatMap((entry) => (entry.kind === "run_started" ? [entry.body.profile] : []));
/** The k and N of `step k of N` in each request, in the block that changes every step. */
const stepsShown = (platform: FakePlatform): (readonly [number, number])[] =>
  platform.requests.map(({ messages }) => {
    const found = /step (\d+) of (\d+) · /.exec(textOf(messages.slice(-1)));
    return [Number(found?.[1]), Number(found?.[2])];
  });
const textOf = (messages: readonly PromptMessage[] | undefined): string => JSON.stringify(messages);

async function settled(platform: FakePlatform): Promise<FakePlatform> {
  await platform.settle(3_600_000);
  expect(platform.folded).toEqual(platform.state);
  return platform;
}

describe("scenario 9: what is spent ends in one outcome and one delivered text", () => {
  test.each([
    ["steps", { steps: 4 }, "budget:steps"],
    ["tokens", { tokens: 40_000 }, "budget:tokens"],
    ["cost", { cost: 200_000 }, "budget:cost"],
    ["calls", { toolCalls: 2 }, "budget:calls"],
  ])("%s", async (_name, limits, reason) => {
    const platform = curious({ usage: { inputTokens: 6_000, outputTokens: 500 } });
    platform.prices = { [PRICED]: PRICE };
    platform.say("Look at everything.", { limits, model: PRICED });
    await settled(platform);
    expect(ends(platform)).toEqual([["completed_partial", reason]]);
    expect(answers(platform)).toHaveLength(1);
    expect(answers(platform)[0]).toContain("This far I came");
  });

  test("time", async () => {
    const platform = curious();
    platform.onModel = () => void (platform.now += 60_000);
    platform.say("Look at everything.", { limits: { activeMs: 300_000 } });
    await settled(platform);
    expect(ends(platform)).toEqual([["completed_partial", "budget:wall"]]);
    expect(answers(platform)).toHaveLength(1);
  });

  test("a tool has no more time than is left before the answer", async () => {
    const platform = curious();
    platform.onModel = () => void (platform.now += 60_000);
    platform.say("Look at everything.", { limits: { activeMs: 300_000 } });
    await settled(platform);
    const given = platform.begun.flatMap(({ what, timeMs }) => (what === "tool" ? [timeMs ?? Infinity] : []));
    expect(given.length).toBeGreaterThan(2);
    const most = given.map((_, index) => 300_000 - (index + 1) * 60_000);
    expect(given.filter((ms, index) => ms > (most[index] ?? 0))).toEqual([]);
    expect(Math.min(...given)).toBeLessThan(TOOL_TIMEOUT_MS);
  });

  test("with onExhausted fail there is no forced answer, and the run has failed", async () => {
    const platform = curious();
    platform.say("Look.", { wanted: { limits: { steps: 3 }, onExhausted: "fail" } });
    await settled(platform);
    expect(ends(platform)).toEqual([["failed_budget", "budget:steps"]]);
    expect(platform.requests.every((request) => request.tools.length > 0)).toBe(true);
  });
});

test("scenario 10: at the token cap an answer comes, and its request still holds the newest result", async () => {
  const platform = curious({ usage: { inputTokens: 6_000, outputTokens: 500 } });
  platform.say("Look at everything.", { limits: { tokens: 40_000 } });
  await settled(platform);
  const last = platform.requests.at(-1);
  expect(last?.tools).toEqual([]);
  expect(textOf(last?.messages)).toContain(`thing of ${platform.requests.at(-2)?.step}`);
});

describe("scenario 11: the account", () => {
  test("is what the provider counted, in tokens and in money", async () => {
    const platform = curious({ usage: { inputTokens: 6_000, outputTokens: 500 } });
    platform.prices = { [PRICED]: PRICE };
    platform.say("Look at everything.", { limits: { steps: 4 }, model: PRICED });
    await settled(platform);
    const ended = platform.log.find((entry) => entry.kind === "run_ended");
    expect(ended?.body).toMatchObject({
      usage: { inputTokens: 24_000, outputTokens: 2_000, cost: 4 * (12_000 + 5_000) },
    });
    expect(platform.state.day).toMatchObject({ tokens: 26_000, cost: 68_000 });
  });

  test("a call that would pass the limit is not made", async () => {
    const platform = curious({ usage: { inputTokens: 6_000, outputTokens: 500 } });
    platform.prices = { [PRICED]: PRICE };
    platform.say("Look at everything.", { limits: { cost: 200_000 }, model: PRICED });
    await settled(platform);
    const spent = platform.log.find((entry) => entry.kind === "run_ended")?.body;
    expect((spent as { usage: { cost: number } }).usage.cost).toBeLessThanOrEqual(200_000);
  });

  test("missing usage is estimated, never zero", async () => {
    const platform = curious({ usage: { inputTokens: 0, outputTokens: 3, estimated: true } });
    platform.say("Look.", { limits: { steps: 3 } });
    await settled(platform);
    const used = platform.log.flatMap((entry) => (entry.kind === "model_replied" ? [entry.body.usage] : []));
    expect(used.every((usage) => usage.inputTokens > 100 && usage.estimated)).toBe(true);
  });
});

describe("scenario 12", () => {
  test("a crash after the reservation is charged with all of it", async () => {
    const platform = curious();
    let crash = true;
    platform.onModel = () => {
      if (!crash) return;
      crash = false;
      throw new Error("the isolate dies here");
    };
    platform.say("Look.", { limits: { steps: 3 } });
    await platform.settle().catch(() => {});
    platform.restart();
    await settled(platform);
    const lost = platform.log.filter((entry) => entry.kind === "attempt_lost");
    const opened = platform.log.find((entry) => entry.kind === "step_started");
    expect(lost).toHaveLength(1);
    const reserved = opened?.kind === "step_started" ? opened.body.reservedTokens : 0;
    const ended = platform.log.find((entry) => entry.kind === "run_ended");
    const usage = ended?.kind === "run_ended" ? ended.body.usage : null;
    expect((usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0)).toBe(reserved + 3 * 110);
  });

  test("limits that cannot hold one call and the answer are refused when the run is accepted", async () => {
    const platform = new FakePlatform([]);
    platform.service.admitOrCreate(ADA);
    const said = await platform.api.send(ADA, {
      id: "m1",
      parts: [{ type: "text", text: "Look." }],
      mode: null,
      source: "api",
      request: null,
      ask: { limits: { tokens: 1_000 } },
    });
    expect(said).toMatchObject({ ok: false, error: { status: 422, code: "limits_too_small" } });
    expect(platform.log).toEqual([]);
  });
});

test("scenario 13: two hours of waiting for a person use no time of the run", async () => {
  const platform = new FakePlatform([{ calls: [["publish", { name: "a" }]] }, { text: REPORT }]);
  platform.say("Publish it.");
  await platform.settle();
  platform.now += 2 * 3_600_000;
  platform.decide("approve");
  await settled(platform);
  const ended = platform.log.find((entry) => entry.kind === "run_ended");
  expect(ended?.kind === "run_ended" ? ended.body.activeMs : null).toBeLessThan(60_000);
});

test("scenario 13: what a model estimates is no limit: the steps that it is shown are those of its run", async () => {
  const items = ["p1", "p2", "p3"].map((id) => ({ id, text: `step ${id}`, kind: "look", status: "open" }));
  const platform = new FakePlatform((_request, index) => {
    if (index === 9)
      return { text: `${REPORT} Nothing was left out: p1, p2 and p3 were not done as planned.` };
    const plan: [string, Json][] = index === 0 ? [["update_plan", { goal: "Three steps", items }]] : [];
    return { text: "Step of 3: this takes 3 steps.", calls: [...plan, look(`thing ${index}`)] };
  });
  platform.say("Look at everything.");
  await settled(platform);
  expect(platform.requests.length).toBeGreaterThanOrEqual(9);
  expect(stepsShown(platform)).toEqual(platform.requests.map((_, index) => [index + 1, 15]));
});

describe("scenario 14", () => {
  test("a complex run uses steps 31 to 39 with tools", async () => {
    const platform = curious();
    platform.say("Look at everything.", { wanted: { limits: {}, profile: "complex" } });
    await settled(platform);
    // 40, and 8 more that it is given by itself.
    expect(platform.requests).toHaveLength(48);
    expect(platform.requests.slice(30, 39).every((request) => request.tools.length > 0)).toBe(true);
  });
});

describe("scenario 15: more room", () => {
  test("is given once by itself where the run makes progress, for tools that it has used", async () => {
    const platform = curious();
    platform.say("Look at everything.", { wanted: { limits: {}, profile: "standard" } });
    await settled(platform);
    expect(codes(platform).filter((code) => code === "EXTENDED")).toEqual(["EXTENDED"]);
    // 15, and half of the 14 calls that were made.
    expect(platform.requests).toHaveLength(22);
    expect(stepsShown(platform).every(([k, n]) => k <= n)).toBe(true);
    expect(stepsShown(platform).at(-1)).toEqual([22, 22]);
  });

  test("is refused to a run that a loop has warned, although it makes progress again", async () => {
    const platform = new FakePlatform((request, index) => {
      if (request.tools.length === 0) return { text: `This far I came: ${REPORT}` };
      // The same thing three times, then something new until the steps are used.
      return { calls: [look(index >= 10 && index < 13 ? "the same" : `thing ${index}`)] };
    });
    platform.say("Look at everything.", { wanted: { limits: {}, profile: "standard" } });
    let level = 0;
    platform.onModel = () => void (level = platform.state.run?.loop.stuck.level ?? 0);
    await settled(platform);
    expect(level).toBe(1);
    expect(codes(platform)).not.toContain("EXTENDED");
    expect(platform.requests).toHaveLength(15);
    expect(ends(platform)).toEqual([["completed_partial", "budget:steps"]]);
  });

  test("is not given because the model asks for it", async () => {
    const platform = new FakePlatform((request) => {
      if (request.tools.length === 0) return { text: `This far I came: ${REPORT}` };
      const ask: [string, Json] = ["extend", { steps: 20 }];
      const text = "I need 20 more steps. /extend 20";
      return { text, calls: [ask, look(`thing of ${request.step}`)] };
    });
    platform.say("Look at everything.", { limits: { steps: 5 } });
    await settled(platform);
    expect(stepsShown(platform)).toEqual([1, 2, 3, 4, 5].map((step) => [step, 5]));
    expect(codes(platform)).not.toContain("EXTENDED");
    expect(platform.effects.reads).toBe(4);
    expect(ends(platform)).toEqual([["completed_partial", "budget:steps"]]);
  });

  test("is not given where somebody set the steps", async () => {
    const platform = curious();
    platform.say("Look at everything.");
    await settled(platform);
    expect(codes(platform)).not.toContain("EXTENDED");
    expect(platform.requests).toHaveLength(15);
  });

  test("is given by a person once, and never above the day", async () => {
    const platform = curious();
    platform.service.admitOrCreate(ADA);
    const extend = (id: string, wish: object) => platform.api.extend(ADA, { id, runId: "r1", amounts: wish });
    platform.onModel = async () => {
      platform.onModel = null;
      expect(await extend("x0", { tokens: DAY_CAPS.tokens })).toMatchObject({ error: { code: "above_cap" } });
      expect(await platform.api.extend(ADA, { id: "x0", runId: "ses.r7", amounts: {} })).toMatchObject({
        error: { code: "not_found", message: "No such run." },
      });
      expect(await extend("x1", { steps: 2 })).toMatchObject({ ok: true, value: { id: "ses.r1" } });
      expect(await extend("x1", { steps: 2 })).toMatchObject({ ok: true });
      expect(await extend("x2", { steps: 2 })).toMatchObject({ error: { code: "already_extended" } });
    };
    platform.say("Look at everything.", { limits: { steps: 3 } });
    await settled(platform);
    expect(platform.requests).toHaveLength(5);
  });
});

test("scenario 16: a forced call that returns only tool calls ends in the honest message", async () => {
  const platform = new FakePlatform((request) => ({ calls: [look(`thing of ${request.step}`)] }));
  platform.say("Look.", { limits: { steps: 3 } });
  await settled(platform);
  expect(ends(platform)).toEqual([["completed_partial", "budget:steps"]]);
  expect(answers(platform)).toHaveLength(1);
  expect(codes(platform)).toContain("CALLS_DROPPED");
  expect(platform.effects.reads).toBe(2);
});

test.each([
  "Find articles about user preference models and report",
  'Research "hi" in twelve languages and report',
])("scenario 17: %s is research", async (text) => {
  const platform = new FakePlatform([{ text: REPORT }]);
  platform.say(text, { wanted: OPEN });
  await settled(platform);
  expect(classes(platform)).toEqual(["research"]);
});

test("scenario 18: ok after an open question has the class of its run; with none open it is trivial", async () => {
  const platform = new FakePlatform([
    { text: "Hello." },
    { text: `${REPORT} Shall I go on?` },
    { text: REPORT },
  ]);
  for (const text of [
    "ok",
    "Create a page, then publish it and add it to the menu, and then tell me",
    "ok",
  ]) {
    platform.say(text, { wanted: OPEN });
    await settled(platform);
  }
  expect(classes(platform)).toEqual(["trivial", "standard", "standard"]);
});

test("scenario 52: /lean is taken off, and the run is a lean one", async () => {
  const platform = new FakePlatform([{ text: REPORT }]);
  platform.say("/lean What is there?", { wanted: OPEN });
  await settled(platform);
  expect(classes(platform)).toEqual(["lean"]);
  expect(textOf(platform.requests[0]?.messages)).not.toContain("/lean");
  expect(textOf(platform.requests[0]?.messages)).toContain("step 1 of 6");
});

test("a day that is spent ends the run honestly, and the next day is a new one", async () => {
  const platform = curious({ usage: { inputTokens: 6_000, outputTokens: 500 } });
  platform.day = { ...DAY_CAPS, tokens: 1_000 };
  platform.say("Look.");
  await settled(platform);
  expect(ends(platform)).toEqual([["failed_budget", "budget:day"]]);
  expect(platform.requests).toEqual([]);
});

test("what a day has spent counts until its midnight in UTC, and not beyond", async () => {
  const platform = new FakePlatform([{ text: REPORT }, { text: REPORT }]);
  const DAY_MS = 86_400_000;
  platform.now = Math.ceil(platform.now / DAY_MS) * DAY_MS;
  platform.prices = { [PRICED]: PRICE };
  platform.script = () => ({ text: REPORT, usage: { inputTokens: 30_000, outputTokens: 500 } });
  platform.day = { ...DAY_CAPS, tokens: 31_000 };
  const say = (at: number): Promise<FakePlatform> => {
    platform.now = Math.max(platform.now, at);
    platform.say("Look.", { model: PRICED });
    return settled(platform);
  };
  const midnight = platform.now + DAY_MS;
  await say(platform.now);
  await say(midnight - 1_000);
  await say(midnight);
  expect(ends(platform)).toEqual([
    ["completed", null],
    ["failed_budget", "budget:day"],
    ["completed", null],
  ]);
  expect(platform.requests).toHaveLength(2);
  expect(platform.state.day).toEqual({ no: midnight / DAY_MS, tokens: 30_500, cost: 65_000 });
});

test("at four fifths the model is told once, and at its last step with tools", async () => {
  const platform = curious();
  platform.say("Look.", { limits: { steps: 10 } });
  await settled(platform);
  expect(codes(platform).filter((code) => code === "WRAP_UP" || code === "LAST_STEP")).toEqual([
    "LAST_STEP",
    "WRAP_UP",
  ]);
});

/** Results of the calls in order: `ok`, or the reason why one was not run. */
const came = (platform: FakePlatform): string[] =>
  platform.log.flatMap((entry) =>
    entry.kind === "call_settled" ? [entry.body.skip ?? entry.body.status] : [],
  );

describe("the limit of calls", () => {
  test("is passed by no batch: what is beyond it is not run, and the run goes on", async () => {
    const platform = new FakePlatform([
      { calls: ["a", "b", "c", "d", "e"].map(look) },
      { calls: [look("f")] },
      { text: REPORT },
    ]);
    platform.say("Look at all of them.", { limits: { toolCalls: 3 } });
    await settled(platform);
    expect(came(platform)).toEqual(["ok", "ok", "ok", "BUDGET_CALLS", "BUDGET_CALLS", "BUDGET_CALLS"]);
    expect(platform.effects.reads).toBe(3);
    // One call of the first reply ran, so that the next one still had tools; after the second there is the answer.
    expect(platform.requests.map(({ tools }) => tools.length > 0)).toEqual([true, true, false]);
    expect(ends(platform)).toEqual([["completed_partial", "budget:calls"]]);
  });

  test("takes a call that failed in passing once, and lets it be tried again", async () => {
    const platform = new FakePlatform([{ calls: [look("a")] }, { text: REPORT }]);
    platform.effects.failures.set("look", [new ToolError("server", "busy", "Busy.", { nothingDone: true })]);
    platform.say("Look.", { limits: { toolCalls: 1 } });
    await settled(platform);
    expect(came(platform)).toEqual(["ok"]);
    expect(platform.begun.filter(({ what }) => what === "tool")).toHaveLength(2);
  });

  test("is of work: a plan is made when all of it is used", async () => {
    const items = [{ id: "p1", text: "Look at a", kind: "look", status: "open" }];
    const plan: [string, Json] = ["update_plan", { goal: "One thing", items }];
    const platform = new FakePlatform([{ calls: [look("a")] }, { calls: [plan] }, { text: REPORT }]);
    platform.say("Look.", { limits: { toolCalls: 1 } });
    await settled(platform);
    expect(came(platform)).toEqual(["ok", "ok"]);
  });

  test("of messages keeps one for the answer", async () => {
    const tell = (name: string): [string, Json] => ["tell", { name }];
    const platform = new FakePlatform([{ calls: [tell("a")] }, { calls: [tell("b")] }, { text: REPORT }]);
    platform.tells = true;
    platform.restart();
    platform.say("Tell me.", { limits: { messages: 2 } });
    await settled(platform);
    expect(came(platform)).toEqual(["ok", "BUDGET_MESSAGES"]);
    expect(platform.effects.once).toEqual(["r1s1c0"]);
  });
});

describe("more room that a run gives itself", () => {
  /** Looks at something new in 14 steps, then puts something. */
  const putting = (): FakePlatform =>
    new FakePlatform((request, index) => {
      if (request.tools.length === 0) return { text: `This far I came: ${REPORT}` };
      return { calls: [index < 14 ? look(`thing ${index}`) : ["put", { name: `page ${index}` }]] };
    });

  test("is for the tools that it has used", async () => {
    const platform = putting();
    platform.say("Look at everything.", { wanted: { limits: {}, profile: "standard" } });
    await settled(platform);
    expect(came(platform).slice(13)).toEqual(["ok", "BUDGET_CALLS"]);
    expect(platform.effects.keyed.size).toBe(0);
    const skipped = platform.log.find(
      (entry) => entry.kind === "call_settled" && entry.body.skip === "BUDGET_CALLS",
    );
    expect(skipped?.kind === "call_settled" && skipped.body.failure?.message).toContain("put");
  });

  test("is for all of them once a person has given it some too", async () => {
    const platform = putting();
    platform.service.admitOrCreate(ADA);
    platform.onModel = async ({ step }) => {
      if (step !== "r1s15") return;
      const given = await platform.api.extend(ADA, { id: "x1", runId: "r1", amounts: { steps: 1 } });
      expect(given.ok).toBe(true);
    };
    platform.say("Look at everything.", { wanted: { limits: {}, profile: "standard" } });
    await settled(platform);
    expect(codes(platform)).toContain("EXTENDED");
    expect(platform.effects.keyed.size).toBeGreaterThan(0);
  });

  test("is less once it has told the person something", async () => {
    const platform = new FakePlatform((request, index) => {
      if (request.tools.length === 0) return { text: `This far I came: ${REPORT}` };
      return { calls: [index === 0 ? ["tell", { name: "a" }] : look(`thing ${index}`)] };
    });
    platform.tells = true;
    platform.restart();
    platform.say("Look at everything.", { wanted: { limits: {}, profile: "standard" } });
    await settled(platform);
    // 15, and a quarter of the 13 calls.
    expect(platform.requests).toHaveLength(19);
  });

  test("is not given where the deployment has capped the steps", async () => {
    const platform = curious();
    platform.say("Look at everything.", { wanted: { limits: {}, caps: { steps: 15 }, profile: "standard" } });
    await settled(platform);
    expect([platform.requests.length, codes(platform).includes("EXTENDED")]).toEqual([15, false]);
  });
});

describe("a small run that becomes a larger one", () => {
  const promoted = async (limits: object, caps?: object): Promise<readonly [number, string, unknown][]> => {
    const platform = curious();
    const wanted = { limits, profile: "trivial", ...(caps === undefined ? {} : { caps }) } as const;
    platform.say("Look.", { wanted });
    const seen: [number, string, unknown][] = [];
    platform.onModel = ({ step }) => {
      const { run } = platform.state;
      if (run !== null)
        seen.push([Number(step.slice(3)), run.profile, [run.limits.steps, run.limits.toolCalls]]);
    };
    await settled(platform);
    expect(codes(platform).filter((code) => code === "PROMOTED")).toEqual(["PROMOTED"]);
    return seen;
  };

  test("does so once, before its fifth step, and has the limits of the larger class", async () => {
    const seen = await promoted({});
    expect(seen.slice(3, 6)).toEqual([
      [4, "trivial", [6, 8]],
      [5, "simple", [12, 25]],
      [6, "simple", [12, 25]],
    ]);
  });

  test("keeps what was set, and stays below the caps of its deployment", async () => {
    expect((await promoted({ toolCalls: 7 }))[4]).toEqual([5, "simple", [12, 7]]);
    expect((await promoted({}, { toolCalls: 10 }))[4]).toEqual([5, "simple", [12, 10]]);
  });
});

describe("a model call that failed", () => {
  const reported = {
    inputTokens: 700,
    cachedInputTokens: 0,
    outputTokens: 30,
    reasoningTokens: 0,
    estimated: false,
  };
  /** Tokens that the run was charged with beside its one reply, and those that its first call had reserved. */
  const charged = async (failure: string, usage: TokenUsage | null): Promise<readonly [number, number]> => {
    const fail = { class: failure as "timeout", message: "It broke off.", retryAfterMs: null, usage };
    const platform = new FakePlatform((_request, index) => (index === 0 ? { fail } : { text: REPORT }));
    platform.say("Look.");
    await settled(platform);
    const opened = platform.log.find((entry) => entry.kind === "step_started");
    const ended = platform.log.find((entry) => entry.kind === "run_ended");
    if (opened?.kind !== "step_started" || ended?.kind !== "run_ended") throw new Error("it did not run");
    const { inputTokens, outputTokens } = ended.body.usage;
    return [inputTokens + outputTokens - 110, opened.body.reservedTokens ?? 0];
  };

  test.each(["timeout", "cut_off"])(
    "by %s costs all that was set aside for it, or what was reported",
    async (cls) => {
      const [cost, reserved] = await charged(cls, null);
      expect(reserved).toBeGreaterThan(0);
      expect(cost).toBe(reserved);
      expect((await charged(cls, reported))[0]).toBe(730);
    },
  );

  test.each(["overloaded", "rate_limit", "network"])("by %s costs what was reported alone", async (cls) => {
    expect((await charged(cls, null))[0]).toBe(0);
    expect((await charged(cls, reported))[0]).toBe(730);
  });
});

describe("a budget", () => {
  test("counts the output", async () => {
    const platform = curious({ usage: { inputTokens: 100, outputTokens: 6_000 } });
    platform.say("Look at everything.", { limits: { tokens: 40_000 } });
    await settled(platform);
    expect(ends(platform)).toEqual([["completed_partial", "budget:tokens"]]);
    const spent = platform.log.find((entry) => entry.kind === "run_ended")?.body as { usage: Usage };
    expect(spent.usage.inputTokens + spent.usage.outputTokens).toBeLessThanOrEqual(40_000);
  });

  test("counts the time up to now, including a late alarm", async () => {
    const platform = curious();
    platform.say("Look at everything.", { limits: { activeMs: 120_000 } });
    platform.now += 1;
    await platform.fire();
    expect(platform.requests).toHaveLength(1);
    platform.now += 100_000;
    await settled(platform);
    expect(ends(platform)).toEqual([["completed_partial", "budget:wall"]]);
    // The step whose alarm was late is the answer.
    expect(platform.requests.map(({ tools }) => tools.length > 0)).toEqual([true, false]);
  });

  test("counts a retried step once, and warns once", async () => {
    const failure = { class: "overloaded", message: "Busy.", retryAfterMs: null, usage: null } as const;
    const platform = new FakePlatform((request, index) => {
      if (request.tools.length === 0) return { text: `This far I came: ${REPORT}` };
      return index === 1 ? { fail: failure } : { calls: [look(`thing ${index}`)] };
    });
    platform.say("Look.", { limits: { steps: 3 } });
    await settled(platform);
    expect(platform.requests.map(({ step, tools }) => [step, tools.length > 0])).toEqual([
      ["r1s1", true],
      ["r1s2", true],
      ["r1s2", true],
      ["r1s3", false],
    ]);
    expect(codes(platform).filter((code) => code === "LAST_STEP")).toEqual(["LAST_STEP"]);
  });

  test("warns once at four fifths, also for messages", async () => {
    const platform = new FakePlatform((request, index) => {
      if (index >= 6 || request.tools.length === 0) return { text: REPORT };
      return { calls: [index < 4 ? ["tell", { name: `a${index}` }] : look(`thing ${index}`)] };
    });
    platform.tells = true;
    platform.restart();
    platform.say("Tell me.", { limits: { messages: 5 } });
    await settled(platform);
    const told = platform.log.flatMap((entry) =>
      entry.kind === "verdict" && entry.body.code === "WRAP_UP" ? [entry.body.rule] : [],
    );
    expect(told).toEqual(["budget:messages"]);
  });
});

test("sixty things are looked at and changed, though that is more calls than its class has: each was new work", async () => {
  const PER_STEP = 8;
  const platform = new FakePlatform((request) =>
    Number(request.step.split("s")[1]) <= 11
      ? { calls: Array.from({ length: PER_STEP }, (_, n) => look(`page ${request.step}.${n}`)) }
      : { text: REPORT },
  );
  platform.say("Look at every page of the site, one after the other.", {
    wanted: { limits: {}, profile: "standard" },
  });
  await settled(platform);
  const looked = platform.log.filter((entry) => entry.kind === "call_settled" && entry.body.status === "ok");
  expect(looked).toHaveLength(11 * PER_STEP);
  expect(codes(platform).filter((code) => code === "MORE_CALLS")).toHaveLength(1);
  expect(codes(platform)).not.toContain("BUDGET_CALLS");
  expect(ends(platform)).toEqual([["completed", null]]);
});

test("a number of calls that somebody set is the number of calls, however new each is", async () => {
  const platform = new FakePlatform((request) =>
    request.tools.length === 0
      ? { text: REPORT }
      : { calls: [look(`a ${request.step}`), look(`b ${request.step}`)] },
  );
  platform.say("Look at every page of the site.", { limits: { toolCalls: 5 } });
  await settled(platform);
  expect(codes(platform)).not.toContain("MORE_CALLS");
  expect(ends(platform)).toEqual([["completed_partial", "budget:calls"]]);
});

describe("a tool that costs something", () => {
  const visit = (name: string): [string, { name: string }] => ["visit", { name }];
  const play = async (
    steps: number,
    more: { readonly limits?: { readonly cost: number } } = {},
    failures: readonly ToolError[] = [],
  ): Promise<FakePlatform> => {
    const platform = new FakePlatform((request) => {
      const step = Number(request.step.slice(3));
      return step <= steps ? { calls: [visit(`p${step}`)] } : { text: "Read." };
    });
    platform.effects.failures.set("visit", [...failures]);
    platform.say("go", more);
    await platform.settle(3_600_000);
    expect(platform.folded).toEqual(platform.state);
    return platform;
  };
  const settled = (platform: FakePlatform): unknown[] =>
    platform.log.flatMap((entry) =>
      entry.kind === "call_settled" ? [[entry.body.skip ?? entry.body.status, entry.body.cost]] : [],
    );
  /** millionths of a dollar: what the models are charged with, and the run */
  const costs = (platform: FakePlatform): readonly [number, number] => {
    const models = platform.log.flatMap((entry) =>
      entry.kind === "model_replied" ? [entry.body.usage.cost ?? 0] : [],
    );
    const end = platform.log.find((entry) => entry.kind === "run_ended");
    const whole = end?.kind === "run_ended" ? (end.body.usage.cost ?? 0) : -1;
    return [models.reduce((sum, cost) => sum + cost, 0), whole];
  };

  test("charges the run with what it has spent", async () => {
    const platform = await play(1);
    expect(settled(platform)).toEqual([["ok", 4_000]]);
    const [models, whole] = costs(platform);
    expect(whole).toBe(models + 4_000);
  });

  test("that fails without a word about it is charged with all that was set aside, for each try", async () => {
    const busy = new ToolError("server", "busy", "Busy.", { nothingDone: true });
    const platform = await play(1, {}, [busy]);
    const paid = platform.log.flatMap((entry) =>
      entry.kind === "verdict" || entry.kind === "call_settled" ? [entry.body.cost] : [],
    );
    expect(paid.filter((cost) => cost !== undefined)).toEqual([10_000, 4_000]);
    const [models, whole] = costs(platform);
    expect(whole).toBe(models + 14_000);
  });

  test("is not called when it may cost more than is left beside the answer", async () => {
    const [models] = costs(await play(1));
    // Room for the models and 9,000 millionths: less than the 10,000 that are set aside before it is called.
    const platform = await play(1, { limits: { cost: models * 8 + 9_000 } });
    const free = await play(1, { limits: { cost: models * 8 + 40_000 } });
    expect(settled(free)).toEqual([["ok", 4_000]]);
    const verdict = platform.log.find((entry) => entry.kind === "call_settled");
    expect(models > 0 || verdict !== undefined).toBe(true);
    expect(settled(platform)).toEqual([["BUDGET_CALLS", undefined]]);
    expect(JSON.stringify(verdict?.body)).toContain("may cost more than is left");
  });
});
