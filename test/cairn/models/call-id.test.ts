import { describe, expect, it } from "vitest";
import { callName, stepName } from "../../../src/cairn/core/log/names.ts";
import { wireCallId } from "../../../src/cairn/models/call-id.ts";

describe("the id of a call on the wire", () => {
  const named = (run: number, step: number, index: number): string =>
    callName(stepName(`r${run}`, step), index);

  it.each([
    named(1, 1, 0),
    named(999_999_999, 1, 0),
    named(14_537_999, 238_327, 3_843),
    named(1, 1, 99_999),
    "",
    "functions.look:0",
    "call_".repeat(20),
    "r1s1c0a1",
    "r01s1c0",
    "名前",
  ])("is nine letters and digits for %j", (name) => {
    expect(wireCallId(name)).toMatch(/^[A-Za-z0-9]{9}$/);
    expect(wireCallId(name)).toBe(wireCallId(name));
  });

  it("differs for each call of a session, also where numbers meet their limits", () => {
    const numbers = [
      1, 2, 9, 10, 61, 62, 63, 3_843, 3_844, 238_327, 238_328, 14_537_999, 14_538_000, 14_776_336,
    ];
    const names = numbers.flatMap((run) =>
      numbers.flatMap((step) => numbers.map((index) => named(run, step, index))),
    );
    expect(new Set(names.map(wireCallId)).size).toBe(names.length);
  });

  it("reads in the order of run, step and call", () => {
    expect([named(1, 2, 0), named(1, 2, 11), named(63, 1, 0)].map(wireCallId)).toEqual([
      "000100200",
      "00010020B",
      "001100100",
    ]);
  });
});
