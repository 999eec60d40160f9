import { expect, test } from "vitest";
import {
  flat,
  isOver,
  statusWords,
  treeOf,
  treeWords,
  type TreeRun,
} from "../../../src/page/branches/tree.ts";

const run = (sessionId: string, parentRunId: string, status: TreeRun["status"]): TreeRun => ({
  id: `${sessionId}.r1`,
  sessionId,
  parentRunId,
  status,
  call: null,
  depth: 1,
  outcome: null,
  reason: null,
  agent: "default",
  objective: sessionId,
  waitingFor: null,
  steps: 1,
  tokens: 10,
  costUsd: 0,
  createdAt: "2026-03-01T06:00:00Z",
  startedAt: null,
  endedAt: null,
});

const RUNS = [
  run("demo~r2s1c0", "demo.r2", "running"),
  run("demo~r2s1c0~r1s1c0", "demo~r2s1c0.r1", "queued"),
  run("demo~r2s1c1", "demo.r2", "paused"),
];

test("runs below a run stand under those that started them, in their order", () => {
  const names = (nodes: ReturnType<typeof treeOf>): unknown =>
    nodes.map(({ run: { sessionId }, below }) => [sessionId, names(below)]);
  const tree = treeOf(RUNS, "demo.r2");
  expect(names(tree)).toEqual([
    ["demo~r2s1c0", [["demo~r2s1c0~r1s1c0", []]]],
    ["demo~r2s1c1", []],
  ]);
  expect(flat(tree)).toHaveLength(3);
  expect(treeOf(RUNS, "demo.r3")).toEqual([]);
});

test("the whole tree is one sentence, and each run a word or two", () => {
  expect(treeWords(treeOf(RUNS, "demo.r2"))).toBe("3 sub-runs: 1 queued, 1 running, 1 needs you");
  const two = ["a", "b"].map((name) => run(name, "demo.r1", "running"));
  expect(treeWords(treeOf(two, "demo.r1"))).toBe("2 sub-runs: 2 running");
  expect(treeWords(treeOf([run("a", "demo.r1", "completed")], "demo.r1"))).toBe("1 sub-run: 1 answered");
  expect(RUNS.map(isOver)).toEqual([false, false, false]);
  const waits = (kind: string) =>
    statusWords({ status: "paused", waitingFor: { kind, id: null, until: null } });
  expect([waits("approval"), waits("answer")]).toEqual(["needs a decision", "needs an answer"]);
  const model = { kind: "provider", id: null, until: null };
  expect(statusWords({ status: "running", waitingFor: model })).toBe("waiting for its model");
});
