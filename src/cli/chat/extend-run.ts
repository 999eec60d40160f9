import type { BudgetShown } from "./chunks.ts";
import type { SessionRequest } from "./session-request.ts";

/** `/more`: gives the run at work more to use, while it works. */

const STEPS = 5;
const NUMBER_MAX = 1_000_000_000;

/** of `POST …/extend`, by the words that people type */
const UNITS = {
  steps: ["steps", "step"],
  minutes: ["minutes", "minute", "min"],
  tokens: ["tokens", "token"],
  costUsd: ["usd", "dollars", "dollar", "$"],
} as const;
const NAMES = { steps: "steps", minutes: "minutes", tokens: "tokens", costUsd: "US dollars" } as const;
type Unit = keyof typeof UNITS;

export interface More {
  readonly unit: Unit;
  readonly amount: number;
}

export const MORE_USAGE =
  "It looks like /more, /more 10, /more 20 minutes, /more 50000 tokens or /more 2 usd.";

/** The requested extension; null if the line cannot be parsed. */
export function parseMore(line: string): More | null {
  const [, number = String(STEPS), word = "steps", ...rest] = line.trim().split(/\s+/);
  const unit = (Object.keys(UNITS) as Unit[]).find((each) =>
    (UNITS[each] as readonly string[]).includes(word.toLowerCase()),
  );
  const amount = /^\d+(\.\d+)?$/.test(number) ? Number(number) : NaN;
  const isWhole = unit === "costUsd" || Number.isInteger(amount);
  if (unit === undefined || rest.length > 0 || !isWhole || !(amount > 0 && amount <= NUMBER_MAX)) return null;
  return { unit, amount };
}

/** Extends the run's budget. Returns the result as text; never throws. */
export async function giveMore(
  request: SessionRequest,
  runId: string,
  { unit, amount }: More,
): Promise<string> {
  const given = await request("POST", "/extend", { runId, [unit]: amount });
  return given.ok ? `The run has ${amount} ${NAMES[unit]} more.` : `Not given: ${given.why.text}`;
}

/** Answers the question of the run whether it may have more. Never throws. */
export async function answerBudget(
  request: SessionRequest,
  { id, askedAt }: Pick<BudgetShown, "id" | "askedAt">,
  decision: "extend" | "finish",
): Promise<{ readonly ok: boolean; readonly words: string }> {
  const answered = await request("POST", `/budget-questions/${id}`, { decision, askedAt });
  if (!answered.ok) return { ok: false, words: `Not taken: ${answered.why.text}` };
  const words = decision === "extend" ? "The run has more." : "The run finishes with what there is.";
  return { ok: true, words };
}
