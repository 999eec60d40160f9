import { expect, test } from "vitest";
import { addUsage, type Usage } from "../../../../src/cairn/core/log/model.ts";

const usage = (more: Partial<Usage> = {}): Usage => ({
  inputTokens: 1,
  cachedInputTokens: 2,
  outputTokens: 3,
  reasoningTokens: 4,
  estimated: false,
  cost: null,
  ...more,
});

test("what two calls used is the sum of each amount", () => {
  const both = {
    inputTokens: 2,
    cachedInputTokens: 4,
    outputTokens: 6,
    reasoningTokens: 8,
    estimated: false,
    cost: null,
  };
  expect(addUsage(usage(), usage())).toEqual(both);
  expect(addUsage(usage(), null)).toEqual(usage());
});

test("is estimated where one of them is, and costs what those cost that cost something", () => {
  const [plain, guessed] = [usage(), usage({ estimated: true, priceEstimated: true, cost: 5 })];
  for (const sum of [addUsage(plain, guessed), addUsage(guessed, plain)])
    expect(sum).toMatchObject({ estimated: true, priceEstimated: true, cost: 5 });
  expect(addUsage(guessed, guessed).cost).toBe(10);
  expect(addUsage(plain, plain).cost).toBeNull();
  expect(addUsage(plain, plain)).not.toHaveProperty("priceEstimated");
});
