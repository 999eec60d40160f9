import { describe, expect, test } from "vitest";
import {
  estimateMessage,
  estimateRaw,
  estimateRequest,
  estimateText,
  factorOf,
  learnFactor,
  measureRequest,
  rawTokens,
  sizeOf,
  type Estimated,
  type Factors,
} from "../../../../src/cairn/core/state/prompt-size.ts";
import type { PromptMessage } from "../../../../src/cairn/core/log/model.ts";

const said = (text: string): PromptMessage => ({ role: "user", parts: [{ type: "text", text }] });

describe("the tokens of a text", () => {
  test.each([
    ["", 0],
    ["a", 1],
    ["abcd", 1],
    ["abcde", 2],
    ["äö", 1],
    ["äöü", 2],
    ["abäö", 2], // 2/4 + 2/2
    ["日本語", 3],
    ["한국어", 3],
    ["ｆｕｌｌ", 4],
    ["👍", 1],
    ["𠮷", 1],
    ["Привет", 3],
    ["a日", 2], // 1/4 + 1, rounded up once
  ])("%s is %i", (text, tokens) => {
    expect(estimateText(text)).toBe(tokens);
  });

  test("a long text takes no time that grows faster than it", () => {
    expect(estimateText("x".repeat(4_000_000))).toBe(1_000_000);
    expect(estimateText("é".repeat(2_000_000))).toBe(1_000_000);
  });
});

test("a message counts 4 and what it says; a file what a file counts; each result on its own", () => {
  expect(estimateMessage(said("abcd"))).toBe(5);
  expect(
    estimateMessage({
      role: "user",
      parts: [{ type: "file", mediaType: "image/png", url: "data:,x".repeat(9_999) }],
    }),
  ).toBe(1_004);
  const call = { type: "call", call: "r1s1c0", tool: "look", input: { q: 1 } } as const;
  expect(estimateMessage({ role: "assistant", parts: [call] })).toBe(4 + estimateText('look{"q":1}'));
  const result = { call: "r1s1c0", tool: "look", observation: "ok", failed: false };
  expect(estimateMessage({ role: "tool", results: [result, result] })).toBe(2 * (4 + 2));
});

const request = (messages: readonly PromptMessage[], model = "m"): Estimated => ({
  model,
  instructions: "You are Cairn.",
  messages,
  tools: [{ name: "look", description: "Looks.", inputSchema: { type: "object" } }],
});

describe("the tokens of a request", () => {
  const first = request([said("Hello"), said("tail 1")]);
  const next = request([said("Hello"), said("more of it"), said("a longer tail 2")]);

  test("are those of its parts, corrected by the model's factor", () => {
    const raw = estimateRaw(first);
    expect(raw).toBe(
      4 + estimateText(first.instructions) + estimateText(JSON.stringify(first.tools[0])) + (4 + 2) + (4 + 2),
    );
    expect(estimateRequest(first, [], null)).toBe(raw);
    expect(estimateRequest(first, [{ model: "m", factor: 1.5 }], null)).toBe(Math.ceil(raw * 1.5));
    expect(estimateRequest(first, [{ model: "other", factor: 1.5 }], null)).toBe(raw);
  });

  test("where the last request begins it: what the provider said, without the old tail, with what is new", () => {
    const mark = measureRequest("m", sizeOf(first, []), { inputTokens: 40, estimated: false });
    const added = estimateMessage(said("more of it")) + estimateMessage(said("a longer tail 2"));
    expect(estimateRequest(next, [], mark)).toBe(40 - estimateMessage(said("tail 1")) + added);
  });

  test("anything else that differs makes the mark worthless", () => {
    const mark = measureRequest("m", sizeOf(first, []), { inputTokens: 40, estimated: false });
    const plain = estimateRaw(next);
    expect(estimateRequest({ ...next, model: "n" }, [], mark)).toBe(plain);
    const other = { ...next, instructions: "You are someone else" };
    expect(estimateRequest(other, [], mark)).toBe(estimateRaw(other));
    const changed = request([said("Hello, you"), said("more of it"), said("a longer tail 2")]);
    expect(estimateRequest(changed, [], mark)).toBe(estimateRaw(changed));
    expect(estimateRequest({ ...next, tools: [] }, [], mark)).toBe(estimateRaw({ ...next, tools: [] }));
    expect(estimateRequest(request([]), [], mark)).toBe(estimateRaw(request([])));
  });

  test("are told by section, and the sections make the whole", () => {
    const size = sizeOf(next, [said("Hello")]);
    expect(size).toEqual({
      instructions: 4 + estimateText("You are Cairn."),
      tools: estimateText(JSON.stringify(next.tools[0])),
      earlier: estimateMessage(said("Hello")),
      run: estimateMessage(said("more of it")),
      tail: estimateMessage(said("a longer tail 2")),
      messages: 2,
    });
    expect(rawTokens(size)).toBe(estimateRaw(next));
  });

  test("a report that is far off the text counts as the nearest that could be", () => {
    const size = sizeOf(first, []);
    const report = (inputTokens: number) =>
      measureRequest("m", size, { inputTokens, estimated: false })?.reported;
    expect([report(1), report(1_000_000)]).toEqual([
      Math.round(0.7 * rawTokens(size)),
      Math.round(1.5 * rawTokens(size)),
    ]);
  });

  test("a report that is an estimate is no measure", () => {
    expect(measureRequest("m", sizeOf(first, []), { inputTokens: 1_000, estimated: true })).toBeNull();
  });
});

describe("a model's factor", () => {
  const learn = (factors: Factors, raw: number, inputTokens: number, estimated = false): Factors =>
    learnFactor(factors, { model: "m", raw, inputTokens, estimated });

  test("moves towards what its calls are off by, and stays between 0.7 and 1.5", () => {
    let factors: Factors = [];
    expect(factorOf(factors, "m")).toBe(1);
    factors = learn(factors, 1_000, 1_200);
    expect(factorOf(factors, "m")).toBe(1.04);
    for (let n = 0; n < 40; n++) factors = learn(factors, 1_000, 1_200);
    expect(factorOf(factors, "m")).toBeCloseTo(1.2, 2);
    for (let n = 0; n < 40; n++) factors = learn(factors, 1_000, 9_000);
    expect(factorOf(factors, "m")).toBe(1.5);
    for (let n = 0; n < 40; n++) factors = learn(factors, 1_000, 1);
    expect(factorOf(factors, "m")).toBe(0.7);
  });

  test("learns nothing from an estimate or from nothing", () => {
    expect([learn([], 1_000, 2_000, true), learn([], 0, 5), learn([], 5, 0)]).toEqual([[], [], []]);
  });

  test("of the models used last, eight are remembered", () => {
    let factors: Factors = [];
    for (let n = 0; n < 12; n++)
      factors = learnFactor(factors, { model: `m${n % 9}`, raw: 100, inputTokens: 110, estimated: false });
    expect(factors.map((one) => one.model)).toEqual(["m4", "m5", "m6", "m7", "m8", "m0", "m1", "m2"]);
  });
});
