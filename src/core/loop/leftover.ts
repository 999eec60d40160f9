import type { Entry, EntryDraft } from "../log/entry.ts";
import { roleOfRun } from "../guards/permitted.ts";
import { hasFiles } from "../state/safety.ts";
import { runName } from "../log/names.ts";
import type { LiveRun, State } from "../state/state.ts";

/**
 * Input that joined a run and was read by no model call before it ended gets a run of its own: an accepted message is
 * read, or visibly ended. `readTo` is the head of the log up to which the run has read.
 */
export function leftoverRuns(
  state: State,
  run: LiveRun,
  rows: readonly Entry[],
  readTo: number,
): EntryDraft[] {
  const left = run.unread.filter((seq) => seq > readTo && seq !== run.said);
  return left.flatMap((seq, index): EntryDraft[] => {
    const said = rows.find((row) => row.seq === seq);
    if (said?.kind !== "user_said") return [];
    const { actor, source, model, fallbacks, wanted, temperature, approvers } = run;
    const body = {
      message: said.body.id,
      said: seq,
      request: null,
      actor,
      source,
      model,
      fallbacks,
      temperature,
      ...wanted,
      ...(approvers === undefined ? {} : { approvers }),
      role: roleOfRun(run),
      ...(hasFiles(said.body.parts) ? ({ files: true } as const) : {}),
      ...(run.imported === undefined ? {} : { imported: run.imported }),
    };
    return [{ kind: "run_queued", run: runName(state.runs + index + 1), step: null, body }];
  });
}
