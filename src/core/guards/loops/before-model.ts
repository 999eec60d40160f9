import type { EntryDraft } from "../../log/entry.ts";
import { forceRow } from "../../rows/force.ts";
import { escalateRow } from "../../rows/question.ts";
import type { LiveRun } from "../../state/state.ts";
import { checkStuck, climb } from "./ladder.ts";
import { guardRow } from "../../rows/verdict.ts";
import { guardConfig } from "../../state/loop-memory.ts";

/** What the newest turn means for the ladder, once a turn; then what is done when its top is reached (guards 5.4). */
export function loopRow(run: LiveRun, at: number): EntryDraft | null {
  const last = run.guard.turns.at(-1);
  if (last !== undefined && run.guard.stuck.lastTurn !== last.step) {
    const climbed = climb(run.guard, guardConfig(run));
    if (climbed !== null) return guardRow(run, "after_result", climbed.verdict, "note", { climb: climbed });
  }
  const stuck = checkStuck(run.guard, guardConfig(run));
  if (stuck === null) return null;
  switch (stuck.action) {
    case "retry_with_hint":
      return guardRow(run, "before_model", stuck.verdict, "note", { again: true });
    case "escalate":
      return escalateRow(run, stuck.verdict, stuck.hint, at);
    case "fail":
      return guardRow(run, "before_model", stuck.verdict, "end");
    case "force_answer":
      return forceRow(run, "STUCK", "stuck");
  }
}
