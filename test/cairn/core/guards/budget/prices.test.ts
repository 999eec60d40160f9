import { expect, test } from "vitest";
import { dollars } from "../../../../../src/cairn/core/guards/budget/amounts.ts";
import { costOf, costOfUsage, FALLBACK_PRICE, priceOf } from "../../../../../src/cairn/core/model-tables.ts";

const usage = { reasoningTokens: 0, estimated: false };

test("what nobody has priced costs 3 and 15 dollars a million, and says that it is an estimate", () => {
  for (const model of ["workers-ai:@cf/openai/gpt-oss-120b", "rehearsal:b", "R:", ""])
    expect(priceOf(model)).toBe(FALLBACK_PRICE);
  expect(costOf(FALLBACK_PRICE, { input: 1_000_000, output: 1_000_000 })).toBe(dollars(18));
});

test("the rehearsal model costs nothing; a configured price goes before every other", () => {
  expect(costOf(priceOf("rehearsal:"), { input: 5_000, output: 5_000 })).toBe(0);
  const list = { "openai-compatible:m": { input: 0.2, cachedInput: 0.05, output: 0.8 } };
  expect(priceOf("openai-compatible:m", list)).toEqual({
    input: 0.2,
    cachedInput: 0.05,
    output: 0.8,
    estimated: false,
  });
  expect(priceOf("openai-compatible:M", list)).toBe(FALLBACK_PRICE);
  expect(priceOf("constructor", list)).toBe(FALLBACK_PRICE);
});

test("a part of a millionth is a whole one; arithmetic with fractions adds none", () => {
  const price = { input: 0.1, cachedInput: 0.01, output: 0.3, estimated: false };
  expect(costOf(price, { input: 1, output: 0 })).toBe(1);
  // In doubles 0.07 × 100 is a little more than seven.
  expect(0.07 * 100).toBeGreaterThan(7);
  expect(costOf({ ...price, input: 0.07 }, { input: 100, output: 0 })).toBe(7);
  expect([dollars(0.6), dollars(2.5), dollars(0.1 + 0.2)]).toEqual([600_000, 2_500_000, 300_000]);
});

test("dollars become whole millionths, up and never down", () => {
  expect([dollars(0.0000001), dollars(0.0000011), dollars(1.9999999), dollars(0)]).toEqual([
    1, 2, 2_000_000, 0,
  ]);
});

test("cached input is a part of the input, never more than it", () => {
  const price = { input: 10, cachedInput: 1, output: 0, estimated: false };
  const cost = (inputTokens: number, cachedInputTokens: number): number =>
    costOfUsage(price, { ...usage, inputTokens, cachedInputTokens, outputTokens: 0 });
  expect([cost(100, 0), cost(100, 40), cost(100, 100), cost(100, 500)]).toEqual([1_000, 640, 100, 100]);
});
