import { WRAP_UP_SHARE } from "../../limits.ts";
import type { EntryDraft } from "../../log/entry.ts";
import { budgetQuestionName, stepName } from "../../log/names.ts";
import type { BudgetName } from "../../log/people/question.ts";
import type { LiveRun } from "../../state/state.ts";
import { laneOf } from "../permissions.ts";
import { AMOUNT_NAMES, leftOf, limitsOf, type Account, type AmountName, type Amounts } from "./amounts.ts";
import type { Day } from "./exhaust.ts";

/** Asks a person for more budget before it is spent. Meanwhile the run continues with the rest. */

/** of a limit, that a yes adds to it */
const MORE_SHARE = 0.5;
/** An amount that is used to this share would end the extension, so it grows too. */
const GROWS_SHARE = 0.5;

/** Those that end the work of a run, in the order in which they are looked at. */
const ASKABLE_AMOUNTS: readonly Exclude<AmountName, "messages">[] = [
  "wall",
  "cost",
  "tokens",
  "steps",
  "calls",
];

/**
 * Returns the question, once per run: when 80% of a budget is used and a person may extend it. Null if nobody would
 * answer, the agent disables it, the run was extended already, or the day has nothing left.
 */
export function askForMore(
  run: LiveRun,
  account: Account,
  days: readonly Day[],
): EntryDraft<"budget_asked"> | null {
  const { request, policy, profile, used: so } = run;
  const hasSomebody = laneOf(request.source) === "user" || request.origin !== undefined;
  if (so.question !== undefined || so.once.includes("EXTENDED_BY_PERSON")) return null;
  // A child's budget comes from its parent.
  if (request.parent !== undefined) return null;
  if (!hasSomebody || policy.questions.budget === false) return null;
  const { used, limit } = account;
  const near = ASKABLE_AMOUNTS.find(
    (name) =>
      // The time of a capsule is what it was asked for.
      !(name === "wall" && profile === "time_capsule") &&
      used[name] > 0 &&
      used[name] >= limit[name] * WRAP_UP_SHARE,
  );
  if (near === undefined) return null;
  const adds = moreOf(account, days);
  if (adds[near] === undefined) return null;
  const what = NAMES[near];
  const body = {
    question: budgetQuestionName(run.run),
    what,
    used: used[near],
    limit: limit[near],
    adds: limitsOf(adds),
    cost: { used: used.cost, limit: limit.cost },
  };
  return {
    kind: "budget_asked",
    run: run.run,
    step: run.step === 0 ? null : stepName(run.run, run.step),
    body,
  };
}

const NAMES = {
  steps: "steps",
  tokens: "tokens",
  cost: "cost",
  wall: "activeMs",
  calls: "toolCalls",
} as const satisfies Partial<Record<AmountName, BudgetName>>;

/** Half as much again of what is used up to a half and beyond, and never more than the day has left. */
function moreOf(account: Account, days: readonly Day[]): Partial<Amounts> {
  const { used, limit } = account;
  const left = leftOf(account);
  const entries = AMOUNT_NAMES.flatMap((name) => {
    if (used[name] < limit[name] * GROWS_SHARE) return [];
    const half = Math.ceil(limit[name] * MORE_SHARE);
    const most =
      name === "tokens" || name === "cost"
        ? Math.min(half, ...days.map((day) => day.limit[name] - day.used[name] - left[name]))
        : half;
    return most > 0 ? [[name, most] as const] : [];
  });
  return Object.fromEntries(entries);
}
