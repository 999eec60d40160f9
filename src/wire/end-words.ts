import type { OutcomeClass } from "../core/log/run.ts";
import { causeWords } from "../core/text/cause-words.ts";

const ENDS: Readonly<Record<OutcomeClass, string>> = {
  answered: "answered",
  partial: "answered with what it had",
  failed: "could not be finished",
  cancelled: "stopped",
};

/** `answered with what it had, because it ran out of steps` */
export function endWords(outcome: OutcomeClass, reason: string | null | undefined): string {
  const cause = causeWords(reason);
  return cause === null ? ENDS[outcome] : `${ENDS[outcome]}, because ${cause}`;
}
