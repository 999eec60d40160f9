import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { confusion, rate, scoreTrace, summarise } from "../../../../corpus/loops/score.ts";
import { parseTraces } from "../../../../corpus/loops/trace.ts";
import { ok, traceOf, type Line } from "../../state/script.ts";

const root = path.resolve(import.meta.dirname, "../../../../..");
const fixture = path.join(root, "test/fixtures/guards/loops.jsonl");
const traces = parseTraces(readFileSync(fixture, "utf8"));
const same: Line = [ok("get", { page: "p1" }, { title: "A" })];

describe("the score", () => {
  test("of each kind of trace is as good as its bars say", () => {
    const results = traces.map((trace) => `${trace.id}: ${scoreTrace(trace).result}`);
    expect(results).toEqual([
      "same-001: hit",
      "cycle-001: hit",
      "paging-001: silent",
      "late-001: late",
      "early-001: early",
      "alarm-001: false alarm",
      "missed-001: missed",
    ]);
  });

  test("an early verdict counts against precision and against recall", () => {
    const score = summarise(traces.map(scoreTrace));
    expect(score).toMatchObject({ traces: 7, loops: 5 });
    expect(score.precision).toMatchObject({ hits: 2, of: 4, value: 0.5 });
    expect(score.recall).toMatchObject({ hits: 2, of: 5, value: 0.4 });
  });

  test("takes turns from 1 and both ends of the window", () => {
    const result = (onset: number, detect_by: number) =>
      scoreTrace(traceOf(["human", same, same, same, same], { label: "loop", onset, detect_by })).result;
    expect([result(3, 3), result(4, 5), result(1, 2)]).toEqual(["hit", "early", "late"]);
  });

  test("level 2 is due with the next repeat, and nothing is said where there is none", () => {
    const level2 = (...more: Line[]) => scoreTrace(traceOf(["human", same, same, same, ...more])).level2;
    const other: Line = [ok("get", { page: "p2" }, { title: "B" })];
    expect([level2(), level2(other), level2(other, same), level2(same)]).toEqual([null, null, true, true]);
    const write: Line = [ok("put", { page: "p1", title: "A" }, { rev: 1 })];
    expect(level2(write, same)).toBe(false);
  });

  test("a loop without its window is a fault of the trace", () => {
    expect(() => scoreTrace(traceOf(["human", same, same, same], { label: "loop" }))).toThrow("own-001");
  });

  test("the table has a row for each label", () => {
    const table = confusion(traces.map(scoreTrace));
    expect(Object.fromEntries([...table].map(([label, row]) => [label, Object.fromEntries(row)]))).toEqual({
      same_result: { same_result: 3 },
      cycle: { cycle: 1 },
      ok: { "-": 1, same_result: 1 },
      no_progress: { "-": 1 },
    });
  });

  // n of n starts at n / (n + z²); 5 of 10 lies z / 2 / sqrt(10 + z²) to each side of a half (Wilson 1927).
  test.each([
    [10, 10, 0.7225, 1],
    [5, 10, 0.2366, 0.7634],
    [0, 10, 0, 0.2775],
  ])("Wilson's interval of %d in %d", (hits, of, from, to) => {
    expect(rate(hits, of).from).toBeCloseTo(from, 4);
    expect(rate(hits, of).to).toBeCloseTo(to, 4);
  });

  test("a line that is no trace is named", () => {
    expect(() => parseTraces('{"id":"x"}')).toThrow("line 1 is no trace");
  });
});

describe("npm run eval:guards", () => {
  const run = (...files: string[]) =>
    spawnSync(process.execPath, [path.join(root, "test/corpus/eval.ts"), ...files], { encoding: "utf8" });

  test("ends with the line that says it all, and with the verdict of the held ones", () => {
    const { status, stdout } = run(fixture);
    expect(stdout.trimEnd().split("\n").at(-1)).toBe("precision 0.50 recall 0.40 traces 7");
    expect(stdout).toContain("held: passed");
    expect(stdout).toContain("false alarm: alarm-001");
    expect(status).toBe(0);
  }, 30_000);

  test("fails when the held ones do not pass, and when there are none", () => {
    const lines = readFileSync(fixture, "utf8").trim().split("\n");
    const folder = mkdtempSync(path.join(tmpdir(), "cairn-eval-"));
    const none = path.join(folder, "none.jsonl");
    const wrong = path.join(folder, "wrong.jsonl");
    writeFileSync(none, lines.filter((line) => !line.includes('"held"')).join("\n"));
    writeFileSync(wrong, lines.join("\n").replaceAll('"tune"', '"held"'));
    const results = [run(none), run(wrong)];
    rmSync(folder, { recursive: true });
    expect(results.map(({ status }) => status)).toEqual([1, 1]);
    expect(results.every(({ stdout }) => stdout.includes("held: FAILED"))).toBe(true);
  }, 30_000);
});
