import type { Limits } from "../../log/entry.ts";
import type { Profile } from "../../log/verdict.ts";
import { openStep } from "../../state/run/phase.ts";
import { activeGap } from "../../state/apply.ts";
import type { LiveRun, State } from "../../state/state.ts";

/** Amounts that a run may spend. Integers, so that sums are exact in any order. */
export interface Amounts {
  /** model calls of the loop, the last one included */
  readonly steps: number;
  /** deliveries with a receipt */
  readonly messages: number;
  /** in and out, of every model call */
  readonly tokens: number;
  /** millionths of a US dollar: at p dollars a million tokens, one token costs p of them */
  readonly cost: number;
  /** active milliseconds; waiting for a person is free */
  readonly wall: number;
  /** work calls */
  readonly calls: number;
}

export type AmountName = keyof Amounts;

export const AMOUNT_NAMES = ["steps", "messages", "tokens", "cost", "wall", "calls"] as const;

export const NO_AMOUNTS: Amounts = { steps: 0, messages: 0, tokens: 0, cost: 0, wall: 0, calls: 0 };

/** Limits of a run, and of the length of one reply. */
export interface RunLimits extends Amounts {
  readonly outputTokens: number;
}

/** The limits of a log under the names of the guards. Fields that are not given are left out. */
export function entryOf(limits: Limits): RunLimits;
export function entryOf(limits: Partial<Limits>): Partial<RunLimits>;
export function entryOf({ activeMs, toolCalls, ...same }: Partial<Limits>): Partial<RunLimits> {
  return {
    ...same,
    ...(activeMs === undefined ? {} : { wall: activeMs }),
    ...(toolCalls === undefined ? {} : { calls: toolCalls }),
  };
}

/** The way back. */
export function limitsOf(limits: RunLimits): Limits;
export function limitsOf(limits: Partial<RunLimits>): Partial<Limits>;
export function limitsOf({ wall, calls, ...same }: Partial<RunLimits>): Partial<Limits> {
  return {
    ...same,
    ...(wall === undefined ? {} : { activeMs: wall }),
    ...(calls === undefined ? {} : { toolCalls: calls }),
  };
}

/** Amounts spent, reserved by an effect in flight, and allowed. */
export interface Account {
  readonly used: Amounts;
  readonly open: Amounts;
  readonly limit: RunLimits;
  /** how it ends: without a closing answer, so that nothing is reserved for one, or with one behind the time of a capsule. Absent: with one */
  readonly ends?: "fail" | "capsule";
}

export function addAmounts(a: Amounts, b: Partial<Amounts>): Amounts {
  return amountsOf((name) => a[name] + (b[name] ?? 0));
}

export function amountsOf(of: (name: AmountName) => number): Amounts {
  return {
    steps: of("steps"),
    messages: of("messages"),
    tokens: of("tokens"),
    cost: of("cost"),
    wall: of("wall"),
    calls: of("calls"),
  };
}

/** Returns the amounts neither spent nor reserved; negative if a call cost more than its estimate. */
export function leftOf(account: Account): Amounts {
  return amountsOf((name) => account.limit[name] - account.used[name] - account.open[name]);
}

/** US dollars as whole millionths, rounded up: nothing is under-counted. */
export const dollars = (amount: number): number => Math.max(0, Math.ceil(amount * 1_000_000 - 1e-6));

/** Returns the account of a run at `at`. An open step is not counted, because its repetition is about to be paid. */
export function accountOf(state: State, run: LiveRun, at: number): Account {
  const { usage } = run.used;
  const below = belowOf(run);
  const own = {
    ...NO_AMOUNTS,
    steps: run.step - (openStep(run) === null ? 0 : 1),
    messages: run.output.sends,
    tokens: usage.inputTokens + usage.outputTokens,
    cost: usage.cost ?? 0,
    wall: run.used.activeMs + activeGap(state, at),
    calls: run.used.toolCalls,
  };
  const ends = endOf(run.profile, run.request.onExhausted);
  return { used: addAmounts(own, below.used), open: below.open, limit: entryOf(run.limits), ...ends };
}

/** How a run ends whose budget is spent, where that is not an answer within its budget. */
export function endOf(profile: Profile, onExhausted: "fail" | undefined): Pick<Account, "ends"> {
  if (onExhausted === "fail") return { ends: "fail" };
  return profile === "time_capsule" ? { ends: "capsule" } : {};
}

/** Returns usage of a run's children, and the shares reserved for those that have not reported. */
export function belowOf({ children }: Pick<LiveRun, "children">): Pick<Account, "used" | "open"> {
  if (children === undefined) return { used: NO_AMOUNTS, open: NO_AMOUNTS };
  return {
    used: addAmounts(NO_AMOUNTS, entryOf(children.used)),
    open: children.open.reduce((sum, { share }) => addAmounts(sum, entryOf(share)), NO_AMOUNTS),
  };
}
