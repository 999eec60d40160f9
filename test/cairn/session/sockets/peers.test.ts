import { describe, expect, it, vi } from "vitest";
import { runOfSegment } from "../../../../src/cairn/session/sockets/cairn-protocol.ts";
import { chatRequest, LiveSession, RawClient, type Frame, type Line } from "./session-fixture.ts";

/** Effects of one connection on a session, on its own frames and on the other connections. */

const acks = (client: RawClient): unknown[] =>
  client
    .ofType("cairn:ack")
    .map(({ eventId, ok, duplicate, error }) => [
      eventId,
      ok === true ? "ok" : (error as { code: string }).code,
      duplicate ?? false,
    ]);
const send = (eventId: string, text = "hello"): Frame => ({ type: "cairn:send", eventId, text });

async function open(script: readonly Line[] = [], clients = 1) {
  const session = new LiveSession(script);
  session.service.admitOrCreate(session.actor());
  const all: RawClient[] = [];
  for (let n = 0; n < clients; n++) all.push(await RawClient.connect(session));
  for (const client of all) client.take();
  const [client, other] = all;
  if (client === undefined) throw new Error("nobody is connected");
  return { session, client, other: other ?? client };
}

describe("a command", () => {
  it("that comes twice at once is worked once, and both hear the same", async () => {
    const { session, client, other } = await open([{ text: "Hi." }], 2);
    await Promise.all([client.send(send("e1")), other.send(send("e1"))]);
    expect([acks(client), acks(other)]).toEqual([[["e1", "ok", false]], [["e1", "ok", true]]]);
    expect(session.state.messages).toBe(1);
  });

  it("of somebody else under the same name is another", async () => {
    const { session, client } = await open([{ text: "Hi." }, { text: "Hi." }]);
    const root = await RawClient.connect(session, session.actor(["admin"], "root"));
    await client.send(send("e1", "from ann"));
    await root.send(send("e1", "from root"));
    expect(acks(root)).toEqual([["e1", "ok", false]]);
    expect(session.state.messages).toBe(2);
  });

  it("that was refused stays refused, and one that only failed just now is worked when it comes again", async () => {
    const { session, client } = await open([{ text: "Hi." }]);
    const steer: Frame = { type: "cairn:steer", eventId: "e1", text: "left" };
    await client.send(steer);
    await session.say("hello", "m1");
    session.onPiece = async () => {
      session.onPiece = null;
      await client.send(steer);
      await client.send({ ...steer, eventId: "e2" });
    };
    await session.settle();
    expect(acks(client)).toEqual([
      ["e1", "not_running", false],
      ["e1", "not_running", true],
      ["e2", "ok", false],
    ]);
    client.take();
    const say = session.api.send.bind(session.service);
    const complaint = vi.spyOn(console, "error").mockImplementation(() => {});
    for (const failing of [
      () => Promise.reject(new Error("the disk is full")),
      async () => ({ ok: false, error: { status: 429, code: "rate_limited", message: "Later." } }) as const,
      async () => ({ ok: false, error: { status: 503, code: "unavailable", message: "Later." } }) as const,
    ]) {
      session.api.send = failing;
      await client.send(send("e3"));
    }
    session.api.send = say;
    await client.send(send("e3"));
    await client.send(send("e3"));
    complaint.mockRestore();
    expect(acks(client)).toEqual([
      ["e3", "internal", false],
      ["e3", "rate_limited", false],
      ["e3", "unavailable", false],
      ["e3", "ok", false],
      ["e3", "ok", true],
    ]);
  });

  it("is answered in the order in which it came, whatever became of the one before", async () => {
    const { session, client } = await open([{ text: "Hi." }]);
    const say = session.api.send.bind(session.service);
    let letGo = (): void => {};
    const gate = new Promise<void>((resolve) => (letGo = resolve));
    session.api.send = async (...args) => {
      await gate;
      return say(...args);
    };
    const slow = client.send(send("e1"));
    const quick = client.send({ type: "cairn:unsubscribe", eventId: "e2" });
    letGo();
    await Promise.all([slow, quick]);
    expect(acks(client)).toEqual([
      ["e1", "ok", false],
      ["e2", "ok", false],
    ]);
  });
});

describe("what a command says", () => {
  const GATED: readonly Line[] = [{ calls: [["publish", { name: "about" }]] }, { text: "Public." }];

  it("is a text or parts, not both and not neither", async () => {
    const { session, client } = await open();
    const parts = [{ type: "text", text: "hello" }];
    await client.send({ type: "cairn:send", eventId: "e1", text: "hello", parts });
    await client.send({ type: "cairn:send", eventId: "e2" });
    expect(acks(client)).toEqual([
      ["e1", "invalid_request", false],
      ["e2", "invalid_request", false],
    ]);
    await client.send({ type: "cairn:send", eventId: "e3", parts });
    expect(session.state.messages).toBe(1);
  });

  it("stops one run, and those that wait behind it only when it says all", async () => {
    const { session, client } = await open(GATED);
    for (const id of ["m1", "m2", "m3"]) await session.say("publish", id);
    await session.settle();
    await client.send({ type: "cairn:cancel", eventId: "e1", runId: "ses_demo.r2" });
    await client.send({ type: "cairn:cancel", eventId: "e2" });
    await client.send({ type: "cairn:cancel", eventId: "e3", all: true });
    expect(client.ofType("cairn:ack").map(({ result }) => result)).toEqual([
      { cancelled: ["ses_demo.r2"] },
      { cancelled: ["ses_demo.r1"] },
      { cancelled: expect.arrayContaining(["ses_demo.r3"]) as string[] },
    ]);
  });

  it("keeps the name that its words were given", async () => {
    const { session, client } = await open(GATED);
    await session.say("publish", "m1");
    await session.settle();
    await client.send({ type: "cairn:steer", eventId: "e1", text: "left", id: "mine" });
    const said = session.store.entriesAfter(0, 100).findLast((entry) => entry.kind === "user_message");
    expect(said?.body).toMatchObject({ id: "mine", mode: "join" });
  });

  it("means the run of a segment by its request, by its name and by any of its parts, while it lives", async () => {
    const { session, client } = await open(GATED);
    await client.send(chatRequest("req1", "m1", "publish it"));
    await session.settle();
    const named = (id: string): string | null => runOfSegment("ses_demo", session.state, id);
    expect(
      ["req1", "ses_demo.r1", "ses_demo.r1.c1", "ses_demo.r1.c0", "ses_demo.r2", "req2"].map(named),
    ).toEqual([...Array<string>(3).fill("ses_demo.r1"), ...Array<null>(3).fill(null)]);
    await session.api.cancel(session.actor(), { id: "stop", runId: null, all: true, reason: null });
    await session.settle();
    expect(["req1", "ses_demo.r1"].map(named)).toEqual([null, null]);
  });
});

describe("who may only read", () => {
  it("stops, clears, says, steers and decides nothing, and is told so each time", async () => {
    const { session } = await open([{ calls: [["publish", { name: "about" }]] }]);
    await session.say("publish", "m1");
    await session.settle();
    const reader = await RawClient.connect(session, session.actor(["read"]));
    reader.take();
    const { head } = session.state;
    for (const frame of [
      { type: "cf_agent_chat_request_cancel", id: "ses_demo.r1" },
      { type: "cf_agent_chat_clear" },
      { type: "cf_agent_tool_approval", toolCallId: "r1s1c0", approved: true },
      { type: "cairn:approve", eventId: "e1", approvalId: "r1s1c0a1", decision: "approve" },
      { type: "cairn:steer", eventId: "e2", text: "left" },
    ])
      await reader.send(frame);
    await reader.send(chatRequest("req1", "m2", "hello"));
    const told = reader.frames.flatMap(({ type, error, body }) => {
      if (error === undefined) return [];
      return [`${type}: ${(error as { code?: string }).code ?? String(body)}`];
    });
    expect(told).toEqual([
      ...Array<string>(3).fill("cairn:error: missing_scope"),
      ...Array<string>(2).fill("cairn:ack: missing_scope"),
      "cf_agent_use_chat_response: This connection may not do that.",
    ]);
    expect(session.state.head).toBe(head);
  });
});

describe("who resumes without a name", () => {
  it("is given the run that is next, that works, or that was last", async () => {
    const { session, client } = await open([{ text: "One." }]);
    const resumed = async (eventId: string): Promise<unknown> => {
      await client.send({ type: "cairn:resume", eventId });
      return client.ofType("cairn:caught-up").at(-1)?.["runId"];
    };
    expect(await resumed("e1")).toBeNull();
    await session.say("hello", "m1");
    expect(await resumed("e2")).toBe("ses_demo.r1");
    await session.settle();
    session.boot();
    expect(await resumed("e3")).toBe("ses_demo.r1");
    await session.say("hello", "m2");
    expect(await resumed("e4")).toBe("ses_demo.r2");
  });

  it("is never told of less than it has", async () => {
    const { client } = await open();
    await client.send({ type: "cairn:resume", eventId: "e1", pos: 12 });
    expect(client.ofType("cairn:caught-up")).toMatchObject([{ runId: null, pos: 12 }]);
  });
});

describe("a connection", () => {
  it("has so many frames in any minute, and not one more", async () => {
    const { session, client } = await open();
    for (let count = 0; count < 600; count++) await client.send("ping");
    session.now += 30_000;
    for (let count = 0; count < 400; count++) await client.send("ping");
    expect(client.closed).toBeNull();
    session.now += 30_000;
    // The first 600 are a minute old.
    for (let count = 0; count < 600; count++) await client.send("ping");
    expect(client.closed).toBeNull();
    await client.send("ping");
    expect(client.closed).toBe(4429);
  });

  it("may send frames of just the size that is allowed, in bytes", async () => {
    const { client, other } = await open([], 2);
    const padded = (bytes: number): string => `{"type":"cairn:dance","x":"${"x".repeat(bytes - 29)}"}`;
    expect(padded(262_144)).toHaveLength(262_144);
    await client.send(padded(262_144));
    expect(client.closed).toBeNull();
    expect(client.ofType("cairn:error")).toHaveLength(1);
    await other.send(padded(262_145));
    expect(other.closed).toBe(1009);
  });

  it("is one of eight at most", async () => {
    const { session } = await open([], 7);
    expect((await RawClient.connect(session)).closed).toBeNull();
    const ninth = await RawClient.connect(session);
    expect([ninth.closed, ninth.frames]).toEqual([4429, []]);
  });

  it("that is gone keeps nothing from the others", async () => {
    const { session, client, other } = await open([{ text: "Hi." }], 2);
    const gone = (): never => {
      throw new Error("the socket is closed");
    };
    client.socket.send = gone;
    client.socket.close = gone;
    await other.send({ type: "cairn:subscribe", eventId: "s", after: 0 });
    await session.say("hello", "m1");
    await session.settle();
    expect(other.ofType("cairn:event")).toHaveLength(session.state.head);
  });

  it("hears of every change of the queue, and of rows only when it has asked for them", async () => {
    const { session, client } = await open([{ text: "Hi." }]);
    await session.say("hello", "m1");
    await session.settle();
    const queues = client
      .ofType("cairn:queue")
      .map(({ activeRunId, queue }) => [activeRunId, (queue as object[]).length]);
    expect(queues).toEqual([
      [null, 1],
      ["ses_demo.r1", 0],
      [null, 0],
    ]);
    expect(client.ofType("cairn:event")).toEqual([]);
  });

  it("is shown the messages anew when an answer is made again, but not its own clearing", async () => {
    const { session, client, other } = await open([{ text: "One." }, { text: "Two." }], 2);
    await session.say("hello", "m1");
    await session.settle();
    client.take();
    const again = await session.api.regenerate(session.actor(), {
      id: "g1",
      message: null,
      request: null,
    });
    expect(again.ok).toBe(true);
    const lists = client
      .ofType("cf_agent_chat_messages")
      .map(({ messages }) => (messages as object[]).length);
    expect(lists.at(-1)).toBe(1);
    await session.settle();
    await client.send({ type: "cf_agent_chat_clear" });
    expect([client.ofType("cf_agent_chat_clear").length, other.ofType("cf_agent_chat_clear").length]).toEqual(
      [0, 1],
    );
    const native = await RawClient.connect(session);
    await native.send({ type: "cairn:resume", eventId: "e1" });
    await other.send({ type: "cf_agent_chat_clear" });
    expect(native.ofType("cf_agent_chat_clear")).toEqual([]);
    expect([client.ofType("cf_agent_chat_clear").length, other.ofType("cf_agent_chat_clear").length]).toEqual(
      [1, 1],
    );
  });
});

describe("any frame", () => {
  it("gives due work its alarm back where the platform has lost it", async () => {
    const { session, client } = await open([{ text: "Hi." }]);
    await session.say("hello", "m1");
    session.disk.alarm = null;
    await client.send({ type: "cairn:unsubscribe", eventId: "e1" });
    expect(session.disk.alarm).not.toBeNull();
    await session.settle();
    expect(session.state.ended).toHaveLength(1);
  });
});

describe("a run that fails", () => {
  it("is told by its last frame alone to who speaks the stock protocol", async () => {
    const { session, client, other } = await open(
      Array.from({ length: 9 }, () => ({ fail: true }) as const),
      2,
    );
    await other.send({ type: "cairn:resume", eventId: "e1" });
    await client.send(chatRequest("req1", "m1", "hello"));
    for (let n = 0; n < 20 && session.state.run !== null; n++) {
      session.now += 60_000;
      await session.settle();
    }
    await session.settle();
    const responses = client.ofType("cf_agent_use_chat_response");
    expect(responses.filter(({ body }) => String(body).includes('"type":"error"'))).toEqual([]);
    expect(responses.at(-1)).toMatchObject({ done: true, error: true, outcome: "error" });
    const chunks = other.ofType("cairn:chunk").map(({ chunk }) => (chunk as { type: string }).type);
    expect(chunks).toContain("error");
  });
});

describe("a session that is deleted", () => {
  it("closes its sockets and its streams, and leaves nothing for one that comes after it", async () => {
    const { session, client } = await open([{ text: "Hi." }]);
    await session.say("hello", "m1");
    const response = await session.hub.streams.fetchStream(
      new Request("https://session/stream/events"),
      session.actor(),
    );
    expect([response?.status, session.hub.streams.watched]).toEqual([200, true]);
    session.hub.dismiss();
    expect([client.closed, session.hub.streams.watched]).toEqual([4403, false]);
  });

  it("is forgotten by whoever watched it: another of its name has its own words alone", async () => {
    const asks: Line = { text: "The first.", calls: [["publish", { name: "about" }]] };
    const { session } = await open([asks, { ...asks, text: "The second." }]);
    await session.say("hello", "m1");
    await session.settle();
    session.hub.dismiss();
    session.store.erase();
    session.engine.drop();
    await session.say("hello", "m1");
    const late = await RawClient.connect(session);
    await session.settle();
    const shown = JSON.stringify(late.frames);
    expect([shown.includes("The first."), shown.includes("The second.")]).toEqual([false, true]);
  });
});

describe("what a stock client decides", () => {
  const GATED: readonly Line[] = [{ calls: [["publish", { name: "about" }]] }, { text: "Public." }];

  it("is for the call that waits, and a no is a no", async () => {
    const { session, client } = await open(GATED);
    await client.send(chatRequest("req1", "m1", "publish it"));
    await session.settle();
    await client.send({ type: "cf_agent_tool_approval", toolCallId: "r1s1c9", approved: true });
    expect(client.ofType("cairn:error")).toMatchObject([{ error: { code: "not_waiting" } }]);
    await client.send({ type: "cf_agent_tool_approval", toolCallId: "r1s1c0", approved: false });
    await session.settle();
    const decided = session.store.entriesAfter(0, 100).find((entry) => entry.kind === "approval_decided");
    expect(decided?.body).toMatchObject({ call: "r1s1c0", decision: "deny", via: "socket", actor: "ann" });
  });
});
