import { ORIGIN, SEND_MESSAGE, addressName } from "../../address.ts";
import type { Entry } from "../../log/entry.ts";
import { isObject } from "../../log/json.ts";
import type { Receipt } from "../../log/receipt.ts";
import type { LiveRun } from "../../state/state.ts";
import { reviewCallsOf } from "./evidence.ts";
import { receiptOf } from "./receipt.ts";

/** The receipt of a live run, for its answer or for a message to its person. */
export function runReceipt(run: LiveRun, entries: readonly Entry[]): Receipt {
  return {
    ...receiptOf(run.run, entries),
    ...(isSent(run, entries) ? { sent: true } : {}),
  };
}

/** True if the last action of the run was the message with its result, below the receipt. */
function isSent(run: LiveRun, entries: readonly Entry[]): boolean {
  const last = reviewCallsOf(run.run, entries).findLast(
    ({ effect, kind }) => effect !== "read" && kind !== "bookkeeping",
  );
  if (last?.tool !== SEND_MESSAGE || last.status !== "ok" || !isObject(last.input)) return false;
  const { origin } = run.request;
  const { to = ORIGIN, kind } = last.input;
  const isHere = to === ORIGIN || (origin !== undefined && to === addressName(origin));
  return isHere && typeof kind === "string" && CARRIES_RECEIPT.has(kind);
}

/** Kinds of messages that report the result of a run. */
export const CARRIES_RECEIPT: ReadonlySet<string> = new Set(["final", "failure"]);
