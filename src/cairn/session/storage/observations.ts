import { readInputName, runOf } from "../../core/log/names.ts";
import { EMPTY_STATE } from "../../core/state/state.ts";
import { unfence } from "../../core/text/untrusted.ts";
import type { Observations } from "../../tools/builtin/observations.ts";
import { loadRun } from "../api/log-reader.ts";
import type { Store } from "../engine/ports.ts";

/** what is read with a quote, on either side */
const AROUND_CHARS = 1_000;

/** Whole results of this session by the name of their call: stored separately if they were cut, else in the log. */
export function sessionObservations(
  store: Pick<Store, "entriesBefore" | "entriesBetween" | "loadBlob" | "loadCursor" | "sources">,
): Observations {
  const read = (call: string): string | null => {
    const stored = store.loadBlob(call);
    if (stored !== null) return stored;
    const evidence = store.sources.evidence(call);
    if (evidence !== null) {
      const { page, start, end } = evidence;
      const text = store.loadBlob(page) ?? "";
      return text.slice(Math.max(0, start - AROUND_CHARS), end + AROUND_CHARS);
    }
    const state = store.loadCursor()?.state ?? EMPTY_STATE;
    const input = readInputName(call);
    if (input !== null && input.seq > state.cleared) {
      const [row] = store.entriesBetween(input.seq, input.seq);
      const part = row?.kind === "user_message" ? row.body.parts[input.part] : undefined;
      return part?.type === "text" ? part.text : null;
    }
    const run = runOf(call);
    if (run === null) return null;
    for (const row of loadRun(store, state, run)) {
      if (row.kind !== "call_settled" || row.body.call !== call) continue;
      return row.body.reusedFrom === null ? unfence(row.body.observation) : read(row.body.reusedFrom);
    }
    return null;
  };
  return { read };
}
