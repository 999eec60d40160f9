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

const EFFECTS: Readonly<Record<string, string>> = {
  read: "Only reads.",
  keyed: "If it is interrupted, it is still done only once.",
  once: "Runs once. If it is interrupted, it is not tried again.",
};

/** What a second run of a tool would mean, in words for a person. */
export const effectWords = (effect: string): string => EFFECTS[effect] ?? effect;
