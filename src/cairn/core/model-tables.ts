import { WINDOW_TOKENS } from "./limits.ts";
import { isRulesName, type TokenUsage, type Usage } from "./log/model.ts";

/** Prices and context windows of models. One file, because a price list goes out of date as a whole. */

/** US dollars per million tokens, which is millionths of a dollar per token. */
export interface Price {
  readonly input: number;
  /** for input that the provider had cached */
  readonly cachedInput: number;
  readonly output: number;
  /** none is configured for this model: the fallback applies, and costs are marked as estimated */
  readonly estimated: boolean;
}

/** Prices by model name as configuration has them (`MODEL_PRICES`). */
export type PriceList = { readonly [model: string]: Omit<Price, "estimated"> };

/** Where nothing is stated: 3 and 15 US dollars per million tokens in and out. */
export const FALLBACK_PRICE: Price = { input: 3, cachedInput: 3, output: 15, estimated: true };

const FREE: Price = { input: 0, cachedInput: 0, output: 0, estimated: false };

/**
 * Returns the price of a model: the configured one, zero for a plugin's rules, else the fallback. No vendor prices are
 * included, because none comes from a source that this project can carry; an operator configures them.
 */
export function priceOf(model: string, configured: PriceList = {}): Price {
  if (Object.hasOwn(configured, model)) {
    const price = configured[model];
    if (price !== undefined) return { ...price, estimated: false };
  }
  return isRulesName(model) ? FREE : FALLBACK_PRICE;
}

/** Millionths of a US dollar for so many tokens, none of them cached, rounded up. */
export function costOf(price: Price, tokens: { readonly input: number; readonly output: number }): number {
  return roundUp(tokens.input * price.input + tokens.output * price.output);
}

/** Millionths of a US dollar for what a provider reported. Cached input is part of the input. */
export function costOfUsage(price: Price, usage: TokenUsage): number {
  const cached = Math.min(usage.cachedInputTokens, usage.inputTokens);
  const fresh = usage.inputTokens - cached;
  return roundUp(fresh * price.input + cached * price.cachedInput + usage.outputTokens * price.output);
}

/** Adds the cost to tokens: as a trusted provider reported it, else by the price. */
export function chargeUsage(price: Price, { reportedCost, ...usage }: TokenUsage): Usage {
  if (reportedCost !== undefined) return { ...usage, cost: reportedCost };
  const rough = price.estimated ? ({ priceEstimated: true } as const) : {};
  return { ...usage, cost: costOfUsage(price, usage), ...rough };
}

/** Up to the next whole number, but not for what arithmetic with fractions leaves behind a whole one. */
const roundUp = (amount: number): number => Math.max(0, Math.ceil(amount - 1e-6));

/**
 * Tokens that models read and write in one call, by model name as configuration has them (`MODEL_WINDOWS`). Cairn knows none by itself:
 * a window is a fact of a deployment, as a price is.
 */
export type WindowList = { readonly [model: string]: number };

/** Tokens of a model's window: what was configured, else 128,000. */
export function windowOf(windows: WindowList, model: string): number {
  return (Object.hasOwn(windows, model) ? windows[model] : undefined) ?? WINDOW_TOKENS;
}

/** Tokens that a request of this model may have: its window without the output, and never less than half of it. */
export function requestCap(windows: WindowList, model: string, outputTokens: number): number {
  const window = windowOf(windows, model);
  return Math.max(Math.floor(window / 2), window - outputTokens);
}
