import { expect, test } from "vitest";
import { flat, isOver, treeOf, treeWords, type BelowRun } from "../../../src/ui/branches/tree.ts";

const run = (sessionId: string, status: BelowRun["status"], minute: number): BelowRun => ({
  ...{ id: `${sessionId}.r1`, sessionId, status, partial: false, outcome: null, reason: null },
  ...{ objective: sessionId, source: "web", requester: "ada", agent: "default", model: "rehearsal:" },
  createdAt: new Date(Date.UTC(2026, 2, 1, 6, minute)).toISOString(),
  ...{ startedAt: null, endedAt: null },
});

const RUNS = [
  run("demo~r2s1c1", "paused", 3),
  run("demo~r2s1c0~r1s1c0", "queued", 4),
  run("demo~r2s1c0", "running", 2),
  run("demo~r1s1c0", "completed", 1),
];

test("runs below a run stand under those that started them, in their order; those of earlier runs are left out", () => {
  const names = (nodes: ReturnType<typeof treeOf>): unknown =>
    nodes.map(({ run: { sessionId }, below }) => [sessionId, names(below)]);
  const tree = treeOf(RUNS, "demo", "r2");
  expect(names(tree)).toEqual([
    ["demo~r2s1c0", [["demo~r2s1c0~r1s1c0", []]]],
    ["demo~r2s1c1", []],
  ]);
  expect(flat(tree)).toHaveLength(3);
  expect(treeOf(RUNS, "demo", "r3")).toEqual([]);
  // r2 is not r20.
  expect(treeOf([run("demo~r20s1c0", "running", 1)], "demo", "r2")).toEqual([]);
});

test("the whole tree is one sentence", () => {
  expect(treeWords(treeOf(RUNS, "demo", "r2"))).toBe(
    "3 other runs: 1 waits in the queue, 1 works, 1 waits for a person",
  );
  const two = [run("demo~r1s1c0", "running", 1), run("demo~r1s1c1", "running", 1)];
  expect(treeWords(treeOf(two, "demo", "r1"))).toBe("2 other runs: 2 work");
  expect(treeWords(treeOf(RUNS, "demo", "r1"))).toBe("1 other run: 1 answered");
  expect(RUNS.map(isOver)).toEqual([false, false, false, true]);
});
