import { DAY_COST_MAX, DAY_TOKENS_MAX } from "../../limits.ts";
import type { EntryDraft } from "../../log/entry.ts";
import type { Verdict } from "../../log/verdict.ts";
import { forceEntry, verdictEntry } from "../../entries/verdict.ts";
import { workingPhase } from "../../state/run/phase.ts";
import { awaits, WORK_PENDING } from "../../state/run/children.ts";
import { dayNo } from "../../state/apply.ts";
import type { LiveRun, State } from "../../state/state.ts";
import { accountOf, limitsOf, entryOf, NO_AMOUNTS, type Amounts } from "./amounts.ts";
import { askForMore } from "./ask.ts";
import { beforeModel, budgetNotes, dayPays, type BudgetView, type Day } from "./exhaust.ts";
import { moreCalls, promotion } from "./extend.ts";
import { reserveFinal, type CallRequest } from "./reserve.ts";

/** Permission for a model call, with the amounts it reserves. */
export type Admission =
  /** with notes for the model in this same request */
  | {
      readonly do: "send";
      readonly reserved: Pick<Amounts, "tokens" | "cost">;
      readonly maxOut: number;
      readonly notes: readonly EntryDraft[];
    }
  /** something else comes first: more room, the forced answer, the end */
  | { readonly do: "record"; readonly entry: EntryDraft };

/** Daily spending caps of a session. */
export type DayCaps = Pick<Amounts, "tokens" | "cost">;

export const DAY_CAPS: DayCaps = { tokens: DAY_TOKENS_MAX, cost: DAY_COST_MAX };

/** Returns this session's usage on the day of `at`, with its caps. */
export function dayOf({ day }: State, at: number, limit: DayCaps): Day {
  const used = day?.no === dayNo(at) ? day : { tokens: 0, cost: 0 };
  return { used, limit };
}

/** Admits an ordinary step or the forced answer, once the size of its request is known. */
export function admitCall(
  state: State,
  run: LiveRun,
  call: { readonly purpose: "step" | "final"; readonly opened: boolean },
  request: CallRequest,
  at: number,
  caps: DayCaps,
): Admission {
  const account = accountOf(state, run, at);
  const days = [dayOf(state, at, caps)];
  if (call.purpose === "final") return admitFinal(run, { account, request, days });
  const { profile, request: requested } = run;
  const { once } = run.used;
  const { turns, stuck } = run.loop;
  const of = { profile, promoted: once.includes("PROMOTED"), overrides: entryOf(requested.limits), turns };
  const larger = promotion(account, of, requested.caps === undefined ? {} : entryOf(requested.caps));
  if (larger !== null) {
    const hint = `This is more work than it seemed: you have ${larger.limits.steps} steps in all.`;
    const more = { limits: limitsOf(larger.limits), profile: larger.profile };
    return { do: "record", entry: verdictEntry(run, "before_model", note("PROMOTED", hint), "note", more) };
  }
  // A number of calls that somebody set is the number of calls.
  const isSet = requested.limits.toolCalls !== undefined || requested.caps?.toolCalls !== undefined;
  const calls = isSet ? null : moreCalls(account, run);
  if (calls !== null) {
    const limits = limitsOf({ ...account.limit, calls });
    const hint = `Your calls were new work, each of them: you have ${calls} in all.`;
    const verdict = { ...note("MORE_CALLS", hint), rule: "budget:calls" };
    return { do: "record", entry: verdictEntry(run, "before_model", verdict, "note", { limits }) };
  }
  const view: BudgetView = {
    account,
    request,
    days,
    callsSpent: lastTurnUnpaid(run),
    onExhausted: requested.onExhausted ?? "answer",
    extension: {
      // A number of steps that somebody set is the number of steps.
      extended:
        once.includes("EXTENDED") ||
        requested.limits.steps !== undefined ||
        requested.caps?.steps !== undefined,
      turns,
      stuckLevel: stuck.level,
      // Nothing is delivered before the answer, so any finding is still unreported.
      openWork: run.loop.calls.some((one) => one.fresh),
      delivered: run.output.sends > 0,
    },
  };
  const decision = beforeModel(view);
  // The unused part of the children's shares returns with their reports.
  if (decision.do !== "send" && run.children !== undefined && awaits(run.children)) {
    const returned = beforeModel({ ...view, account: { ...account, open: NO_AMOUNTS } });
    if (returned.do === "send")
      return { do: "record", entry: verdictEntry(run, "before_model", CHILDREN_FIRST, "wait") };
  }
  switch (decision.do) {
    case "send": {
      const notes = call.opened ? [] : budgetNotes(account, profile, new Set(once));
      const question = call.opened ? null : askForMore(run, account, days);
      return {
        do: "send",
        reserved: decision.need,
        maxOut: decision.maxOut,
        notes: [
          ...notes.map((one) => verdictEntry(run, "before_model", one, "note")),
          ...(question === null ? [] : [question]),
        ],
      };
    }
    case "extend": {
      const { steps } = decision;
      const limits = { ...run.limits, steps: run.limits.steps + steps };
      const hint = `You have ${steps} steps more, for the tools that you have used: end what you began, then answer.`;
      return {
        do: "record",
        entry: verdictEntry(run, "before_model", note("EXTENDED", hint), "note", { limits }),
      };
    }
    case "force": {
      const isDeadline = profile === "time_capsule" && decision.verdict.code === "BUDGET_WALL";
      const { code, rule } = isDeadline ? DEADLINE : decision.verdict;
      return { do: "record", entry: forceEntry(run, code, rule) };
    }
    case "end":
      return { do: "record", entry: verdictEntry(run, "before_model", decision.verdict, "end") };
  }
}

const CHILDREN_FIRST = {
  code: WORK_PENDING,
  rule: "children",
  hint: "What is left is set aside for the runs that you have started: their reports come first.",
};

/** The time that a capsule was given is over. */
const DEADLINE = { code: "DEADLINE", rule: "deadline" };

/** The forced answer uses the reserve. If even that is insufficient, the model is not called any more. */
function admitFinal(run: LiveRun, view: Pick<BudgetView, "account" | "request" | "days">): Admission {
  const reserved = reserveFinal(view.account, view.request);
  if (reserved.ok && dayPays(view))
    return { do: "send", reserved: reserved.need, maxOut: reserved.maxOut, notes: [] };
  const phase = workingPhase(run.phase);
  const reason = (phase.at === "thinking" ? phase.reason : null) ?? "budget";
  const rule = reserved.ok ? "budget:day" : reason;
  const hint = "Nothing is left for an answer of the model.";
  const verdict = { code: reserved.ok ? "BUDGET_DAY" : "FINAL_UNPAID", rule, evidence: { seqs: [] }, hint };
  return { do: "record", entry: verdictEntry(run, "before_model", verdict, "end") };
}

const note = (code: string, hint: string): Verdict => ({
  code,
  rule: "budget:steps",
  evidence: { seqs: [] },
  hint,
});

/** All calls of the last turn were skipped for want of calls. */
function lastTurnUnpaid({ loop }: LiveRun): boolean {
  const calls = loop.turns.at(-1)?.calls ?? [];
  return (
    calls.length > 0 &&
    calls.every((id) => loop.calls.find((call) => call.id === id)?.skip === "BUDGET_CALLS")
  );
}
