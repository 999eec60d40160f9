import { reviewCallsOf } from "../guards/review/evidence.ts";
import type { EntryDraft } from "../log/entry.ts";
import {
  CALL_SUMMARIES_MAX,
  CALL_SUMMARY_INPUT_CHARS_MAX,
  CALL_SUMMARY_RESULT_CHARS_MAX,
  type CallSummary,
} from "../log/tool.ts";
import { sliceText } from "../prompt/observation.ts";
import { hideFields } from "../text/redact.ts";

/**
 * Summarizes the newest calls of a run. Its answer stores them for the prompts of later runs, which thus need not read
 * the run again. Bookkeeping calls and calls that never ran are left out.
 */
export function callSummaries(
  run: string,
  entries: readonly EntryDraft[],
): { readonly calls?: readonly CallSummary[] } {
  const calls = reviewCallsOf(run, entries)
    .filter(({ kind, status }) => kind !== "bookkeeping" && status !== "skipped")
    .slice(-CALL_SUMMARIES_MAX)
    .map(({ id, tool, status, input, result }): CallSummary => ({
      call: id,
      tool,
      status,
      input: beginning(JSON.stringify(hideFields(input)), CALL_SUMMARY_INPUT_CHARS_MAX),
      result: beginning(result, CALL_SUMMARY_RESULT_CHARS_MAX),
    }));
  return calls.length === 0 ? {} : { calls };
}

function beginning(text: string, max: number): string {
  const line = text.slice(0, 2 * max).replace(/\s+/g, " ");
  return line.length <= max ? line : `${sliceText(line, 0, max - 1)?.text ?? ""}…`;
}
