import type { Limits } from "../../cairn/core/log/run.ts";
import { durationText } from "../parts/duration.ts";

/** Limits of a run, one line each, in the order of the settings. Absent limits are left out. */

const number = (value: number): string => value.toLocaleString("en");

const LINES: readonly (readonly [keyof Limits, label: string, text: (value: number) => string])[] = [
  ["steps", "Steps", number],
  ["activeMs", "Working time", minutesText],
  ["toolCalls", "Tool calls", number],
  ["messages", "Messages", number],
  ["tokens", "Tokens", number],
  ["outputTokens", "Tokens per reply", number],
  ["cost", "Cost", (value) => `$${(value / 1e6).toFixed(2)}`],
];

/** `[["Steps", "15"], ["Working time", "30 min"], …]`, of limits as the log has them. */
export function limitLines(
  limits: Readonly<Record<string, unknown>>,
): readonly (readonly [string, string])[] {
  return LINES.flatMap(([name, label, text]) => {
    const value = limits[name];
    return typeof value === "number" ? [[label, text(value)] as const] : [];
  });
}

/** A limit is mostly of whole minutes. */
function minutesText(ms: number): string {
  const minutes = ms / 60_000;
  return Number.isInteger(minutes) ? `${number(minutes)} min` : durationText(ms);
}
