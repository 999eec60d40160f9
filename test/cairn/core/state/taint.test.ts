import { describe, expect, test } from "vitest";
import type { CallStatus } from "../../../../src/cairn/core/log/entry.ts";
import {
  applyInput,
  applyRead,
  needsApprovalByRuleOfTwo,
  beginTaint,
  TAINTED_AND_PRIVATE,
  UNTAINTED,
  type Beginning,
  type SettledRead,
} from "../../../../src/cairn/core/state/safety.ts";
import type { Taint } from "../../../../src/cairn/core/state/state.ts";

const quiet = { shown: false, tainted: false };
const begin = (more: Partial<Beginning> = {}): Taint =>
  beginTaint({ input: { seq: 1, source: "web", files: false }, history: [], memory: quiet, ...more });
const read = (more: Partial<SettledRead>): SettledRead => ({
  seq: 7,
  tool: "visit",
  status: "ok",
  reads: "outside",
  ...more,
});
const marks = (taint: Taint): string =>
  [taint.tainted === null ? "" : "tainted", taint.private === null ? "" : "private"]
    .filter(Boolean)
    .join("+");

test("a session that was imported taints each of its runs, and makes none private", () => {
  expect(begin({ imported: true })).toEqual({ tainted: { seq: 1, by: "import" }, private: null });
});

describe("a run begins", () => {
  test.each<readonly [string, Partial<Beginning>, string]>([
    ["clean from the words of a person", {}, ""],
    ["clean from a schedule", { input: { seq: 1, source: "schedule", files: false } }, ""],
    ["tainted from a webhook", { input: { seq: 1, source: "webhook", files: false } }, "tainted"],
    ["both with files", { input: { seq: 1, source: "web", files: true } }, "tainted+private"],
    [
      "as the runs before it that its prompt shows",
      { history: [UNTAINTED, TAINTED_AND_PRIVATE] },
      "tainted+private",
    ],
    ["private with a memory that is shown", { memory: { shown: true, tainted: false } }, "private"],
    [
      "both with what a tainted run remembered",
      { memory: { shown: true, tainted: true } },
      "tainted+private",
    ],
    ["clean with a memory that shows nothing any more", { memory: { shown: false, tainted: true } }, ""],
  ])("%s", (_, more, wanted) => {
    expect(marks(begin(more))).toBe(wanted);
  });

  test("and files or a webhook that join it count as if it had begun with them", () => {
    expect(marks(applyInput(begin(), { seq: 9, source: "web", files: true }))).toBe("tainted+private");
    expect(applyInput(begin(), { seq: 9, source: "webhook", files: false }).tainted).toEqual({
      seq: 9,
      by: "webhook",
    });
  });
});

describe("a result", () => {
  test.each<readonly [SettledRead["reads"], string]>([
    ["outside", "tainted"],
    ["private", "private"],
    ["public", ""],
    ["none", ""],
    [undefined, "tainted+private"],
  ])("of a tool that reads %s makes the run: %s", (reads, wanted) => {
    expect(marks(applyRead(UNTAINTED, read({ reads })))).toBe(wanted);
  });

  test.each<readonly [CallStatus, boolean]>([
    ["ok", true],
    ["error", true],
    ["unknown", true],
    ["cancelled", true],
    ["refused", false],
    ["denied", false],
  ])("that is %s counts: %s", (status, counts) => {
    expect(applyRead(UNTAINTED, read({ status })).tainted !== null).toBe(counts);
  });

  test("read on in from an earlier run carries what that run was", () => {
    const later = read({ tool: "read_observation", reads: "private", from: TAINTED_AND_PRIVATE });
    expect(marks(applyRead(UNTAINTED, later))).toBe("tainted+private");
    expect(marks(applyRead(UNTAINTED, { ...later, from: UNTAINTED }))).toBe("private");
  });

  test("names the first cause, and nothing takes it back", () => {
    const order: readonly SettledRead[] = [
      read({ seq: 3, tool: "page_get", reads: "private" }),
      read({ seq: 5, tool: "visit", reads: "outside" }),
      read({ seq: 8, tool: "web_search", reads: "outside" }),
      read({ seq: 9, tool: "complete", reads: "none" }),
    ];
    expect(order.reduce(applyRead, UNTAINTED)).toEqual({
      private: { seq: 3, by: "page_get" },
      tainted: { seq: 5, by: "visit" },
    });
  });

  test("that changes nothing leaves the very same value, so that a snapshot does not grow a new one", () => {
    const taint = applyRead(UNTAINTED, read({}));
    expect(applyRead(taint, read({ seq: 99 }))).toBe(taint);
  });
});

test("the rule of two asks only where both hold and the call reaches outside", () => {
  const tainted: Taint = { tainted: { seq: 1, by: "visit" }, private: null };
  const hidden: Taint = { tainted: null, private: { seq: 1, by: "page_get" } };
  for (const [taint, asks] of [
    [UNTAINTED, false],
    [tainted, false],
    [hidden, false],
    [TAINTED_AND_PRIVATE, true],
  ] as const) {
    expect(needsApprovalByRuleOfTwo(taint, "external")).toBe(asks);
    expect(needsApprovalByRuleOfTwo(taint, "none")).toBe(false);
  }
});
