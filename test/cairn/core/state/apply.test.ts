import { beforeAll, describe, expect, test } from "vitest";
import {
  activeGap,
  apply,
  dayNo,
  fold,
  migrate,
  type Migrations,
} from "../../../../src/cairn/core/state/apply.ts";
import type { Entry, EntryDraft } from "../../../../src/cairn/core/log/entry.ts";
import { ACTIVE_GAP_MS_MAX, ENDED_RUNS_SHOWN } from "../../../../src/cairn/core/limits.ts";
import {
  EMPTY_MEMORY,
  EMPTY_STATE,
  type EndedRun,
  type LiveRun,
  type State,
  STATE_SCHEMA,
} from "../../../../src/cairn/core/state/state.ts";
import { waitsForPerson, type Phase } from "../../../../src/cairn/core/state/run/phase.ts";
import { FakePlatform } from "../../../sim/platform/platform.ts";

/** Effects of log entries on the state that the logs of whole runs do not show. */

let begun: State;
let run: LiveRun;
beforeAll(async () => {
  const platform = new FakePlatform([{ text: "Hello." }]);
  platform.onModel = () => void (begun = platform.state);
  platform.say("go");
  await platform.settle();
  if (begun.run === null) throw new Error("no run is live");
  run = begun.run;
});

/** The entry that comes next, so many milliseconds after the last. */
const entry = (state: State, draft: EntryDraft, ms = 0): Entry =>
  ({ ...draft, seq: state.head + 1, at: state.at + ms, v: 1 }) as Entry;
const after = (state: State, ...drafts: readonly EntryDraft[]): State =>
  drafts.reduce((now, draft) => apply(now, entry(now, draft)), state);
const inPhase = (phase: Phase): State => ({ ...begun, run: { ...run, phase } });
const said = (mode: "join" | "answer" | "queue", of: string): EntryDraft => ({
  kind: "user_message",
  run: of,
  step: null,
  body: { id: "m9", author: "ada", source: "api", parts: [{ type: "text", text: "more" }], mode },
});
const stop = (reason: string, superseded = false, of = "r1"): EntryDraft => ({
  kind: "command_queued",
  run: of,
  step: null,
  body: { id: "c1", actor: "ada", command: "cancel", reason, superseded },
});
const stored = (of: string): EntryDraft => ({
  kind: "memory_changed",
  run: of,
  step: "r1s1",
  body: { call: null, tool: null, changes: [], facts: [{ op: "store", key: "tone", value: "warm" }] },
});
const NOTE: EntryDraft = { kind: "note", run: null, step: null, body: { code: "hello", text: "hi" } };
const CLEARED: EntryDraft = { kind: "session_cleared", run: null, step: null, body: { actor: "ada" } };

describe("time", () => {
  test("counts while a run works or waits for a provider, up to a bound, and not while a person is awaited", () => {
    const question = { question: "q", call: null, expiresAt: 9, seq: 1, ends: false };
    const waiting: Phase = { at: "waiting_human", calls: [], question };
    const approval = { approval: "a", call: "c" } as never;
    const asked: Phase = { at: "waiting_approval", calls: [], approval };
    const retry: Phase = { at: "waiting_retry", until: 9, back: { at: "acting", calls: [] } };
    expect([run.phase, retry, waiting, asked].map(waitsForPerson)).toEqual([false, false, true, true]);
    const gap = (state: State, ms: number): number => activeGap(state, state.at + ms);
    expect([gap(begun, 7), gap(begun, -7), gap(inPhase(retry), 7)]).toEqual([7, 0, 7]);
    expect([gap(inPhase(waiting), 7), gap(inPhase(asked), 7), gap({ ...begun, run: null }, 7)]).toEqual([
      0, 0, 0,
    ]);
    expect(
      [ACTIVE_GAP_MS_MAX - 1, ACTIVE_GAP_MS_MAX, ACTIVE_GAP_MS_MAX + 1].map((ms) => gap(begun, ms)),
    ).toEqual([ACTIVE_GAP_MS_MAX - 1, ACTIVE_GAP_MS_MAX, ACTIVE_GAP_MS_MAX]);
    expect(apply(begun, entry(begun, said("join", "r1"), 40)).run?.used.activeMs).toBe(
      run.used.activeMs + 40,
    );
  });

  test("never falls, and no row is left out or comes twice", () => {
    const early = { ...entry(begun, NOTE), at: begun.at - 1_000 } as Entry;
    expect(apply(begun, early).at).toBe(begun.at);
    for (const seq of [begun.head, begun.head + 2])
      expect(() => apply(begun, { ...early, seq } as Entry)).toThrow("does not follow");
  });
});

test("what a day has spent is what its calls were charged with, and a new day begins with nothing", async () => {
  const platform = new FakePlatform(() => ({ text: "Hello.", inputTokens: 100 }));
  platform.prices = { "rehearsal:": { input: 2, cachedInput: 2, output: 3 } };
  platform.restart();
  const days = [];
  for (const wait of [0, 60_000, 86_400_000]) {
    platform.now += wait;
    platform.say("go");
    await platform.settle();
    days.push(platform.state.day);
  }
  const no = dayNo(platform.now);
  expect(days).toEqual([
    { no: no - 1, tokens: 110, cost: 230 },
    { no: no - 1, tokens: 220, cost: 460 },
    { no, tokens: 110, cost: 230 },
  ]);
  expect(platform.state.messages).toBe(3);
});

describe("words", () => {
  test("that join are read by the next call; those that answer are not, and those of another run are none of it", () => {
    const seq = begun.head + 1;
    expect(after(begun, said("join", "r1")).run).toMatchObject({
      input: { all: [1, seq], unread: [1, seq] },
    });
    expect(after(begun, said("answer", "r1")).run).toMatchObject({
      input: { all: [1, seq], unread: [1] },
    });
    expect(after(begun, said("join", "r9")).run).toEqual(run);
    expect(after(begun, said("queue", "r1")).run).toEqual(run);
    expect(run.input.unread).toEqual([1]);
  });
});

describe("a stop", () => {
  test("is that of the run that it names, and the first one stands", () => {
    const stopped = after(begun, stop("first"), stop("second", true));
    expect(stopped.run?.cancel).toEqual({ actor: "ada", reason: "first", superseded: false });
    expect(after(begun, stop("other", false, "r9")).run?.cancel).toBeNull();
  });
});

describe("more for a run", () => {
  test("is given once, and says what it has from then on", () => {
    const limits = { ...run.limits, steps: 99 };
    const extend: EntryDraft = {
      kind: "command_queued",
      run: "r1",
      step: null,
      body: { id: "e", actor: "ada", command: "extend", limits, reason: null, superseded: false },
    };
    expect(after(begun, extend).run).toMatchObject({
      used: { once: ["EXTENDED_BY_PERSON"] },
      limits,
      cancel: null,
    });
  });
});

describe("memory", () => {
  const fact = { key: "tone", seq: 3 };
  const known: State = {
    ...begunMemory(),
    ended: [],
    taintedMemory: true,
    memory: { ...EMPTY_MEMORY, facts: [fact] },
  };
  function begunMemory(): State {
    return { ...EMPTY_STATE, head: 9, at: 50 };
  }

  test("is empty after a clear, and so is the conversation", () => {
    const one = { run: "r1", inputs: [1], answer: 3 } as unknown as EndedRun;
    const cleared = after({ ...known, ended: [one] }, CLEARED);
    expect(cleared).toEqual({
      ...EMPTY_STATE,
      head: 10,
      at: 50,
      cleared: 10,
      ended: [],
      memory: EMPTY_MEMORY,
      taintedMemory: false,
    });
  });

  test("is not written by a run of before the clear, and by one of after it is", () => {
    const cleared = after(begun, CLEARED);
    expect(after(cleared, stored("r1")).memory).toEqual(EMPTY_MEMORY);
    expect(after(begun, stored("r1")).memory.facts).toEqual([{ key: "tone", seq: begun.head + 1 }]);
    // Nor is that run part of the conversation when it ends.
    const ends: EntryDraft = {
      kind: "run_ended",
      run: "r1",
      step: "r1s1",
      body: {
        outcome: "completed",
        class: "answered",
        reason: null,
        steps: 1,
        usage: run.used.usage,
        activeMs: 1,
      },
    };
    expect(after(cleared, ends)).toMatchObject({ run: null, ended: [] });
    expect(after(begun, ends).ended.map((item) => item.run)).toEqual(["r1"]);
  });

  test("is tainted once a tainted run has written to it, and stays so", () => {
    const tainted = { tainted: { seq: 1, by: "visit" }, private: null };
    const dirty: State = { ...begun, run: { ...run, safety: { ...run.safety, taint: tainted } } };
    expect([after(begun, stored("r1")).taintedMemory, after(dirty, stored("r1")).taintedMemory]).toEqual([
      false,
      true,
    ]);
    expect(after({ ...begun, taintedMemory: true }, stored("r1")).taintedMemory).toBe(true);
  });
});

describe("an answer that is hidden", () => {
  test("leaves the run's earlier words, without the last of them, its answer and its summary", () => {
    const one = { run: "r1", inputs: [1, 4], answer: 7, compacted: 6 } as unknown as EndedRun;
    const two = { run: "r2", inputs: [8], answer: 9, compacted: 8 } as unknown as EndedRun;
    const state: State = { ...EMPTY_STATE, head: 9, ended: [one, two] };
    const hide: EntryDraft = {
      kind: "answer_hidden",
      run: null,
      step: null,
      body: { run: "r1", actor: "ada" },
    };
    expect(after(state, hide).ended).toEqual([{ run: "r1", inputs: [1], answer: null }, two]);
  });
});

describe("runs", () => {
  test("begin out of the queue, one at a time", async () => {
    const platform = new FakePlatform(() => ({ text: "Hello." }));
    platform.say("one");
    platform.say("two");
    await platform.settle();
    const started = platform.log.filter((entry) => entry.kind === "run_started");
    const [first, second] = started;
    if (first === undefined || second === undefined) throw new Error("two runs");
    const before = fold(EMPTY_STATE, platform.log.slice(0, first.seq - 1));
    const unknown = { ...first, run: "r9" } as Entry;
    expect(() => apply(before, unknown)).toThrow("run_started");
    // The loop decides which run is next: another version may have written another order.
    const swapped = apply(before, { ...second, seq: first.seq } as Entry);
    expect([swapped.run?.run, swapped.queue.map(({ run: name }) => name)]).toEqual(["r2", ["r1"]]);
    const live = apply(before, first);
    expect(() => apply(live, { ...second, seq: first.seq + 1 } as Entry)).toThrow("run_started");
  });

  test(`that ended are kept, the last ${ENDED_RUNS_SHOWN} of them, and one that never began leaves the others`, async () => {
    const platform = new FakePlatform(() => ({ text: "Hello." }));
    for (let at = 0; at < ENDED_RUNS_SHOWN + 2; at++) {
      platform.say("go");
      await platform.settle();
    }
    expect(platform.state.ended.map((item) => item.run)).toEqual(["r3", "r4", "r5", "r6", "r7", "r8"]);
    platform.say("nine");
    platform.say("ten");
    const ends: EntryDraft = {
      kind: "run_ended",
      run: "r9",
      step: null,
      body: {
        outcome: "cancelled",
        class: "cancelled",
        reason: null,
        steps: 0,
        usage: run.used.usage,
        activeMs: 0,
      },
    };
    const left = after(platform.state, ends);
    expect([left.queue.map((item) => item.run), left.ended.length]).toEqual([["r10"], ENDED_RUNS_SHOWN]);
  });
});

describe("a stored snapshot", () => {
  test("of an older schema is brought to the present one, step by step", () => {
    // Schemas that later releases might have: a counter under another name, then within a part of its own.
    const migrations: Migrations = {
      1: ({ messages, ...rest }: { messages: number }) => ({ ...rest, inputs: messages }),
      2: ({ inputs, ...rest }: { inputs: number }) => ({ ...rest, inputs: { count: inputs } }),
    };
    const today = { schema: 3, head: 5, inputs: { count: 7 } };
    expect(migrate(1, { schema: 1, head: 5, messages: 7 }, migrations, 3)).toEqual(today);
    expect(migrate(2, { schema: 2, head: 5, inputs: 7 }, migrations, 3)).toEqual(today);
    expect(migrate(3, today, migrations, 3)).toBe(today);
  });

  test("of the present schema is as it stands, of a newer or an unknown one it is refused", () => {
    expect(migrate(STATE_SCHEMA, EMPTY_STATE)).toBe(EMPTY_STATE);
    expect(() => migrate(STATE_SCHEMA + 1, EMPTY_STATE)).toThrow("newer version (schema 2)");
    expect(() => migrate(0, EMPTY_STATE)).toThrow("no version has written schema 0");
  });
});

test("images that a message brings are in memory, the last one in focus, and the next message's go before them", () => {
  const sent = (...ids: readonly string[]): EntryDraft => ({
    kind: "user_message",
    run: "r2",
    step: null,
    body: {
      ...({ id: ids.join("+"), author: "ada", source: "api", mode: "queue" } as const),
      parts: ids.map((id) => ({
        ...({ type: "file", mediaType: "image/png", url: `/media/${id}/a.png` } as const),
        image: { id, name: `${id}.png`, width: 3, height: 2 },
      })),
    },
  });
  const { memory } = after(begun, sent("im_a", "im_b"));
  expect(memory.focus["image"]).toBe("im_b");
  expect(memory.entities.map(({ type, id, name, tool }) => [type, id, name, tool])).toEqual([
    ["image", "im_b", "im_b.png", null],
    ["image", "im_a", "im_a.png", null],
  ]);
  expect(after(begun, sent("im_a", "im_b"), sent("im_c")).memory.focus).toEqual({ image: "im_c" });
  expect(after(begun, said("queue", "r2")).memory).toBe(begun.memory);
});
