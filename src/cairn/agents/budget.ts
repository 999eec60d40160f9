import { DAY_CAPS, type DayCaps } from "../core/guards/budget/admit.ts";
import { dollars, limitsOf, entryOf } from "../core/guards/budget/amounts.ts";
import {
  limitsFor,
  PRESETS,
  PROFILES,
  type Preset,
  type PresetName,
} from "../core/guards/budget/profiles.ts";
import type { Limits, RequestedLimits } from "../core/log/entry.ts";
import type { Profile } from "../core/log/verdict.ts";

/** Spending limits for the runs of an agent, as written in its definition. Costs are US dollars. */
export interface BudgetDefinition {
  /** Preset with the limits of a system that Cairn replaces. */
  readonly preset?: PresetName;
  /** the class of every run; without it each run has that of its input */
  readonly profile?: Profile;
  /** Limits that replace those of the class. */
  readonly limits?: Partial<Omit<Limits, "cost">> & { readonly costUsd?: number };
  /** `fail`: no forced answer when a budget is spent */
  readonly onExhausted?: "answer" | "fail";
  /** what a session may spend in a day (UTC) */
  readonly day?: { readonly tokens?: number; readonly costUsd?: number };
}

export interface Budget {
  readonly wanted: RequestedLimits;
  readonly day: DayCaps;
  readonly temperature: number | null;
  readonly requestTokens: number | null;
}

/** Throws at load on a name that is none: types do not stop a deployment. */
export function presetOf({ preset }: BudgetDefinition): Preset | null {
  if (preset === undefined) return null;
  if (!Object.hasOwn(PRESETS, preset))
    throw new Error(
      `preset of an agent (src/agents) is one of ${Object.keys(PRESETS).join(", ")}, not "${preset}"`,
    );
  return PRESETS[preset];
}

/** Throws at load on a limit that is no positive whole number, a word that is none, and a capsule without a cost. */
export function budgetOf(definition: BudgetDefinition): Budget {
  const { onExhausted = "answer" } = definition;
  if (onExhausted !== "answer" && onExhausted !== "fail")
    throw new Error(`onExhausted of an agent is "answer" or "fail", not "${String(onExhausted)}"`);
  if (definition.profile !== undefined && !Object.hasOwn(PROFILES, definition.profile))
    throw new Error(
      `profile of an agent is one of ${Object.keys(PROFILES).join(", ")}, not "${definition.profile}"`,
    );
  const preset = presetOf(definition);
  const { costUsd, ...more } = definition.limits ?? {};
  const limits = {
    ...(preset === null ? {} : limitsOf(preset.limits)),
    ...more,
    ...(costUsd === undefined ? {} : { cost: dollars(costUsd) }),
  };
  const profile = definition.profile ?? preset?.profile ?? undefined;
  const found = limitsFor(profile ?? "standard", entryOf(limits));
  if (!found.ok)
    throw new Error(
      `limits of an agent: ${found.faults.map(({ code, what }) => `${what} (${code})`).join(", ")}`,
    );
  const { tokens = DAY_CAPS.tokens, costUsd: dayCost } = definition.day ?? {};
  return {
    wanted: {
      limits,
      ...(profile === undefined ? {} : { profile }),
      ...(onExhausted === "fail" ? { onExhausted } : {}),
    },
    day: { tokens, cost: dayCost === undefined ? DAY_CAPS.cost : dollars(dayCost) },
    temperature: preset?.temperature ?? null,
    requestTokens: preset?.requestTokens ?? null,
  };
}
