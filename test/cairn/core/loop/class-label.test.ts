import { NO_WORDS } from "../../../../src/cairn/core/guards/no-words.ts";
import { describe, expect, test } from "vitest";
import { labelCall, readLabel } from "../../../../src/cairn/core/loop/class-label.ts";
import { DAY_CAPS } from "../../../../src/cairn/core/guards/budget/admit.ts";
import { priceOf } from "../../../../src/cairn/core/model-tables.ts";
import { asKind, type Entry, type EntryKind } from "../../../../src/cairn/core/log/entry.ts";
import type { RunOptions } from "../../../../src/cairn/protocol/run-spec/run-options.ts";
import type { Line } from "../../../sim/platform/fake-model.ts";
import { FakePlatform } from "../../../sim/platform/platform.ts";

/** A model names the class of a run before its first step: what it is asked, what it may say, what it costs. */

const ADA = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" } as const;
const PRICED = "openai-compatible:priced";
const LABEL = {
  text: '{"label": "complex", "confidence": 0.9}',
  usage: { inputTokens: 150, outputTokens: 12 },
};

async function run(
  said: Line,
  text = "What is on the About page?",
  { ask = { model: PRICED }, day }: { readonly ask?: RunOptions; readonly day?: FakePlatform["day"] } = {},
): Promise<FakePlatform> {
  const platform = new FakePlatform((request) =>
    request.step.endsWith(".label") ? said : { text: "A hero." },
  );
  platform.prepared = true;
  platform.prices = { [PRICED]: { input: 2, cachedInput: 2, output: 10 } };
  if (day !== undefined) platform.day = day;
  platform.restart();
  const parts = [{ type: "text", text }] as const;
  await platform.api.send(ADA, { id: "m1", parts, mode: "queue", source: "api", request: null, ask });
  await platform.settle();
  return platform;
}
const bodies = <Kind extends EntryKind>(platform: FakePlatform, kind: Kind): Entry<Kind>["body"][] =>
  platform.log.flatMap((entry) => asKind(entry, kind)?.body ?? []);
const asked = (platform: FakePlatform) => platform.requests.filter(({ step }) => step.endsWith(".label"));

describe("the call", () => {
  test("holds the beginning of the words and nothing else, and has no tools", async () => {
    const platform = await run(LABEL, `Look at the ${"very ".repeat(200)}end.`);
    const [request] = asked(platform);
    expect(request).toMatchObject({ tools: [], maxOutputTokens: 64, timeoutMs: 5_000, temperature: 0 });
    expect(JSON.stringify(request?.messages).length).toBeLessThan(500);
    expect(bodies(platform, "run_labelled")).toMatchObject([
      { label: { level: "complex", confidence: 0.9 }, why: "labelled" },
    ]);
    expect(bodies(platform, "run_started")[0]).toMatchObject({ profile: "complex", limits: { steps: 40 } });
  });

  test("is charged to its run and to the day, once", async () => {
    const platform = await run(LABEL);
    const replies = bodies(platform, "model_replied").map(({ usage }) => usage.inputTokens);
    const [ended] = bodies(platform, "run_ended");
    expect(ended?.usage.inputTokens).toBe(150 + replies.reduce((sum, one) => sum + one, 0));
    const { usage } = ended ?? { usage: { inputTokens: 0, outputTokens: 0, cost: null } };
    expect(platform.state.day).toMatchObject({
      tokens: usage.inputTokens + usage.outputTokens,
      cost: usage.cost,
    });
  });

  test.each<[string, Line, string, number]>([
    [
      "that fails",
      { fail: { class: "network", message: "gone", retryAfterMs: null, usage: null } },
      "failed",
      0,
    ],
    ["that says nothing of it", { text: "It has a hero." }, "unreadable", 10],
    ["that names no class", { text: '{"label":"huge","confidence":1}' }, "unreadable", 10],
  ])("%s leaves the class to the words", async (_what, said, why, output) => {
    const platform = await run(said);
    expect(bodies(platform, "run_labelled")).toMatchObject([
      { label: null, why, usage: { outputTokens: output } },
    ]);
    expect(asked(platform)).toHaveLength(1);
    expect(bodies(platform, "run_started")[0]?.profile).toBe("simple");
    expect(bodies(platform, "run_ended")[0]?.outcome).toBe("completed");
  });

  test.each<[string, string, { readonly ask?: RunOptions; readonly day?: FakePlatform["day"] }]>([
    ["for a courtesy", "Thanks!", {}],
    ["where the class was asked for", "Look.", { ask: { model: PRICED, profile: "simple" } }],
    ["of the rehearsal model", "Look.", { ask: {} }],
    ["that the day cannot pay", "Look.", { day: { tokens: 100, cost: 1_000_000 } }],
    ["that would take much of its run", "Look.", { ask: { model: PRICED, limits: { tokens: 3_000 } } }],
  ])("is not made %s", async (_what, text, more) => {
    const platform = await run(LABEL, text, more);
    expect(asked(platform)).toEqual([]);
    expect(bodies(platform, "label_asked")).toEqual([]);
  });

  test("is not made of a model that is left alone for its failures, until it may be tried again", async () => {
    const platform = new FakePlatform([]);
    const parts = [{ type: "text", text: "What is on the About page?" }] as const;
    const ask = { model: PRICED };
    await platform.api.send(ADA, { id: "m1", parts, mode: "queue", source: "api", request: null, ask });
    const [queued] = platform.state.queue;
    if (queued === undefined) throw new Error("nothing is queued");
    const left = { key: `model:${PRICED}`, fails: 3, since: 0, openUntil: 30_000, spanMs: 30_000 };
    const state = { ...platform.state, breakers: [left] };
    const made = (at: number) =>
      labelCall(state, queued, { message: platform.log[0] ?? null, answer: null }, [], {
        instructions: "Sort it.",
        price: priceOf(PRICED, {}),
        day: DAY_CAPS,
        at,
        words: NO_WORDS,
      });
    expect(made(29_999)).toBeNull();
    expect(made(30_000)?.request.step).toBe("r1.label");
  });
});

describe("a reply", () => {
  const read = (text: string) => readLabel({ parts: [{ type: "text", text }] });
  test.each([
    ['{"label":"standard","confidence":0.5}', { level: "standard", confidence: 0.5 }],
    ['Sure: {"label": "research", "confidence": 1} as asked', { level: "research", confidence: 1 }],
    ["```json\n{'label': 'trivial', 'confidence': 0}\n```", { level: "trivial", confidence: 0 }],
    ['{"label":"standard","confidence":1.5}', null],
    ['{"label":"standard"}', null],
    ['{"label":"Standard","confidence":1}', null],
    ['{"label":"standard","confidence":0.', null],
    ["", null],
  ])("%s", (text, expected) => {
    expect(read(text)).toEqual(expected);
  });
});

describe("a plan before everything else", () => {
  const plan = {
    goal: "Tell what is there",
    items: [{ id: "p1", text: "Look at it", kind: "look", status: "open" }],
  };
  const planned = (profile: RunOptions["profile"]): Promise<FakePlatform> =>
    (async () => {
      const platform = new FakePlatform((_request, index) =>
        index === 0 ? { calls: [["update_plan", plan]] } : { text: "A hero." },
      );
      platform.prepared = true;
      platform.restart();
      const parts = [{ type: "text", text: "What is on the About page?" }] as const;
      const ask = profile === undefined ? {} : { profile };
      await platform.api.send(ADA, { id: "m1", parts, mode: "queue", source: "api", request: null, ask });
      await platform.settle();
      return platform;
    })();

  test("is all that the first step of a large run is offered; the next has its tools", async () => {
    const { requests } = await planned("complex");
    expect(requests[0]?.tools.map(({ name }) => name)).toEqual(["update_plan"]);
    expect(requests[1]?.tools.map(({ name }) => name)).toContain("look");
  });

  test.each(["1. Look at it. 2. Tell what is there.", "I have no tools for this, I can only plan."])(
    "that comes as words is none, and no answer: %s",
    async (words) => {
      const platform = new FakePlatform([
        { text: words },
        { calls: [["put", { name: "a" }]] },
        { text: "I have put a." },
      ]);
      platform.prepared = true;
      platform.restart();
      const parts = [{ type: "text", text: "Put the thing and look at it." }] as const;
      const ask = { profile: "complex" } as const;
      await platform.api.send(ADA, { id: "m1", parts, mode: "queue", source: "api", request: null, ask });
      await platform.settle();
      expect(bodies(platform, "verdict").map(({ code }) => code)).toContain("NO_PLAN");
      expect(platform.requests[1]?.tools.map(({ name }) => name)).toContain("put");
      expect(JSON.stringify(platform.requests[1]?.messages)).toContain("All your tools are there now");
      expect([...platform.effects.keyed.keys()]).toHaveLength(1);
      expect(bodies(platform, "answer")[0]?.text).toContain("I have put a.");
    },
  );

  test("is not asked of a run that needs none", async () => {
    const { requests } = await planned("simple");
    expect(requests[0]?.tools.map(({ name }) => name)).toContain("look");
  });
});
