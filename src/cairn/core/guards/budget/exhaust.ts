import { ANSWER_NOW } from "../../entries/verdict.ts";
import { CAPSULE_WRAP_UP_MS_MIN, CAPSULE_WRAP_UP_SHARE, WRAP_UP_SHARE } from "../../limits.ts";
import type { Evidence, Profile, Verdict } from "../../log/verdict.ts";
import type { LiveRun } from "../../state/state.ts";
import type { Call } from "../../state/run/phase.ts";
import type { Objection } from "../check-call.ts";
import {
  type AmountName,
  type Amounts,
  type Account,
  type RunLimits,
  addAmounts,
  belowOf,
  leftOf,
  NO_AMOUNTS,
  entryOf,
} from "./amounts.ts";
import { automaticExtension, type ExtensionFacts, acceptedInExtension } from "./extend.ts";
import { reserveCall, reserveFinal, type CallRequest } from "./reserve.ts";

/** When a budget is spent, and what then. */

type BudgetCode =
  | "BUDGET_WALL"
  | "BUDGET_COST"
  | "BUDGET_TOKENS"
  | "BUDGET_STEPS"
  | "BUDGET_CALLS_SPENT"
  | "BUDGET_CALLS"
  | "BUDGET_MESSAGES"
  | "BUDGET_DAY"
  | "BUDGET_DAY_FINAL";
type BudgetNote = "LAST_STEP" | "WRAP_UP";

/** Amounts that a session or tenant has spent today, and its caps. `limit` of either may be lower than the default. */
export interface Day {
  readonly used: Pick<Amounts, "tokens" | "cost">;
  readonly limit: Pick<Amounts, "tokens" | "cost">;
}

export interface BudgetView {
  readonly account: Account;
  readonly request: CallRequest;
  /** every daily cap that applies to the run */
  readonly days: readonly Day[];
  /** all calls of the last turn were skipped for want of calls */
  readonly callsSpent: boolean;
  readonly onExhausted: "answer" | "fail";
  readonly extension: ExtensionFacts;
}

export type BudgetDecision =
  | { readonly do: "send"; readonly need: Amounts; readonly final: Amounts; readonly maxOut: number }
  /** so many steps more, once; then ask again */
  | { readonly do: "extend"; readonly steps: number }
  /** the forced answer next */
  | { readonly do: "force"; readonly verdict: Verdict<BudgetCode> }
  /** the answer that needs no model, `failed_budget` if there is nothing to report */
  | { readonly do: "end"; readonly verdict: Verdict<BudgetCode> };

const FORCED: Readonly<Partial<Record<AmountName, BudgetCode>>> = {
  wall: "BUDGET_WALL",
  cost: "BUDGET_COST",
  tokens: "BUDGET_TOKENS",
  steps: "BUDGET_STEPS",
};

/** Decides what precedes an ordinary model call. */
export function beforeModel(view: BudgetView): BudgetDecision {
  const { account, request } = view;
  const reserved = reserveCall(account, request);
  if (!reserved.ok) {
    const { what, needed, left } = reserved;
    const steps = what === "steps" ? automaticExtension(account, view.extension) : 0;
    if (steps > 0) return { do: "extend", steps };
    return exhausted(view, FORCED[what] ?? "BUDGET_STEPS", { needed, left, limit: account.limit[what] });
  }
  if (view.callsSpent) return exhausted(view, "BUDGET_CALLS_SPENT", { limit: account.limit.calls });
  const { need, final } = reserved;
  const day = view.days.find(
    (one) =>
      one.used.tokens + need.tokens + final.tokens > one.limit.tokens ||
      one.used.cost + need.cost + final.cost > one.limit.cost,
  );
  if (day !== undefined) {
    return exhausted(view, "BUDGET_DAY_FINAL", { tokens: day.limit.tokens, cost: day.limit.cost });
  }
  return { do: "send", need, final, maxOut: reserved.maxOut };
}

function exhausted(view: BudgetView, code: BudgetCode, numbers: Record<string, number>): BudgetDecision {
  const paid = dayPays(view);
  const spent = paid ? code : "BUDGET_DAY";
  const verdict = budgetVerdict(spent, { seqs: [], numbers });
  return { do: paid && view.onExhausted === "answer" ? "force" : "end", verdict };
}

/** True if the day's caps leave enough for the forced answer. */
export function dayPays({
  account,
  request,
  days,
}: Pick<BudgetView, "account" | "request" | "days">): boolean {
  const answer = reserveFinal(account, request);
  // If the run itself cannot pay, the day's caps do not matter.
  if (!answer.ok) return true;
  const { tokens, cost } = answer.need;
  return days.every(
    ({ used, limit }) => used.tokens + tokens <= limit.tokens && used.cost + cost <= limit.cost,
  );
}

/** Decides what precedes a call: null if it may run. `final` is reserved for the answer. */
export function beforeCall(
  account: Account,
  call: {
    readonly kind: "work" | "bookkeeping" | "send";
    /** a send that ends the run: it may take the last message */
    readonly last: boolean;
    /** millionths of a dollar that the tool may cost at most */
    readonly costMax: number;
  },
  final: Pick<Amounts, "cost">,
): Verdict<BudgetCode> | null {
  const left = leftOf(account);
  const { limit } = account;
  switch (call.kind) {
    case "bookkeeping":
      return null;
    case "send":
      // The last one is for the answer, or for the news that there is none.
      return left.messages >= (call.last ? 1 : 2)
        ? null
        : budgetVerdict("BUDGET_MESSAGES", { seqs: [], numbers: { limit: limit.messages } });
    case "work": {
      if (left.calls < 1) return budgetVerdict("BUDGET_CALLS", { seqs: [], numbers: { limit: limit.calls } });
      if (call.costMax > 0 && call.costMax + final.cost > left.cost) {
        const numbers = { cost: call.costMax, left: Math.max(0, left.cost - final.cost) };
        const hint = "This call may cost more than is left of the run's budget. Answer from what you know.";
        return { ...budgetVerdict("BUDGET_CALLS", { seqs: [], numbers }), rule: "budget:cost", hint };
      }
      return null;
    }
  }
}

const RULES: Readonly<Record<BudgetCode, string>> = {
  BUDGET_WALL: "budget:wall",
  BUDGET_COST: "budget:cost",
  BUDGET_TOKENS: "budget:tokens",
  BUDGET_STEPS: "budget:steps",
  BUDGET_CALLS_SPENT: "budget:calls",
  BUDGET_CALLS: "budget:calls",
  BUDGET_MESSAGES: "budget:messages",
  BUDGET_DAY: "budget:day",
  BUDGET_DAY_FINAL: "budget:day",
};

function budgetVerdict(code: BudgetCode, evidence: Evidence): Verdict<BudgetCode> {
  const hint =
    code === "BUDGET_CALLS"
      ? "The tool calls of this run are used. Answer from what you know."
      : code === "BUDGET_MESSAGES"
        ? "The messages of this run are used; the last one is kept for your answer. Go on, then answer."
        : ANSWER_NOW;
  return { code, rule: RULES[code], evidence, hint };
}

/**
 * The notes about the budget, for the step that comes next. Each is shown once in a run: `shown` has the codes that
 * were. An extension makes a new last step, so LAST_STEP is shown again after one.
 */
export function budgetNotes(
  account: Account,
  profile: Profile,
  shown: ReadonlySet<string>,
): readonly Verdict<BudgetNote>[] {
  const { used, limit } = account;
  const notes: Verdict<BudgetNote>[] = [];
  const isFinal = account.ends === "fail";
  if (leftOf(account).steps === (isFinal ? 1 : 2)) {
    const hint = isFinal
      ? "This is your last step: the run ends after it. Answer now, or its work is lost."
      : "This is your last step with tools: your next turn is the last and has no tools.";
    const evidence = { seqs: [], numbers: { step: used.steps + 1, limit: limit.steps } };
    notes.push({ code: "LAST_STEP", rule: "budget:steps", evidence, hint });
  }
  const near = shown.has("WRAP_UP") ? undefined : nearlySpent(account, profile);
  if (near !== undefined) {
    const hint = `Most of this run's ${near === "wall" ? "time" : near} is used. Finish what matters most, then answer.`;
    const evidence = { seqs: [], names: [near], numbers: { used: used[near], limit: limit[near] } };
    notes.push({ code: "WRAP_UP", rule: `budget:${near}`, evidence, hint });
  }
  return notes;
}

const NEAR_ORDER: readonly AmountName[] = ["wall", "cost", "tokens", "steps", "calls", "messages"];

function nearlySpent({ used, limit }: Account, profile: Profile): AmountName | undefined {
  return NEAR_ORDER.find((name) => {
    if (name === "wall" && profile === "time_capsule") {
      // Two minutes would be much of a short one.
      const least = Math.min(CAPSULE_WRAP_UP_MS_MIN, limit.wall * (1 - WRAP_UP_SHARE));
      const reserve = Math.max(limit.wall * CAPSULE_WRAP_UP_SHARE, least);
      return used.wall >= limit.wall - reserve;
    }
    return used[name] >= limit[name] * WRAP_UP_SHARE;
  });
}

/** Returns the tail line with the remaining budget for the next step. The numbers are the enforced ones. */
export function budgetLine({ used, limit }: { used: Amounts; limit: RunLimits }, step: number): string {
  const share = Math.min(100, Math.floor((used.tokens / limit.tokens) * 100));
  return [
    `step ${Math.min(step, limit.steps)} of ${limit.steps}`,
    `messages ${used.messages} of ${limit.messages}`,
    `calls ${used.calls} of ${limit.calls}`,
    `tokens ${share}%`,
    `time ${Math.floor(used.wall / 60_000)} of ${Math.round(limit.wall / 60_000)} min`,
  ].join(" · ");
}

/**
 * Objects if the run cannot pay a call that is about to run for the first time, after the others of its batch
 * (`ahead`). A person's approval does not pay for a call. The call's maximum is reserved in addition to the maximum of
 * the answer after it.
 */
export function budgetObjection(run: LiveRun, call: Call, ahead: readonly Call[]): Objection | null {
  if (call.attempts > 0) return null;
  const kind = call.traits?.kind ?? "work";
  const cost = run.used.usage.cost ?? 0;
  const used = { ...NO_AMOUNTS, calls: run.used.toolCalls + ahead.length, messages: run.output.sends, cost };
  const open = { ...NO_AMOUNTS, cost: ahead.reduce((sum, { costMax = 0 }) => sum + costMax, 0) };
  const below = belowOf(run);
  const account = {
    used: addAmounts(used, below.used),
    open: addAmounts(open, below.open),
    limit: entryOf(run.limits),
  };
  // The core knows no price of a model here: an answer costs about what a step of this run has cost so far.
  const isPaid = run.request.onExhausted !== "fail";
  const final = { cost: isPaid ? Math.ceil(cost / Math.max(1, run.step)) : 0 };
  const { costMax = 0 } = call;
  const verdict =
    beforeCall(account, { kind, last: false, costMax }, final) ?? beyondExtension(run, call.tool, kind);
  return verdict === null ? null : { act: "skip", verdict, stored: null };
}

/** Steps that a run was given by itself are for ending what it began; those that a person gave are for anything. */
function beyondExtension(run: LiveRun, tool: string, kind: "work" | "bookkeeping" | "send"): Verdict | null {
  if (!run.used.once.includes("EXTENDED") || run.used.once.includes("EXTENDED_BY_PERSON")) return null;
  if (acceptedInExtension({ tool, kind }, new Set(Object.keys(run.loop.counts)))) return null;
  const hint = `${tool} was not used before, and these last steps are for ending what was begun. Use what you have, then answer.`;
  return { code: "BUDGET_CALLS", rule: "budget:extension", evidence: { seqs: [], names: [tool] }, hint };
}
