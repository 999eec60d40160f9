import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ApiError } from "../../src/page/api-error.ts";
import { createLog } from "../../src/page/open-session/session-log.ts";
import type { ServerFrame } from "../../src/cairn/protocol/frames.ts";
import type { Event } from "../../src/cairn/protocol/views.ts";

/** The log of an open session: pages first, then the socket, each entry once and in order over lost connections. */

const event = (seq: number): Event => ({ seq, kind: "note" }) as unknown as Event;
const events = (from: number, to: number): Event[] =>
  Array.from({ length: to - from + 1 }, (_, at) => event(from + at));
const frame = (of: object): ServerFrame => of as unknown as ServerFrame;

/** The paths that were asked for, and what each is answered. */
let asked: string[] = [];
let answers: (() => object)[] = [];
const page =
  (items: readonly Event[], more = false) =>
  () => ({ items, more });
const refused = (status: number) => (): object => {
  throw new ApiError(status, {});
};
const ask = async <T>(path: string): Promise<T> => {
  asked.push(path);
  const answer = answers.shift();
  if (answer === undefined) throw new Error("nothing was to be asked");
  return answer() as T;
};

beforeEach(() => {
  vi.useFakeTimers();
  asked = [];
  answers = [];
});
afterEach(() => void vi.useRealTimers());

function open() {
  const log = createLog("ses_a", ask);
  const sent: Record<string, unknown>[] = [];
  let changes = 0;
  const connect = () => log.connected((one) => sent.push(one as Record<string, unknown>));
  const watch = () => log.watch(() => changes++);
  const settle = () => vi.advanceTimersByTimeAsync(0);
  const seqs = () => log.entries().events.map(({ seq }) => seq);
  const hear = (seq: number) => log.receive(frame({ type: "cairn:event", event: event(seq) }));
  return { log, sent, connect, watch, settle, seqs, hear, changes: () => changes };
}
const paths = () => asked;
const pathAfter = (seq: number) => `/api/sessions/ses_a/events?limit=1000&after=${seq}`;

describe("the entries", () => {
  test("are asked for when somebody looks, page after page, and followed from the last one on", async () => {
    answers = [page(events(1, 3), true), page(events(4, 5))];
    const { log, sent, connect, watch, settle, seqs, changes } = open();
    connect();
    await settle();
    expect([asked, sent, log.entries().loading]).toEqual([[], [], false]);
    watch();
    expect(log.entries().loading).toBe(true);
    await settle();
    expect(paths()).toEqual([pathAfter(0), pathAfter(3)]);
    expect(seqs()).toEqual([1, 2, 3, 4, 5]);
    expect(log.entries()).toMatchObject({ loading: false, failure: null });
    expect(sent).toMatchObject([{ type: "cairn:subscribe", after: 5 }]);
    expect(changes()).toBeGreaterThan(0);
    // A second one who looks asks for nothing more.
    watch();
    await settle();
    expect(asked).toHaveLength(2);
  });

  test("that the socket brings are each there once, in order", async () => {
    answers = [page(events(1, 2))];
    const { watch, settle, seqs, hear } = open();
    // Before the first page there is a gap that nobody would fill.
    hear(9);
    watch();
    hear(8);
    await settle();
    expect(seqs()).toEqual([1, 2]);
    for (const seq of [2, 3, 3, 1, 4]) hear(seq);
    expect(seqs()).toEqual([1, 2, 3, 4]);
  });

  test("are followed from the last one on when the line comes back, and not while it is gone", async () => {
    answers = [page(events(1, 2))];
    const { log, sent, connect, watch, settle, hear } = open();
    watch();
    await settle();
    expect(sent).toEqual([]);
    connect();
    hear(3);
    log.disconnected();
    connect();
    expect(sent.map(({ after }) => after)).toEqual([2, 3]);
    expect(new Set(sent.map(({ eventId }) => eventId)).size).toBe(2);
  });

  test("of a session that nobody spoke in are none, and come over the socket", async () => {
    answers = [refused(404)];
    const { log, sent, connect, watch, settle, seqs, hear } = open();
    connect();
    watch();
    await settle();
    expect(log.entries()).toMatchObject({ loading: false, failure: null });
    expect(sent).toMatchObject([{ after: 0 }]);
    hear(1);
    expect(seqs()).toEqual([1]);
  });

  test.each([401, 429, 500])(
    "that could not be read (%i) say so, and are read on after the last one",
    async (status) => {
      answers = [page(events(1, 2), true), refused(status), page(events(3, 3))];
      const { log, sent, connect, watch, settle, seqs, hear } = open();
      connect();
      watch();
      await settle();
      expect(log.entries()).toMatchObject({ loading: false, failure: { status } });
      expect(sent).toEqual([]);
      hear(7);
      expect(seqs()).toEqual([1, 2]);
      log.retry();
      await settle();
      expect(paths()).toEqual([pathAfter(0), pathAfter(2), pathAfter(2)]);
      expect(seqs()).toEqual([1, 2, 3]);
      expect(log.entries().failure).toBeNull();
      expect(sent).toMatchObject([{ after: 3 }]);
    },
  );

  test("tell nobody who looks no more", async () => {
    answers = [page([])];
    const { watch, settle, hear, changes } = open();
    const leave = watch();
    await settle();
    leave();
    const before = changes();
    hear(1);
    expect(changes()).toBe(before);
  });
});

describe("a command", () => {
  const stop = { type: "cairn:stop" } as never;
  const outcomeOf = (promise: Promise<unknown>) =>
    promise.then(
      (value) => ({ value }),
      (error: unknown) => ({ error: error as ApiError }),
    );

  test("is answered by the ack of its own id, and of no other", async () => {
    const { log, sent, connect } = open();
    connect();
    const outcomes = [outcomeOf(log.command(stop)), outcomeOf(log.command(stop))];
    const [first, second] = sent.map(({ eventId }) => eventId);
    expect(sent.map(({ type }) => type)).toEqual(["cairn:stop", "cairn:stop"]);
    log.receive(frame({ type: "cairn:ack", eventId: "of nobody", ok: true, result: "x" }));
    const error = { code: "c", message: "m", hint: "h" };
    log.receive(frame({ type: "cairn:ack", eventId: second, ok: false, error }));
    log.receive(frame({ type: "cairn:ack", eventId: first, ok: true, result: { a: 1 } }));
    expect(await outcomes[0]).toEqual({ value: { a: 1 } });
    expect(await outcomes[1]).toMatchObject({ error: { status: 409, code: "c", message: "m", hint: "h" } });
    // A second ack finds nobody who waits.
    log.receive(frame({ type: "cairn:ack", eventId: first, ok: false }));
  });

  test("fails at once without a line, and after a while without an answer", async () => {
    const { log, sent, connect } = open();
    expect(await outcomeOf(log.command(stop))).toMatchObject({ error: { status: 0, code: "offline" } });
    connect();
    const outcome = outcomeOf(log.command(stop));
    let isOver = false;
    void outcome.then(() => (isOver = true));
    await vi.advanceTimersByTimeAsync(29_999);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await outcome).toMatchObject({ error: { code: "offline" } });
    log.receive(frame({ type: "cairn:ack", eventId: sent[0]?.["eventId"], ok: true }));
    log.disconnected();
    expect(await outcomeOf(log.command(stop))).toMatchObject({ error: { code: "offline" } });
  });
});
