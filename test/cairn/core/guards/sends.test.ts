import { describe, expect, test } from "vitest";
import { checkHeartbeatSend, checkSend } from "../../../../src/cairn/core/guards/sends.ts";
import {
  CAPSULE_PROGRESS_MS,
  HEARTBEAT_SEND_MS,
  SEND_COOLDOWN_STEPS,
  SENDS_ALIKE,
  SENDS_STORED,
  SENDS_WINDOW_MS,
} from "../../../../src/cairn/core/limits.ts";
import type { CallRecord, MessageMark } from "../../../../src/cairn/core/log/mark.ts";
import type { LiveRun, Sent } from "../../../../src/cairn/core/state/state.ts";

/** Every reason for which a message is not sent, and what is next to each: it goes out. */

const NOW = 100_000_000;
const STEP = 9;
const WORDS = ["alpha", "beta", "gamma", "delta", "omega"];

const mark = (more: Partial<MessageMark> = {}): MessageMark => ({
  kind: "progress",
  chars: 200,
  words: WORDS,
  ...more,
});
const call = (seq: number, more: Partial<CallRecord> = {}): CallRecord => ({
  id: `c${seq}`,
  seq,
  step: 1,
  tool: "send_message",
  effect: "once",
  kind: "send",
  sig: `s${seq}`,
  mask: `m${seq}`,
  res: "r",
  target: "telegram:1",
  value: `v${seq}`,
  query: null,
  ids: null,
  empty: false,
  status: "ok",
  error: null,
  fresh: false,
  at: NOW - 1_000,
  ...more,
});
const said = (seq: number, more: Partial<CallRecord> = {}, message: Partial<MessageMark> = {}): CallRecord =>
  call(seq, { message: mark(message), ...more });
const worked = (seq: number, more: Partial<CallRecord> = {}): CallRecord =>
  call(seq, { kind: "work", tool: "put", fresh: true, ...more });
const pending = (more: Partial<CallRecord> = {}, message: Partial<MessageMark> = {}): CallRecord =>
  said(99, { status: "pending", step: STEP, value: "new", ...more }, message);
const before = (more: Partial<Sent> = {}): Sent => ({
  to: "telegram:1",
  value: "old",
  at: NOW - 1_000,
  chars: 200,
  words: ["other"],
  ...more,
});

interface Situation {
  readonly calls?: readonly CallRecord[];
  readonly sent?: readonly Sent[];
  readonly profile?: string;
  readonly lastMessage?: object;
}

function rule(
  asked: CallRecord,
  { calls = [], sent = [], profile = "standard", lastMessage = {} }: Situation = {},
) {
  const run = {
    loop: { calls },
    output: { lastMessage: { nudged: null, ...lastMessage } },
    profile,
  } as never;
  const objection = checkSend(run, asked, sent, { step: STEP, at: NOW });
  return objection === null ? null : `${objection.act} ${objection.verdict.rule}`;
}

const FAR = STEP - SEND_COOLDOWN_STEPS;

describe("a message", () => {
  test.each<readonly [string, CallRecord, Situation, string | null]>([
    ["is no message", worked(99), {}, null],
    ["is the first", pending(), {}, null],
    ["holds a placeholder", pending({}, { placeholders: ["[name]"] }), {}, "skip send.placeholder"],
    [
      "holds a placeholder, and is the answer",
      pending({}, { kind: "final", placeholders: ["[name]"] }),
      {},
      "skip send.placeholder",
    ],

    [
      "is what this run has sent there",
      pending({ value: "v5" }),
      { calls: [said(5, { step: FAR })] },
      "skip send.duplicate",
    ],
    [
      "is the answer, and what this run has sent there",
      pending({ value: "v5" }, { kind: "final" }),
      { calls: [said(5)] },
      "reuse send.copy",
    ],
    [
      "may have been sent there",
      pending({ value: "v5" }),
      { calls: [said(5, { status: "unknown", step: FAR })] },
      "skip send.duplicate",
    ],
    [
      "failed to be sent there",
      pending({ value: "v5" }),
      { calls: [said(5, { status: "error", step: FAR })] },
      null,
    ],
    [
      "was kept back before",
      pending({ value: "v5" }),
      { calls: [said(5, { status: "skipped", step: FAR })] },
      null,
    ],
    [
      "was sent elsewhere by this run",
      pending({ value: "v5" }),
      { calls: [said(5, { target: "telegram:2", step: FAR })] },
      null,
    ],

    [
      "was sent there by an earlier run",
      pending({ value: "old" }),
      { sent: [before()] },
      "skip send.duplicate",
    ],
    [
      "is the answer, and was sent there by an earlier run",
      pending({ value: "old" }, { kind: "final" }),
      { sent: [before()] },
      "skip send.duplicate",
    ],
    [
      "was sent elsewhere by an earlier run",
      pending({ value: "old" }),
      { sent: [before({ to: "telegram:2" })] },
      null,
    ],
    [
      "was sent there just within the window",
      pending({ value: "old" }),
      { sent: [before({ at: NOW - SENDS_WINDOW_MS + 1 })] },
      "skip send.duplicate",
    ],
    [
      "was sent there before the window",
      pending({ value: "old" }),
      { sent: [before({ at: NOW - SENDS_WINDOW_MS })] },
      null,
    ],
    [
      "is the answer, and not like the one before",
      pending({}, { kind: "final" }),
      { calls: [said(5, { step: STEP })] },
      null,
    ],

    ["is the second of a step", pending(), { calls: [said(5, { step: STEP })] }, "skip send.step"],
    [
      "is the second of a step, to somebody else",
      pending(),
      { calls: [said(5, { step: STEP, target: "telegram:2" })] },
      null,
    ],
    [
      "is the second of a step, behind the word that it has begun",
      pending({}, { words: null }),
      { calls: [said(5, { step: STEP }, { kind: "ack" })] },
      null,
    ],
    [
      "is a second word in a step that it has begun",
      pending({}, { kind: "ack" }),
      { calls: [said(5, { step: STEP }, { kind: "ack" })] },
      "skip send.step",
    ],
    [
      "is the second of a step whose first failed",
      pending(),
      { calls: [said(5, { step: STEP, status: "error" })] },
      null,
    ],

    [
      "comes soon, and nothing was done since",
      pending({}, { words: null }),
      { calls: [said(5, { step: STEP - 1 })] },
      "skip send.cooldown",
    ],
    ["comes late enough", pending({}, { words: null }), { calls: [said(5, { step: FAR })] }, null],
    [
      "comes one step too soon",
      pending({}, { words: null }),
      { calls: [said(5, { step: FAR + 1 })] },
      "skip send.cooldown",
    ],
    [
      "comes soon, and something was done since",
      pending({}, { words: null }),
      { calls: [said(5, { step: STEP - 1 }), worked(6)] },
      null,
    ],
    [
      "comes soon, and what was done came to nothing",
      pending({}, { words: null }),
      { calls: [said(5, { step: STEP - 1 }), worked(6, { status: "error" })] },
      "skip send.cooldown",
    ],
    [
      "comes soon, and what was done was nothing new",
      pending({}, { words: null }),
      { calls: [said(5, { step: STEP - 1 }), worked(6, { fresh: false })] },
      "skip send.cooldown",
    ],
    [
      "comes soon, and what was done came before",
      pending({}, { words: null }),
      { calls: [worked(4), said(5, { step: STEP - 1 })] },
      "skip send.cooldown",
    ],
    [
      "comes soon, and is a question",
      pending({}, { kind: "question" }),
      { calls: [said(5, { step: STEP - 1 })] },
      null,
    ],
    [
      "comes soon, and tells of a failure",
      pending({}, { kind: "failure" }),
      { calls: [said(5, { step: STEP - 1 })] },
      null,
    ],
    [
      "comes soon, and was asked for",
      pending({}, { words: null }),
      { calls: [said(5, { step: STEP - 1 })], lastMessage: { nudged: "NUDGE_HARD" } },
      null,
    ],
    [
      "says for the second time that it has begun",
      pending({}, { kind: "ack", words: null }),
      { calls: [said(5, { step: FAR }, { kind: "ack" })] },
      "skip send.second_ack",
    ],

    ["says nearly what was said", pending(), { calls: [said(5, { step: FAR })] }, "skip send.similar"],
    [
      "says nearly what an earlier run has said",
      pending({}, { chars: SENDS_ALIKE.chars }),
      {
        calls: [said(5, { step: FAR }, { words: ["none"] })],
        sent: [before({ words: WORDS, chars: SENDS_ALIKE.chars })],
      },
      "skip send.similar",
    ],
    [
      "says nearly what was said elsewhere",
      pending(),
      {
        calls: [said(5, { step: FAR }, { words: ["none"] })],
        sent: [before({ to: "telegram:2", words: WORDS })],
      },
      null,
    ],
    [
      "has the words of a short one and many more",
      pending({}, { words: WORDS.flatMap((word) => [word, `${word}s`, `${word}ed`]) }),
      { calls: [said(5, { step: FAR })] },
      null,
    ],
    [
      "says nearly what was said, and something was done since",
      pending(),
      { calls: [said(5, { step: FAR }), worked(6)] },
      null,
    ],

    [
      "is a word of progress of a time capsule that just had one",
      pending(),
      { profile: "time_capsule", lastMessage: { progressAt: NOW - CAPSULE_PROGRESS_MS + 1 } },
      "skip send.capsule",
    ],
    [
      "is a word of progress of a time capsule, in time",
      pending(),
      { profile: "time_capsule", lastMessage: { progressAt: NOW - CAPSULE_PROGRESS_MS } },
      null,
    ],
    ["is a word of progress of another run", pending(), { lastMessage: { progressAt: NOW - 1 } }, null],
    [
      "is a question of a time capsule that just had a word",
      pending({}, { kind: "question" }),
      { profile: "time_capsule", lastMessage: { progressAt: NOW - 1 } },
      null,
    ],
  ])("that %s", (_name, asked, situation, wanted) => {
    expect(rule(asked, situation)).toBe(wanted);
  });

  test("is compared with the newest messages there alone", () => {
    const others = Array.from({ length: SENDS_STORED }, (_, n) => before({ value: `other ${n}` }));
    expect(rule(pending({ value: "old" }), { sent: [before(), ...others.slice(1)] })).toBe(
      "skip send.duplicate",
    );
    expect(rule(pending({ value: "old" }), { sent: [before(), ...others] })).toBeNull();
  });

  test("that was answered already names the call that sent it", () => {
    const run = {
      loop: { calls: [said(5), said(7, { value: "v5" })] },
      output: { lastMessage: {} },
      profile: "standard",
    };
    const final = pending({ value: "v5" }, { kind: "final" });
    expect(checkSend(run as never, final, [], { step: STEP, at: NOW })).toMatchObject({
      act: "reuse",
      stored: "c7",
    });
  });
});

describe("a message of a look that nobody asked for", () => {
  const denied = (
    calls: readonly CallRecord[],
    sent: readonly Sent[] = [],
    source: LiveRun["request"]["source"] = "heartbeat",
  ): string | null => {
    const run = { loop: { calls: [...calls, pending()] }, request: { source } } as never;
    return checkHeartbeatSend(run, { call: "c99" }, sent, NOW)?.rule ?? null;
  };
  const look = (more: Partial<Sent> = {}): Sent => before({ heartbeat: true, ...more });

  test.each<readonly [string, readonly CallRecord[], readonly Sent[], string | null]>([
    ["without news", [], [], "heartbeat.no_news"],
    ["with news", [worked(3)], [], null],
    ["with news that it has sent", [worked(3), said(4)], [], "heartbeat.no_news"],
    ["with news that it failed to send", [worked(3), said(4, { status: "error" })], [], null],
    [
      "soon after another look has told",
      [worked(3)],
      [look({ at: NOW - HEARTBEAT_SEND_MS + 1 })],
      "heartbeat.too_soon",
    ],
    ["long after another look has told", [worked(3)], [look({ at: NOW - HEARTBEAT_SEND_MS })], null],
    ["soon after another look has told somebody else", [worked(3)], [look({ to: "telegram:2" })], null],
    ["soon after a run of a person has told", [worked(3)], [before()], null],
    [
      "soon after another look, and then a person's run",
      [worked(3)],
      [look(), before()],
      "heartbeat.too_soon",
    ],
  ])("%s", (_name, calls, sent, wanted) => {
    expect(denied(calls, sent)).toBe(wanted);
  });

  test("is the rule of looks alone", () => {
    for (const source of ["web", "api", "schedule", "webhook"] as const)
      expect(denied([], [look()], source)).toBeNull();
  });
});
