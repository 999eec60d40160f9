import { WINDOW_TOKENS } from "./guard-limits.ts";

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
