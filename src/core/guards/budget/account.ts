import { activeGap } from "../../state/apply.ts";
import { working } from "../../state/apply-run.ts";
import type { LiveRun, State } from "../../state/state.ts";
import { NO_AMOUNTS, rowOf, type Ledger } from "./amounts.ts";

/** What the run has spent up to `at`. A step that is open is about to be paid again, so it is not counted. */
export function ledgerOf(state: State, run: LiveRun, at: number): Ledger {
  const phase = working(run.phase);
  const isOpen = phase.at === "thinking" && phase.open !== null;
  const { usage } = run;
  const used = {
    ...NO_AMOUNTS,
    steps: run.step - (isOpen ? 1 : 0),
    messages: run.sends,
    tokens: usage.inputTokens + usage.outputTokens,
    cost: usage.cost ?? 0,
    wall: run.activeMs + activeGap(state, at),
    calls: run.toolCalls,
  };
  return { used, open: NO_AMOUNTS, limit: rowOf(run.limits) };
}
