import { ARGS_OVERLAP_MIN } from "./limits.ts";
import type { ReviewItem } from "./open-items.ts";
import type { Json } from "../json.ts";
import { wordsOf } from "./sentences.ts";
import { isOkEffect, isWork, type ReviewCall } from "./subject.ts";

/** The failed work calls, and those of unknown outcome, that no later result made good and no dropped item excuses. */
export function unresolvedCalls(
  calls: readonly ReviewCall[],
  plan: readonly ReviewItem[],
): readonly ReviewCall[] {
  const dropped = new Set(plan.flatMap((item) => (item.status === "dropped" ? [item.id] : [])));
  return calls.filter(
    (call, index) =>
      isWork(call) &&
      (call.status === "error" || call.status === "unknown") &&
      !(call.item !== null && dropped.has(call.item)) &&
      !calls.slice(index + 1).some((later) => mends(later, call)),
  );
}

/** Whether a later result makes a failure good. The success of an unrelated tool does not. */
function mends(later: ReviewCall, failed: ReviewCall): boolean {
  if (later.status !== "ok") return false;
  if (failed.item !== null && later.item === failed.item && isWork(later)) return true;
  // A look-up that missed is settled once the run has acted: it was a means, not the matter.
  const missed =
    failed.error === "not_found" || failed.error === "invalid_args" || failed.error === "too_large";
  if (failed.effect === "read" && missed && isOkEffect(later) && isWork(later)) return true;
  const sameVerb = later.verbs?.some((verb) => failed.verbs?.includes(verb)) === true;
  if (later.target !== null && later.target === failed.target)
    return later.tool === failed.tool || (sameVerb && later.effect !== "read");
  if (later.tool !== failed.tool || (later.target !== null && failed.target !== null)) return false;
  return overlap(later.argWords, failed.argWords) >= ARGS_OVERLAP_MIN;
}

/** Shared words over the larger set; two empty sets are equal. */
export function overlap(a: readonly string[], b: readonly string[]): number {
  const [left, right] = [new Set(a), new Set(b)];
  const larger = Math.max(left.size, right.size);
  return larger === 0 ? 1 : [...left].filter((word) => right.has(word)).length / larger;
}

/** Keys and words of a call's arguments, folded: what two tries of the same thing have in common. */
export function argWordsOf(input: Json): readonly string[] {
  if (input === null) return [];
  if (typeof input !== "object") return wordsOf(String(input));
  if (Array.isArray(input)) return input.flatMap((one: Json) => argWordsOf(one));
  return Object.entries(input).flatMap(([key, value]) => [...wordsOf(key), ...argWordsOf(value)]);
}
