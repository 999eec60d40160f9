import { expect, test } from "vitest";
import { hashedFraction } from "../../../src/cairn/core/log/digest.ts";
import { indexFor, keyAt, keyBetween, keysBetween } from "../../../src/plugins/cms/model/order.ts";

interface Placed {
  readonly id: string;
  readonly sortKey: string;
}

function sorted(items: readonly Placed[]): Placed[] {
  return [...items].sort((a, b) => (a.sortKey < b.sortKey ? -1 : 1));
}

test("200 random moves keep the keys distinct and the order as asked", () => {
  let items: Placed[] = keysBetween(null, null, 9).map((sortKey, i) => ({ id: `s${i}`, sortKey }));
  let wanted = items.map((one) => one.id);
  for (let n = 0; n < 200; n++) {
    const id = wanted[Math.floor(hashedFraction("which", n) * wanted.length)] ?? "";
    const others = sorted(items.filter((one) => one.id !== id));
    const index = Math.floor(hashedFraction("where", n) * (others.length + 1));
    const moved = { id, sortKey: keyAt(index, others) };
    items = [...others, moved];
    wanted = others.map((one) => one.id);
    wanted.splice(index, 0, id);
    expect(sorted(items).map((one) => one.id)).toEqual(wanted);
    expect(new Set(items.map((one) => one.sortKey)).size).toBe(items.length);
  }
});

test("a key is strictly between its neighbours and never ends in 0, in the tightest gaps too", () => {
  let [low, high]: [string | null, string | null] = [null, null];
  for (let n = 0; n < 300; n++) {
    const key = keyBetween(low, high);
    expect(low === null || key > low).toBe(true);
    expect(high === null || key < high).toBe(true);
    expect(key.endsWith("0")).toBe(false);
    if (hashedFraction("side", n) < 0.5) low = key;
    else high = key;
  }
});

test("there is always room before the first and after the last", () => {
  let [first, last] = [keyBetween(null, null), keyBetween(null, null)];
  for (let n = 0; n < 100; n++) {
    const [before, after] = [keyBetween(null, first), keyBetween(last, null)];
    expect(before < first && after > last).toBe(true);
    [first, last] = [before, after];
  }
});

test("neighbours that are out of order are a bug and throw", () => {
  expect(() => keyBetween("b", "a")).toThrow(RangeError);
  expect(() => keyBetween("a", "a")).toThrow(RangeError);
});

test("a position is a number from 1, or before or after a sibling", () => {
  const siblings = ["a", "b", "c"];
  expect(indexFor(undefined, siblings)).toBe(3);
  expect(indexFor(1, siblings)).toBe(0);
  expect(indexFor(99, siblings)).toBe(3);
  expect(indexFor({ before: "b" }, siblings)).toBe(1);
  expect(indexFor({ after: "b" }, siblings)).toBe(2);
  expect(indexFor({ after: "x" }, siblings)).toBeNull();
});
