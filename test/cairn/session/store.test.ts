import { describe, expect, test } from "vitest";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import { BLOB_CHARS_MAX, BLOB_ROW_CHARS, SNAPSHOT_ENTRIES } from "../../../src/cairn/core/limits.ts";
import { apply } from "../../../src/cairn/core/state/apply.ts";
import { EMPTY_STATE, type State } from "../../../src/cairn/core/state/state.ts";
import { NEVER_INDEXED } from "../../../src/cairn/session/storage/meta.ts";
import type { Cursor } from "../../../src/cairn/session/engine/ports.ts";
import { SqlStore } from "../../../src/cairn/session/storage/store.ts";
import { SimDisk } from "../../../src/cairn/testing/disk.ts";

/** The rows of a session, as another isolate finds them. */

const note = (seq: number): Entry => ({
  seq,
  at: seq * 10,
  v: 1,
  run: seq > 2 ? "r1" : null,
  step: seq > 3 ? "r1s1" : null,
  kind: "note",
  body: { code: "hello", text: `Number ${seq}.` },
});
const NOTES = [1, 2, 3, 4, 5].map(note);
const META = {
  owner: "ada",
  title: "One",
  titleSource: "user",
  model: null,
  createdAt: 1,
  version: 3,
} as const;

function open(disk = new SimDisk(() => 1_000)): { disk: SimDisk; store: SqlStore; again: () => SqlStore } {
  return { disk, store: new SqlStore(disk), again: () => new SqlStore(disk) };
}

/** Writes the log on to so many entries, each with its cursor. */
function written(store: SqlStore, count: number): State {
  let state = store.loadState() ?? EMPTY_STATE;
  for (let seq = state.head + 1; seq <= count; seq++) {
    const entry = note(seq);
    store.appendEntries([entry]);
    state = apply(state, entry);
    store.saveCursor({ state, claimNo: 0, claim: null, armedAt: null, alarmFloor: 0 });
  }
  return state;
}

test("the cursor is read back as it was written last, field by field", () => {
  const { store, again } = open();
  expect([store.loadCursor(), store.loadState()]).toEqual([null, null]);
  const state = written(store, 5);
  const cursors: Cursor[] = [
    { state, claimNo: 0, claim: null, armedAt: null, alarmFloor: 0 },
    { state, claimNo: 7, armedAt: 41, alarmFloor: 31, claim: { no: 7, effect: "r1s1", at: 30 } },
    { state, claimNo: 8, armedAt: 52, alarmFloor: 42, claim: { no: 8, effect: "r1s1c0", at: 40 } },
    { state, claimNo: 8, claim: null, armedAt: null, alarmFloor: 52 },
  ];
  for (const cursor of cursors) {
    store.saveCursor(cursor);
    expect([store.loadCursor(), store.loadState()]).toEqual([cursor, state]);
    expect([again().loadCursor(), again().loadState()]).toEqual([cursor, state]);
  }
});

test("the state is stored every so many entries, and the tail behind it is folded in", () => {
  const { disk, store, again } = open();
  const stored = () =>
    disk.exec("SELECT state FROM snapshot").map((row) => (JSON.parse(String(row["state"])) as State).head);
  expect(again().loadState()).toEqual(null);
  const early = written(store, SNAPSHOT_ENTRIES - 1);
  expect([stored(), again().loadState()]).toEqual([[], early]);
  const late = written(store, 2 * SNAPSHOT_ENTRIES + 3);
  expect([stored(), again().loadState(), store.loadState()]).toEqual([[2 * SNAPSHOT_ENTRIES], late, late]);
});

test("what another isolate has written is read, whatever this one remembers", () => {
  const { disk, store, again } = open();
  const state = written(store, 2 * SNAPSHOT_ENTRIES);
  const entry = note(state.head + 1);
  const other = again();
  const cursor: Cursor = {
    state: apply(state, entry),
    claimNo: 3,
    claim: null,
    armedAt: null,
    alarmFloor: 0,
  };
  other.loadCursor();
  other.appendEntries([entry]);
  other.saveCursor(cursor);
  expect(store.loadCursor()).toEqual(cursor);
  // The same text under a schema that nobody knows is no snapshot of ours.
  disk.exec("UPDATE snapshot SET schema = ?", 99);
  expect(() => again().loadCursor()).toThrow("newer version");
});

test("rows of the log come after, before and between as they were written", () => {
  const { store, again } = open();
  store.appendEntries(NOTES);
  for (const one of [store, again()]) {
    expect(one.entriesAfter(0, 10)).toEqual(NOTES);
    expect(one.entriesAfter(2, 2)).toEqual(NOTES.slice(2, 4));
    expect(one.entriesBefore(4, 10)).toEqual(NOTES.slice(0, 3).toReversed());
    expect(one.entriesBefore(6, 2)).toEqual(NOTES.slice(3).toReversed());
    expect(one.entriesBetween(2, 4)).toEqual(NOTES.slice(1, 4));
    expect(one.entriesBetween(3, 3)).toEqual(NOTES.slice(2, 3));
  }
});

test("rows that were read once are not read again", () => {
  const { disk, store } = open();
  store.appendEntries(NOTES);
  const queries: string[] = [];
  const other = new SqlStore({
    setAlarm: () => {},
    deleteAlarm: () => {},
    getAlarm: () => Promise.resolve(null),
    transaction: (body) => disk.transaction(body),
    exec: (query, ...values) => {
      queries.push(query);
      return disk.exec(query, ...values);
    },
  });
  queries.length = 0;
  expect(other.entriesBetween(2, 4)).toEqual(NOTES.slice(1, 4));
  expect(other.entriesBetween(2, 4)).toEqual(NOTES.slice(1, 4));
  expect(queries).toHaveLength(1);
});

describe("the draft of a model call", () => {
  test("is read in the order of its blocks, of its own attempt alone, until it is dropped", () => {
    const { store } = open();
    const piece = (text: string) => ({ type: "text" as const, part: 0, text });
    for (let index = 0; index < 12; index++) store.saveDraft("r1s1", 2, index, [piece(`${index}.`)]);
    store.saveDraft("r1s1", 1, 0, [piece("an earlier attempt")]);
    store.saveDraft("r1s2", 2, 0, [piece("another step")]);
    store.saveDraft("r1s1", 2, 11, [piece("11 "), piece("again")]);
    const text = store.loadDraft("r1s1", 2).map((one) => one.text);
    expect(text.join("")).toBe("0.1.2.3.4.5.6.7.8.9.10.11 again");
    store.dropDrafts();
    expect(store.loadDraft("r1s1", 2)).toEqual([]);
  });
});

describe("a text that is kept apart", () => {
  test("is read back whole, whatever stands where its rows meet", () => {
    const { disk, store, again } = open();
    const texts = {
      empty: "",
      short: "one",
      row: "x".repeat(BLOB_ROW_CHARS),
      more: "y".repeat(BLOB_ROW_CHARS + 1),
      pair: `${"z".repeat(BLOB_ROW_CHARS - 1)}😀${"z".repeat(BLOB_ROW_CHARS - 3)}\u{10fc00}\u{103ff}end`,
    };
    for (const [ref, text] of Object.entries(texts)) store.saveBlob(ref, text);
    for (const [ref, text] of Object.entries(texts)) expect(again().loadBlob(ref) ?? "").toBe(text);
    expect(again().loadBlob("unknown")).toBeNull();
    expect(again().blobNames()).toEqual(["more", "pair", "row", "short"]);
    // SQLite keeps UTF-8: half of a pair would be lost in it.
    const halves = disk.exec("SELECT body FROM blobs").map((row) => String(row["body"]).isWellFormed());
    expect(halves.every(Boolean)).toBe(true);
  });

  test("is cut off where it is too long, and says so", () => {
    const { store } = open();
    store.saveBlob("most", "m".repeat(BLOB_CHARS_MAX));
    store.saveBlob("long", "l".repeat(BLOB_CHARS_MAX + 5));
    expect(store.loadBlob("most")).toHaveLength(BLOB_CHARS_MAX);
    const long = store.loadBlob("long") ?? "";
    expect(long.slice(BLOB_CHARS_MAX)).toBe(
      `\n[cut off here: the output had ${BLOB_CHARS_MAX + 5} characters]`,
    );
  });
});

test("an id that was taken is known with its answer, by its source", () => {
  const { store } = open();
  store.remember("message", "m1", "first", 5);
  expect([store.seen("message", "m1"), store.seen("cancel", "m1"), store.seen("message", "m2")]).toEqual([
    "first",
    null,
    null,
  ]);
  expect(() => store.remember("message", "m1", "second", 6)).toThrow(/UNIQUE/);
});

test("the facts of the session and of its index are those that were written last", () => {
  const { store, again } = open();
  expect([store.loadMeta(), store.loadIndexed()]).toEqual([null, NEVER_INDEXED]);
  const metas = [
    META,
    { ...META, titleSource: "auto" as const, model: "rehearsal:", archived: true, changedAt: 9 },
  ];
  const indexed = [
    { token: "a", seq: 3, tries: 0, retryAt: 0 },
    { token: "b", seq: 4, tries: 2, retryAt: 77 },
  ];
  for (const meta of metas) {
    store.saveMeta(meta);
    expect([store.loadMeta(), again().loadMeta()]).toEqual([meta, meta]);
  }
  for (const one of indexed) {
    store.saveIndexed(one);
    expect([store.loadIndexed(), again().loadIndexed()]).toEqual([one, one]);
  }
});

describe("a session that is erased", () => {
  test("has no row and no alarm left, and is new to whoever comes next", () => {
    const { disk, store } = open();
    store.appendEntries(NOTES);
    store.saveMeta(META);
    store.saveIndexed({ token: "a", seq: 3, tries: 0, retryAt: 0 });
    store.saveCursor({ state: EMPTY_STATE, claimNo: 1, claim: null, armedAt: 5_000, alarmFloor: 4 });
    store.remember("message", "m1", "first", 5);
    store.saveDraft("r1s1", 1, 0, [{ type: "text", part: 0, text: "one" }]);
    store.saveBlob("r1s1c0", "long");
    store.transaction(() => store.setAlarm(5_000));
    store.erase();
    expect(disk.dump()).toBe(JSON.stringify(JSON.parse(disk.dump()).map(() => [])));
    expect(disk.alarm).toBeNull();
    expect([store.loadMeta(), store.loadCursor(), store.loadState(), store.loadIndexed()]).toEqual([
      null,
      null,
      null,
      NEVER_INDEXED,
    ]);
    expect([store.seen("message", "m1"), store.blobNames(), store.entriesBetween(1, 5)]).toEqual([
      null,
      [],
      [],
    ]);
  });

  test("is erased whole or not at all", () => {
    const { disk, store } = open();
    store.appendEntries(NOTES);
    store.saveMeta(META);
    store.transaction(() => store.setAlarm(5_000));
    disk.cross = (where) => {
      if (where === "commit: before") throw new Error("the disk is full");
    };
    expect(() => store.erase()).toThrow("the disk is full");
    disk.cross = () => {};
    expect([store.loadMeta(), store.entriesAfter(0, 9), disk.alarm]).toEqual([META, NOTES, 5_000]);
  });
});
