/** Sort keys are fractions in base 62, compared by code unit; a move writes one row, and never a neighbour's. */
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BASE = DIGITS.length;

function digitAt(key: string, at: number): number {
  return DIGITS.indexOf(key[at] ?? "0");
}

/**
 * A key strictly between two keys; `null` is the beginning or the end. A key never ends in `0`, so that a smaller one
 * always exists. Throws if `before` is not smaller than `after`: the caller's list is out of order.
 */
export function keyBetween(before: string | null, after: string | null): string {
  const low = before ?? "";
  if (after !== null && low >= after) throw new RangeError(`no key between ${low} and ${after}`);
  let key = "";
  // The key follows `low` digit by digit; once it is below `after`, the rest of `after` does not bind it.
  let below = after === null;
  for (let at = 0; ; at++) {
    const floor = digitAt(low, at);
    const ceiling = below ? BASE : digitAt(after ?? "", at);
    if (ceiling - floor > 1) return key + (DIGITS[floor + Math.floor((ceiling - floor) / 2)] ?? "");
    key += DIGITS[floor] ?? "";
    below ||= ceiling > floor;
  }
}

/** `count` keys in order, strictly between two keys. */
export function keysBetween(before: string | null, after: string | null, count: number): string[] {
  if (count <= 0) return [];
  const middle = keyBetween(before, after);
  const left = Math.floor((count - 1) / 2);
  return [...keysBetween(before, middle, left), middle, ...keysBetween(middle, after, count - 1 - left)];
}

/** Where a thing goes among its siblings: a position from 1, or before or after a sibling. */
export type Position = number | { readonly before: string } | { readonly after: string };

/**
 * The index at which to insert into the siblings (without the thing itself); absent is the end, a number past the end
 * too. `null` when the named sibling is not among them.
 */
export function indexFor(position: Position | undefined, siblingIds: readonly string[]): number | null {
  if (position === undefined) return siblingIds.length;
  if (typeof position === "number") return Math.min(Math.max(position - 1, 0), siblingIds.length);
  const at = siblingIds.indexOf("before" in position ? position.before : position.after);
  return at === -1 ? null : "before" in position ? at : at + 1;
}

/** The key of a thing inserted at this index among siblings in order. */
export function keyAt(index: number, siblings: readonly { readonly sortKey: string }[]): string {
  return keyBetween(siblings[index - 1]?.sortKey ?? null, siblings[index]?.sortKey ?? null);
}
