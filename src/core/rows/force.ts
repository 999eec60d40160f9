import type { EntryDraft } from "../log/entry.ts";
import { stepName } from "../log/names.ts";
import type { LiveRun } from "../state/state.ts";

/** The row after which the answer is forced: one more model call, without tools, from what is known (guards 2.6). */
export function forceRow(run: LiveRun, code: string, rule: string): EntryDraft<"guard_fired"> {
  return {
    kind: "guard_fired",
    run: run.run,
    step: run.step === 0 ? null : stepName(run.run, run.step),
    body: {
      point: "before_model",
      call: null,
      code,
      rule,
      act: "force",
      hint: "Answer now, without tools, from what you know: what is done, what is not, and why.",
      evidence: [],
      until: null,
    },
  };
}
