import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createPatience } from "../../../src/cairn/models/patience.ts";

const LIMITS = { firstChunkMs: 60, chunkMs: 20, timeoutMs: 100 };
const reasonOf = (signal: AbortSignal): string | null =>
  signal.aborted && signal.reason instanceof DOMException
    ? `${signal.reason.name}: ${signal.reason.message}`
    : null;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("the first content is waited for as long as it says, and no longer", () => {
  const { signal } = createPatience(LIMITS);
  vi.advanceTimersByTime(59);
  expect(signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(reasonOf(signal)).toBe("TimeoutError: no content in time");
});

test("each piece of content begins a shorter wait for the next one", () => {
  const patience = createPatience(LIMITS);
  for (const _ of [1, 2, 3]) {
    vi.advanceTimersByTime(19);
    patience.received();
  }
  vi.advanceTimersByTime(19);
  expect(patience.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(reasonOf(patience.signal)).toBe("TimeoutError: the content stopped coming");
});

test("a silence after early content is noticed before the first content would have been missed", () => {
  const patience = createPatience(LIMITS);
  vi.advanceTimersByTime(5);
  patience.received();
  vi.advanceTimersByTime(19);
  expect(patience.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(reasonOf(patience.signal)).toBe("TimeoutError: the content stopped coming");
});

test("the whole call has a limit of its own, also when content keeps coming and after the model has said all", () => {
  const busy = createPatience(LIMITS);
  const done = createPatience(LIMITS);
  done.received();
  done.finished();
  for (const _ of [1, 2, 3, 4, 5, 6, 7, 8, 9]) {
    vi.advanceTimersByTime(11);
    busy.received();
  }
  expect([busy.signal.aborted, done.signal.aborted]).toEqual([false, false]);
  vi.advanceTimersByTime(1);
  expect(reasonOf(busy.signal)).toBe("TimeoutError: the call took too long");
  expect(reasonOf(done.signal)).toBe("TimeoutError: the call took too long");
});

test("a call that was left holds no timer, and its provider is told unless it had ended", () => {
  const [left, ended] = [createPatience(LIMITS), createPatience(LIMITS)];
  left.received();
  left.leave(false);
  ended.received();
  ended.leave(true);
  expect(vi.getTimerCount()).toBe(0);
  expect([left.signal.aborted, ended.signal.aborted]).toEqual([true, false]);
});
