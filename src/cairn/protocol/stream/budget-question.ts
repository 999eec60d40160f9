import { ownValue } from "../../core/log/json.ts";
import type { Entry } from "../../core/log/entry.ts";
import { runId } from "../../core/log/names.ts";
import type { BudgetAsk, BudgetName } from "../../core/log/people/question.ts";
import type { Answer } from "../api.ts";
import { isoTime } from "./ui-chunk.ts";

/** A run's question for more budget, as every interface shows it. */
export type BudgetQuestionView = Answer<"BudgetQuestion">;

/** Entries that end a budget question. */
export type BudgetEnd = Entry<"budget_answered" | "command_queued" | "verdict" | "run_ended">;

/** The entry as the end of a question of its run, or null. */
export function asBudgetEnd(entry: Entry): BudgetEnd | null {
  switch (entry.kind) {
    case "budget_answered":
    case "run_ended":
      return entry;
    case "command_queued":
      return entry.body.command === "retry_now" ? null : entry;
    case "verdict":
      return entry.body.act === "force" || entry.body.act === "end" ? entry : null;
    default:
      return null;
  }
}

const STATES = { extend: "extended", finish: "finished", ended: "ended" } as const;

export function budgetQuestionView(
  session: string,
  question: Entry<"budget_asked">,
  end: BudgetEnd | null,
): BudgetQuestionView {
  const { state, by } = endOf(end);
  return {
    id: question.body.question,
    sessionId: session,
    runId: runId(session, question.run ?? ""),
    ...budgetAmounts(question.body),
    state,
    by,
    askedAt: isoTime(question.at),
  };
}

/** Returns the amounts that are nearly used and that a yes adds, in display units. */
export function budgetAmounts({ what, used, limit, adds, cost }: BudgetAsk): Shown {
  return {
    what: NAMES[what],
    used: amountIn(what, used),
    limit: amountIn(what, limit),
    adds: Object.fromEntries(
      Object.entries(adds).flatMap(([name, more]) =>
        isNamed(name) ? [[NAMES[name], amountIn(name, more)]] : [],
      ),
    ),
    costUsd: { used: cost.used / 1e6, limit: cost.limit / 1e6 },
  };
}

function endOf(end: BudgetEnd | null): Pick<BudgetQuestionView, "state" | "by"> {
  if (end === null) return { state: "open", by: null };
  if (end.kind === "budget_answered")
    return { state: STATES[end.body.decision], by: end.body.decision === "ended" ? null : end.body.actor };
  // Given more by another way than this question.
  if (end.kind === "command_queued" && end.body.command === "extend")
    return { state: "extended", by: end.body.actor };
  return { state: "ended", by: null };
}

/** as `budgets` of a Run has them */
const NAMES: Readonly<Record<BudgetName, BudgetQuestionView["what"]>> = {
  steps: "steps",
  tokens: "tokens",
  cost: "costUsd",
  activeMs: "activeMs",
  toolCalls: "toolCalls",
  messages: "messages",
};

const isNamed = (name: string): name is BudgetName => Object.hasOwn(NAMES, name);
const amountIn = (name: string, amount: number): number => (name === "cost" ? amount / 1e6 : amount);

/** `r3` of `r3b1`, the only name that such a question has. */
export const runOfBudgetQuestion = (question: string): string | null =>
  /^(r[1-9]\d{0,8})b1$/.exec(question)?.[1] ?? null;

/** The question of that name in the entries of its run, or null. */
export function findBudgetQuestion(
  session: string,
  entries: readonly Entry[],
  question: string,
): BudgetQuestionView | null {
  const at = entries.findIndex((entry) => entry.kind === "budget_asked" && entry.body.question === question);
  const opening = entries[at];
  if (opening?.kind !== "budget_asked") return null;
  const later = entries.slice(at + 1).flatMap((entry) => asBudgetEnd(entry) ?? []);
  return budgetQuestionView(session, opening, later[0] ?? null);
}

type Shown = Pick<BudgetQuestionView, "what" | "used" | "limit" | "adds" | "costUsd">;

/** One line each: what is nearly used, what a yes adds, what the run may then cost. */
export function budgetWords({ what, used, limit, adds, costUsd }: Shown): {
  readonly title: string;
  readonly adds: string;
  readonly cost: string;
} {
  const more = Object.entries(adds).map(([name, amount]) => amountWords(name, amount));
  const most = costUsd.limit + (adds["costUsd"] ?? 0);
  return {
    title: `${numberWords(what, used)} of ${amountWords(what, limit)} are used. May it have more?`,
    adds: `A yes adds ${more.join(", ")}.`,
    cost:
      costUsd.used === 0
        ? `It has cost nothing so far. With more it may cost up to ${dollars(most)}.`
        : `It has cost ${dollars(costUsd.used)} so far. With more it may cost up to ${dollars(most)}.`,
  };
}

const UNITS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  steps: ["step", "steps"],
  tokens: ["token", "tokens"],
  activeMs: ["minute", "minutes"],
  toolCalls: ["call of a tool", "calls of tools"],
  messages: ["message", "messages"],
};

function numberWords(name: string, amount: number): string {
  if (name === "costUsd") return dollars(amount);
  return count(name === "activeMs" ? Math.max(1, Math.round(amount / 60_000)) : amount);
}

function amountWords(name: string, amount: number): string {
  const number = numberWords(name, amount);
  const [one, many] = ownValue(UNITS, name) ?? ["", ""];
  return name === "costUsd" ? number : `${number} ${number === "1" ? one : many}`;
}

const dollars = (amount: number): string => `$${amount.toFixed(amount > 0 && amount < 0.1 ? 4 : 2)}`;
const count = (amount: number): string => String(amount).replaceAll(/\B(?=(\d{3})+$)/g, ",");

/** Returns the end of the question in one line; null while it is open. */
export function budgetEndWords({ state, by }: Pick<BudgetQuestionView, "state" | "by">): string | null {
  const who = by === null ? "" : ` by ${by}`;
  switch (state) {
    case "open":
      return null;
    case "extended":
      return `It has more${who === "" ? "" : `, given${who}`}`;
    case "finished":
      return `It finishes with what there is, decided${who}`;
    case "ended":
      return "No answer is needed any more";
  }
}
