import type { EntryDraft } from "../log/entry.ts";
import type { State } from "../state/state.ts";
import { checkOveruse } from "./quotas.ts";
import { faultRow } from "../rows/fault.ts";
import { guardRow } from "../rows/verdict.ts";
import { guardConfig } from "../state/loop-memory.ts";

/** As `overuseOf`; what throws there is written down and passed over. */
export function overuseRows(state: State, settled: readonly EntryDraft[]): EntryDraft[] {
  try {
    return overuseOf(state, settled);
  } catch (error) {
    return state.run === null ? [] : [faultRow(state.run, "after_result", error)];
  }
}

/** Notes on tools that were called often and told little, for the calls that these rows have settled. */
function overuseOf({ run }: State, settled: readonly EntryDraft[]): EntryDraft[] {
  if (run === null) return [];
  return settled.flatMap((row) => {
    const call =
      row.kind === "call_settled" ? run.guard.calls.find((one) => one.id === row.body.call) : undefined;
    const verdict = call === undefined ? null : checkOveruse(run.guard, call, guardConfig(run));
    return verdict === null
      ? []
      : [guardRow(run, "after_result", verdict, "note", { call: call?.id ?? null })];
  });
}
