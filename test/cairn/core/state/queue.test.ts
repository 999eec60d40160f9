import { expect, test } from "vitest";
import type { RunSource } from "../../../../src/cairn/core/log/entry.ts";
import { aheadOf, nextQueued, waitingRuns } from "../../../../src/cairn/core/state/queue.ts";
import type { PendingLabel, QueuedRun } from "../../../../src/cairn/core/state/state.ts";

/** Runs of these sources, the oldest first: r1, r2, … */
const queueOf = (...sources: readonly RunSource[]): readonly QueuedRun[] =>
  sources.map((source, index) => ({ run: `r${index + 1}`, request: { source } }) as QueuedRun);
const labelOf = (run: string): PendingLabel => ({ run, settled: null }) as PendingLabel;
const order = (queue: readonly QueuedRun[], label: PendingLabel | null = null): readonly string[] =>
  waitingRuns({ queue, label }).map(({ run }) => run);

test("people go before webhooks, webhooks before schedules, and equal ones by age", () => {
  const queue = queueOf("schedule", "webhook", "api", "schedule", "webhook", "web");
  expect(order(queue)).toEqual(["r3", "r6", "r2", "r5", "r1", "r4"]);
  expect(nextQueued({ queue, label: null })?.run).toBe("r3");
  expect(order([])).toEqual([]);
});

test("nothing overtakes a run whose class a model was asked for", () => {
  const queue = queueOf("webhook", "schedule", "web");
  expect(order(queue, labelOf("r2"))).toEqual(["r2", "r3", "r1"]);
  expect(aheadOf({ queue, label: labelOf("r2") }, "web")).toBe(2);
});

test("who comes is told how many begin first", () => {
  const queue = queueOf("schedule", "webhook", "api");
  const ahead = (["web", "webhook", "schedule"] as const).map((source) =>
    aheadOf({ queue, label: null }, source),
  );
  expect(ahead).toEqual([1, 2, 3]);
});
