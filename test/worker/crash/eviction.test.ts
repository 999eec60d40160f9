import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { accumulate } from "../../../src/cairn/protocol/stream/accumulate.ts";
import type { PlacedChunk } from "../../../src/cairn/protocol/stream/ui-chunk.ts";
import { eventOf } from "../../../src/cairn/protocol/views.ts";
import { connect, type Frame, type RawSocket } from "../doors/bad-input-doors.ts";
import { createOutside, type Line, type Outside } from "./outside.ts";
import { ada, disk, api, expectSound, given, left, say, sayLate, stubOf } from "./session.ts";

/** The object is put away while nothing happens in it, and its sockets stay: their clients do not notice. */

/** Two sockets of one session: one is sent every entry, the other every chunk of the stream. */
interface Watched {
  readonly log: RawSocket;
  readonly stream: RawSocket;
}

async function watch(session: string): Promise<Watched> {
  const [log, stream] = await Promise.all([connect(session), connect(session)]);
  await log.answers({ type: "cairn:subscribe", eventId: "s1", after: 0 });
  await stream.answers({ type: "cairn:resume", eventId: "r1" });
  return { log, stream };
}

const ofType = (socket: RawSocket, type: string): Frame[] =>
  socket.frames.filter((frame) => frame.type === type);
const entriesOf = (socket: RawSocket): unknown[] =>
  ofType(socket, "cairn:event").map((frame) => frame["event"]);

/** The chunks of a run that have a place in it. */
function chunksOf(socket: RawSocket, runId: string): PlacedChunk[] {
  return ofType(socket, "cairn:chunk")
    .filter((frame) => frame["runId"] === runId && frame["pos"] !== null)
    .map((frame) => frame as unknown as PlacedChunk);
}

/** Both clients have all that is on disk: every entry and every chunk once and in order. */
async function expectComplete(session: string, { log, stream }: Watched): Promise<void> {
  const entries = await expectSound(session);
  // Frames sent before these answers have arrived.
  await Promise.all([log.answers(), stream.answers()]);
  expect(entriesOf(log)).toEqual(entries.map(eventOf));
  const { items } = await given(api(session).messages(ada, 100, null));
  const stored = JSON.parse(JSON.stringify(items)) as { id: string; role: string }[];
  for (const message of stored.filter(({ role }) => role === "assistant")) {
    const chunks = chunksOf(stream, message.id);
    const places = chunks.map(({ pos }) => pos ?? 0);
    expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
    expect(accumulate(message.id, chunks)).toEqual(message);
  }
  expect([log.closed, stream.closed]).toEqual([null, null]);
}

const limited = { class: "rate_limit", message: "slow down", retryAfterMs: 1_000, usage: null } as const;

const PHASES: readonly {
  readonly name: string;
  readonly lines?: readonly Line[];
  readonly arrive: (session: string, outside: Outside) => Promise<void>;
  /** by a socket that was open before; nothing where the alarm is enough */
  readonly goOn?: (watched: Watched) => Promise<Frame[]>;
  readonly runs?: number;
  /** what the stream's socket had been shown before */
  readonly shown?: string;
}[] = [
  { name: "queued, its alarm late", arrive: (session) => sayLate(session) },
  {
    name: "waiting for a person, who then says yes by a socket that was open",
    lines: [{ text: "Publishing.", calls: [["publish", "it"]] }],
    arrive: async (session) => {
      await say(session);
      await left(session, "approval_requested");
    },
    goOn: ({ stream }) =>
      stream.answers({ type: "cairn:approve", eventId: "a1", approvalId: "r1s1c0a1", decision: "approve" }),
  },
  {
    name: "waiting to try the model again, which had begun to speak",
    lines: [{ text: "Half of it was shown before.", fail: limited }],
    arrive: async (session, outside) => {
      outside.lateAfter = "model_failed";
      await say(session);
      await left(session, "model_failed");
    },
    shown: "Half of it",
  },
  {
    name: "idle, and then asked again by a socket that was open",
    arrive: async (session) => {
      await say(session);
      await left(session, "run_ended");
    },
    goOn: ({ log }) => log.answers({ type: "cairn:send", eventId: "s2", text: "Again.", id: "m2" }),
    runs: 2,
  },
];

const sessionOf = (name: string): string => name.replaceAll(/\W+/g, "-");

describe("an object that is evicted goes on, and its sockets with it:", () => {
  test.concurrent.each(PHASES)("$name", async ({ name, lines, arrive, goOn, runs = 1, shown = "" }) => {
    const session = sessionOf(name);
    const outside = createOutside(session, lines);
    const watched = await watch(session);
    await arrive(session, outside);
    const { state } = await disk(session);
    await watched.stream.answers();
    expect(JSON.stringify(watched.stream.frames)).toContain(shown);
    await evictDurableObject(stubOf(session));
    const answers = (await goOn?.(watched)) ?? [];
    expect(answers.filter((frame) => frame.type === "cairn:ack").map((frame) => frame["ok"])).toEqual(
      goOn === undefined ? [] : [true],
    );
    await left(session, "run_ended", runs);
    await expectComplete(session, watched);
    for (const socket of Object.values(watched)) {
      // Each new instance says once where the log ends, so that a client can see whether it missed anything.
      const heads = ofType(socket, "cairn:head").map((frame) => frame["lastSeq"]);
      expect(heads).toEqual([state.head]);
      socket.close();
    }
  });

  test.concurrent("the state of each socket is in its attachment", async () => {
    createOutside("attached");
    const watched = await watch("attached");
    const attachments = () =>
      runInDurableObject(stubOf("attached"), (_object, state) =>
        state.getWebSockets().map((socket) => JSON.stringify(socket.deserializeAttachment())),
      );
    const before = await attachments();
    await evictDurableObject(stubOf("attached"));
    expect((await attachments()).sort()).toEqual(before.sort());
    expect(before.filter((text) => text.includes('"events":true'))).toHaveLength(1);
    expect(before.filter((text) => text.includes('"mode":"native"'))).toHaveLength(1);
    for (const socket of Object.values(watched)) socket.close();
  });

  test.concurrent("a client that connects before a lost attempt is repeated sees its text once", async () => {
    const outside = createOutside("late-comer", [{ text: "Half of it was shown before.", fail: limited }]);
    outside.lateAfter = "model_failed";
    await say("late-comer");
    await left("late-comer", "model_failed");
    await evictDurableObject(stubOf("late-comer"));
    const watched = await watch("late-comer");
    expect(JSON.stringify(chunksOf(watched.stream, "late-comer.r1"))).not.toContain("Half");
    expect((await disk("late-comer")).drafts).toBe(0);
    await left("late-comer", "run_ended");
    await expectComplete("late-comer", watched);
    for (const socket of Object.values(watched)) socket.close();
  });
});
