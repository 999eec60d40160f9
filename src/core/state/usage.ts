import type { Usage } from "../log/model.ts";

/** A reservation as usage, estimated. `cost`: in millionths of a dollar, where it was counted. */
export function reservedUsage(tokens: number, cost: number | undefined): Usage {
  const usage = { inputTokens: tokens, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0 };
  return { ...usage, estimated: true, ...(cost === undefined ? {} : { cost }) };
}

export function addUsage(sum: Usage, more: Usage | null): Usage {
  if (more === null) return sum;
  return {
    inputTokens: sum.inputTokens + more.inputTokens,
    cachedInputTokens: sum.cachedInputTokens + more.cachedInputTokens,
    outputTokens: sum.outputTokens + more.outputTokens,
    reasoningTokens: sum.reasoningTokens + more.reasoningTokens,
    estimated: sum.estimated || more.estimated,
    ...(sum.cost === undefined && more.cost === undefined
      ? {}
      : { cost: (sum.cost ?? 0) + (more.cost ?? 0) }),
    ...(sum.priceEstimated === true || more.priceEstimated === true ? { priceEstimated: true } : {}),
  };
}
