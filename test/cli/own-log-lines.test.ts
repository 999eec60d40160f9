import { expect, test } from "vitest";
import { LOG_START, sift } from "../../src/cli/start/wrangler-log.ts";

/** Lines that the worker logs by itself, among those of wrangler. */

test.each([
  '{"level":"info","event":"step","run":"r1"}',
  '{"level":"debug","event":"step"}',
  '\u001b[32m{"level":"info","event":"tool","text":"✘ [ERROR] of a tool"}\u001b[0m',
])("a line of the worker is shown: %s", (line) => {
  expect(sift(LOG_START, line)).toEqual({ filter: LOG_START, show: true });
});

test.each([
  '{"level":"error","event":"step"}',
  '{"level":"info"}',
  '{"level":"info","event":7}',
  '{"level":"info","event":"step"',
  "[wrangler:info] GET /site/ 200 OK (3ms)",
])("another line is not: %s", (line) => {
  expect(sift(LOG_START, line).show).toBe(false);
});

test("a line of the worker ends an error of wrangler", () => {
  const begun = sift(LOG_START, "✘ [ERROR] Something broke");
  expect(begun.show).toBe(true);
  const own = sift(begun.filter, '{"level":"info","event":"step"}');
  expect([own.show, sift(own.filter, "after it").show]).toEqual([true, false]);
});
