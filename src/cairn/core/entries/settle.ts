import type { CallStatus, Entry, EntryDraft } from "../log/entry.ts";
import type { Json } from "../log/json.ts";
import type { ResultMark } from "../log/mark.ts";
import { stepName } from "../log/names.ts";
import type { Sources } from "../log/receipt.ts";
import type { EntityRef, ToolFailure } from "../log/tool.ts";
import { markFailure } from "../state/call-digest.ts";
import type { LiveRun } from "../state/state.ts";
import { decisionOf, isSettled, type Call } from "../state/run/phase.ts";

/** Every call gets exactly one result. These are the results of calls, and of those that did not run. */

/** Why a call gets its result without having run now. */
export type Settlement = "denied" | "interrupted" | "unknown" | "preview_failed" | "batch_stopped";

export interface CallResult {
  readonly status: CallStatus;
  readonly observation: string;
  readonly chars: number;
  readonly whole?: true;
  readonly failure: ToolFailure | null;
  readonly ms: number;
  /** mark for the guards; derived from the failure if there is one */
  readonly mark?: ResultMark;
  /** code of the verdict that skipped the call */
  readonly skip?: string;
  /** the earlier run whose stored result this call read; `?` if it is unknown */
  readonly readFrom?: string;
  /** what it leaves in the working memory */
  readonly changes?: readonly EntityRef[];
  /** what its tool logged */
  readonly logs?: readonly string[];
  /** millionths of a dollar that its last attempt is charged with */
  readonly cost?: number;
  /** what its tool has read outside */
  readonly sources?: Sources;
}

/** The observation of a failure, as the model reads it. */
export function failureText(failure: ToolFailure): string {
  return JSON.stringify({ ok: false, error: failure });
}

export function failedResult(status: Exclude<CallStatus, "ok">, failure: ToolFailure, ms = 0): CallResult {
  const observation = failureText(failure);
  const mark = status === "error" || status === "unknown" ? { mark: markFailure(failure) } : {};
  return { status, observation, chars: observation.length, failure, ms, ...mark };
}

/** The entries that settle a call, and with it the unsettled calls that repeat it, which share its result but changed nothing. */
export function settleCall(
  run: LiveRun,
  calls: readonly Call[],
  call: Call,
  result: CallResult,
  reused: string | null = null,
): EntryDraft[] {
  const step = stepName(run.run, run.step);
  const { changes: _changes, logs: _logs, cost: _cost, sources: _sources, ...shared } = result;
  const duplicates = calls.filter((other) => other.duplicateOf === call.call && !isSettled(other));
  return [
    settledEntry(run, step, call, result, call.attempts, reused),
    ...duplicates.map((other) => settledEntry(run, step, other, shared, other.attempts, call.call)),
  ];
}

export function settledEntry(
  { run }: Pick<LiveRun, "run">,
  step: string,
  { call, tool }: Pick<Call, "call" | "tool">,
  result: CallResult,
  attempt: number,
  reusedFrom: string | null,
): EntryDraft<"call_settled"> {
  return { kind: "call_settled", run, step, body: { call, tool, ...result, attempt, reusedFrom } };
}

/** The result of a call that is settled without running now. */
export function resultFor(as: Settlement, call: Call): CallResult {
  switch (as) {
    case "denied": {
      const decision = decisionOf(call);
      const expired = decision?.decision === "expired";
      const who = expired ? "Nobody decided in time" : `${decision?.actor ?? "A person"} declined`;
      const reason = expired || !decision?.reason ? "" : `: ${decision.reason}`;
      return failedResult("denied", {
        class: "policy",
        code: expired ? "approval_expired" : "denied",
        message: `${who}${reason}`,
        retryable: false,
        hint: "Do not try it again. Go on with what still makes sense and tell the person what was not done.",
      });
    }
    case "interrupted":
      return failedResult("error", {
        class: "internal",
        code: "interrupted",
        message: `${call.tool} was interrupted ${call.interruptions} times and has no result.`,
        retryable: false,
        hint: "Try another way, or tell the person.",
      });
    case "unknown":
      return unknownResult(call.tool, "It was interrupted while it ran");
    case "preview_failed":
      return failedResult("error", {
        class: "internal",
        code: "preview_interrupted",
        message: `What ${call.tool} would do could not be computed. Nothing was done.`,
        retryable: false,
      });
    case "batch_stopped":
      return failedResult("refused", {
        class: "policy",
        code: "batch_stopped",
        message: `Not run, because an earlier change of the same reply failed.`,
        retryable: true,
        hint: "Look at the failure first, then ask again for what is still right.",
      });
  }
}

/** An effect that may have happened. Reported to the model and to the person; never repeated automatically. */
export function unknownResult(tool: string, why: string, ms = 0): CallResult {
  const failure: ToolFailure = {
    class: "internal",
    code: "unknown_outcome",
    message: `${why}, so it is not known whether ${tool} took effect.`,
    retryable: false,
    hint: "Look whether it happened before doing it again, and tell the person.",
  };
  return failedResult("unknown", failure, ms);
}

/** The arguments of a call: those of the reply, or of the decision or vote that edited them. */
export function argumentsOf(
  entries: readonly Entry[],
  call: Call,
): { tool: string; title: string; input: Json } | null {
  const entry = entries.find((entry) => entry.seq === call.argsAt);
  if (entry?.kind === "approval_decided" || entry?.kind === "approval_voted") {
    const request = proposal(entries, call.call);
    return request === null ? null : { ...request, input: entry.body.args };
  }
  return proposal(entries, call.call);
}

function proposal(
  entries: readonly Entry[],
  name: string,
): { tool: string; title: string; input: Json } | null {
  for (const entry of entries) {
    if (entry.kind !== "model_replied") continue;
    const call = entry.body.calls.find((item) => item.call === name);
    if (call !== undefined) return { tool: call.tool, title: call.title, input: call.input };
  }
  return null;
}
