import { FAULT_CHARS_MAX } from "../limits.ts";
import type { BodyOf, EntryDraft } from "../log/entry.ts";
import { stepName } from "../log/names.ts";
import type { Verdict } from "../log/verdict.ts";
import { GUARD_ERROR } from "../state/safety.ts";
import type { LiveRun } from "../state/state.ts";

type Fired = BodyOf<"verdict">;

type Point = Fired["point"];
type VerdictInput = Omit<Verdict, "evidence"> & Partial<Pick<Verdict, "evidence">>;
type More = Partial<
  Pick<Fired, "call" | "until" | "retryAt" | "cost" | "climb" | "again" | "models" | "limits" | "profile">
>;

/** A verdict as the entry that people can see, in the step that is open or was the last. */
export function verdictEntry(
  run: LiveRun,
  point: Point,
  verdict: VerdictInput,
  act: Fired["act"],
  more: More = {},
): EntryDraft<"verdict"> {
  return guardEntryOf(run, run.step === 0 ? null : stepName(run.run, run.step), point, verdict, act, more);
}

/** The same in a step that is named. */
export function guardEntryOf(
  { run }: Pick<LiveRun, "run">,
  step: string | null,
  point: Point,
  { code, rule, evidence, hint }: VerdictInput,
  act: Fired["act"],
  more: More = {},
): EntryDraft<"verdict"> {
  const seqs = evidence?.seqs ?? [];
  const body = { point, call: null, code, rule, act, hint, evidence: seqs, until: null, ...more };
  return { kind: "verdict", run, step, body };
}

/**
 * A guard that throws is a bug of ours: before a tool the call is denied, elsewhere it is written down
 * and passed over, and the third ends the run.
 */
export function guardError(point: Point, error: unknown): Verdict<"GUARD_ERROR"> {
  const what = (error instanceof Error ? `${error.name}: ${error.message}` : "it threw").slice(
    0,
    FAULT_CHARS_MAX,
  );
  const passed = point === "before_tool" ? "so the call was not made" : "and was passed over";
  const hint = `A check of the runtime failed, ${passed}. This is a fault of the runtime, not of what you did (${what}).`;
  return { code: GUARD_ERROR, rule: `guard.${point}`, evidence: { seqs: [] }, hint };
}

/** The entry of a guard that threw where it may be passed over. */
export function faultEntry(run: LiveRun, point: Point, error: unknown): EntryDraft<"verdict"> {
  return verdictEntry(run, point, guardError(point, error), "note");
}

/**
 * Returns a guard's verdict before a model call, or the entry of its fault. A guard that threw is not run again in that
 * step.
 */
export function askBeforeModel(run: LiveRun, ask: () => EntryDraft | null): EntryDraft | null {
  const { faults } = run.safety;
  if (faults.some(({ point, step }) => point === "before_model" && step === run.step)) return null;
  try {
    return ask();
  } catch (error) {
    return faultEntry(run, "before_model", error);
  }
}

/** The hint of a forced answer. Empty here: the session fills in the note `answer-now` when it writes the entry. */
export const ANSWER_NOW = "";

/** The entry after which the answer is forced: one more model call, without tools, from what is known. */
export function forceEntry(run: LiveRun, code: string, rule: string): EntryDraft<"verdict"> {
  return verdictEntry(run, "before_model", { code, rule, hint: ANSWER_NOW }, "force");
}
