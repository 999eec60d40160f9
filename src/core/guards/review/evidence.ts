import { ARGS_OVERLAP_MIN } from "../../guard-limits.ts";
import type { ReviewItem } from "./open-items.ts";
import type { Json } from "../../log/json.ts";
import { isMadeGood } from "./same-act.ts";
import { wordsOf } from "../../text/sentences.ts";
import { isWork, type ReviewCall } from "./subject.ts";

/** The failed work calls, and those of unknown outcome, that no later result made good and no dropped item excuses. */
export function unresolvedCalls(
  calls: readonly ReviewCall[],
  plan: readonly ReviewItem[],
): readonly ReviewCall[] {
  const dropped = new Set(plan.flatMap((item) => (item.status === "dropped" ? [item.id] : [])));
  return calls.filter((call, index) => {
    const isOpen = isWork(call) && (call.status === "error" || call.status === "unknown");
    if (!isOpen || (call.item !== null && dropped.has(call.item))) return false;
    const later = calls.slice(index + 1).filter(({ status }) => status === "ok");
    // What missed its thing may be tried under another name.
    const isTried = isMissed(call)
      ? later.some((other) => other.tool === call.tool && isAlike(other, call))
      : later.some((other) => call.item !== null && other.item === call.item && isWork(other));
    return !isTried && !isMadeGood(call, later);
  });
}

export function isMissed({ error }: ReviewCall): boolean {
  return error === "not_found" || error === "invalid_args" || error === "too_large";
}

export const isAlike = (a: ReviewCall, b: ReviewCall): boolean =>
  overlap(argWordsOf(a.input), argWordsOf(b.input)) >= ARGS_OVERLAP_MIN;

/** Shared words over the larger set; two empty sets are equal. */
function overlap(a: readonly string[], b: readonly string[]): number {
  const [left, right] = [new Set(a), new Set(b)];
  const larger = Math.max(left.size, right.size);
  return larger === 0 ? 1 : [...left].filter((word) => right.has(word)).length / larger;
}

/** Keys and words of a call's arguments, folded: what two tries of the same thing have in common. */
function argWordsOf(input: Json): readonly string[] {
  if (input === null) return [];
  if (typeof input !== "object") return wordsOf(String(input));
  if (Array.isArray(input)) return input.flatMap((one: Json) => argWordsOf(one));
  return Object.entries(input).flatMap(([key, value]) => [...wordsOf(key), ...argWordsOf(value)]);
}
