import {
  EXTENSION_LEFT_SHARE,
  EXTENSION_TURNS,
  MORE_CALLS_SHARE,
  NEW_WORK_SHARE_MIN,
  PROMOTION_SHARE,
} from "../../limits.ts";
import type { Profile } from "../../log/verdict.ts";
import type { LoopMemory, Turn } from "../../state/loop-memory.ts";
import {
  AMOUNT_NAMES,
  leftOf,
  type AmountName,
  type Amounts,
  type Account,
  type RunLimits,
} from "./amounts.ts";
import { LIMIT_NAMES, limitsFor, PROFILES } from "./profiles.ts";

/** How a run comes to more than it was given. A model cannot do any of it. */

export interface ExtensionFacts {
  /** whether it was extended by itself before */
  readonly extended: boolean;
  /** of the run, newest last */
  readonly turns: readonly Pick<Turn, "progress">[];
  readonly stuckLevel: number;
  /** open plan items, or fresh results that were not reported */
  readonly openWork: boolean;
  /** whether anything was delivered */
  readonly delivered: boolean;
}

/** Steps that a run is given by itself when its last one is reached: 0 when it is not. */
export function automaticExtension(account: Account, facts: ExtensionFacts): number {
  const { extended, turns, stuckLevel, openWork, delivered } = facts;
  const progress = turns.slice(-EXTENSION_TURNS).some((turn) => turn.progress);
  if (extended || !progress || stuckLevel > 0 || !openWork) return 0;
  const left = leftOf(account);
  const others = AMOUNT_NAMES.filter((name) => name !== "steps");
  if (others.some((name) => left[name] < account.limit[name] * EXTENSION_LEFT_SHARE)) return 0;
  const { calls } = account.used;
  return delivered ? clamp(Math.ceil(calls / 4), 2, 6) : clamp(Math.ceil(calls / 2), 3, 8);
}

const clamp = (value: number, min: number, max: number): number => Math.min(max, Math.max(min, value));

/** True if a call may run in an automatic extension: sends, bookkeeping, and tools that the run has used before. */
export function acceptedInExtension(
  call: { readonly tool: string; readonly kind: "work" | "bookkeeping" | "send" },
  usedTools: ReadonlySet<string>,
): boolean {
  return call.kind !== "work" || usedTools.has(call.tool);
}

/**
 * Returns a higher call limit when nearly all calls are used and nearly each was new work (sixty pages take more than
 * sixty calls); null for no change. Steps, tokens, cost and time still end the run.
 */
export function moreCalls(
  { used, limit }: Account,
  run: { readonly profile: Profile; readonly loop: Pick<LoopMemory, "counts" | "turns" | "stuck"> },
): number | null {
  const { counts, turns, stuck } = run.loop;
  if (used.calls < limit.calls * MORE_CALLS_SHARE || stuck.level > 0) return null;
  if (turns.at(-1)?.progress !== true) return null;
  const tools = Object.values(counts);
  const sum = (of: "executed" | "fresh"): number => tools.reduce((total, tool) => total + tool[of], 0);
  if (sum("fresh") < sum("executed") * NEW_WORK_SHARE_MIN) return null;
  return limit.calls + PROFILES[run.profile].calls;
}

const PROMOTED: Readonly<Partial<Record<Profile, Profile>>> = {
  trivial: "simple",
  simple: "standard",
  lean: "standard",
};

/**
 * The class that a small run becomes, with its limits, or null. Once a run: when 60% of its steps are used and the last turn
 * made progress. What the run specification set stays; nothing becomes less, and what is used stays used.
 */
export function promotion(
  account: Account,
  run: {
    readonly profile: Profile;
    readonly promoted: boolean;
    readonly overrides: Partial<RunLimits>;
    readonly turns: readonly Pick<Turn, "progress">[];
  },
  caps: Partial<RunLimits> = {},
): { readonly profile: Profile; readonly limits: RunLimits } | null {
  const profile = PROMOTED[run.profile];
  if (profile === undefined || run.promoted || run.turns.at(-1)?.progress !== true) return null;
  if (account.used.steps < account.limit.steps * PROMOTION_SHARE) return null;
  const found = limitsFor(profile, run.overrides, { caps });
  if (!found.ok) return null;
  const limits: Record<keyof RunLimits, number> = { ...account.limit };
  for (const name of LIMIT_NAMES) limits[name] = Math.max(limits[name], found.limits[name]);
  return { profile, limits };
}

export type ExtensionFault =
  | { readonly code: "already_extended" }
  | { readonly code: "nothing_asked" }
  | { readonly code: "wish_malformed"; readonly what: AmountName }
  /** a cap of the deployment or of the day would be passed */
  | { readonly code: "above_cap"; readonly what: AmountName; readonly cap: number };

/**
 * Extends a live run for a person: any amount, all tools, once. `requested` is added, in positive integers. `caps`
 * limit the run as a whole; `dayLeft` limits it by what remains of the day.
 */
export function extendByPerson(
  account: Account,
  requested: Partial<Amounts>,
  {
    extended,
    caps = {},
    dayLeft = {},
  }: { extended: boolean; caps?: Partial<Amounts>; dayLeft?: Partial<Pick<Amounts, "tokens" | "cost">> },
):
  | { readonly ok: true; readonly limits: RunLimits }
  | { readonly ok: false; readonly fault: ExtensionFault } {
  const fail = (fault: ExtensionFault): { ok: false; fault: ExtensionFault } => ({ ok: false, fault });
  if (extended) return fail({ code: "already_extended" });
  const amounts = AMOUNT_NAMES.flatMap((what) => {
    const more = requested[what];
    return more === undefined ? [] : [{ what, more }];
  });
  if (amounts.length === 0) return fail({ code: "nothing_asked" });
  const limits: Record<keyof RunLimits, number> = { ...account.limit };
  const left = leftOf(account);
  for (const { what, more } of amounts) {
    if (!Number.isSafeInteger(more) || more <= 0) return fail({ code: "wish_malformed", what });
    limits[what] += more;
    const cap = caps[what] ?? Infinity;
    if (limits[what] > cap) return fail({ code: "above_cap", what, cap });
    const day = what === "tokens" || what === "cost" ? (dayLeft[what] ?? Infinity) : Infinity;
    if (left[what] + more > day) return fail({ code: "above_cap", what, cap: day });
  }
  return { ok: true, limits };
}
