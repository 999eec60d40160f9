import { dayOf, type DayCaps } from "../guards/budget/admit.ts";
import { accountOf, entryOf, limitsOf, type Amounts } from "../guards/budget/amounts.ts";
import { extendByPerson } from "../guards/budget/extend.ts";
import type { Via } from "../log/entry.ts";
import { workingPhase } from "../state/run/phase.ts";
import type { BudgetQuestion } from "../state/run/used.ts";
import type { LiveRun, State } from "../state/state.ts";
import type { Received } from "./receive.ts";

export interface Extend {
  readonly id: string;
  readonly actor: string;
  readonly run: string;
  /** what is added */
  readonly adds: Partial<Amounts>;
}

/**
 * A person gives the live run more, once: any amount, never above what the day has left. Refused: `not_live`, `run_ending`
 * (its answer is being written), `already_extended`, `nothing_asked`, `invalid_budget`, `above_cap`.
 */
export function receiveExtend(state: State, extend: Extend, at: number, caps: DayCaps): Received<null> {
  const refuse = (code: string, message: string): Received<null> => ({ ok: false, code, message });
  const { run } = state;
  if (run === null || run.run !== extend.run || run.cancel !== null)
    return refuse("not_live", "This run is not at work.");
  if (run.request.parent !== undefined)
    return refuse("child_run", "What this run may use was given to it by the run that started it.");
  if (isEnding(run)) return refuse("run_ending", "This run is writing its answer already.");
  const { used, limit } = dayOf(state, at, caps);
  const found = extendByPerson(accountOf(state, run, at), extend.adds, {
    extended: run.used.once.includes("EXTENDED_BY_PERSON"),
    dayLeft: { tokens: limit.tokens - used.tokens, cost: limit.cost - used.cost },
  });
  if (!found.ok) {
    const { fault } = found;
    switch (fault.code) {
      case "already_extended":
        return refuse(fault.code, "A run is extended by a person once.");
      case "nothing_asked":
        return refuse(fault.code, "Say what the run gets: steps, tokens, costUsd or minutes.");
      case "wish_malformed":
        return refuse("invalid_budget", `What is added to ${fault.what} is a positive whole number.`);
      case "above_cap":
        return refuse(fault.code, `The day of this session has no such ${fault.what} left.`);
    }
  }
  const { id, actor } = extend;
  const body = {
    id,
    actor,
    command: "extend",
    limits: limitsOf(found.limits),
    reason: null,
    superseded: false,
  } as const;
  return { ok: true, entries: [{ kind: "command_queued", run: run.run, step: null, body }], value: null };
}

/** True if the final answer is being written or exists. */
function isEnding(run: LiveRun): boolean {
  const phase = workingPhase(run.phase);
  return phase.at === "ending" || (phase.at === "thinking" && phase.why === "final");
}

export interface AnswerBudget {
  /** of the extension that a yes is */
  readonly id: string;
  readonly question: string;
  readonly decision: "extend" | "finish";
  readonly actor: string;
  readonly via: Via;
}

/** The question about its budget that a run waits for no answer to, or null. */
export function openBudgetQuestion(run: LiveRun | null): BudgetQuestion | null {
  const question = run?.used.question;
  if (run === null || question?.open !== true || run.cancel !== null) return null;
  return isEnding(run) ? null : question;
}

/**
 * A yes is an extension of what was shown, a no is written down. `ended`: the day has no such amount left any more, so that the
 * question is over. Refused: `budget_closed`, where it is not open.
 */
export function receiveBudgetAnswer(
  state: State,
  { id, question, decision, actor, via }: AnswerBudget,
  at: number,
  caps: DayCaps,
): Received<"extend" | "finish" | "ended"> {
  const { run } = state;
  const open = openBudgetQuestion(run);
  if (run === null || open?.question !== question)
    return { ok: false, code: "budget_closed", message: "This question is not open any more." };
  const adds = entryOf(open.adds);
  const extended =
    decision === "extend" ? receiveExtend(state, { id, actor, run: run.run, adds: adds }, at, caps) : null;
  const became = extended?.ok === false ? "ended" : decision;
  const body = { question, decision: became, actor, via } as const;
  const answered = { kind: "budget_answered", run: run.run, step: null, body } as const;
  return {
    ok: true,
    entries: [answered, ...(extended?.ok === true ? extended.entries : [])],
    value: became,
  };
}
