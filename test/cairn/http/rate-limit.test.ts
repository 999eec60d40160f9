import { expect, test } from "vitest";
import { createRateLimit } from "../../../src/cairn/http/kit/rate-limit.ts";

/** How often each subject may ask in any 60 seconds. */

function limit(perMinute: number) {
  let now = 1_000_000;
  const { admit } = createRateLimit(perMinute, () => now);
  /** the seconds to wait, or null where the request is let in */
  const ask = (subject: string): number | null => admit(subject)?.retryAfter ?? null;
  const pass = (ms: number): void => {
    now += ms;
  };
  return { admit, ask, pass };
}

test("as many as were set are let in, in any 60 seconds, and a refused one counts for nothing", () => {
  const { admit, ask, pass } = limit(2);
  expect(ask("ada")).toBeNull();
  pass(20_000);
  expect(ask("ada")).toBeNull();
  expect(ask("ada")).toBe(40);
  expect(admit("ada")).toMatchObject({ status: 429, code: "rate_limited" });
  pass(39_999);
  expect(ask("ada")).toBe(0.001);
  pass(1);
  expect(ask("ada")).toBeNull();
  expect(ask("ada")).toBe(20);
});

test("each subject is counted by itself", () => {
  const { ask } = limit(1);
  expect([ask("ada"), ask("ben"), ask("ada"), ask("ben")]).toEqual([null, null, 60, 60]);
});

test("of more than a thousand subjects the one that has been silent longest is forgotten, refused or not", () => {
  const { ask } = limit(1);
  ask("ada");
  ask("ben");
  for (let n = 0; n < 998; n++) ask(`other-${n}`);
  expect(ask("ada")).toBe(60);
  ask("one more");
  expect(ask("ada")).toBe(60);
  expect(ask("ben")).toBeNull();
});
