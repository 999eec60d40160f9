import { describe, expect, it } from "vitest";
import { asKind } from "../../../../src/cairn/core/log/entry.ts";
import type { RunSpec } from "../../../../src/cairn/core/log/run-spec.ts";
import { LiveSession, RawClient, type Frame, type Line } from "./session-fixture.ts";

/** A message over a socket asks of its run what a run specification may ask. */

const specsOf = (session: LiveSession): readonly RunSpec[] =>
  session.store
    .entriesAfter(0, 1_000)
    .flatMap((entry) => {
      const queued = asKind(entry, "run_queued");
      return queued === null ? [] : [queued.body.spec];
    })
    .slice(1);

/** A session that somebody has spoken in, whose socket has seen that run's end. */
async function opened(script: readonly Line[]): Promise<LiveSession> {
  const session = new LiveSession([{ text: "Begun." }, ...script]);
  await session.say("Begin.", "m0");
  await session.settle();
  return session;
}

const SCHEMA = { type: "object", properties: { title: { type: "string" } }, required: ["title"] };
const FIELDS = {
  instructions: "Answer in one line.",
  metadata: { ticket: 7 },
  output: SCHEMA,
  result_key: "page",
  on_exhausted: "fail",
};
const EXPECTED = {
  instructions: "Answer in one line.",
  metadata: { ticket: 7 },
  output: SCHEMA,
  resultKey: "page",
};

const send = (eventId: string, more: object): Frame => ({
  type: "cairn:send",
  eventId,
  text: "Hello.",
  ...more,
});
const chat = (id: string, more: object): Frame => ({
  type: "cf_agent_use_chat_request",
  id,
  init: {
    method: "POST",
    body: JSON.stringify({
      messages: [{ id: `m_${id}`, role: "user", parts: [{ type: "text", text: "Hello." }] }],
      trigger: "submit-message",
      ...more,
    }),
  },
});

describe("a message of a socket", () => {
  it("carries the fields of a run in cairn:send and in the body of a stock request", async () => {
    const session = await opened([{ text: "One." }, { text: "Two." }]);
    const client = await RawClient.connect(session);
    await client.send(send("e1", FIELDS));
    await client.send(chat("q1", FIELDS));
    expect(specsOf(session)).toMatchObject([EXPECTED, EXPECTED]);
  });

  it("is refused with every issue where a field is wrong, and begins no run", async () => {
    const session = await opened([]);
    const client = await RawClient.connect(session);
    const wrong = { metadata: [], output: { type: "thing" }, max_iterations: 0, previous_run_id: "" };
    await client.send(send("e1", wrong));
    expect(client.take().at(-1)).toMatchObject({
      ok: false,
      error: {
        code: "invalid_run",
        issues: [
          { path: "max_iterations", code: "out_of_range" },
          { path: "output", code: "bad_output_schema" },
          { path: "previous_run_id", code: "out_of_range" },
          { path: "metadata", code: "wrong_type" },
        ],
      },
    });
    await client.send(send("e2", { tools: ["page_lst"] }));
    await client.send(send("e3", { previous_run_id: "ses_other.r1" }));
    await client.send(send("e4", { instructons: "Be brief." }));
    const codes = client.take().map((frame) => (frame["error"] as { code: string } | undefined)?.code);
    expect(codes).toEqual(["invalid_run", "invalid_run", "unknown_field"]);
    expect(specsOf(session)).toEqual([]);
  });

  it("leaves alone what stock clients send of their own", async () => {
    const session = await opened([{ text: "One." }]);
    const client = await RawClient.connect(session);
    await client.send(chat("q1", { tools: { weather: {} }, metadata: null, model: null, system: "Obey." }));
    expect(specsOf(session)).toMatchObject([{ tools: null, metadata: null, instructions: "" }]);
  });
});

describe("the trace id of a message of a socket", () => {
  it("is that of the upgrade, or the one of the frame or the body", async () => {
    const session = await opened([{ text: "1" }, { text: "2" }, { text: "3" }, { text: "4" }]);
    const client = await RawClient.connect(session, session.actor(), "upgrade-0001");
    await client.send(send("e1", {}));
    await client.send(send("e2", { traceId: "frame-00001" }));
    await client.send(chat("q1", {}));
    await client.send(chat("q2", { traceId: "body-000001" }));
    expect(specsOf(session).map(({ traceId }) => traceId)).toEqual([
      "upgrade-0001",
      "frame-00001",
      "upgrade-0001",
      "body-000001",
    ]);
  });

  it("is refused in a frame, and not taken from a header, where it does not fit", async () => {
    const session = await opened([{ text: "1" }]);
    const client = await RawClient.connect(session, session.actor(), "a\tb");
    for (const traceId of ["short", "x".repeat(65), "has space", "<script>", 7])
      await client.send(send(`e${String(traceId).length}`, { traceId }));
    const codes = client.ofType("cairn:ack").map((frame) => (frame["error"] as { code: string }).code);
    expect(codes).toEqual(Array.from({ length: 5 }, () => "invalid_request"));
    await client.send(send("ok", {}));
    expect(specsOf(session).map(({ traceId }) => traceId)).toEqual([null]);
  });
});

describe("a message with fields of a run that meets a live one", () => {
  it("is refused where it would join, and queues where nobody asked to join", async () => {
    const session = await opened([{ text: "One two." }, { text: "Three." }]);
    const client = await RawClient.connect(session);
    let acks: Frame[] = [];
    session.onPiece = async (index) => {
      if (index !== 1) return;
      session.onPiece = null;
      await client.send(send("e2", { mode: "join", metadata: { ticket: 8 }, temperature: 0.2 }));
      await client.send(send("e3", { mode: "queue", metadata: { ticket: 9 } }));
      acks = client.ofType("cairn:ack");
    };
    await client.send(send("e1", { metadata: { ticket: 7 } }));
    await session.settle();
    expect(acks.slice(1)).toMatchObject([
      {
        eventId: "e2",
        ok: false,
        error: {
          code: "invalid_run",
          issues: [
            { path: "temperature", code: "not_supported" },
            { path: "metadata", code: "not_supported" },
          ],
        },
      },
      { eventId: "e3", ok: true },
    ]);
    expect(specsOf(session).map(({ metadata }) => metadata)).toEqual([{ ticket: 7 }, { ticket: 9 }]);
  });

  it("is refused where it would answer the open question", async () => {
    const session = await opened([
      { calls: [["ask_human", { question: "Which colour?" }]] },
      { text: "Green." },
    ]);
    const client = await RawClient.connect(session);
    await client.send(send("e1", {}));
    await session.settle();
    await client.send(send("e2", { text: "Green.", metadata: { ticket: 8 } }));
    expect(client.ofType("cairn:ack").at(-1)).toMatchObject({
      ok: false,
      error: { code: "invalid_run", issues: [{ path: "metadata", code: "not_supported" }] },
    });
    await client.send(send("e3", { text: "Green." }));
    expect(client.ofType("cairn:ack").at(-1)).toMatchObject({ ok: true, result: { mode: "answer" } });
  });
});

describe("a message that joins a live run", () => {
  const readIn = (lines: readonly string[]): readonly unknown[] =>
    lines.flatMap((line) => {
      const { messages } = JSON.parse(line) as { readonly messages?: unknown };
      return messages === undefined ? [] : [messages];
    });
  const gate: Line = { calls: [["ask_human", { question: "Which colour?" }]] };

  it("keeps the id of its own request, however it joins", async () => {
    const session = await opened([{ text: "One two." }, { text: "Three." }]);
    const client = await RawClient.connect(session);
    session.onPiece = async (index) => {
      if (index !== 1) return;
      session.onPiece = null;
      await client.send(send("e2", { mode: "join", id: "join", traceId: "id-of-join" }));
      const steer = { type: "cairn:steer", text: "Left.", id: "steer" };
      await client.send({ ...steer, eventId: "e3", traceId: "id-of-steer" });
      await client.send(chat("q1", { mode: "join", traceId: "id-of-chat" }));
      await client.send(send("e4", { mode: "join", id: "none" }));
    };
    await client.send(send("e1", { id: "first", traceId: "id-of-first" }));
    await session.settle();
    expect(specsOf(session).map(({ traceId }) => traceId)).toEqual(["id-of-first"]);
    const trace = await session.service.readTrace(session.actor(["read"]), null, "jsonl");
    const steps = readIn(trace.ok ? trace.value.lines : []);
    expect(steps).toEqual([
      [{ id: "first", trace_id: "id-of-first" }],
      [
        { id: "join", trace_id: "id-of-join" },
        { id: "steer", trace_id: "id-of-steer" },
        { id: "m_q1", trace_id: "id-of-chat" },
        { id: "none", trace_id: null },
      ],
    ]);
  });

  it("has the id of its socket's request where the frame brings none, also as an answer", async () => {
    const session = await opened([gate, { text: "Green." }]);
    const client = await RawClient.connect(session, session.actor(["send", "read"]), "id-of-socket");
    await client.send(send("e1", { id: "first", traceId: "id-of-first" }));
    await session.settle();
    await client.send(send("e2", { id: "answer", text: "Green." }));
    await session.settle();
    const trace = await session.service.readTrace(session.actor(["read"]), null, "jsonl");
    const steps = readIn(trace.ok ? trace.value.lines : []);
    expect(steps[1]).toEqual([{ id: "answer", trace_id: "id-of-socket" }]);
  });

  it("takes its id along into a run of its own where the live one ends before it is read", async () => {
    const session = await opened([{ text: "One two." }, { text: "Three." }]);
    const client = await RawClient.connect(session);
    session.onPiece = async (index) => {
      if (index !== 1) return;
      session.onPiece = null;
      await client.send(send("e2", { mode: "join", id: "join", traceId: "id-of-join" }));
    };
    await client.send(send("e1", { id: "first", traceId: "id-of-first", max_iterations: 1 }));
    await session.settle();
    expect(specsOf(session).map(({ traceId }) => traceId)).toEqual(["id-of-first", "id-of-join"]);
  });
});
