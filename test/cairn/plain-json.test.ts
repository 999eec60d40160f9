import { describe, expect, test } from "vitest";
import { plainJson } from "../../src/cairn/plain-json.ts";

/** A value of RPC as JSON, or its first fault. */

const CHARS_MAX = 1_000;
const faultOf = (value: unknown): string | null => {
  const text = plainJson(value, CHARS_MAX);
  return text.ok ? null : text.error;
};
const nested = (depth: number): unknown => (depth === 1 ? [] : [nested(depth - 1)]);

describe("plain data", () => {
  test("is written as JSON writes it, without what is undefined", () => {
    const value = { a: [1, -0.5, "ü\n", true, null, {}], b: undefined, ["__proto__"]: { x: 1 } };
    expect(plainJson(value, CHARS_MAX)).toEqual({ ok: true, value: JSON.stringify(value) });
    expect(plainJson(Object.assign(Object.create(null), { a: 1 }), CHARS_MAX)).toMatchObject({
      value: '{"a":1}',
    });
    expect(plainJson("words", CHARS_MAX)).toMatchObject({ value: '"words"' });
  });

  test("is bounded in characters, of names too, in levels and in values", () => {
    expect(faultOf("a".repeat(CHARS_MAX))).toBe(null);
    expect(faultOf("a".repeat(CHARS_MAX + 1))).toBe("too_large");
    expect(faultOf({ ["a".repeat(CHARS_MAX + 1)]: 1 })).toBe("too_large");
    expect(faultOf(["a".repeat(CHARS_MAX / 2), "a".repeat(CHARS_MAX / 2), "a"])).toBe("too_large");
    expect(faultOf(nested(100))).toBe(null);
    expect(faultOf(nested(101))).toBe("too_deep");
    expect(faultOf(Array.from({ length: 49_999 }, () => 0))).toBe(null);
    expect(faultOf(Array.from({ length: 50_000 }, () => 0))).toBe("too_many_values");
    expect(faultOf(Object.assign([], { length: 4_000_000_000 }))).toBe("too_many_values");
  });

  test("that holds the same list again and again is counted each time", () => {
    let doubled: unknown = [1];
    for (let n = 0; n < 60; n++) doubled = [doubled, doubled];
    expect(faultOf(doubled)).toBe("too_many_values");
  });
});

test("what is no plain data is refused, wherever it stands", () => {
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  expect(faultOf(cycle)).toBe("too_deep");
  class Named {
    readonly toJSON = (): number => 1;
  }
  const odd = [undefined, NaN, Infinity, 1n, () => 1, Symbol("a"), new Date(0), new Map(), new Named(), /a/];
  for (const value of [...odd, new Uint8Array(4), new Proxy(() => 1, {})]) {
    expect(faultOf(value)).toBe("not_json");
    expect(faultOf([value])).toBe("not_json");
    expect(faultOf({ a: { b: [value] } })).toBe("not_json");
  }
  expect(faultOf({ toJSON: () => "forged" })).toBe("not_json");
});
