import { ORIGIN, SEND_MESSAGE, addressName } from "../../address.ts";
import type { Entry } from "../../log/entry.ts";
import { isObject } from "../../log/json.ts";
import type { Receipt } from "../../log/receipt.ts";
import type { LiveRun } from "../../state/state.ts";
import { reviewSubject } from "./decide.ts";
import { reviewCallsOf } from "./evidence.ts";
import { isQuiet } from "./quiet.ts";
import { receiptOf } from "./receipt.ts";

/** The receipt of a live run that says this to its person: as its answer, or in a message. */
export function runReceipt(run: LiveRun, entries: readonly Entry[], said: string): Receipt {
  return {
    ...receiptOf(run.run, entries),
    ...(isQuietAnswer(run, entries, said) ? { quiet: true } : {}),
    ...(isSent(run, entries) ? { sent: true } : {}),
  };
}

/** A rule that throws hides nothing: the receipt is shown. */
function isQuietAnswer(run: LiveRun, entries: readonly Entry[], said: string): boolean {
  try {
    return isQuiet(reviewSubject(run, entries, said));
  } catch {
    return false;
  }
}

/** True where the last act of the run was the message that brought its person the result, with the receipt above it. */
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

/** Kinds of messages that say what came of a run. */
export const CARRIES_RECEIPT: ReadonlySet<string> = new Set(["final", "failure"]);
