import type { Totals } from "../trace/totals.ts";

/** Usage and limits of a live run, and extensions by a person. */

export interface Amount {
  readonly name: "steps" | "tokens" | "cost" | "minutes" | "calls";
  readonly label: string;
  /** `3 of 15` */
  readonly text: string;
  /** 0 to 1 */
  readonly share: number;
}

const MINUTE_MS = 60_000;

/** Null if the run has not begun, or if its limits are unknown. */
export function amountsOf({
  limits,
  steps,
  tokens,
  cost,
  workedMs,
  toolCalls,
}: Totals): readonly Amount[] | null {
  if (limits === null) return null;
  const amount = (
    name: Amount["name"],
    label: string,
    used: number,
    limit: number | undefined,
    text: (value: number) => string,
  ): readonly Amount[] =>
    // Rows of old logs know some of the limits only.
    limit === undefined
      ? []
      : [
          {
            name,
            label,
            text: `${text(used)} of ${text(limit)}`,
            share: limit <= 0 ? 1 : Math.min(1, used / limit),
          },
        ];
  const whole = (value: number): string => value.toLocaleString("en");
  return [
    ...amount("steps", "Steps", steps, limits.steps, whole),
    ...amount("tokens", "Tokens", tokens.input + tokens.output, limits.tokens, whole),
    ...amount("cost", "Cost", cost ?? 0, limits.cost, (value) => `$${(value / 1e6).toFixed(2)}`),
    ...amount(
      "minutes",
      "Working time",
      workedMs,
      limits.activeMs,
      (value) => `${Math.floor(value / MINUTE_MS)} min`,
    ),
    ...amount("calls", "Tool calls", toolCalls, limits.toolCalls, whole),
  ];
}

export interface Extension {
  readonly steps?: number;
  readonly tokens?: number;
  readonly costUsd?: number;
  readonly minutes?: number;
}

/** The extension in the fields, as the API takes it; an error message if a value is invalid. Empty fields add nothing. */
export function parseExtension(
  fields: Readonly<Record<keyof Extension, string>>,
): { readonly extension: Extension } | { readonly fault: string } {
  const extension: { -readonly [Name in keyof Extension]: number } = {};
  for (const name of ["steps", "tokens", "costUsd", "minutes"] as const) {
    const text = fields[name].trim();
    if (text === "") continue;
    const value = Number(text);
    const fits =
      name === "costUsd" ? value > 0 && Number.isFinite(value) : Number.isSafeInteger(value) && value > 0;
    if (!fits)
      return {
        fault:
          name === "costUsd"
            ? "Dollars: enter a number above 0."
            : "Steps, tokens and minutes: enter a whole number above 0.",
      };
    extension[name] = value;
  }
  return Object.keys(extension).length === 0 ? { fault: "Enter at least one number." } : { extension };
}
