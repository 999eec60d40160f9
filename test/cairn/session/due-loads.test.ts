import { expect, test } from "vitest";
import { DUE_LOAD_RETRY_MS, DUE_LOAD_RETRY_MS_MAX } from "../../../src/cairn/core/limits.ts";
import { EMPTY_STATE } from "../../../src/cairn/core/state/state.ts";
import { DueLoads } from "../../../src/cairn/session/background/due-loads.ts";
import type { Background, OpenLog } from "../../../src/cairn/session/engine/ports.ts";
import { SqlStore } from "../../../src/cairn/session/storage/store.ts";
import { SimDisk } from "../../../src/cairn/testing/disk.ts";

/** A part of the due work that cannot be loaded: the others are loaded, and it is tried again, ever later. */

const DUE_AT = 1_700_000_000_000;

function open() {
  let now = DUE_AT;
  let broken = true;
  const disk = new SimDisk(() => now);
  const loaded: string[] = [];
  const reported: string[] = [];
  const done: string[] = [];
  const parts = {
    before: { loadDue: async () => void loaded.push("before") },
    broken: {
      loadDue: async () => {
        loaded.push("broken");
        if (broken) throw new Error("no such row");
      },
    },
    after: { loadDue: async () => void loaded.push("after") },
  };
  const part: Background = { due: () => DUE_AT, fallDue: () => void done.push("broken") };
  const log: OpenLog = { at: now, state: EMPTY_STATE, append: () => [] };
  /** As an isolate that begins anew has it. */
  const begin = () => {
    const loads = new DueLoads(disk, new SqlStore(disk), (name) => void reported.push(name));
    return { loads, resting: loads.resting("broken", part) };
  };
  let isolate = begin();
  return {
    loaded,
    reported,
    done,
    wake: async (): Promise<readonly string[]> => {
      await isolate.loads.load(parts, () => now);
      isolate.resting.fallDue?.(log, now);
      return loaded.splice(0);
    },
    due: () => isolate.resting.due(EMPTY_STATE),
    later: (at: number) => void (now = at),
    repair: () => void (broken = false),
    evict: () => void (isolate = begin()),
  };
}

test("the parts before and after it are loaded, and it falls due only after a load that succeeded", async () => {
  const { wake, done, reported, due, later, repair } = open();
  expect(due()).toBe(DUE_AT);
  expect(await wake()).toEqual(["before", "broken", "after"]);
  expect([done, reported]).toEqual([[], ["broken"]]);
  expect(due()).toBe(DUE_AT + DUE_LOAD_RETRY_MS);
  repair();
  // A wake for other work before its time does not load it.
  expect(await wake()).toEqual(["before", "after"]);
  expect(done).toEqual([]);
  later(DUE_AT + DUE_LOAD_RETRY_MS);
  expect(await wake()).toEqual(["before", "broken", "after"]);
  expect([done, due()]).toEqual([["broken"], DUE_AT]);
});

test("each failure doubles the wait, up to five minutes, also when its isolate ended in between", async () => {
  const { wake, due, later, evict, reported } = open();
  const waits: number[] = [];
  for (let at = DUE_AT, tries = 0; tries < 10; tries += 1) {
    later(at);
    await wake();
    evict();
    const next = due() ?? 0;
    waits.push(next - at);
    at = next;
  }
  expect(waits).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map((seconds) => seconds * 1_000));
  expect(waits.at(-1)).toBe(DUE_LOAD_RETRY_MS_MAX);
  expect(reported).toHaveLength(10);
});
