import { PLACEHOLDERS_NAMED_MAX } from "../limits.ts";
import type { ProposedCall, EntryDraft } from "../log/entry.ts";
import { verdictEntry } from "../entries/verdict.ts";
import type { LiveRun } from "../state/state.ts";
import { findPlaceholders } from "../text/placeholders.ts";

/** `PLACEHOLDER_NOTE` [note], before_tool 4, for the writes of a reply that will run. `seq`: of the reply. */
export function placeholderEntries(
  run: LiveRun,
  calls: readonly ProposedCall[],
  seq: number,
): EntryDraft<"verdict">[] {
  const found = calls.flatMap((call) => {
    const isWrite = call.refused === null && call.effect !== "read" && call.traits?.kind === "work";
    const names = isWrite ? findPlaceholders(call.input) : [];
    return names.length === 0 ? [] : [{ call, names: names.slice(0, PLACEHOLDERS_NAMED_MAX) }];
  });
  return found.slice(0, PLACEHOLDERS_NAMED_MAX).map(({ call, names }) => {
    const hint = `${call.tool} writes what looks like a placeholder: ${names.join(", ")}. If it was to be filled in, put the real text there.`;
    const verdict = { code: "PLACEHOLDER_NOTE", rule: "write.placeholder", evidence: { seqs: [seq] }, hint };
    return verdictEntry(run, "before_tool", verdict, "note", { call: call.call });
  });
}
