import { beforeEach, describe, expect, test } from "vitest";
import { Connection, type ConnectionEvent, type Socket } from "../../../src/cli/chat/connection.ts";

/** A wire whose other end the test holds. */
class FakeSocket implements Socket {
  readonly sent: string[] = [];
  closed = false;
  onopen: Socket["onopen"] = null;
  onmessage: Socket["onmessage"] = null;
  onclose: Socket["onclose"] = null;
  send(text: string): void {
    this.sent.push(text);
  }
  close(): void {
    this.closed = true;
  }
  says(frame: object | string): void {
    this.onmessage?.({ data: typeof frame === "string" ? frame : JSON.stringify(frame) });
  }
  drops(code = 1006): void {
    this.onclose?.({ code, reason: "" });
  }
  /** the frames of a type, newest last */
  frames(type: string): { readonly [name: string]: unknown }[] {
    return this.sent
      .filter((each) => each !== "ping")
      .map((each) => JSON.parse(each))
      .filter((each) => each.type === type);
  }
}

let sockets: FakeSocket[];
let timers: { readonly ms: number; readonly callback: () => void }[];
let events: ConnectionEvent[];
let connection: Connection;

beforeEach(() => {
  sockets = [];
  timers = [];
  events = [];
  let ids = 0;
  connection = new Connection({
    open() {
      const socket = new FakeSocket();
      sockets.push(socket);
      return socket;
    },
    later(ms, callback) {
      const timer = { ms, callback };
      timers.push(timer);
      return () => {
        timers = timers.filter((each) => each !== timer);
      };
    },
    id: () => `e${(ids += 1)}`,
    onEvent: (event) => events.push(event),
  });
});

function socket(): FakeSocket {
  const last = sockets.at(-1);
  if (last === undefined) throw new Error("nothing was opened");
  return last;
}

function fire(): number {
  const timer = timers.shift();
  if (timer === undefined) throw new Error("no timer is set");
  timer.callback();
  return timer.ms;
}

const hello = (lastSeq: number) => ({ type: "cairn:hello", sessionId: "s", lastSeq, activeRunId: null });
const chunk = (pos: number | null, runId = "s.r1") => ({
  type: "cairn:chunk",
  runId,
  pos,
  chunk: { type: "text-delta", id: "t", delta: `<${pos}>` },
});
const ack = (eventId: unknown, result: object = {}) => ({
  type: "cairn:ack",
  eventId,
  ok: true,
  seq: 1,
  result,
});
const positions = () => events.flatMap((event) => (event.kind === "chunk" ? [event.pos] : []));

/** Connects, follows `s.r1` and has the server agree. */
function followed(): void {
  connection.connect();
  socket().says(hello(4));
  connection.follow("s.r1");
  socket().says(ack(socket().frames("cairn:resume")[0]?.["eventId"]));
}

describe("a request", () => {
  test("waits for the hello, and is settled by its ack", async () => {
    connection.connect();
    const answer = connection.request("cairn:send", { text: "hi", id: "m1" });
    expect(socket().sent).toEqual([]);
    socket().says(hello(0));
    const [frame] = socket().frames("cairn:send");
    expect(frame).toMatchObject({ text: "hi", id: "m1" });
    socket().says(ack(frame?.["eventId"], { runId: "s.r1" }));
    await expect(answer).resolves.toEqual({ ok: true, result: { runId: "s.r1" } });
  });

  test("is sent again after a cut, under the same event id, until it is acknowledged", async () => {
    connection.connect();
    socket().says(hello(0));
    const answer = connection.request("cairn:send", { text: "hi" });
    const [first] = socket().frames("cairn:send");
    socket().drops();
    fire();
    expect(sockets).toHaveLength(2);
    expect(socket().sent).toEqual([]);
    socket().says(hello(2));
    expect(socket().frames("cairn:send")).toEqual([first]);
    socket().says(ack(first?.["eventId"], { runId: "s.r1" }));
    await answer;
    socket().drops();
    fire();
    socket().says(hello(3));
    expect(socket().frames("cairn:send")).toEqual([]);
  });

  test("that is refused answers with the error", async () => {
    connection.connect();
    socket().says(hello(0));
    const answer = connection.request("cairn:approve", {});
    const error = { code: "already_decided", message: "Decided.", hint: "", requestId: "x" };
    socket().says({
      type: "cairn:ack",
      eventId: socket().frames("cairn:approve")[0]?.["eventId"],
      ok: false,
      error,
    });
    await expect(answer).resolves.toMatchObject({ ok: false, error: { code: "already_decided" } });
  });
});

describe("a followed run", () => {
  test("is resumed after the last pos that came, and no chunk comes twice", () => {
    followed();
    for (const pos of [10, 20, 30]) socket().says(chunk(pos));
    socket().drops();
    fire();
    socket().says(hello(9));
    const [resume] = socket().frames("cairn:resume");
    expect(resume).toMatchObject({ runId: "s.r1", pos: 30 });
    socket().says(ack(resume?.["eventId"]));
    // a server that repeats itself
    for (const pos of [20, 30, 40]) socket().says(chunk(pos));
    expect(positions()).toEqual([10, 20, 30, 40]);
  });

  test("is resumed from its start when nothing of it came", () => {
    connection.connect();
    socket().says(hello(0));
    connection.follow("s.r1");
    expect(socket().frames("cairn:resume")).toEqual([
      { type: "cairn:resume", eventId: expect.any(String), runId: "s.r1" },
    ]);
  });

  test("loses nothing to a live chunk that overtakes the replay", () => {
    connection.connect();
    socket().says(hello(0));
    connection.follow("s.r1");
    socket().says(chunk(50));
    socket().says(ack(socket().frames("cairn:resume")[0]?.["eventId"]));
    for (const pos of [10, 50, 60]) socket().says(chunk(pos));
    expect(positions()).toEqual([10, 50, 60]);
  });

  test("is caught up when the newest resume is, not when an earlier one is", () => {
    connection.connect();
    socket().says(hello(0));
    connection.follow("s.r1");
    connection.follow("s.r1");
    const [first, second] = socket().frames("cairn:resume");
    const replay = [chunk(10), chunk(20), { type: "cairn:caught-up", runId: "s.r1", pos: 20, seq: 5 }];
    for (const frame of [ack(first?.["eventId"]), ...replay]) socket().says(frame);
    expect(events.map((event) => event.kind)).toEqual(["hello"]);
    for (const frame of [ack(second?.["eventId"]), ...replay]) socket().says(frame);
    expect(events.map((event) => event.kind)).toEqual(["hello", "chunk", "chunk", "caught_up"]);
  });

  test("is not disturbed by the chunks of another", () => {
    followed();
    socket().says(chunk(99, "s.r2"));
    socket().says(chunk(10));
    expect(events.filter((event) => event.kind === "chunk")).toHaveLength(1);
    connection.follow("s.r2");
    expect(socket().frames("cairn:resume").at(-1)).not.toHaveProperty("pos");
  });

  test("hands transient chunks on, which have no pos", () => {
    followed();
    socket().says(chunk(null));
    socket().says(chunk(null));
    expect(positions()).toEqual([null, null]);
  });
});

describe("the log", () => {
  const entry = (seq: number) => ({
    type: "cairn:event",
    event: { seq, run: "r1", kind: "note", body: {} },
  });
  const seqs = () => events.flatMap((event) => (event.kind === "entry" ? [event.entry.seq] : []));
  /** the newest subscribe is acknowledged */
  const agree = () => socket().says(ack(socket().frames("cairn:subscribe").at(-1)?.["eventId"]));

  test("is subscribed from the head at first, and from the last entry seen after a cut", () => {
    connection.connect();
    socket().says(hello(4));
    expect(socket().frames("cairn:subscribe")).toMatchObject([{ after: 4 }]);
    for (const seq of [5, 6]) socket().says(entry(seq));
    socket().drops();
    fire();
    socket().says(hello(8));
    expect(socket().frames("cairn:subscribe")).toMatchObject([{ after: 6 }]);
    for (const seq of [6, 7, 8]) socket().says(entry(seq));
    expect(seqs()).toEqual([5, 6, 7, 8]);
  });

  test("is caught up with, and the run too, when the session says that it ends further on", () => {
    followed();
    agree();
    socket().says(entry(5));
    socket().says({ type: "cairn:head", lastSeq: 7 });
    expect(socket().frames("cairn:subscribe")).toMatchObject([{ after: 4 }, { after: 5 }]);
    expect(socket().frames("cairn:resume")).toHaveLength(2);
    // A row that is written now comes before what was asked for, and again within it.
    socket().says(entry(8));
    agree();
    for (const seq of [6, 7, 8, 9]) socket().says(entry(seq));
    expect(seqs()).toEqual([5, 6, 7, 8, 9]);
    expect(socket().frames("cairn:subscribe")).toHaveLength(2);
  });

  test("is asked for where a row is missing, once", () => {
    followed();
    agree();
    for (const seq of [7, 8]) socket().says(entry(seq));
    expect(socket().frames("cairn:subscribe")).toMatchObject([{ after: 4 }, { after: 4 }]);
    expect(seqs()).toEqual([]);
  });

  test("is not asked for again when it ends where this client stands", () => {
    followed();
    agree();
    socket().says({ type: "cairn:head", lastSeq: 4 });
    expect(socket().frames("cairn:subscribe")).toHaveLength(1);
  });
});

describe("a cut", () => {
  test("is tried again after longer and longer, and given up in the end", () => {
    connection.connect();
    socket().says(hello(0));
    const waits: number[] = [];
    for (;;) {
      socket().drops();
      if (events.at(-1)?.kind === "over") break;
      waits.push(fire());
    }
    expect(waits.slice(0, 6)).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000]);
    expect(waits.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(110_000);
  });

  test("before the first hello is final, because then nobody is there", () => {
    connection.connect();
    socket().drops();
    expect(events).toEqual([{ kind: "over", code: 1006, reason: "", silent: false }]);
  });

  test("that never opens, or says nothing, is given up after 10 s", () => {
    connection.connect();
    expect(fire()).toBe(10_000);
    expect(events).toEqual([{ kind: "over", code: 1006, reason: "", silent: true }]);
    expect([socket().closed, timers]).toEqual([true, []]);
  });

  test("whose next connection says nothing is tried once more", () => {
    connection.connect();
    socket().says(hello(0));
    socket().drops();
    fire();
    expect(fire()).toBe(10_000);
    expect(events.at(-1)).toEqual({ kind: "lost", retryMs: 500 });
    expect(fire()).toBe(500);
    expect(sockets).toHaveLength(3);
  });

  test.each([4401, 4403, 4429])("by the close code %i is final", (code) => {
    connection.connect();
    socket().says(hello(0));
    socket().drops(code);
    expect(events.at(-1)).toMatchObject({ kind: "over", code });
    expect(timers).toEqual([]);
  });

  test("by age (4408) is opened again at once", () => {
    connection.connect();
    socket().says(hello(0));
    socket().drops(4408);
    expect(fire()).toBe(0);
    expect(sockets).toHaveLength(2);
  });

  test("that nobody reported is found by a ping without an answer", () => {
    connection.connect();
    socket().says(hello(0));
    fire();
    expect(socket().sent.at(-1)).toBe("ping");
    socket().says("pong");
    // within ten seconds
    const waited = fire();
    expect(events.at(-1)?.kind).toBe("hello");
    expect(waited + fire()).toBe(10_000);
    expect(sockets[0]?.closed).toBe(true);
    expect(events.at(-1)).toEqual({ kind: "lost", retryMs: 250 });
    // the late close of the old socket says nothing new
    sockets[0]?.drops();
    expect(timers).toHaveLength(1);
  });

  test("that was wished for is none", () => {
    connection.connect();
    socket().says(hello(0));
    connection.close();
    socket().drops();
    expect(events.at(-1)?.kind).toBe("hello");
    expect(timers).toEqual([]);
  });
});

test("what is no frame of ours is passed over", () => {
  connection.connect();
  socket().says(hello(0));
  for (const odd of ["pong", "{", '{"type":"cf_agent_identity"}', '{"type":"cairn:chunk"}', "[]"])
    socket().says(odd);
  expect(events.map((event) => event.kind)).toEqual(["hello"]);
});
