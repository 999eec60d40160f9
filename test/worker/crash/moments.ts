import { expect, vi } from "vitest";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import { outsideOf, type Line, type Outside, type Place, type Tool } from "./outside.ts";
import { PATIENCE, ada, decide, api, given, left, say, sayLate, stands, withAlarmLate } from "./session.ts";

/** Every moment of a run at which its object can die, and what is right afterwards. */

type Kinds = readonly Entry["kind"][];

export interface Moment {
  readonly name: string;
  readonly lines?: readonly Line[];
  /** where the session stands still when it dies */
  readonly at?: Place;
  /** instead of saying something and waiting until it stands there */
  readonly arrive?: (session: string) => Promise<void>;
  /** the newest entry when it dies, where it does not stand still */
  readonly last?: Entry["kind"];
  /** what a person does after the crash; nothing where nobody needs to */
  readonly after?: (session: string) => Promise<void>;
  /** kinds of the entries that follow run_queued */
  readonly log: Kinds;
  /** what else is right for this moment */
  readonly check?: (outside: Outside, log: readonly Entry[], session: string) => void | Promise<void>;
}

const call = (...tools: Tool[]): Line => ({ calls: tools.map((tool) => [tool, "it"] as const) });
/** answers that tell what came of the calls: others are sent back */
const TOLD: Line = { text: "I looked, and there is a sheet with nothing on it." };
const OWNED: Line = { text: "It is not known whether it was sent: please check before it is sent again." };
/** the first step of a run that calls tools, and its last one */
const CALLED: Kinds = ["run_started", "step_started", "model_replied"];
const ANSWERED: Kinds = ["model_replied", "review", "answer", "run_ended"];
const ENDED: Kinds = ["step_started", ...ANSWERED];
const AGAIN: Kinds = ["call_intended", "attempt_lost", "call_intended", "call_settled"];

const statuses = (log: readonly Entry[]): string[] =>
  log.flatMap((entry) => (entry.kind === "call_settled" ? [entry.body.status] : []));
const texts = (log: readonly Entry[]): string[] =>
  log.flatMap((entry) => (entry.kind === "answer" ? [entry.body.text] : []));

/** The call took effect once, under one key, however often it was asked for. */
const putOnce = (asked: number) => (outside: Outside, log: readonly Entry[]) => {
  expect([...outside.put.values()]).toEqual([asked]);
  expect(statuses(log)).toEqual(["ok"]);
};
/** The call ran this often with an unknown outcome, and both the model and the person learn of it. */
const unknown = (sent: number) => async (outside: Outside, log: readonly Entry[], session: string) => {
  expect(outside.sent).toHaveLength(sent);
  expect(statuses(log)).toEqual(["unknown"]);
  const words = "not known whether send took effect";
  expect(JSON.stringify(outside.requests.at(-1)?.messages)).toContain(words);
  expect(JSON.stringify(await given(api(session).messages(ada, 10, null)))).toContain(words);
};
const answers = (_outside: Outside, log: readonly Entry[]): void => expect(texts(log)).toEqual(["Done."]);

const limited = { class: "rate_limit", message: "slow down", retryAfterMs: 1_000, usage: null } as const;
const publish = [call("publish")];
const asked = async (session: string): Promise<void> => {
  await say(session);
  await left(session, "approval_requested");
};
export const MOMENTS: readonly Moment[] = [
  {
    name: "queued",
    arrive: (session) => sayLate(session),
    last: "run_queued",
    log: ["run_started", ...ENDED],
    check: answers,
  },
  {
    name: "queued behind another run",
    at: "asked: nothing has come yet",
    arrive: async (session) => {
      await say(session);
      await stands(session);
      await say(session, "m2");
    },
    log: [
      "run_started",
      "step_started",
      "user_message",
      "run_queued",
      "attempt_lost",
      ...ANSWERED,
      "run_started",
      ...ENDED,
    ] as Kinds,
    check: (_outside, log) => expect(texts(log)).toEqual(["Done.", "Done."]),
  },
  {
    name: "before the model's first word",
    at: "asked: nothing has come yet",
    log: ["run_started", "step_started", "attempt_lost", ...ANSWERED],
    check: answers,
  },
  {
    name: "in mid-stream, with a draft on disk",
    lines: [{ text: "word ".repeat(8_000) }],
    at: "speaking: the first text is out",
    log: ["run_started", "step_started", "attempt_lost", ...ANSWERED],
    check: (_outside, log) => expect(texts(log)).toEqual(["word ".repeat(8_000).trim()]),
  },
  {
    name: "when the reply is whole and not committed",
    at: "spoken: the reply is whole",
    log: ["run_started", "step_started", "attempt_lost", ...ANSWERED],
    check: answers,
  },
  {
    name: "in a read, before it looked",
    lines: [call("look"), TOLD],
    at: "look: before",
    log: [...CALLED, ...AGAIN, ...ENDED],
    check: ({ looked }) => expect(looked).toEqual(["r1s1c0"]),
  },
  {
    name: "in a read, after it looked",
    lines: [call("look"), TOLD],
    at: "look: after",
    log: [...CALLED, ...AGAIN, ...ENDED],
    check: ({ looked }) => expect(looked).toEqual(["r1s1c0", "r1s1c0"]),
  },
  {
    name: "in two reads at once, when one has looked",
    lines: [
      {
        calls: [
          ["look", "a"],
          ["look", "b"],
        ],
      },
      TOLD,
    ],
    at: "look: after",
    log: [
      ...CALLED,
      "call_intended",
      "call_intended",
      "attempt_lost",
      "attempt_lost",
      "call_intended",
      "call_intended",
      "call_settled",
      "call_settled",
      ...ENDED,
    ] as Kinds,
    check: (_outside, log) => expect(statuses(log)).toEqual(["ok", "ok"]),
  },
  {
    name: "in a keyed call, before its effect",
    lines: [call("put")],
    at: "put: before",
    log: [...CALLED, ...AGAIN, ...ENDED],
    check: putOnce(1),
  },
  {
    name: "in a keyed call, after its effect",
    lines: [call("put")],
    at: "put: after",
    log: [...CALLED, ...AGAIN, ...ENDED],
    check: putOnce(2),
  },
  {
    name: "in a once call, before its effect",
    lines: [call("send"), OWNED],
    at: "send: before",
    log: [...CALLED, "call_intended", "attempt_lost", "call_settled", ...ENDED],
    check: unknown(0),
  },
  {
    name: "in a once call, after its effect",
    lines: [call("send"), OWNED],
    at: "send: after",
    log: [...CALLED, "call_intended", "attempt_lost", "call_settled", ...ENDED],
    check: unknown(1),
  },
  {
    name: "in a preview",
    lines: publish,
    at: "preview",
    after: async (session) => {
      await left(session, "approval_requested");
      await given(decide(session));
    },
    log: [
      ...CALLED,
      "attempt_lost",
      "approval_requested",
      "approval_decided",
      "call_intended",
      "call_settled",
      ...ENDED,
    ],
    check: putOnce(1),
  },
  {
    name: "waiting for a person",
    lines: publish,
    arrive: asked,
    after: async (session) => void (await given(decide(session))),
    last: "approval_requested",
    log: [...CALLED, "approval_requested", "approval_decided", "call_intended", "call_settled", ...ENDED],
    check: putOnce(1),
  },
  {
    name: "right after the decision",
    lines: publish,
    arrive: async (session) => {
      await asked(session);
      await withAlarmLate(session, (object) => decide(session, object));
    },
    last: "approval_decided",
    log: [...CALLED, "approval_requested", "approval_decided", "call_intended", "call_settled", ...ENDED],
    check: putOnce(1),
  },
  {
    name: "in what was decided, after its effect",
    lines: publish,
    at: "publish: after",
    arrive: async (session) => {
      await asked(session);
      await given(decide(session));
      await stands(session);
    },
    log: [...CALLED, "approval_requested", "approval_decided", ...AGAIN, ...ENDED],
    check: putOnce(2),
  },
  {
    name: "waiting to try the model again",
    lines: [{ text: "Half a sentence", fail: limited }],
    arrive: async (session) => {
      outsideOf(session).lateAfter = "model_failed";
      await say(session);
      await left(session, "model_failed");
    },
    last: "model_failed",
    log: ["run_started", "step_started", "model_failed", ...ANSWERED],
    check: (_outside, log) => expect(texts(log)).toEqual(["Half a sentence"]),
  },
  {
    name: "waiting to try a keyed call again",
    lines: [call("put")],
    arrive: async (session) => {
      Object.assign(outsideOf(session), { busy: true, lateAfter: "verdict" } satisfies Partial<Outside>);
      await say(session);
      await left(session, "verdict");
    },
    last: "verdict",
    log: [...CALLED, "call_intended", "verdict", "call_intended", "call_settled", ...ENDED],
    check: putOnce(1),
  },
  {
    name: "right after a stop, in a model call that does not hear it",
    at: "asked: nothing has come yet",
    arrive: async (session) => {
      await say(session);
      await stands(session);
      await given(api(session).cancel(ada, { id: "c1", runId: null, all: false, reason: "enough" }));
    },
    last: "command_queued",
    log: ["run_started", "step_started", "command_queued", "attempt_lost", "answer", "run_ended"],
    check: ({ requests }, log) => {
      expect(requests).toHaveLength(1);
      expect(log.at(-1)?.body).toMatchObject({ outcome: "cancelled" });
    },
  },
  {
    name: "right after a stop, where a person was asked",
    lines: publish,
    arrive: async (session) => {
      await asked(session);
      const stop = { id: "c1", runId: null, all: false, reason: null };
      await withAlarmLate(session, (object) => object.cancel(ada, stop));
    },
    last: "command_queued",
    log: [
      ...CALLED,
      "approval_requested",
      "command_queued",
      "approval_cancelled",
      "call_settled",
      "answer",
      "run_ended",
    ],
    check: ({ put }, log) => {
      expect(put.size).toBe(0);
      expect(statuses(log)).toEqual(["cancelled"]);
    },
  },
  {
    // Entries wait to be written until their handler waits for something outside; until then the platform holds back what
    // is sent, too. So the whole wake has not happened, for anyone: only the keyed call is asked for twice.
    name: "between a commit and its publishing",
    lines: [call("put")],
    arrive: async (session) => {
      outsideOf(session).diesShowing = "call_settled";
      await say(session);
      await vi.waitUntil(() => outsideOf(session).diesShowing === null, PATIENCE);
    },
    log: [...CALLED, "call_intended", "call_settled", ...ENDED],
    check: putOnce(2),
  },
  {
    name: "right after the end",
    arrive: async (session) => {
      await say(session);
      await left(session, "run_ended");
    },
    last: "run_ended",
    log: ["run_started", ...ENDED],
    check: ({ requests }) => expect(requests).toHaveLength(1),
  },
];
