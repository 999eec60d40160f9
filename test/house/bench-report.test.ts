import { describe, expect, test } from "vitest";
import { mean, median, percentile } from "../bench/numbers.ts";
import { ageProblem, gateProblems, provenanceLine, readProvenance } from "../bench/age.ts";
import { putBetween, renderReport, renderTargets, type Measured, type Results } from "../bench/report.ts";
import { WORKER_KIB_MAX } from "../build/worker-weight.ts";

describe("the numbers of the benchmark", () => {
  test("a percentile is a value of the series, by the nearest rank", () => {
    const values = [50, 10, 40, 20, 30];
    expect([0, 0.2, 0.5, 0.95, 1].map((p) => percentile(values, p))).toEqual([10, 10, 30, 50, 50]);
  });

  test("a median of an even series lies between the two in the middle", () => {
    expect([median([4, 1, 3]), median([4, 1, 3, 2]), mean([1, 2, 6])]).toEqual([3, 2.5, 3]);
  });

  test("nothing is said of no rounds", () => {
    for (const of of [median, mean, (values: number[]) => percentile(values, 0.5)]) {
      expect(() => of([])).toThrow("a series without values");
    }
  });
});

/** The gate for ten model calls is 130 rows. */
const rowsMeasured = (cairn: readonly number[], missed?: string): Measured => ({
  id: "rows",
  title: "Rows",
  how: "Counted.",
  ahead: "It keeps less.",
  ...(missed === undefined ? {} : { missed }),
  date: "2026-11-20T08:30:00.000Z",
  commit: "0123456ab",
  seconds: 3.4,
  rows: [
    {
      what: "10 model calls, 18 tool calls",
      unit: "rows",
      cells: { cairn, think: [90, 90, 90], "ai-chat": "it hangs", alarms: [1, 1, 1] },
    },
  ],
});

test("the report names a missed target, peers that are ahead, what could not be measured, and date and commit", () => {
  const results: Results = {
    date: "2026-11-21T12:00:00.000Z",
    command: "npm run bench",
    machine: { cores: "2" },
    versions: { Cairn: "0.1.0" },
    peers: { agents: "0.32.0" },
    measures: [rowsMeasured([200, 100, 150], "it is a heavy one.")],
  };
  const report = renderReport(results);
  // A lower bound is no peer that could be ahead.
  expect(report).toContain(
    "| 10 model calls, 18 tool calls (rows) | 150 (100–200) | n/a | **90** | 1 | **missed:** ≤ 130 |",
  );
  expect(report).toContain("- AIChatAgent, 10 model calls, 18 tool calls: n/a, it hangs\n\nIt keeps less.");
  expect(report).toContain("Missed: it is a heavy one.");
  expect(report).toContain("_Measured on 2026-11-20 at `0123456ab`._");
  expect(renderTargets(results.measures)).toContain(
    "| Rows: 10 model calls, 18 tool calls | 150 (100–200) rows | **missed:** ≤ 130 | Think 90 rows | 2026-11-20 `0123456ab` |",
  );
});

describe("a measurement", () => {
  const measured = { title: "Rows", date: "2026-11-20T08:30:00.000Z", commit: "0123456ab" };
  const after = (days: number): number => Date.parse(measured.date) + days * 86_400_000;

  test("is good for thirty days and two hundred commits, and for its days alone where no history is known", () => {
    expect(ageProblem(measured, after(30), 200)).toBeNull();
    expect(ageProblem(measured, after(31), 0)).toBe(
      "Rows (2026-11-20, 0123456ab) is 31 days old, at most 30. Measure it again.",
    );
    expect(ageProblem(measured, after(1), 201)).toBe(
      "Rows (2026-11-20, 0123456ab) is 201 commits old, at most 200. Measure it again.",
    );
    expect(ageProblem(measured, after(1), null)).toBeNull();
  });

  test("misses a target with a reason, and never a gate that another check enforces", () => {
    expect(gateProblems(rowsMeasured([130]))).toEqual([]);
    expect(gateProblems(rowsMeasured([131], "it is a heavy one."))).toEqual([]);
    expect(gateProblems(rowsMeasured([131]))).toEqual([
      "Rows, 10 model calls, 18 tool calls: 131 misses ≤ 130, and no reason is given.",
    ]);
    const weight = WORKER_KIB_MAX + 1;
    const rows = [{ what: "minified, gzip", unit: "KiB", cells: { cairn: [weight] } }];
    expect(
      gateProblems({ ...rowsMeasured([]), id: "bundle", title: "Bundle", missed: "a reason", rows }),
    ).toEqual([
      `Bundle, minified, gzip: ${weight} contradicts the enforced gate ≤ ${WORKER_KIB_MAX} KiB. Measure it again.`,
    ]);
  });

  test("is named by its line in a text", () => {
    const line = provenanceLine(measured, ", load 1.66");
    expect(readProvenance("Rows", `| a |\n\n${line}`)).toEqual({ ...measured, date: "2026-11-20" });
    expect(() => readProvenance("Rows", "| a |")).toThrow("names no date and commit");
  });
});

test("the table is put where the text has a place for it, again and again", () => {
  const text = "before\n<!-- table -->\nold\n<!-- /table -->\nafter";
  const once = putBetween(text, "table", "new");
  expect(once).toBe("before\n<!-- table -->\n\nnew\n\n<!-- /table -->\nafter");
  expect(putBetween(once, "table", "new")).toBe(once);
  expect(() => putBetween("nowhere", "table", "new")).toThrow("no place for table");
});
