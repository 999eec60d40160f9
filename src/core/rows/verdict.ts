import type { BodyOf, EntryDraft } from "../log/entry.ts";
import { stepName } from "../log/names.ts";
import type { LiveRun } from "../state/state.ts";
import type { Verdict } from "../state/loop-memory.ts";

type Fired = BodyOf<"guard_fired">;

/** A verdict as the row that people can see (guards 1.3, rule 4). */
export function guardRow(
  run: LiveRun,
  point: Fired["point"],
  { code, rule, evidence, hint }: Verdict,
  act: Fired["act"],
  more: Partial<Pick<Fired, "call" | "until" | "climb" | "again" | "models" | "limits" | "profile">> = {},
): EntryDraft<"guard_fired"> {
  return {
    kind: "guard_fired",
    run: run.run,
    step: run.step === 0 ? null : stepName(run.run, run.step),
    body: { point, call: null, code, rule, act, hint, evidence: evidence.seqs, until: null, ...more },
  };
}
