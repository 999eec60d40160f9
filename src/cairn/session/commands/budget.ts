import { ownValue } from "../../core/log/json.ts";
import { err, ok } from "../../core/log/result.ts";
import { DAY_CAPS, type DayCaps } from "../../core/guards/budget/admit.ts";
import { requestedLimits, wantedFault } from "../../core/guards/budget/requested-budget.ts";
import type { PromptPart } from "../../core/log/model.ts";
import { localRun } from "../../core/log/names.ts";
import { receiveBudgetAnswer, receiveExtend } from "../../core/loop/receive-extension.ts";
import type { Actor, ApiResult, ApiError, BudgetCommand, ExtendCommand } from "../api/session-api.ts";
import type { Engine } from "../engine/engine.ts";
import {
  BUDGET_ABOVE_CAP,
  BUDGET_CLOSED,
  limitsTooSmall,
  NO_BUDGET_QUESTION,
  NO_RUN,
} from "../api/errors.ts";
import { loadRun } from "../api/log-reader.ts";
import type { SqlStore } from "../storage/store.ts";
import {
  findBudgetQuestion,
  runOfBudgetQuestion,
  type BudgetQuestionView,
} from "../../protocol/stream/budget-question.ts";
import type { RunView } from "../../protocol/views.ts";
import { liveRunView } from "./views.ts";
import type { ResolvedRun } from "../runs/resolve-run.ts";

/** Budget requests by people for a run. */

/** of refused extensions; others are conflicts with the state of the run */
const EXTEND_STATUS: Readonly<Record<string, number>> = {
  nothing_asked: 422,
  invalid_budget: 422,
  above_cap: 422,
};

const EXTEND_HINT: Readonly<Record<string, string>> = {
  not_live: "GET /api/sessions/:id names the run that is at work as activeRun; send a message to start one.",
  child_run: "Extend the run at the top of its tree: its later calls have more to give.",
  run_ending: "Wait for its answer, then send a message that goes on from it.",
  already_extended: "Send a message when it has ended: the next run has limits of its own.",
  nothing_asked: 'Such as {"runId":"r1","steps":10}.',
  invalid_budget: "Leave out what is not to grow.",
  above_cap: "Ask for less, or raise the day's caps in src/agents/default.ts.",
};

/** Limits that somebody set must hold one model call and the answer after it; those of the classes do. */
export function tooSmall(
  engine: Engine,
  { wanted: house, budget, model, spec }: ResolvedRun,
  parts: readonly PromptPart[],
): ApiError | null {
  const wanted = requestedLimits(house, budget);
  if (Object.keys(wanted.limits).length === 0 && wanted.caps === undefined) return null;
  const fault = wantedFault(wanted, parts, engine.estimateFirstRequest(parts, model, spec));
  return fault === null ? null : limitsTooSmall(fault);
}

/** Gives the live run more, once. The same command again is answered and changes nothing. */
export function extendRun(
  engine: Engine,
  store: Pick<SqlStore, "seen" | "remember" | "entriesBefore" | "entriesBetween">,
  defaults: { readonly session: string; readonly day?: DayCaps },
  actor: Actor,
  { id, runId, amounts: wish }: ExtendCommand,
): ApiResult<RunView | null> {
  const { session, day = DAY_CAPS } = defaults;
  // As the trace, it takes the local name too.
  const run = localRun(session, runId) ?? (/^r[1-9]\d*$/.test(runId) ? runId : null);
  if (run === null || Number(run.slice(1)) > engine.log.state().runs) return err(NO_RUN);
  const received = engine.record((tx) => {
    if (store.seen("extend", id) !== null) return { ok: true } as const;
    const answer = receiveExtend(tx.state, { id, actor: actor.subject, run, adds: wish }, tx.at, day);
    if (!answer.ok) return answer;
    tx.append(answer.entries);
    store.remember("extend", id, "", tx.at);
    return answer;
  });
  if (!received.ok) {
    const { code, message } = received;
    const hint = ownValue(EXTEND_HINT, code);
    const status = ownValue(EXTEND_STATUS, code) ?? 409;
    return err({ status, code, message, ...(hint === undefined ? {} : { hint }) });
  }
  return ok(liveRunView(session, engine.log.state(), store));
}

type Reads = Pick<SqlStore, "entriesBefore" | "entriesBetween">;

/** Returns the present state of the question; null if there is none. */
export function budgetQuestion(
  engine: Engine,
  store: Reads,
  session: string,
  name: string,
): BudgetQuestionView | null {
  const run = runOfBudgetQuestion(name);
  return run === null ? null : findBudgetQuestion(session, loadRun(store, engine.log.state(), run), name);
}

export type BudgetAnswered = ApiResult<{ readonly question: BudgetQuestionView; readonly replayed: boolean }>;

/** Answers the question of a run whether it may have more; the same answer by the same person again is the first one. */
export function answerBudget(
  engine: Engine,
  store: Reads,
  defaults: { readonly session: string; readonly day?: DayCaps },
  actor: Actor,
  { id, question, decision, askedAt }: BudgetCommand,
): BudgetAnswered {
  const { session, day = DAY_CAPS } = defaults;
  const read = (): BudgetQuestionView | null => budgetQuestion(engine, store, session, question);
  const before = read();
  if (before === null || (askedAt !== undefined && Date.parse(before.askedAt) !== askedAt))
    return err(NO_BUDGET_QUESTION);
  const received = engine.record((tx) => {
    const answer = { id, question, decision, actor: actor.subject, via: actor.via };
    const taken = receiveBudgetAnswer(tx.state, answer, tx.at, day);
    if (taken.ok) tx.append(taken.entries);
    return taken;
  });
  const now = read() ?? before;
  const extra = { budgetQuestion: { ...now } };
  if (received.ok)
    return received.value === "ended"
      ? err({ ...BUDGET_ABOVE_CAP, extra })
      : ok({ question: now, replayed: false });
  const again = now.by === actor.subject && now.state === STATES[decision];
  return again ? ok({ question: now, replayed: true }) : err({ ...BUDGET_CLOSED, extra });
}

const STATES = { extend: "extended", finish: "finished" } as const;
