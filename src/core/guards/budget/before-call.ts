import type { Call, LiveRun } from "../../state/state.ts";
import { NO_AMOUNTS, rowOf } from "./amounts.ts";
import type { Objection } from "../check-call.ts";
import { beforeCall } from "./exhaust.ts";
import { acceptedInExtension } from "./extend.ts";
import type { Verdict } from "../../state/loop-memory.ts";

/**
 * Whether the run can pay a call that is about to run for the first time (guards 1.5, before_tool 11), `ahead` others of its
 * batch before it. A person's yes does not pay it.
 */
export function budgetObjection(run: LiveRun, call: Call, ahead: number): Objection | null {
  if (call.attempts > 0) return null;
  const kind = call.traits?.kind ?? "work";
  const used = { ...NO_AMOUNTS, calls: run.toolCalls + ahead, messages: run.sends };
  const ledger = { used, open: NO_AMOUNTS, limit: rowOf(run.limits) };
  const verdict =
    beforeCall(ledger, { kind, last: false, costMax: 0 }, { cost: 0 }) ??
    beyondExtension(run, call.tool, kind);
  return verdict === null ? null : { act: "skip", verdict, stored: null };
}

/** Steps that a run was given by itself are for ending what it began; those that a person gave are for anything. */
function beyondExtension(run: LiveRun, tool: string, kind: "work" | "bookkeeping" | "send"): Verdict | null {
  if (!run.once.includes("EXTENDED") || run.once.includes("EXTENDED_BY_PERSON")) return null;
  if (acceptedInExtension({ tool, kind }, new Set(Object.keys(run.guard.counts)))) return null;
  const hint = `${tool} was not used before, and these last steps are for ending what was begun. Use what you have, then answer.`;
  return { code: "BUDGET_CALLS", rule: "budget:extension", evidence: { seqs: [], names: [tool] }, hint };
}
