import { describe, expect, test } from "vitest";
import { mean, median, percentile } from "../bench/numbers.ts";
import { putBetween, renderReport, type Results } from "../bench/report.ts";

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

test("the report says what was missed, who is ahead and why, and what could not be measured", () => {
  const results: Results = {
    date: "2026-11-21T12:00:00.000Z",
    command: "npm run bench",
    machine: { cores: "2" },
    versions: { Cairn: "0.1.0" },
    peers: { agents: "0.32.0" },
    measures: [
      {
        id: "rows",
        title: "Rows",
        how: "Counted.",
        ahead: "It keeps less.",
        missed: "It is a heavy one.",
        date: "2026-11-20T08:30:00.000Z",
        seconds: 3.4,
        rows: [
          {
            what: "a turn",
            unit: "rows",
            target: { says: "≤ 14", met: false },
            cells: { cairn: [20, 10, 15], think: [9, 9, 9], "ai-chat": "it hangs", alarms: [1, 1, 1] },
          },
        ],
      },
    ],
  };
  const report = renderReport(results);
  expect(report).toContain("| Rows: a turn | 15 (10–20) rows | ≤ 14 | **missed** | Think 9 rows |");
  expect(report).toContain("| a turn (rows) | 15 (10–20) | n/a | 9 | 1 |");
  expect(report).toContain("| Rows: a turn | 15 (10–20) rows | Think 9 rows | 1.67 × **more** |");
  expect(report).toContain("Missed, and why:\n\n- Rows (a turn): It is a heavy one.");
  expect(report).toContain("- AIChatAgent, a turn: n/a, it hangs");
  // A floor is no peer that could be ahead.
  expect(report).toContain("A peer is ahead here:\n\n- a turn: Think\n\nIt keeps less.");
});

test("the table is put where the text has a place for it, again and again", () => {
  const text = "before\n<!-- table -->\nold\n<!-- /table -->\nafter";
  const once = putBetween(text, "table", "new");
  expect(once).toBe("before\n<!-- table -->\n\nnew\n\n<!-- /table -->\nafter");
  expect(putBetween(once, "table", "new")).toBe(once);
  expect(() => putBetween("nowhere", "table", "new")).toThrow("no place for table");
});
