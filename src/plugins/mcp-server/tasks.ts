import { inputRequestsOf } from "./inputs.ts";
import { receiptText } from "../../cairn/core/text/receipt-lines.ts";
import { revealHidden } from "../../cairn/core/text/untrusted.ts";
import type { RunState } from "./run-state.ts";

/**
 * A run as a task of the extension io.modelcontextprotocol/tasks: its ID is that of the run, and it lasts as long as
 * the session.
 */

const POLL_MS = 2_000;

/** A type, so that it is an object of JSON. */
type TaskFields = {
  readonly taskId: string;
  readonly status: RunState["status"];
  readonly statusMessage?: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  readonly ttlMs: null;
  readonly pollIntervalMs: number;
};

function fieldsOf(state: RunState): TaskFields {
  const { runId: taskId, status, createdAt, updatedAt: lastUpdatedAt } = state;
  const words = statusText(state);
  return {
    taskId,
    status,
    ...(words === null ? {} : { statusMessage: revealHidden(words) }),
    createdAt,
    lastUpdatedAt,
    ttlMs: null,
    pollIntervalMs: POLL_MS,
  };
}

function statusText({ waitingFor, progress, reason }: RunState): string | null {
  if (waitingFor === null) return progress ?? reason;
  return waitingFor.kind === "approval"
    ? `It waits for a decision: ${waitingFor.title}`
    : waitingFor.question;
}

/** The response to the call that began the task. */
export const taskOf = (state: RunState) => ({ resultType: "task", ...fieldsOf(state) });

/** The task with what it waits for, came to, or failed by. */
export function taskDetailOf(state: RunState) {
  const fields = fieldsOf(state);
  switch (state.status) {
    case "input_required":
      return { ...fields, inputRequests: inputRequestsOf(state) };
    case "completed":
      return { ...fields, result: { resultType: "complete", ...textResult(state) } };
    case "failed":
      return {
        ...fields,
        error: { code: RUN_FAILED, message: failureText(state) },
      };
    default:
      return fields;
  }
}

function failureText({ receipt, reason }: RunState): string {
  return [receiptText(receipt?.lines ?? []), `The run failed: ${reason ?? "unknown"}.`]
    .filter((text) => text !== "")
    .join("\n");
}

/** of JSON-RPC: an error of the server's own */
const RUN_FAILED = -32_000;

/**
 * The run as the result of a tool: its receipt as text first, then its answer, if it has one, and the whole as data.
 * Invisible characters are JSON-escaped, so a model shows them, and the data stays equal.
 */
export function textResult(state: RunState) {
  const whole = { type: "text", text: revealHidden(JSON.stringify(state)) } as const;
  const receipt = receiptText(state.receipt?.lines ?? []);
  const words = [receipt, state.answer ?? ""].filter((text) => text !== "");
  return {
    content: [...words.map((text) => ({ type: "text", text }) as const), whole],
    structuredContent: state,
    ...(state.status === "failed" ? { isError: true } : {}),
  };
}
