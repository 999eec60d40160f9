import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { describe, expect, test, vi } from "vitest";
import { RECOVERY_MS, OVERDUE_MS } from "../../../src/cairn/core/limits.ts";
import type { ClientApi } from "../../../src/cairn/session/commands/commands.ts";
import { ask, connect } from "../doors/bad-input-doors.ts";
import { createOutside, LATE_MS, outsideOf, type Line, type Outside } from "./outside.ts";
import {
  ada,
  decide,
  disk,
  api,
  expectSound,
  given,
  left,
  say,
  sayLate,
  stands,
  stubOf,
  withAlarmLate,
} from "./session.ts";

/**
 * The platform loses an alarm: work is due and nobody will come. Whoever touches the session next, by whatever door, is
 * enough; nothing else touches it in these tests.
 */

/** Takes the alarm away. Nothing is left that would wake the session. */
async function loseAlarm(session: string): Promise<void> {
  await runInDurableObject(stubOf(session), (_object, { storage }) => storage.deleteAlarm());
  expect((await disk(session)).alarm).toBeNull();
}

const sessionOf = (prefix: string, name: string): string => `${prefix}-${name.replaceAll(/\W+/g, "-")}`;

type Touch = (session: string) => Promise<unknown>;

const get =
  (path: string, headers: Record<string, string> = {}): Touch =>
  async (session) => {
    const response = await ask(`/api/sessions/${session}${path}`, { headers });
    expect(response.status).toBe(200);
    await response.body?.cancel();
  };
const rpc =
  (act: (object: ClientApi) => Promise<unknown>): Touch =>
  (session) =>
    act(api(session));

// Not the trace: the pool keeps a method of this name to itself, so it is not reached by RPC here.
const TOUCHES: readonly (readonly [name: string, touch: Touch])[] = [
  ["reading the session", get("")],
  ["reading its events", get("/events")],
  ["reading its messages", get("/messages")],
  ["reading its memory", get("/memory")],
  ["following its events", get("/events?until=idle", { accept: "text/event-stream" })],
  ["a new socket", async (session) => (await connect(session)).close()],
  ["view()", rpc((object) => object.view(ada))],
  ["events()", rpc((object) => object.events(ada, 0, 1))],
  ["messages()", rpc((object) => object.messages(ada, 1, null))],
  ["memory()", rpc((object) => object.memory(ada))],
  ["approval() of none", rpc((object) => object.approval(ada, "r1s1c0a1"))],
  ["decide() about none", rpc((object) => decide("", object))],
  [
    "cancel() of none",
    rpc((object) => object.cancel(ada, { id: "c", runId: "x.r9", all: false, reason: null })),
  ],
];

const FRAMES: readonly (readonly [name: string, frame: object])[] = [
  ["cairn:subscribe", { type: "cairn:subscribe", eventId: "e", after: 0 }],
  ["cairn:unsubscribe", { type: "cairn:unsubscribe", eventId: "e" }],
  ["cairn:resume", { type: "cairn:resume", eventId: "e" }],
  ["cairn:cancel of none", { type: "cairn:cancel", eventId: "e", runId: "x.r9" }],
  [
    "cairn:approve of none",
    { type: "cairn:approve", eventId: "e", approvalId: "r1s1c0a1", decision: "deny" },
  ],
  ["the list of messages", { type: "cf_agent_chat_messages" }],
  ["a probe", { type: "cf_agent_stream_resume_request" }],
  ["a frame that is none", { type: "nonsense" }],
];

describe("the alarm of a queued run is lost, and armed again by", () => {
  test.concurrent.each(TOUCHES)("%s", async (name, touch) => {
    const session = sessionOf("door", name);
    createOutside(session);
    await sayLate(session);
    await loseAlarm(session);
    await touch(session);
    await left(session, "run_ended");
    await expectSound(session);
  });

  test.concurrent.each(FRAMES)("a frame on a socket that was open before: %s", async (name, frame) => {
    const session = sessionOf("frame", name);
    createOutside(session);
    const socket = await connect(session);
    await sayLate(session);
    await loseAlarm(session);
    socket.send(frame);
    await left(session, "run_ended");
    await expectSound(session);
    socket.close();
  });
});

const publish: readonly Line[] = [{ calls: [["publish", "it"]] }];
const limited = { class: "rate_limit", message: "slow down", retryAfterMs: 1_000, usage: null } as const;

/** Brings a session to where its alarm matters. */
const PHASES: readonly {
  readonly name: string;
  readonly arrive: (session: string) => Promise<void>;
  /** keys of the effects that there are in the end */
  readonly puts: readonly string[];
}[] = [
  {
    name: "after a decision",
    puts: ["after-a-decision/r1s1c0"],
    arrive: async (session) => {
      createOutside(session, publish);
      await say(session);
      await left(session, "approval_requested");
      await withAlarmLate(session, (object) => decide(session, object));
    },
  },
  {
    // A touch before the wait is over must be enough, for it may be the last.
    name: "while it waits to try again",
    puts: [],
    arrive: async (session) => {
      createOutside(session, [{ fail: limited }]).lateAfter = "model_failed";
      await say(session);
      await left(session, "model_failed");
    },
  },
  {
    name: "when it has died in a call",
    puts: ["when-it-has-died-in-a-call/r1s1c0"],
    arrive: async (session) => {
      createOutside(session, [{ calls: [["put", "it"]] }], "put: after");
      await say(session);
      await stands(session);
      // The recovery alarm comes late, so that it can be lost when there is nobody left.
      await runInDurableObject(stubOf(session), (_object, { storage }) =>
        storage.setAlarm(Date.now() + LATE_MS),
      );
      await abortAllDurableObjects();
    },
  },
];

test.each(PHASES)(
  "a session whose alarm is lost $name goes on at one touch",
  async ({ name, arrive, puts }) => {
    const session = name.replaceAll(/\W+/g, "-");
    await arrive(session);
    await loseAlarm(session);
    await given(api(session).view(ada));
    await left(session, "run_ended");
    await expectSound(session);
    const keys = [...outsideOf(session).put.keys()];
    expect(keys.map((key) => key.replace(/@\d+\//, "/"))).toEqual(puts);
  },
);

describe("an alarm that stands in the past and never fires", () => {
  const stalled = async (session: string, ms: number): Promise<Outside> => {
    const outside = createOutside(session);
    await sayLate(session);
    await loseAlarm(session);
    outside.stalledAt = Date.now() - ms;
    await given(api(session).view(ada));
    return outside;
  };

  test("is set again by a touch once it is overdue", async () => {
    await stalled("stalled", OVERDUE_MS + 1);
    await left("stalled", "run_ended");
    await expectSound("stalled");
  });

  test("is left alone before that: it may only be late", async () => {
    const outside = await stalled("late", OVERDUE_MS / 2);
    expect(outside.stalledAt).not.toBeNull();
    expect((await disk("late")).log.at(-1)?.kind).toBe("run_queued");
  });
});

test.concurrent.each([
  ["set", [{ calls: [["put", "it"]] }] as Line[], 2],
  ["deleted", [], 1],
])("an alarm that is %s while the last one is overdue is not lost", async (name, lines, wakes) => {
  const session = `overdue-${name}`;
  const outside = createOutside(
    session,
    lines,
    lines.length > 0 ? "put: before" : "asked: nothing has come yet",
  );
  await say(session);
  await stands(session);
  const { alarm } = await disk(session);
  // The recovery alarm of the effect that is still at work becomes due, and then overdue.
  await vi.waitUntil(() => Date.now() > (alarm ?? Infinity), { timeout: RECOVERY_MS * 4, interval: 20 });
  await runInDurableObject(stubOf(session), () => outside.goOn());
  await left(session, "run_ended");
  await expectSound(session);
  expect(outside.requests).toHaveLength(wakes);
  await say(session, "m2");
  await left(session, "run_ended", 2);
  await expectSound(session);
});
