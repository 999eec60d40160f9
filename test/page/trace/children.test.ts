import { describe, expect, test } from "vitest";
import { branchHref, branchOf, homeHref } from "../../../src/page/branches/branch.ts";
import { belowOf, wholeText } from "../../../src/page/trace/children/below.ts";
import { whyOf } from "../../../src/page/log-text/why.ts";
import { timelineOf } from "../../../src/page/trace/timeline.ts";
import { FamilyLog } from "./family-fixture.ts";

const NOW = Date.parse("2026-03-01T07:00:00Z");

const childrenOf = (log: FamilyLog) =>
  timelineOf(log.events)
    .flatMap(({ items }) => items)
    .filter(({ kind }) => kind === "child");
const told = (log: FamilyLog) =>
  childrenOf(log).map(({ title, note, tone, to }) => [title, note, tone, to === null]);

describe("a run that was started", () => {
  test("is one item from the call to its report, and opens to its session", () => {
    const log = new FamilyLog().start(["Research A", { objective: "Research B", agent: "reader" }]);
    expect(told(log)).toEqual([
      ["Sub-run: “Research A”", "running", "plain", true],
      ["Sub-run: “Research B”", "reader: running", "plain", true],
    ]);
    expect(childrenOf(log).map(({ child }) => child)).toEqual(["demo~r1s1c0", "demo~r1s1c1"]);
    log.report(0).settle(0);
    log
      .report(1, { outcome: "failed_budget", reason: "budget:steps", sessions: 3 })
      .settle(1, { status: "error" });
    expect(told(log)).toEqual([
      ["Sub-run: “Research A”", "answered", "good", false],
      [
        "Sub-run: “Research B”",
        "reader: could not be finished, because it hit the step limit; with 2 below it",
        "bad",
        false,
      ],
    ]);
    const [first] = childrenOf(log);
    expect([first?.cost, first?.tokens?.input, first?.entries.length]).toEqual([50_000, 4_000, 4]);
  });

  test("whose report comes later stays open behind its call", () => {
    const log = new FamilyLog().start(["Research A"], { wait: false }).settle(0);
    expect(told(log)).toEqual([["Sub-run: “Research A”", "running while this run continues", "plain", true]]);
    log.report(0, { observation: "{}" });
    expect(told(log)).toEqual([["Sub-run: “Research A”", "answered", "good", false]]);
  });

  test("says that it was stopped with the run above it, or is not reached any more", () => {
    const stopped = new FamilyLog()
      .start(["A"])
      .add("child_stopped", { call: "r1s1c0", child: "demo~r1s1c0" });
    expect(told(stopped)).toEqual([["Sub-run: “A”", "stopped, because this run has ended", "plain", false]]);
    const lost = new FamilyLog().start(["A"]).report(0, { outcome: "failed_internal", reason: "child_lost" });
    expect(told(lost)[0]?.[1]).toBe("unreachable, so its budget counts as used");
    const cut = new FamilyLog().start(["A"]).report(0, { outcome: "cancelled", reason: "cancelled" });
    expect(told(cut)[0]?.slice(1, 3)).toEqual(["stopped", "plain"]);
  });

  test("that could not be started says why, and opens to nothing", () => {
    const log = new FamilyLog().start([]);
    const share = { sessions: 1 } as never;
    log.add("call_intended", { call: "r1s1c0", tool: "run_agent", attempt: 1, share });
    expect(childrenOf(log)[0]?.note).toBe("is being started");
    const failure = {
      class: "server",
      code: "unreached",
      message: "It was not reached.",
      retryable: false,
    } as const;
    log.settle(0, { status: "error", failure });
    expect(childrenOf(log).map(({ note, child, tone }) => [note, child, tone])).toEqual([
      ["It failed: it was not reached (the service failed).", undefined, "bad"],
    ]);
  });

  test("is what the run above it waits for, until all have reported", () => {
    const log = new FamilyLog().start(["Research A", "Research B"]);
    const why = (): string => whyOf(log.events, NOW).sentence;
    expect(why()).toBe("Waiting for 2 sub-runs: “Research A”, “Research B”.");
    log.report(0).settle(0);
    expect(why()).toBe("Waiting for a sub-run: “Research B”.");
    log.report(1).settle(1).add("step_started", { n: 2, purpose: "step" }, "r1s2");
    expect(why()).toBe("Working: the model is asked (step 2).");
  });
});

test("what runs below have used is counted once, by those that have reported", () => {
  const log = new FamilyLog().start(["A", "B", "C"]);
  expect(belowOf(log.events)).toEqual({ children: 3, atWork: 3, steps: 0, tokens: 0, cost: 0 });
  log.report(0).settle(0).report(1).add("child_stopped", { call: "r1s1c2", child: "demo~r1s1c2" });
  expect(belowOf(log.events)).toEqual({ children: 3, atWork: 0, steps: 6, tokens: 10_000, cost: 100_000 });
  expect(belowOf(new FamilyLog().events)).toBeNull();
  expect([wholeText(10_000, 100_000), wholeText(900, 0)]).toEqual(["10K tokens, $0.10", "900 tokens"]);
});

test("the name of a session says whose branch it is", () => {
  expect(branchOf("demo")).toBeNull();
  expect(branchOf("demo~r2s1c0~r1s3c1")).toEqual({ root: "demo", step: "r2s1", depth: 2 });
  expect(branchOf("demo~nonsense")).toBeNull();
  expect(branchHref(branchOf("demo~r2s1c0")!)).toBe("#/s/demo/trace/r2s1");
  expect([homeHref("demo"), homeHref("demo~r2s1c0")]).toEqual(["#/s/demo", "#/s/demo"]);
});
