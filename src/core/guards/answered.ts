import type { Entry, EntryDraft } from "../log/entry.ts";
import { stepName } from "../log/names.ts";
import { failureText, settleCall } from "../rows/settle.ts";
import type { Call, LiveRun } from "../state/state.ts";
import type { ToolFailure } from "../log/tool.ts";
import type { Objection } from "./check-call.ts";

/**
 * The rows of a call that a guard keeps from running (guards 1.3, rule 5): the verdict, with the earlier result where there
 * is one; or the earlier result itself, with what it put into focus.
 */
export function settleObjected(
  run: LiveRun,
  calls: readonly Call[],
  rows: readonly Entry[],
  call: Call,
  { act, verdict, stored }: Extract<Objection, { act: "skip" | "reuse" }>,
): EntryDraft[] {
  const earlier = stored === null ? null : settledOf(rows, stored);
  if (act === "reuse" && earlier !== null) {
    const { status, observation, chars, failure, mark } = earlier;
    const noted = `${observation}\n[${verdict.hint}]`;
    const result = { status, observation: noted, chars, failure, ms: 0, ...(mark ? { mark } : {}) };
    return [...settleCall(run, calls, call, result, stored), ...touchedAgain(run, rows, call, stored)];
  }
  const failure: ToolFailure = {
    class: "policy",
    code: verdict.code.toLowerCase(),
    message: verdict.hint,
    retryable: false,
    details: { rule: verdict.rule },
  };
  const said = failureText(failure);
  const observation =
    earlier === null ? said : `${said}\nIts last result, from ${stored}:\n${earlier.observation}`;
  const result = { status: "refused", chars: observation.length, ms: 0, skip: verdict.code } as const;
  return settleCall(run, calls, call, { ...result, observation, failure });
}

function settledOf(rows: readonly Entry[], call: string): Entry<"call_settled">["body"] | null {
  const row = rows.findLast((entry) => entry.kind === "call_settled" && entry.body.call === call);
  return row?.kind === "call_settled" ? row.body : null;
}

/** Who looks at a thing again has it in focus again. */
function touchedAgain(run: LiveRun, rows: readonly Entry[], call: Call, from: string | null): EntryDraft[] {
  const row = rows.findLast((entry) => entry.kind === "memory_changed" && entry.body.call === from);
  if (row?.kind !== "memory_changed" || row.body.changes.length === 0) return [];
  const changes = row.body.changes.map((change) => ({ ...change, op: "touch" as const }));
  const body = { call: call.call, tool: call.tool, changes };
  return [{ kind: "memory_changed", run: run.run, step: stepName(run.run, run.step), body }];
}
