import { NO_WORDS } from "../../../src/cairn/core/guards/no-words.ts";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Entry, EntryDraft, EntryKind } from "../../../src/cairn/core/log/entry.ts";
import {
  CHILD_POLL_MS,
  CHILD_POLL_MS_MAX,
  DELIVERY_ALARM_MS_MIN,
  DELIVERY_LOST_MS,
  FAMILY_RETRY_MS,
  FAMILY_TRIES_MAX,
  STOP_RETRY_MS_MAX,
} from "../../../src/cairn/core/limits.ts";
import { PLAIN_SPEC } from "../../../src/cairn/core/log/run-spec.ts";
import { NO_CHILDREN } from "../../../src/cairn/core/state/run/children.ts";
import type { Engine } from "../../../src/cairn/session/engine/engine.ts";
import { WAKE } from "../../../src/cairn/testing/wake.ts";
import { createRedactor } from "../../../src/cairn/core/text/redact.ts";
import { createFamily } from "../../../src/cairn/session/family/create-family.ts";
import { FAMILY_ACTOR, type FamilyApi } from "../../../src/cairn/session/family/reach.ts";
import { FakePlatform } from "../../sim/platform/platform.ts";

/** A row for each relative: every entry and every answer leaves it in one state, due at one time. */

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

const CHILD = "ses~r1s1c0";
const OTHER = "ses~r1s1c1";
const OWNER = { subject: "ada", scopes: ["read", "send"], via: "http" } as const;

type Command = keyof FamilyApi;
type Row = { readonly name: string; readonly state: string; readonly due: number | null } & Partial<
  Record<"tries" | "polls", number>
>;

const refusal = (status: number) =>
  ({ ok: false, error: { status, code: `c${status}`, message: "No." } }) as const;
const OK = (value: object | null) => ({ ok: true, value }) as const;

const SHARE = { steps: 1, activeMs: 1, tokens: 1, cost: 1, toolCalls: 1, messages: 1, sessions: 2 };

/** A session whose relatives answer what a test says, or throw it. `awaited`: its run waits for the report of CHILD. */
function family(session = "ses", awaited = false) {
  const platform = new FakePlatform([], session);
  platform.service.admitOrCreate(OWNER);
  const written: EntryDraft[] = [];
  const open = [{ call: "r1s1c0", child: CHILD, share: SHARE, wait: false }];
  const children = { ...NO_CHILDREN, open, started: 1 };
  const run = { run: "r1", step: 1, cancel: null, children, phase: { at: "thinking", why: "step" } };
  const state = () =>
    ({ ...platform.state, run: written.length > 0 ? null : run }) as unknown as typeof platform.state;
  const waiting = {
    log: { state },
    rearm: (body: () => unknown) => platform.engine.rearm(body),
    record: (body: (tx: object) => unknown) =>
      body({
        get state() {
          return state();
        },
        append: (drafts: readonly EntryDraft[]) => {
          written.push(...drafts);
          for (const { kind, body: of } of drafts) write(kind, of);
        },
      }),
  } as unknown as Engine;
  const words: { readonly to: string; readonly command: Command; readonly args: readonly unknown[] }[] = [];
  let answer: (command: Command) => unknown = () => OK({});
  const say =
    (to: string, command: Command) =>
    (actor: unknown, ...args: readonly unknown[]) => {
      expect(actor).toBe(FAMILY_ACTOR);
      words.push({ to, command, args });
      const given = answer(command);
      return given instanceof Error ? Promise.reject(given) : Promise.resolve(given as never);
    };
  const reach = (to: string): FamilyApi => ({
    startChild: say(to, "startChild"),
    askChild: say(to, "askChild"),
    stopChild: say(to, "stopChild"),
    removeChild: say(to, "removeChild"),
    takeReport: say(to, "takeReport"),
  });
  const current = () => (awaited ? waiting : platform.engine);
  const made = createFamily(platform.disk, {
    session,
    store: platform.store,
    redact: createRedactor([]),
    reach,
    clock: () => platform.now,
    engine: {
      get log() {
        return current().log;
      },
      rearm: (body) => current().rearm(body),
      record: (body) => current().record(body),
      stop: (module, cancel) => current().stop(module, cancel),
      wakeModule: () => WAKE.load(),
      words: NO_WORDS,
    },
  });
  const rows = (): Row[] =>
    platform.disk
      .exec("SELECT name, state, due, tries, polls FROM family ORDER BY name")
      .map((row) => ({ ...row }) as Row);
  const add = (name: string, state: string, more: Partial<Row> = {}): void => {
    const { due = platform.now, tries = 0, polls = 0 } = more;
    platform.disk.exec(
      "INSERT INTO family (name, run, call, state, due, tries, polls) VALUES (?, 'r1', 'r1s1c0', ?, ?, ?, ?)",
      name,
      state,
      due,
      tries,
      polls,
    );
  };
  const write = (kind: EntryKind, body: object, run = "r1"): void => {
    const entry = { seq: 1, at: platform.now, run, step: null, kind, v: 1, body } as unknown as Entry;
    made.members.wrote([entry], platform.state);
  };
  return {
    platform,
    words,
    rows,
    add,
    write,
    written,
    ...made,
    answers: (give: typeof answer) => (answer = give),
  };
}

describe("an answer", () => {
  const at = 1_700_000_000_000;
  const retry = (tries: number) => at + FAMILY_RETRY_MS * 4 ** (tries - 1);
  const CASES: readonly (readonly [string, Partial<Row>, unknown, Partial<Row>])[] = [
    // A child at work.
    ["working", {}, OK({ sent: null }), { state: "working", due: at + CHILD_POLL_MS, tries: 0, polls: 1 }],
    [
      "working",
      { polls: 2, tries: 3 },
      OK({ sent: null }),
      { state: "working", due: at + 4 * CHILD_POLL_MS, tries: 0, polls: 3 },
    ],
    [
      "working",
      { polls: 30 },
      OK({ sent: null }),
      { state: "working", due: at + CHILD_POLL_MS_MAX, tries: 0, polls: 31 },
    ],
    ["working", {}, refusal(500), { state: "working", due: retry(1), tries: 1 }],
    ["working", {}, refusal(503), { state: "working", due: retry(1), tries: 1 }],
    ["working", { tries: 2 }, new Error("gone"), { state: "working", due: retry(3), tries: 3 }],
    // A child that is told to stop, until it has answered.
    ["stopping", {}, OK(null), { state: "working", due: at + CHILD_POLL_MS, tries: 0 }],
    ["stopping", {}, refusal(404), { state: "working", due: at + CHILD_POLL_MS, tries: 0 }],
    ["stopping", {}, refusal(500), { state: "stopping", due: retry(1), tries: 1 }],
    ["stopping", { tries: 4 }, new Error("gone"), { state: "stopping", due: retry(5), tries: 5 }],
    [
      "stopping",
      { tries: FAMILY_TRIES_MAX + 20 },
      new Error("gone"),
      { state: "stopping", due: at + STOP_RETRY_MS_MAX, tries: FAMILY_TRIES_MAX + 21 },
    ],
  ];
  test.each(CASES)("to a word to a child that is %s %j: %j", async (state, more, given, after) => {
    const one = family("ses", true);
    one.add(CHILD, state, more);
    one.answers(() => given);
    await one.family.work();
    expect(one.rows()).toEqual([expect.objectContaining({ name: CHILD, ...after })]);
    const { createdAt } = one.platform.store.loadMeta() ?? {};
    const command = state === "working" ? "askChild" : "stopChild";
    expect(one.words).toEqual([
      { to: CHILD, command, args: [{ session: "ses", call: "r1s1c0", createdAt }] },
    ]);
    expect(createdAt).toBe(at);
  });

  /** A row that became another while its answer was on the way keeps what it became. */
  test.each([
    ["working", OK({ sent: null })],
    ["working", refusal(500)],
    ["working", new Error("gone")],
  ] as const)(
    "to a child that is %s is too late where it is told to stop meanwhile: %j",
    async (state, given) => {
      const one = family("ses", true);
      one.add(CHILD, state);
      const due = at + 77_000;
      one.answers(() => {
        one.platform.disk.exec("UPDATE family SET state = 'stopping', due = ?", due);
        return given;
      });
      await one.family.work();
      expect(one.rows()).toEqual([expect.objectContaining({ state: "stopping", due })]);
    },
  );

  /** The parent of a deleted child is notified once, and the child's whole share counts as spent. */
  test.each([
    ["working", 0, refusal(404), "child_deleted", { state: "done", due: null }],
    ["working", FAMILY_TRIES_MAX - 2, new Error("gone"), null, { state: "working" }],
    [
      "working",
      FAMILY_TRIES_MAX - 1,
      new Error("gone"),
      "child_lost",
      { state: "stopping", due: at + CHILD_POLL_MS },
    ],
    [
      "stopping",
      FAMILY_TRIES_MAX - 1,
      new Error("gone"),
      "child_lost",
      { state: "stopping", due: at + STOP_RETRY_MS_MAX, tries: FAMILY_TRIES_MAX },
    ],
  ] as const)(
    "that a child (%s, after %i tries) does not give: %j",
    async (state, tries, given, reason, left) => {
      const one = family("ses", true);
      one.add(CHILD, state, { tries });
      one.answers(() => given);
      await one.family.work();
      const reports = one.written.flatMap((draft) => (draft.kind === "child_reported" ? [draft.body] : []));
      const { sessions: _below, ...amount } = SHARE;
      expect(
        reports.map(({ child, call, outcome, reason: why, used, sessions, usage }) => [
          [child, call, outcome, why],
          [used, sessions, usage.cost],
        ]),
      ).toEqual(
        reason === null
          ? []
          : [
              [
                [CHILD, "r1s1c0", "failed_internal", reason],
                [amount, SHARE.sessions + 1, SHARE.cost],
              ],
            ],
      );
      expect(one.rows()).toEqual([expect.objectContaining(left)]);
    },
  );

  test("is not waited for by a run that has ended", async () => {
    const one = family();
    one.add(CHILD, "working");
    one.add(OTHER, "stopping");
    one.answers(() => OK(null));
    await one.family.work();
    expect(one.words.map(({ command }) => command)).toEqual(["stopChild"]);
    expect(one.rows().map(({ state, due }) => [state, due])).toEqual([
      ["done", null],
      ["done", null],
    ]);
  });

  test("of a child that nobody waits for is none: it is told to stop until it has answered", async () => {
    const one = family();
    one.add(CHILD, "stopping", { tries: FAMILY_TRIES_MAX - 1 });
    one.answers(() => new Error("gone"));
    await one.family.work();
    expect(one.rows()).toEqual([expect.objectContaining({ state: "stopping", due: at + STOP_RETRY_MS_MAX })]);
  });

  test("nothing is said before it is due, and what is claimed is due again where its isolate dies", async () => {
    const one = family();
    one.add(CHILD, "working", { due: at + DELIVERY_ALARM_MS_MIN + 1 });
    await one.family.work();
    expect(one.words).toEqual([]);
    expect(one.members.due()).toBe(at + DELIVERY_ALARM_MS_MIN + 1);
    const claimed = one.platform.engine.rearm(() => one.members.claim(at + 1));
    expect(claimed.map(({ tries }) => tries)).toEqual([1]);
    expect(one.rows()).toEqual([expect.objectContaining({ due: at + 1 + DELIVERY_LOST_MS, tries: 1 })]);
  });
});

describe("a child's report", () => {
  const at = 1_700_000_000_000;
  const KEY = { session: "ses", createdAt: 5, call: "r1s1c0" };

  /** A child whose run has ended, with the row of its parent. */
  async function ended(tries = 0) {
    const one = family(CHILD);
    one.platform.say("Look.", {
      spec: PLAIN_SPEC,
      parent: { ...KEY, run: "r1", depth: 1, root: "ses", sessions: 0 },
    });
    await one.platform.settle();
    one.add("ses", "reporting", { due: one.platform.now, tries });
    return one;
  }

  const retryOf = (now: number, tries: number) => now + FAMILY_RETRY_MS * 4 ** (tries - 1);
  test.each([
    ["is taken", 0, OK({ taken: true }), { state: "done", due: null }],
    ["was taken before", 0, OK({ taken: false }), { state: "done", due: null }],
    ["finds no parent any more", 0, refusal(404), { state: "done", due: null }],
    ["comes before its call is deferred", 3, OK({ taken: "later" }), "again"],
    ["fails there", 0, refusal(500), "retry"],
    ["does not get through", 0, new Error("gone"), "retry"],
    ["never gets through", FAMILY_TRIES_MAX - 1, new Error("gone"), { state: "done", due: null }],
  ] as const)("that %s (after %i tries)", async (_, tries, given, after) => {
    const one = await ended(tries);
    one.answers(() => given);
    const { now } = one.platform;
    await one.family.work();
    const expected =
      after === "again"
        ? { state: "reporting", due: now + FAMILY_RETRY_MS, tries: 0 }
        : after === "retry"
          ? { state: "reporting", due: retryOf(now, 1), tries: 1 }
          : after;
    expect(one.rows()).toEqual([expect.objectContaining({ name: "ses", ...expected })]);
    expect(one.words).toEqual([
      {
        to: "ses",
        command: "takeReport",
        args: [
          expect.objectContaining({
            to: { run: "r1", call: "r1s1c0", createdAt: 5 },
            report: expect.objectContaining({ child: CHILD, outcome: "completed" }) as unknown,
          }),
        ],
      },
    ]);
    expect(at).toBeLessThanOrEqual(now);
  });
});

describe("the last word of a session that is deleted", () => {
  const PARENT = {
    session: "ses",
    createdAt: 5,
    call: "r1s1c0",
    run: "r1",
    depth: 1,
    root: "ses",
    sessions: 0,
  };

  test.each([
    [CHILD, ["takeReport"]],
    ["ses", []],
  ])("of %s", async (session, commands) => {
    const one = family(session);
    one.platform.script = () => ({ calls: [["publish", { name: "a" }]] });
    one.platform.say("Publish it.", { spec: PLAIN_SPEC, parent: PARENT });
    await one.platform.settle();
    expect(one.platform.state.run).not.toBeNull();
    // The row that the end of the run writes, where the session keeps its relatives itself.
    one.add("ses", "reporting", { due: one.platform.now });
    await one.family.lastWord();
    expect(one.platform.state.run === null).toBe(commands.length > 0);
    expect(one.words.map(({ command }) => command)).toEqual(commands);
  });
});

describe("an entry", () => {
  const at = 1_700_000_000_000;
  const soon = at + DELIVERY_ALARM_MS_MIN;
  const CASES: readonly (readonly [EntryKind, object, string, string | null, object])[] = [
    ["call_intended", { call: "r1s1c1", share: SHARE }, "r1", null, { state: "starting", due: null }],
    [
      "call_deferred",
      { call: "r1s1c0", child: CHILD, pollAt: 9 },
      "r1",
      "starting",
      { state: "working", due: 9 },
    ],
    [
      "call_settled",
      { call: "r1s1c0", status: "unknown" },
      "r1",
      "starting",
      { state: "stopping", due: soon },
    ],
    [
      "call_settled",
      { call: "r1s1c0", status: "cancelled" },
      "r1",
      "starting",
      { state: "stopping", due: soon },
    ],
    ["call_settled", { call: "r1s1c0", status: "ok" }, "r1", "working", { state: "working", due: at }],
    ["call_settled", { call: "r1s1c9", status: "unknown" }, "r1", "starting", { state: "starting", due: at }],
    ["child_stopped", { call: "r1s1c0", child: CHILD }, "r1", "working", { state: "stopping", due: soon }],
    ["child_reported", { child: CHILD, reason: null }, "r1", "working", { state: "done", due: null }],
    ["child_reported", { child: CHILD, reason: null }, "r1", "stopping", { state: "done", due: null }],
    [
      "child_reported",
      { child: CHILD, reason: "child_lost" },
      "r1",
      "working",
      { state: "stopping", due: at + CHILD_POLL_MS },
    ],
    // The child already received a stop: the time of its next notice does not change.
    [
      "child_reported",
      { child: CHILD, reason: "child_lost" },
      "r1",
      "stopping",
      { state: "stopping", due: at },
    ],
    [
      "child_reported",
      { child: CHILD, reason: "child_deleted" },
      "r1",
      "working",
      { state: "done", due: null },
    ],
    ["run_ended", {}, "r1", "starting", { state: "stopping", due: soon }],
    ["run_ended", {}, "r1", "working", { state: "stopping", due: soon }],
    ["run_ended", {}, "r1", "stopping", { state: "stopping", due: at }],
    ["run_ended", {}, "r2", "working", { state: "working", due: at }],
  ];
  test.each(CASES)("%s %j of %s, with a child that is %s", (kind, body, run, state, after) => {
    const one = family();
    if (state !== null) one.add(CHILD, state, { tries: 2 });
    one.write(kind, body, run);
    expect(one.rows()).toEqual([expect.objectContaining(after)]);
    expect(one.rows()[0]?.name).toBe(state === null ? OTHER : CHILD);
  });

  test.each(["ok", "error", "refused", "denied"])(
    "of a start that was %s leaves nobody to tell",
    (status) => {
      const one = family();
      one.add(CHILD, "starting");
      one.write("call_settled", { call: "r1s1c0", status });
      expect(one.rows()).toEqual([]);
    },
  );

  test("of a call that starts nobody is of no matter", () => {
    const one = family();
    one.write("call_intended", { call: "r1s1c0" });
    expect(one.rows()).toEqual([]);
  });
});

describe("who deletes a session deletes all below it", () => {
  test("and nobody above it", async () => {
    const one = family(CHILD);
    one.add("ses", "done");
    one.add(`${CHILD}~r1s2c0`, "done");
    one.add(`${CHILD}~r2s1c1`, "working");
    await one.family.removeChildren();
    // A child's session is made by its parent's order, and not here.
    const createdAt = null;
    expect(one.words).toEqual(
      ["r1s2c0", "r2s1c1"].map((call) => ({
        to: `${CHILD}~${call}`,
        command: "removeChild",
        args: [{ session: CHILD, call, createdAt }],
      })),
    );
  });

  test.each([
    [OK(null), true],
    [refusal(404), true],
    [refusal(503), false],
    [refusal(500), false],
    [new Error("gone"), false],
  ])("and fails where one is still there: %j", async (given, isDone) => {
    const one = family();
    one.add(CHILD, "done");
    one.answers(() => given);
    const done = one.family.removeChildren().then(
      () => true,
      () => false,
    );
    expect(await done).toBe(isDone);
  });
});

describe("a start", () => {
  const order = {
    child: CHILD,
    key: "k",
    share: null,
    ask: { objective: "Look." },
    parent: { session: "ses", createdAt: null, run: "r1", call: "r1s1c0" },
    from: { request: { actor: "bob" } },
  } as never;

  test.each([
    [OK({ child: CHILD }), { kind: "started", child: CHILD }],
    [refusal(500), { kind: "failed", lost: false, failure: { class: "internal", retryable: false } }],
    [refusal(503), { kind: "failed", lost: false, failure: { class: "server", retryable: true } }],
    [refusal(429), { kind: "failed", lost: false, failure: { class: "rate_limit", retryable: true } }],
    [refusal(404), { kind: "failed", lost: false, failure: { class: "not_found", retryable: false } }],
    [refusal(422), { kind: "failed", lost: false, failure: { class: "invalid_args", retryable: false } }],
    [
      new Error("gone"),
      { kind: "failed", lost: true, failure: { code: "child_unreachable", retryable: true } },
    ],
  ])("that is answered %j", async (given, outcome) => {
    const one = family();
    one.answers(() => given);
    expect(await one.family.start(order)).toMatchObject(outcome);
    // The owner of the session, whoever of those that it admits has asked.
    expect(one.words[0]?.args[1]).toBe("ada");
  });

  test("that cannot be made as it was asked for says what is wrong, all of it", async () => {
    const one = family();
    const error = { status: 422, code: "invalid_run", message: "The run is not valid.", hint: "Look." };
    const issue = (code: string) => ({ path: "tools", code, message: `${code} is wrong.` });
    const failureFor = async (issues: readonly object[]) => {
      one.answers(() => ({ ok: false, error: { ...error, issues } }));
      const started = await one.family.start(order);
      return started.kind === "failed" ? started.failure : null;
    };
    const failure = { class: "invalid_args", retryable: false, hint: "Look." };
    expect(await failureFor([])).toEqual({ ...failure, code: "invalid_run", message: error.message });
    expect(await failureFor([issue("a")])).toEqual({ ...failure, code: "a", message: error.message });
    expect(await failureFor([issue("a"), issue("b")])).toEqual({
      ...failure,
      code: "a",
      message: "a is wrong. b is wrong.",
    });
  });

  test("waits 20 seconds for its answer, and leaves no timer behind an answer", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const one = family();
      one.answers(() => OK({ child: CHILD }));
      await one.family.start(order);
      expect(vi.getTimerCount()).toBe(0);
      one.answers(() => new Promise(() => {}));
      let started: object | null = null;
      const waiting = one.family.start(order).then((outcome) => (started = outcome));
      await vi.advanceTimersByTimeAsync(19_999);
      expect(started).toBeNull();
      await vi.advanceTimersByTimeAsync(1);
      await waiting;
      expect(started).toMatchObject({ kind: "failed", lost: true, failure: { code: "child_unreachable" } });
    } finally {
      vi.useRealTimers();
    }
  });
});

test("of several relatives the first one that is due wakes the session", () => {
  const one = family();
  for (const [name, due] of [
    ["a", 9],
    ["b", 7],
    ["c", 8],
    ["d", null],
  ] as const)
    one.add(name, "working", { due });
  one.add("e", "done", { due: 1 });
  expect(one.members.due()).toBe(7);
});
