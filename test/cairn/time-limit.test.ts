import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { waitAtMost, withTimeLimit } from "../../src/cairn/time-limit.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const never = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("stopped"))));

test("work is stopped after its time, and leaves no timer", async () => {
  const work = withTimeLimit(1_000, null, never).catch(String);
  await vi.advanceTimersByTimeAsync(999);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(await work).toBe("Error: stopped");
  expect(vi.getTimerCount()).toBe(0);
});

test("work is stopped with the outer signal, before its time", async () => {
  const outer = new AbortController();
  const work = withTimeLimit(1_000, outer.signal, never).catch(String);
  outer.abort();
  expect(await work).toBe("Error: stopped");
  expect(vi.getTimerCount()).toBe(0);
});

test("work that ends in time gives its value, and leaves no timer", async () => {
  expect(await withTimeLimit(1_000, null, () => Promise.resolve(7))).toBe(7);
  expect(await waitAtMost(1_000, Promise.resolve(7), "late")).toBe(7);
  expect(vi.getTimerCount()).toBe(0);
});

test("work that cannot be stopped is waited for no longer than its time", async () => {
  const work = waitAtMost(1_000, new Promise(() => {}), "the bucket did not answer").catch(String);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await work).toBe("Error: the bucket did not answer");
});
