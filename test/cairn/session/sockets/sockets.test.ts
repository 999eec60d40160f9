import { describe, expect, it } from "vitest";
import * as z from "zod";
import { accumulate } from "../../../../src/cairn/protocol/stream/accumulate.ts";
import type { PlacedChunk, UiChunk } from "../../../../src/cairn/protocol/stream/ui-chunk.ts";
import { chatRequest, LiveSession, RawClient, type Frame, type Line } from "./session-fixture.ts";

const GATED: readonly Line[] = [
  { thought: "It must become public.", calls: [["publish", { name: "about" }]] },
  { text: "The page is public now." },
];

function chunkTypes(frames: readonly Frame[], id: string): string[] {
  return frames
    .filter(
      (frame) => frame.type === "cf_agent_use_chat_response" && frame["id"] === id && frame["body"] !== "",
    )
    .map((frame) => (JSON.parse(String(frame["body"])) as UiChunk).type)
    .filter((type) => !type.startsWith("data-"));
}

const types = (frames: readonly Frame[]): string[] =>
  frames
    .map((frame) =>
      frame.type === "cf_agent_use_chat_response" && frame["done"] === true ? "done" : frame.type,
    )
    .filter((type, index, all) => type !== all[index - 1]);

describe("the connect sequence", () => {
  it("greets, lists the messages and offers an open segment", async () => {
    const session = new LiveSession([{ text: "One two three four." }]);
    await session.say("hello", "m1");
    const idle = await RawClient.connect(session);
    expect(idle.frames.map(({ type }) => type)).toEqual(["cairn:hello", "cf_agent_chat_messages"]);
    expect(idle.frames[0]).toMatchObject({
      protocol: 1,
      sessionId: "ses_demo",
      subject: "ann",
      status: "running",
      lastSeq: 2,
      activeRunId: null,
      queue: [{ runId: "ses_demo.r1", messageId: "m1", text: "hello" }],
    });
    let late: RawClient | null = null;
    session.onPiece = async (index) => {
      if (index === 1) late = await RawClient.connect(session);
    };
    await session.settle();
    const client = late as RawClient | null;
    expect(client?.take().map(({ type }) => type)).toEqual([
      "cairn:hello",
      "cf_agent_chat_messages",
      "cf_agent_stream_resuming",
      "cf_agent_message_updated",
      "cairn:queue",
    ]);
  });

  it("closes sockets without an actor with 4401, and a stranger's with 4403", async () => {
    const session = new LiveSession([]);
    await session.say("hello", "m1");
    expect((await RawClient.connect(session, null)).closed).toBe(4401);
    const bob = await RawClient.connect(session, session.actor(["read", "send"], "bob"));
    expect(bob.closed).toBe(4403);
    expect(bob.frames).toEqual([]);
  });

  it("shows nothing to a connection that may not read", async () => {
    const session = new LiveSession(GATED);
    await session.say("publish it", "m1");
    const client = await RawClient.connect(session, session.actor(["send"]));
    await session.settle();
    expect(client.frames).toEqual([
      {
        type: "cairn:hello",
        protocol: 1,
        sessionId: "ses_demo",
        subject: "ann",
        scopes: ["send"],
        limits: { frameBytes: 262_144, framesPerMinute: 1_000, messageBytes: 65_536 },
      },
    ]);
    await client.send({ type: "cf_agent_stream_resume_request", probeId: "p" });
    expect(client.frames.at(-1)).toMatchObject({ type: "cairn:error", error: { code: "missing_scope" } });
  });
});

describe("a connection that may send and not read", () => {
  it("gets acks and ends of its own requests, and never a word of what is said, thought, done or asked", async () => {
    const session = new LiveSession([
      { thought: "Marigold thought.", calls: [["publish", { name: "marigold-page" }]] },
      { text: "Marigold answer." },
      { text: "Marigold again." },
    ]);
    await session.say("Marigold words of somebody who reads.", "m1");
    const client = await RawClient.connect(session, session.actor(["send"]));
    await client.send(chatRequest("req1", "m2", "first"));
    await client.send({ type: "cairn:send", eventId: "e1", text: "second" });
    await session.settle();
    expect(session.state.run?.phase.at).toBe("waiting_approval");
    const approval = {
      approval: "r1s1c0a1",
      decision: "approve",
      args: null,
      reason: null,
      digest: null,
    } as const;
    for (const frame of [
      { type: "cairn:resume", eventId: "e2" },
      { type: "cairn:subscribe", eventId: "e3", after: 0 },
      { type: "cairn:approve", eventId: "e4", approvalId: "r1s1c0a1", decision: "approve" },
      { type: "cf_agent_chat_messages", messages: [] },
      { type: "cf_agent_stream_resume_request", probeId: "p" },
      { type: "cf_agent_stream_resume_ack", id: "req1" },
      { type: "cf_agent_tool_approval", toolCallId: "r1s1c0", approved: true },
      { type: "cf_agent_tool_result", toolCallId: "r1s1c0", output: "x" },
      chatRequest("req1", "m2", "first"),
    ])
      await client.send(frame);
    expect((await session.api.decide(session.actor(), approval)).ok).toBe(true);
    await session.settle();
    expect([session.state.run, session.state.ended.length]).toEqual([null, 3]);
    // Sent again when all is over: the end of the request, without its message.
    await client.send(chatRequest("req1", "m2", "first"));
    await client.send({ type: "cairn:cancel", eventId: "e5", all: true });
    await client.send({ type: "cf_agent_chat_clear" });
    const kinds = ["cairn:hello", "cairn:ack", "cairn:error", "cf_agent_use_chat_response"];
    expect(client.frames.filter(({ type }) => !kinds.includes(type))).toEqual([]);
    const responses = client.ofType("cf_agent_use_chat_response");
    expect(responses.every(({ done }) => done === true)).toBe(true);
    expect(JSON.stringify(client.frames)).not.toMatch(/marigold/i);
    const acks = client.ofType("cairn:ack").map(({ eventId, ok }) => [eventId, ok]);
    expect(acks).toEqual([
      ["e1", true],
      ["e2", false],
      ["e3", false],
      ["e4", false],
      ["e5", true],
    ]);
  });
});

describe("a gated run in two tabs", () => {
  async function atApproval() {
    const session = new LiveSession(GATED);
    const sender = await RawClient.connect(session, await owner(session));
    const other = await RawClient.connect(session);
    sender.take();
    other.take();
    await sender.send(chatRequest("req1", "m1", "publish it"));
    await session.settle();
    return { session, sender, other };
  }

  /** The session has an owner before anyone connects. */
  async function owner(session: LiveSession) {
    session.service.admitOrCreate(session.actor());
    return session.actor();
  }

  it("streams the first segment under the request's id to both, the list to the other only", async () => {
    const { sender, other } = await atApproval();
    expect(chunkTypes(sender.frames, "req1")).toEqual([
      "start",
      "start-step",
      "reasoning-start",
      ...Array.from({ length: 4 }, () => "reasoning-delta"),
      "reasoning-end",
      "tool-input-available",
      "tool-approval-request",
      "finish-step",
      "finish",
    ]);
    expect(types(other.frames)).toEqual([
      "cf_agent_chat_messages",
      "cairn:queue",
      "cf_agent_use_chat_response",
      "cairn:queue",
      "cf_agent_use_chat_response",
      "cf_agent_message_updated",
      "done",
      "cf_agent_chat_messages",
    ]);
    expect(sender.ofType("cf_agent_chat_messages")).toHaveLength(1);
    expect(sender.frames.slice(-2)).toEqual([
      {
        type: "cf_agent_use_chat_response",
        id: "req1",
        body: "",
        done: true,
        outcome: "completed",
        messageIds: ["m1"],
      },
      other.frames.at(-1),
    ]);
  });

  it("offers the continuation to the tab that decided and streams it to the other", async () => {
    const { session, sender, other } = await atApproval();
    sender.take();
    other.take();
    await other.send({
      type: "cf_agent_tool_approval",
      toolCallId: "r1s1c0",
      approved: true,
      autoContinue: true,
    });
    const offered = other.take();
    expect(offered.slice(0, 2).map(({ type }) => type)).toEqual([
      "cf_agent_message_updated",
      "cf_agent_stream_resuming",
    ]);
    expect(offered[1]).toEqual({ type: "cf_agent_stream_resuming", id: "ses_demo.r1.c1" });
    const parts = z
      .object({
        parts: z.array(z.looseObject({ toolCallId: z.string().optional(), state: z.unknown().optional() })),
      })
      .parse(offered[0]?.["message"]).parts;
    expect(parts.find((part) => part.toolCallId === "r1s1c0")?.state).toBe("approval-responded");
    expect(chunkTypes(sender.frames, "ses_demo.r1.c1")).toEqual(["start", "tool-approval-response"]);
    let acked = false;
    session.onPiece = async (index) => {
      if (index !== 1 || acked) return;
      acked = true;
      expect(chunkTypes(other.take(), "ses_demo.r1.c1")).toEqual([]);
      await other.send({ type: "cf_agent_stream_resume_ack", id: "ses_demo.r1.c1" });
      const replay = other.frames.filter((frame) => frame["replay"] === true);
      expect(chunkTypes(replay, "ses_demo.r1.c1")).toEqual([
        "start",
        "tool-approval-response",
        "tool-output-available",
        "start-step",
        "text-start",
        "text-delta",
      ]);
      expect(replay.at(-1)).toMatchObject({ body: "", replayComplete: true, done: false });
      expect(replay.every((frame) => frame["continuation"] === true)).toBe(true);
    };
    await session.settle();
    expect(acked).toBe(true);
    const tabs = [sender, other].map((client) => chunkTypes(client.frames, "ses_demo.r1.c1"));
    expect(tabs[0]).toEqual(tabs[1]);
    const places = other.frames
      .filter((frame) => frame["seq"] !== undefined)
      .map((frame) => Number(frame["seq"]));
    expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
    const last = (client: RawClient) => client.ofType("cf_agent_message_updated").at(-1);
    expect(last(sender)).toEqual(last(other));
    const list = await session.api.messages(session.actor(), 200, null);
    expect(list.ok && list.value.items.at(-1)).toEqual(last(sender)?.["message"]);
  });

  it("answers an ack that comes after the end with the final message and a replayed done frame", async () => {
    const { session, other } = await atApproval();
    await other.send({ type: "cf_agent_tool_approval", toolCallId: "r1s1c0", approved: false });
    await session.settle();
    other.take();
    await other.send({ type: "cf_agent_stream_resume_ack", id: "ses_demo.r1.c1" });
    expect(other.take()).toMatchObject([
      { type: "cf_agent_message_updated", message: { id: "ses_demo.r1" } },
      { type: "cf_agent_use_chat_response", done: true, replay: true, outcome: "completed" },
      { type: "cf_agent_chat_messages", messages: [{ id: "m1" }, { id: "ses_demo.r1" }] },
    ]);
  });

  it("refuses tool results and decisions on calls that wait for none", async () => {
    const { session, sender } = await atApproval();
    sender.take();
    await sender.send({
      type: "cf_agent_tool_result",
      toolCallId: "r1s1c0",
      toolName: "publish",
      output: {},
    });
    await sender.send({ type: "cf_agent_tool_approval", toolCallId: "r1s1c9", approved: true });
    expect(sender.take()).toMatchObject([
      { type: "cairn:error", about: "cf_agent_tool_result", error: { code: "not_found" } },
      { type: "cf_agent_chat_messages", messages: [{ id: "m1" }, { id: "ses_demo.r1" }] },
      { type: "cairn:error", about: "cf_agent_tool_approval", error: { code: "not_waiting" } },
      { type: "cf_agent_chat_messages", messages: [{ id: "m1" }, { id: "ses_demo.r1" }] },
    ]);
    expect(session.state.run?.phase.at).toBe("waiting_approval");
  });

  it("survives hibernation: awaiting, mode and actor are in the attachment", async () => {
    const { session, other, sender } = await atApproval();
    await other.send({ type: "cf_agent_tool_approval", toolCallId: "r1s1c0", approved: true });
    session.boot();
    expect(other.frames.at(-1)).toEqual({ type: "cairn:head", lastSeq: session.state.head });
    other.take();
    await session.settle();
    expect(chunkTypes(other.frames, "ses_demo.r1.c1")).toEqual([]);
    expect(chunkTypes(sender.frames, "ses_demo.r1.c1").slice(0, 3)).toEqual([
      "start",
      "tool-approval-response",
      "tool-output-available",
    ]);
  });

  it("cancels the run of a segment, clears for the others, and never applies a client's list", async () => {
    const { session, sender, other } = await atApproval();
    await sender.send({ type: "cf_agent_chat_request_cancel", id: "nobody" });
    expect(session.state.run?.cancel).toBeNull();
    await sender.send({ type: "cf_agent_chat_request_cancel", id: "req1" });
    await session.settle();
    expect(session.state.ended.at(-1)?.outcome).toBe("cancelled");
    const done = sender.frames.filter((frame) => frame["done"] === true).at(-1);
    expect(done).toMatchObject({ id: "ses_demo.r1.c1", outcome: "aborted" });
    sender.take();
    other.take();
    await sender.send({ type: "cf_agent_chat_clear" });
    expect(sender.frames).toEqual([]);
    expect(other.take()).toEqual([{ type: "cf_agent_chat_clear" }]);
    await sender.send({
      type: "cf_agent_chat_messages",
      messages: [{ id: "x", role: "assistant", parts: [] }],
    });
    expect(sender.take()).toEqual([{ type: "cf_agent_chat_messages", messages: [] }]);
  });

  it("starts nothing for a repeated request and ends it for its sender", async () => {
    const { session, sender } = await atApproval();
    sender.take();
    await sender.send(chatRequest("req2", "m1", "publish it"));
    const list = { type: "cf_agent_chat_messages", messages: [{ id: "m1" }, { id: "ses_demo.r1" }] };
    expect(sender.take()).toMatchObject([{ id: "req2", done: true, outcome: "skipped" }, list]);
    await sender.send({ type: "cf_agent_tool_approval", toolCallId: "r1s1c0", approved: true });
    await session.settle();
    sender.take();
    await sender.send(chatRequest("req3", "m1", "publish it"));
    expect(sender.take()).toMatchObject([
      { type: "cf_agent_message_updated", message: { id: "ses_demo.r1" } },
      { id: "req3", done: true, outcome: "completed" },
      list,
    ]);
    expect(session.state.runs).toBe(1);
  });
});

describe("probes", () => {
  it("answers none while idle and while a person is awaited", async () => {
    const session = new LiveSession(GATED);
    session.service.admitOrCreate(session.actor());
    const client = await RawClient.connect(session);
    client.take();
    await client.send({ type: "cf_agent_stream_resume_request", probeId: "p1" });
    expect(client.take()).toEqual([{ type: "cf_agent_stream_resume_none", reason: "idle", probeId: "p1" }]);
    await session.say("publish", "m1");
    await session.settle();
    client.take();
    await client.send({ type: "cf_agent_stream_resume_request", probeId: "p2" });
    expect(client.take()).toEqual([{ type: "cf_agent_stream_resume_none", reason: "idle", probeId: "p2" }]);
  });

  it("answers pending while queued, then resuming, and the ack replays from the start", async () => {
    const session = new LiveSession([{ text: "Hello there, you." }]);
    session.service.admitOrCreate(session.actor());
    const client = await RawClient.connect(session);
    await session.say("hi", "m1");
    client.take();
    await client.send({ type: "cf_agent_stream_resume_request", probeId: "p" });
    expect(client.take()).toEqual([{ type: "cf_agent_stream_pending", id: "ses_demo.r1", probeId: "p" }]);
    session.onPiece = async (index) => {
      if (index === 2) await client.send({ type: "cf_agent_stream_resume_ack", id: "ses_demo.r1" });
    };
    await session.settle();
    const resuming = client.frames.findIndex(({ type }) => type === "cf_agent_stream_resuming");
    expect(client.frames[resuming]).toEqual({
      type: "cf_agent_stream_resuming",
      id: "ses_demo.r1",
      probeId: "p",
    });
    expect(chunkTypes(client.frames, "ses_demo.r1")).toEqual([
      "start",
      "start-step",
      "text-start",
      "text-delta",
      "text-delta",
      "text-delta",
      "text-end",
      "finish-step",
      "finish",
    ]);
  });

  it("replays a first segment also when it has ended before the ack, for who has nothing of its message", async () => {
    const session = new LiveSession([{ text: "Hello there, you." }]);
    session.service.admitOrCreate(session.actor());
    const client = await RawClient.connect(session);
    await session.say("hi", "m1");
    await client.send({ type: "cf_agent_stream_resume_request", probeId: "p" });
    await session.settle();
    expect(client.take().map(({ type }) => type)).not.toContain("cf_agent_use_chat_response");
    await client.send({ type: "cf_agent_stream_resume_ack", id: "ses_demo.r1" });
    const told = client.take();
    const types = chunkTypes(told, "ses_demo.r1");
    expect([types[0], types.at(-1)]).toEqual(["start", "finish"]);
    expect(told.slice(0, -3).every((frame) => frame["replay"] === true)).toBe(true);
    expect(told.slice(-3)).toMatchObject([
      { type: "cf_agent_message_updated", message: { id: "ses_demo.r1" } },
      { type: "cf_agent_use_chat_response", done: true, replay: true, outcome: "completed" },
      { type: "cf_agent_chat_messages", messages: [{ id: "m1" }, { id: "ses_demo.r1" }] },
    ]);
  });

  it("offers the closing words of a queued run that is cancelled before it begins", async () => {
    const session = new LiveSession([]);
    session.service.admitOrCreate(session.actor());
    const client = await RawClient.connect(session);
    await session.say("hi", "m1");
    await client.send({ type: "cf_agent_stream_resume_request", probeId: "p" });
    client.take();
    await session.api.cancel(session.actor(), { id: "stop", runId: null, all: true, reason: null });
    const types = client.take().map(({ type }) => type);
    expect(types).toContain("cf_agent_stream_resuming");
    expect(types).not.toContain("cf_agent_use_chat_response");
  });
});

describe("a model call that dies", () => {
  it("is reset once for who comes back, and its text is there once", async () => {
    const text = "One two three four.";
    const session = new LiveSession([{ text }, { text }]);
    session.service.admitOrCreate(session.actor());
    await session.say("count", "m1");
    const before = await RawClient.connect(session);
    const dead = new Promise<void>((resolve) => {
      session.onPiece = (index) => {
        if (index !== 2) return;
        resolve();
        return new Promise(() => {});
      };
    });
    session.now = session.disk.alarm ?? session.now;
    void session.fire();
    await dead;
    expect(chunkTypes(before.frames, "ses_demo.r1").slice(-2)).toEqual(["text-delta", "text-delta"]);
    before.leave();
    session.boot();
    const client = await RawClient.connect(session);
    await client.send({ type: "cf_agent_stream_resume_ack", id: "ses_demo.r1" });
    expect(chunkTypes(client.frames, "ses_demo.r1")).toEqual(["start", "start-step"]);
    session.onPiece = null;
    await session.settle();
    const told = chunkTypes(client.frames, "ses_demo.r1");
    expect(told.filter((type) => type === "reset-step")).toHaveLength(1);
    expect(client.ofType("cf_agent_chat_recovering").map((frame) => frame["recovering"])).toEqual([
      true,
      false,
    ]);
    const updated = client.ofType("cf_agent_message_updated").at(-1)?.["message"] as { parts: unknown };
    expect(JSON.stringify(updated.parts).split(text)).toHaveLength(2);
  });
});

describe("native frames", () => {
  const open = async (script: ConstructorParameters<typeof LiveSession>[0]) => {
    const session = new LiveSession(script);
    session.service.admitOrCreate(session.actor());
    const client = await RawClient.connect(session);
    client.take();
    return { session, client };
  };

  it("acks each frame once, and a repeat of its eventId with the first answer, also after a stop", async () => {
    const { session, client } = await open([{ text: "Hi." }]);
    await client.send({ type: "cairn:send", eventId: "e1", text: "hello" });
    const [first] = client.ofType("cairn:ack");
    expect(first).toMatchObject({
      eventId: "e1",
      ok: true,
      seq: 1,
      result: { runId: "ses_demo.r1", queued: 0 },
    });
    session.boot();
    await client.send({ type: "cairn:send", eventId: "e1", text: "hello" });
    expect(client.ofType("cairn:ack").at(-1)).toEqual({ ...first, duplicate: true });
    expect(session.state.messages).toBe(1);
  });

  it("stops one run with one cancel: a repeat gets the first answer and leaves the next run alone", async () => {
    const asks = GATED.slice(0, 1);
    const { session, client } = await open([...asks, ...asks, ...asks]);
    await session.say("publish", "m1");
    await session.say("publish again", "m2");
    await session.settle();
    const stop = { id: "c1", runId: null, all: false, reason: null };
    const first = await session.api.cancel(session.actor(), stop);
    expect(first).toEqual({ ok: true, value: { cancelled: ["ses_demo.r1"], replayed: false } });
    await session.settle();
    session.boot();
    expect(session.state.run?.run).toBe("r2");
    expect(await session.api.cancel(session.actor(), stop)).toEqual({
      ok: true,
      value: { cancelled: ["ses_demo.r1"], replayed: true },
    });
    expect(session.state.run).toMatchObject({ run: "r2", cancel: null });
    const frame = { type: "cairn:cancel", eventId: "e1" };
    await client.send(frame);
    expect(client.ofType("cairn:ack").at(-1)).toMatchObject({ result: { cancelled: ["ses_demo.r2"] } });
    await session.say("publish once more", "m3");
    await session.settle();
    // As if its isolate had died between the stop and the word on the frame.
    session.disk.exec("DELETE FROM seen WHERE source LIKE 'frame:%'");
    await client.send(frame);
    expect(client.ofType("cairn:ack").at(-1)).toMatchObject({ result: { cancelled: ["ses_demo.r2"] } });
    expect(session.state.run).toMatchObject({ run: "r3", cancel: null });
  });

  it("resumes at every pos with only later chunks and the same message", async () => {
    const { session, client } = await open(GATED);
    await client.send({ type: "cairn:send", eventId: "e1", text: "publish" });
    await client.send({ type: "cairn:resume", eventId: "e2" });
    await session.settle();
    await client.send({ type: "cairn:approve", eventId: "e3", approvalId: "r1s1c0a1", decision: "approve" });
    await session.settle();
    const all = client
      .ofType("cairn:chunk")
      .filter((frame) => frame["pos"] !== null)
      .map((frame) => ({ pos: Number(frame["pos"]), chunk: frame["chunk"] as UiChunk }));
    expect(client.frames.some(({ type }) => type === "cf_agent_use_chat_response")).toBe(false);
    const whole = accumulate("x", all);
    for (const [index, { pos }] of all.entries()) {
      const late = await RawClient.connect(session);
      await late.send({ type: "cairn:resume", eventId: `r${index}`, runId: "ses_demo.r1", pos });
      const rest = late
        .ofType("cairn:chunk")
        .filter((frame) => frame["pos"] !== null)
        .map((frame): PlacedChunk => ({ pos: Number(frame["pos"]), chunk: frame["chunk"] as UiChunk }));
      expect(rest.every((placed) => (placed.pos ?? 0) > pos)).toBe(true);
      expect(accumulate("x", [...all.slice(0, index + 1), ...rest])).toEqual(whole);
      expect(late.ofType("cairn:caught-up")).toMatchObject([{ runId: "ses_demo.r1", pos: all.at(-1)?.pos }]);
      late.leave();
    }
  });

  it("sends every entry once and in order from any seq", async () => {
    const { session, client } = await open(GATED);
    await client.send({ type: "cairn:subscribe", eventId: "s0", after: 0 });
    await client.send({ type: "cairn:send", eventId: "e1", text: "publish" });
    await session.settle();
    const head = session.state.head;
    for (let after = 0; after <= head; after += 1) {
      const late = await RawClient.connect(session);
      await late.send({ type: "cairn:subscribe", eventId: `s${after}`, after });
      const seqs = late.ofType("cairn:event").map((frame) => (frame["event"] as { seq: number }).seq);
      expect(seqs).toEqual(Array.from({ length: head - after }, (_, index) => after + index + 1));
      late.leave();
    }
    const live = client.ofType("cairn:event").map((frame) => frame["event"] as { seq: number; at: string });
    expect(live.map(({ seq }) => seq)).toEqual(Array.from({ length: head }, (_, index) => index + 1));
    expect(live[0]?.at).toBe("2026-08-20T12:00:00.000Z");
  });

  it("refuses what it does not know, and what the scope does not allow", async () => {
    const { session, client } = await open([]);
    const cases: [unknown, object][] = [
      ["{", { type: "cairn:error", about: "unknown", error: { code: "invalid_json" } }],
      [
        { type: "cairn:dance" },
        { type: "cairn:error", about: "cairn:dance", error: { code: "unknown_frame" } },
      ],
      [
        { type: "cairn:send", eventId: "x1", text: "hi", role: "system" },
        { type: "cairn:ack", eventId: "x1", ok: false, error: { code: "unknown_field" } },
      ],
      [
        { type: "cairn:send", text: "hi" },
        { type: "cairn:error", error: { code: "invalid_request" } },
      ],
      [
        { type: "cairn:steer", eventId: "x2", text: "left" },
        { type: "cairn:ack", eventId: "x2", ok: false, error: { code: "not_running" } },
      ],
      [
        { type: "cairn:resume", eventId: "x3", runId: "other.r1" },
        { type: "cairn:ack", eventId: "x3", ok: false, error: { code: "not_found" } },
      ],
      [
        { type: "cf_agent_state", state: {} },
        { type: "cf_agent_state_error", error: "State is read-only" },
      ],
      [
        { type: "rpc", id: "1", method: "x", args: [] },
        { type: "rpc", id: "1", success: false, error: "Method x does not exist" },
      ],
      ["ping", { type: "pong" }],
    ];
    for (const [frame, answer] of cases) {
      await client.send(frame);
      expect(client.take()).toMatchObject([answer]);
    }
    const reader = await RawClient.connect(session, session.actor(["read"]));
    await reader.send({ type: "cairn:cancel", eventId: "c", all: true });
    expect(reader.frames.at(-1)).toMatchObject({ ok: false, error: { code: "missing_scope" } });
    await reader.send(chatRequest("q", "m9", "hi"));
    expect(reader.frames.slice(-2)).toMatchObject([
      { id: "q", done: true, error: true, outcome: "error" },
      { type: "cf_agent_chat_messages", messages: [] },
    ]);
    expect(session.state.head).toBe(0);
  });

  it("closes on binary and oversized frames, on a flood, and when the grant ends", async () => {
    const { session, client } = await open([]);
    await session.hub.receive(client.socket, new ArrayBuffer(2));
    expect(client.closed).toBe(1003);
    const large = await RawClient.connect(session);
    await large.send(`"${"é".repeat(131_072)}"`);
    expect(large.closed).toBe(1009);
    const loud = await RawClient.connect(session);
    for (let count = 0; count <= 1_000; count += 1) await loud.send("ping");
    expect(loud.closed).toBe(4429);
    expect(loud.frames.at(-1)).toMatchObject({
      type: "cairn:error",
      about: "frame",
      error: { code: "rate_limited", hint: expect.stringContaining("in a minute") },
    });
    const expiring = await RawClient.connect(session, { ...session.actor(), expiresAt: session.now + 1_000 });
    session.now += 1_000;
    await expiring.send({ type: "cairn:unsubscribe", eventId: "u" });
    expect(expiring.closed).toBe(4401);
  });
});
