import type { EntryDraft } from "../log/entry.ts";
import type { LiveRun } from "../state/state.ts";
import { FAULT_CHARS_MAX } from "../guard-limits.ts";
import { guardRow } from "./verdict.ts";
import { GUARD_ERROR } from "../state/safety.ts";
import type { Verdict } from "../state/loop-memory.ts";

/**
 * A guard that throws is a bug of ours (guards 1.3, rule 7): before a tool the call is denied, elsewhere it is written down
 * and passed over, and the third ends the run.
 */

type Point = Parameters<typeof guardRow>[1];

export function guardError(point: Point, error: unknown): Verdict<"GUARD_ERROR"> {
  const what = (error instanceof Error ? `${error.name}: ${error.message}` : "it threw").slice(
    0,
    FAULT_CHARS_MAX,
  );
  const passed = point === "before_tool" ? "so the call was not made" : "and was passed over";
  const hint = `A check of the runtime failed, ${passed}. This is a fault of the runtime, not of what you did (${what}).`;
  return { code: GUARD_ERROR, rule: `guard.${point}`, evidence: { seqs: [] }, hint };
}

/** The row of a guard that threw where it may be passed over. */
export function faultRow(run: LiveRun, point: Point, error: unknown): EntryDraft<"guard_fired"> {
  return guardRow(run, point, guardError(point, error), "note");
}

/** What a guard says before a model call, or the row of its fault; once it has thrown in a step it is not asked there again. */
export function askBeforeModel(run: LiveRun, ask: () => EntryDraft | null): EntryDraft | null {
  const { faults } = run.safety;
  if (faults.some(({ point, step }) => point === "before_model" && step === run.step)) return null;
  try {
    return ask();
  } catch (error) {
    return faultRow(run, "before_model", error);
  }
}
