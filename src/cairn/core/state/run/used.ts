import { ANSWER_RESERVE_MS } from "../../limits.ts";
import type { Entry, Limits } from "../../log/entry.ts";
import type { BudgetAsk } from "../../log/people/question.ts";
import type { Profile } from "../../log/verdict.ts";
import { addUsage, NO_USAGE, reservedUsage, type Usage } from "../../log/model.ts";
import { callOf, openStep, type Phased } from "./phase.ts";

/** Usage of a run against its limits. Steps are counted by their number, deliveries in the output. */
export interface Used {
  readonly usage: Usage;
  /** work calls */
  readonly toolCalls: number;
  readonly activeMs: number;
  /** once-per-run actions about its budget that were taken */
  readonly once: readonly Once[];
  /** whether a person gives it more; absent until they are asked */
  readonly question?: BudgetQuestion;
}

export interface BudgetQuestion extends Pick<BudgetAsk, "question" | "adds"> {
  /** unanswered and still relevant */
  readonly open: boolean;
}

/** By itself, by a person, to a larger class, and the word that most is used. */
export type Once = "EXTENDED" | "EXTENDED_BY_PERSON" | "PROMOTED" | "WRAP_UP";

const NOTED: readonly Once[] = ["EXTENDED", "PROMOTED", "WRAP_UP"];

export const NOTHING_USED: Used = { usage: NO_USAGE, toolCalls: 0, activeMs: 0, once: [] };

/** Milliseconds for which a run may wait for a person: a capsule not beyond its time, less what its answer takes. */
export function waitLeft(
  {
    profile,
    limits,
    used,
  }: { readonly profile: Profile; readonly limits: Pick<Limits, "activeMs">; readonly used: Used },
  ms: number,
): number {
  if (profile !== "time_capsule") return ms;
  return Math.max(1, Math.min(ms, limits.activeMs - used.activeMs - ANSWER_RESERVE_MS));
}

/** `run` is as it was before the entry. */
export function changeUsed(used: Used, entry: Entry, run: Phased): Used {
  switch (entry.kind) {
    case "attempt_lost": {
      // The cost of a lost attempt is unknown: its whole reservation is charged.
      const open = openStep(run);
      const { cost } = entry.body;
      return open === null ? spend(used, cost) : charge(used, reservedUsage(open.reserved, cost ?? null));
    }
    case "model_replied":
    case "model_failed":
      return charge(used, entry.body.usage);
    case "call_intended": {
      const { attempts, traits } = callOf(run, entry);
      const counts = attempts === 0 && (traits?.kind ?? "work") === "work";
      return counts ? { ...used, toolCalls: used.toolCalls + 1 } : used;
    }
    case "call_settled":
      return spend(used, entry.body.cost);
    case "verdict": {
      if (entry.body.act === "retry") return spend(used, entry.body.cost);
      // The run writes its answer or ends, so more budget would come too late.
      if (entry.body.act === "force" || entry.body.act === "end") return closeQuestion(used);
      const code = entry.body.act === "note" ? NOTED.find((one) => one === entry.body.code) : undefined;
      return code === undefined ? used : { ...used, once: [...used.once, code] };
    }
    case "command_queued":
      if (entry.body.command === "retry_now") return used;
      return closeQuestion(
        entry.body.command === "extend" ? { ...used, once: [...used.once, "EXTENDED_BY_PERSON"] } : used,
      );
    case "budget_asked": {
      const { question, adds } = entry.body;
      return { ...used, question: { question, adds, open: true } };
    }
    case "budget_answered":
      return closeQuestion(used);
    default:
      return used;
  }
}

const closeQuestion = (used: Used): Used =>
  used.question?.open === true ? { ...used, question: { ...used.question, open: false } } : used;

const charge = (used: Used, more: Usage | null): Used =>
  more === null ? used : { ...used, usage: addUsage(used.usage, more) };

/** Adds a tool's cost, which has no tokens. */
const spend = (used: Used, cost: number | undefined): Used =>
  cost === undefined ? used : { ...used, usage: { ...used.usage, cost: (used.usage.cost ?? 0) + cost } };
