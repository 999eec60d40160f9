import type { Entry } from "../../log/entry.ts";
import { brokenBy } from "../../log/model.ts";

/** Failures of a run that count towards its end. */
export interface Failures {
  /** attempt_lost entries in all */
  readonly interruptions: number;
  /** failures retried in all */
  readonly retries: number;
  /** unusable replies in a row */
  readonly unusableReplies: number;
  /** replies cut by length or withheld by a filter, in a row */
  readonly truncatedReplies: number;
  /** no model could be called at the last entry: the time until the next one is not charged */
  readonly stalled: boolean;
}

/** Code of the note of a run that waits for a deployment in which a model can be called. */
export const MODEL_UNAVAILABLE = "model_unavailable";

export const NO_FAILURES: Failures = {
  interruptions: 0,
  retries: 0,
  unusableReplies: 0,
  truncatedReplies: 0,
  stalled: false,
};

export function changeFailures(failures: Failures, entry: Entry): Failures {
  switch (entry.kind) {
    case "attempt_lost":
      return { ...failures, interruptions: failures.interruptions + 1 };
    case "model_replied": {
      const { finish } = entry.body;
      const unusableReplies = isUsable(entry.body) ? 0 : failures.unusableReplies + 1;
      const cut = finish === "length" || finish === "content-filter";
      const truncatedReplies = cut ? failures.truncatedReplies + 1 : 0;
      const same =
        unusableReplies === failures.unusableReplies && truncatedReplies === failures.truncatedReplies;
      return same ? failures : { ...failures, unusableReplies, truncatedReplies };
    }
    case "model_failed":
      return entry.body.then === "retry" ? { ...failures, retries: failures.retries + 1 } : failures;
    case "verdict":
      return entry.body.act === "retry" ? { ...failures, retries: failures.retries + 1 } : failures;
    case "note":
      return entry.body.code === MODEL_UNAVAILABLE ? { ...failures, stalled: true } : failures;
    default:
      return failures;
  }
}

function isUsable({ calls, parts, finish, parse }: Entry<"model_replied">["body"]): boolean {
  if (finish === "aborted") return true;
  if (calls.length > 0) return calls.some((call) => call.refused === null);
  if (brokenBy(parse).length > 0) return false;
  return parts.some((part) => part.type === "text" && part.text.trim() !== "");
}
