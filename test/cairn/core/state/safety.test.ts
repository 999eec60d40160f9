import { describe, expect, test } from "vitest";
import type { Entry, EntryKind } from "../../../../src/cairn/core/log/entry.ts";
import type { PromptPart } from "../../../../src/cairn/core/log/model.ts";
import {
  beginSafety,
  changeSafety,
  GUARD_ERROR,
  hasFiles,
  NO_SAFETY,
  RULE_OF_TWO,
  taintOf,
  applyRead,
  TAINTED_AND_PRIVATE,
  UNTAINTED,
} from "../../../../src/cairn/core/state/safety.ts";
import {
  type Safety,
  type Taint,
  EMPTY_STATE,
  type EndedRun,
  type LiveRun,
  type State,
} from "../../../../src/cairn/core/state/state.ts";

/** Limits that a run's reads put on it: from its beginning, and after each of its entries. */

const TAINTED: Taint = { tainted: { seq: 2, by: "visit" }, private: null };
const PRIVATE: Taint = { tainted: null, private: { seq: 3, by: "look" } };
const image: PromptPart = { type: "file", mediaType: "image/png", url: "data:image/png;base64,AA==" };
const text: PromptPart = { type: "text", text: "Words." };
const ended = (run: string, taint: Taint): EndedRun => ({ run, taint }) as EndedRun;

test("files are files beside words too", () => {
  expect([hasFiles([text]), hasFiles([image]), hasFiles([text, image]), hasFiles([])]).toEqual([
    false,
    true,
    true,
    false,
  ]);
});

describe("a run begins", () => {
  const entity = { type: "page", id: "p1", name: "About", tool: null, step: null, seq: 1 } as const;
  const fact = { key: "k", seq: 1 } as State["memory"]["facts"][number];
  const begin = (state: Partial<State>, more: Partial<Parameters<typeof beginSafety>[1]> = {}): Taint =>
    beginSafety({ ...EMPTY_STATE, ...state }, { inputSeq: 9, source: "api", ...more }).taint;
  const memory = (more: Partial<State["memory"]>) => ({ memory: { ...EMPTY_STATE.memory, ...more } });
  const by = (cause: string) => ({ seq: 9, by: cause });

  test.each<readonly [string, Taint, Taint]>([
    ["clean", begin({}), UNTAINTED],
    [
      "as any of the runs before it",
      begin({ ended: [ended("r1", TAINTED), ended("r2", UNTAINTED)] }),
      { tainted: by("history"), private: null },
    ],
    [
      "as all of them together",
      begin({ ended: [ended("r1", TAINTED), ended("r2", PRIVATE)] }),
      { tainted: by("history"), private: by("history") },
    ],
    [
      "private by a thing in memory",
      begin(memory({ entities: [entity] })),
      { tainted: null, private: by("memory") },
    ],
    ["private by a fact", begin(memory({ facts: [fact] })), { tainted: null, private: by("memory") }],
    [
      "tainted by what a tainted run remembered",
      begin({ ...memory({ facts: [fact] }), taintedMemory: true }),
      { tainted: by("memory"), private: by("memory") },
    ],
    ["clean where all of that is forgotten", begin({ taintedMemory: true }), UNTAINTED],
    [
      "tainted in a session that was imported",
      begin({}, { imported: true }),
      { tainted: by("import"), private: null },
    ],
    ["both by files", begin({}, { files: true }), { tainted: by("files"), private: by("files") }],
    ["tainted by a webhook", begin({}, { source: "webhook" }), { tainted: by("webhook"), private: null }],
  ])("%s", (_name, found, wanted) => expect(found).toEqual(wanted));
});

describe("each row", () => {
  const access = (reads: string) => ({ tier: "open", reads, reach: "none", public: false });
  const live = (safety: Partial<Safety> = {}): LiveRun =>
    ({
      run: "r3",
      step: 4,
      safety: { ...NO_SAFETY, ...safety },
      phase: {
        at: "acting",
        calls: [
          { call: "c0", access: access("private") },
          { call: "c1", access: access("outside") },
        ],
      },
    }) as unknown as LiveRun;
  const entry = (kind: EntryKind, body: object): Entry => ({ seq: 20, kind, body }) as unknown as Entry;
  const after = (run: LiveRun, kind: EntryKind, body: object, before: readonly EndedRun[] = []): Safety =>
    changeSafety(run.safety, entry(kind, body), run, before);
  const settled = (body: object): object => ({ call: "c0", tool: "look", status: "ok", ...body });

  test("that a person or a webhook adds taints by who says it and by its files", () => {
    const said = (source: string, parts: readonly PromptPart[]): Taint =>
      after(live(), "user_message", { source, parts }).taint;
    expect(said("api", [text])).toEqual(UNTAINTED);
    expect(said("api", [text, image])).toEqual({
      tainted: { seq: 20, by: "files" },
      private: { seq: 20, by: "files" },
    });
    expect(said("webhook", [text])).toEqual({ tainted: { seq: 20, by: "webhook" }, private: null });
  });

  test("of a result taints as its own call reads, and not as another of its reply", () => {
    expect(after(live(), "call_settled", settled({})).taint).toEqual({
      tainted: null,
      private: { seq: 20, by: "look" },
    });
    expect(after(live(), "call_settled", settled({ call: "c1", tool: "visit" })).taint).toEqual({
      tainted: { seq: 20, by: "visit" },
      private: null,
    });
    expect(after(live(), "call_settled", settled({ call: "c9" })).taint).toEqual(UNTAINTED);
  });

  test("that reads on in another run carries what that one had, and the worst where nobody knows", () => {
    const from = (readFrom: string): Taint =>
      after(live(), "call_settled", settled({ call: "c9", readFrom }), [ended("r1", TAINTED)]).taint;
    expect(from("r1")).toEqual(UNTAINTED);
    const read = (readFrom: string): Taint =>
      after(live(), "call_settled", settled({ readFrom }), [ended("r1", TAINTED)]).taint;
    expect(read("r1")).toEqual({ tainted: { seq: 20, by: "look" }, private: { seq: 20, by: "look" } });
    expect(read("?").tainted).toEqual({ seq: 20, by: "look" });
    expect(taintOf("r1", [ended("r1", PRIVATE)])).toEqual(PRIVATE);
    expect(taintOf("?", [])).toEqual(TAINTED_AND_PRIVATE);
  });

  test("that refuses for want of a right is counted, each of them", () => {
    const once = after(live(), "call_settled", settled({ status: "refused", skip: "ADMIN_ONLY" }));
    expect(once).toEqual({ ...NO_SAFETY, denials: [20] });
    expect(after(live({ denials: [7] }), "call_settled", settled({ skip: "CHANNEL_DENY" })).denials).toEqual([
      7, 20,
    ]);
    expect(after(live(), "call_settled", settled({ status: "refused", skip: "SIG_BANNED" })).denials).toEqual(
      [],
    );
  });

  test("of a guard that threw is a fault at its place, each of them", () => {
    const first = { point: "before_model", step: 1 };
    const fired = { code: GUARD_ERROR, rule: "x", point: "after_result" };
    expect(after(live({ faults: [first] }), "verdict", fired).faults).toEqual([
      first,
      { point: "after_result", step: 4 },
    ]);
    expect(after(live({ faults: [first] }), "call_settled", settled({ skip: GUARD_ERROR })).faults).toEqual([
      first,
      { point: "before_tool", step: 4 },
    ]);
  });

  test("that tells of the rule of two is remembered, the first of them", () => {
    const told = { code: "NEEDS_APPROVAL", rule: RULE_OF_TWO, point: "before_tool" };
    expect(after(live(), "verdict", told).notified).toBe(20);
    expect(after(live({ notified: 5 }), "verdict", told).notified).toBe(5);
    expect(after(live(), "verdict", { ...told, rule: "permits.other" }).notified).toBeNull();
  });
});

test("what is read on in another run is as that one was, whatever its tool reads itself", () => {
  const read = { seq: 30, tool: "read_observation", status: "ok", reads: "public" } as const;
  const cause = { seq: 30, by: "read_observation" };
  expect(applyRead(UNTAINTED, { ...read, from: PRIVATE })).toEqual({ tainted: null, private: cause });
  expect(applyRead(UNTAINTED, { ...read, from: TAINTED })).toEqual({ tainted: cause, private: null });
  expect(applyRead(UNTAINTED, { ...read, from: UNTAINTED })).toEqual(UNTAINTED);
});

test("the first cause of either stands", () => {
  const both = { seq: 30, tool: "new", status: "ok", reads: undefined } as const;
  expect(applyRead(TAINTED, both)).toEqual({ tainted: TAINTED.tainted, private: { seq: 30, by: "new" } });
  expect(applyRead(PRIVATE, both)).toEqual({ tainted: { seq: 30, by: "new" }, private: PRIVATE.private });
});
