import { describe, expect, test } from "vitest";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import { EMPTY_STATE } from "../../../src/cairn/core/state/state.ts";
import { Cached, EntryCache } from "../../../src/cairn/session/storage/cache.ts";
import { SqlStore } from "../../../src/cairn/session/storage/store.ts";
import { SimDisk } from "../../../src/cairn/testing/disk.ts";

/** In-memory values next to the cached entries: never ahead of the disk, never behind it. */

const CURSOR = { claimNo: 1, claim: null, armedAt: null, alarmFloor: 0 };
const META = {
  owner: "ada",
  title: "One",
  titleSource: "auto",
  model: null,
  createdAt: 1,
  version: 1,
} as const;
const note = (seq: number, text = "hi"): Entry => ({
  seq,
  at: seq,
  v: 1,
  run: null,
  step: null,
  kind: "note",
  body: { code: "hello", text },
});

function open(): { disk: SimDisk; store: SqlStore; queries: string[] } {
  const disk = new SimDisk(() => 0);
  const queries: string[] = [];
  const store = new SqlStore({
    setAlarm: () => {},
    deleteAlarm: () => {},
    getAlarm: () => Promise.resolve(null),
    transaction: (body) => disk.transaction(body),
    exec: (query, ...values) => {
      queries.push(query);
      return disk.exec(query, ...values);
    },
  });
  store.saveMeta(META);
  store.appendEntries([note(1), note(2)]);
  store.saveCursor({ ...CURSOR, state: { ...EMPTY_STATE, head: 2 } });
  queries.length = 0;
  return { disk, store, queries };
}

describe("a value that is kept", () => {
  test("is read once, also when it is null, and again when it was forgotten", () => {
    let reads = 0;
    const kept = new Cached(() => (reads++, null));
    expect([kept.get(), kept.get(), reads]).toEqual([null, null, 1]);
    kept.forget();
    expect([kept.get(), reads]).toEqual([null, 2]);
  });

  test("is what was written last, and asks no table", () => {
    const { store, queries } = open();
    expect(store.loadMeta()?.title).toBe("One");
    expect(store.loadState()?.head).toBe(2);
    expect(store.entriesBetween(1, 2)).toEqual([note(1), note(2)]);
    expect(queries).toEqual([]);
  });

  test("goes back with a transaction that fails, whatever the body or the commit does", () => {
    for (const commitFails of [false, true]) {
      const { disk, store } = open();
      disk.cross = (where) => {
        if (commitFails && where === "commit: before") throw new Error("the disk is full");
      };
      const failing = (): void =>
        store.transaction(() => {
          store.saveMeta({ ...META, title: "Two" });
          store.appendEntries([note(3)]);
          store.saveCursor({ ...CURSOR, state: { ...EMPTY_STATE, head: 3 } });
          expect([store.loadMeta()?.title, store.loadState()?.head]).toEqual(["Two", 3]);
          if (!commitFails) throw new Error("it was a bad idea");
        });
      expect(failing).toThrow(commitFails ? "the disk is full" : "it was a bad idea");
      expect([store.loadMeta()?.title, store.loadState()?.head]).toEqual(["One", 2]);
      expect(store.entriesBetween(1, 9)).toEqual([note(1), note(2)]);
    }
  });

  test("is gone when the disk is emptied", () => {
    const { store } = open();
    store.erase();
    expect([store.loadMeta(), store.loadState(), store.entriesBetween(1, 2)]).toEqual([null, null, []]);
  });
});

describe("rows that are kept", () => {
  test("are given only when each that was asked for is known", () => {
    const entries = new EntryCache();
    entries.put(note(1), 10);
    entries.put(note(3), 10);
    expect([entries.between(1, 1), entries.between(3, 3)]).toEqual([[note(1)], [note(3)]]);
    expect(entries.between(1, 3)).toBeNull();
  });

  test("make room for the newest, the oldest first", () => {
    const entries = new EntryCache();
    for (let seq = 1; seq <= 3; seq++) entries.put(note(seq), 60_000);
    expect([entries.between(1, 1), entries.between(2, 3)?.length]).toEqual([null, 2]);
    entries.put(note(4), 1_000_000);
    expect([entries.between(3, 3), entries.between(4, 4)]).toEqual([null, null]);
  });
});
