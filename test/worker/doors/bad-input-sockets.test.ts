import { beforeAll, describe, expect, test } from "vitest";
import {
  ask,
  connect,
  expectAlive,
  log,
  RawSocket,
  refusalOf,
  untilIdle,
  type Frame,
} from "./bad-input-doors.ts";
import { makeSite } from "../cms/fixture.ts";

/** Nonsense on a socket of the real worker: one refusal to its sender, nothing done, and the same socket goes on. */

beforeAll(makeSite);

const deep = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
const long = "x".repeat(65_537);
const native = (type: string, fields: object): object => ({ type: `cairn:${type}`, ...fields });
const chat = (id: string, body: unknown): object => ({
  type: "cf_agent_use_chat_request",
  id,
  init: { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) },
});
const user = (parts: unknown, more: object = {}): object => ({
  messages: [{ role: "user", id: "m", parts, ...more }],
});
const text = (value: string): object[] => [{ type: "text", text: value }];

const FRAMES: [name: string, frame: string | object, answer: string, code: unknown][] = [
  ["nothing", "", "cairn:error", "invalid_json"],
  ["half an object", "{", "cairn:error", "invalid_json"],
  ["a word", "PING", "cairn:error", "invalid_json"],
  ["a ping with a space", "ping ", "cairn:error", "invalid_json"],
  ["a number", "42", "cairn:error", "invalid_request"],
  ["a truth", "true", "cairn:error", "invalid_request"],
  ["null", "null", "cairn:error", "invalid_request"],
  ["a list", '[{"type":"cairn:send"}]', "cairn:error", "invalid_request"],
  ["100,000 lists in lists", deep(100_000), "cairn:error", "invalid_request"],
  ["an object of something else", { a: 1 }, "cairn:error", "invalid_request"],
  ["a number for a type", { type: 1 }, "cairn:error", "invalid_request"],
  ["a type of 129 characters", { type: "x".repeat(129) }, "cairn:error", "invalid_request"],
  ["an unknown type", { type: "constructor" }, "cairn:error", "unknown_frame"],
  ["an unknown type of ours", native("explode", { eventId: "e0" }), "cairn:error", "unknown_frame"],
  ["no event id", native("send", { text: "a" }), "cairn:error", "invalid_request"],
  ["a number for an event id", native("send", { eventId: 5, text: "a" }), "cairn:error", "invalid_request"],
  [
    "an event id of 65",
    native("send", { eventId: "x".repeat(65), text: "a" }),
    "cairn:error",
    "invalid_request",
  ],
  ["no text", native("send", { eventId: "e1" }), "cairn:ack", "invalid_request"],
  ["an empty text", native("send", { eventId: "e2", text: "" }), "cairn:ack", "invalid_request"],
  ["only whitespace", native("send", { eventId: "e3", text: " \n\u3000" }), "cairn:ack", "invalid_request"],
  ["only marks", native("send", { eventId: "e4", text: "\u200f\u200b" }), "cairn:ack", "invalid_request"],
  ["half a character", native("send", { eventId: "e4b", text: "\ud800" }), "cairn:ack", "invalid_request"],
  ["a number for a text", native("send", { eventId: "e5", text: 42 }), "cairn:ack", "invalid_request"],
  ["a list for a text", native("send", { eventId: "e6", text: ["a"] }), "cairn:ack", "invalid_request"],
  ["an unknown field", native("send", { eventId: "e7", text: "a", role: 1 }), "cairn:ack", "unknown_field"],
  [
    "text and parts",
    native("send", { eventId: "e8", text: "a", parts: text("b") }),
    "cairn:ack",
    "invalid_request",
  ],
  ["an object for parts", native("send", { eventId: "e9", parts: {} }), "cairn:ack", "invalid_request"],
  [
    "a part of a tool",
    native("send", { eventId: "e10", parts: [{ type: "tool-x" }] }),
    "cairn:ack",
    "unsupported_part",
  ],
  [
    "an id of 129",
    native("send", { eventId: "e11", text: "a", id: "x".repeat(129) }),
    "cairn:ack",
    "invalid_request",
  ],
  ["64 KiB and a byte", native("send", { eventId: "e12", text: long }), "cairn:ack", "message_too_large"],
  [
    "a decision about nothing",
    native("approve", { eventId: "e13", approvalId: "r1s1c0a1", decision: "approve" }),
    "cairn:ack",
    "not_found",
  ],
  [
    "a decision of 50,000 levels",
    `{"type":"cairn:approve","eventId":"e14","approvalId":"a","decision":"edit","args":${deep(50_000)}}`,
    "cairn:ack",
    "invalid_request",
  ],
  [
    "an answer of 50,000 levels",
    `{"type":"cairn:answer","eventId":"e15","questionId":"q","value":${deep(50_000)}}`,
    "cairn:ack",
    "invalid_request",
  ],
  ["a run of elsewhere", native("resume", { eventId: "e16", runId: "other.r1" }), "cairn:ack", "not_found"],
  ["a place before the first", native("resume", { eventId: "e17", pos: -1 }), "cairn:ack", "invalid_request"],
  ["half a seq", native("subscribe", { eventId: "e18", after: 0.5 }), "cairn:ack", "invalid_request"],
  [
    "a seq past numbers",
    '{"type":"cairn:subscribe","eventId":"e19","after":1e300}',
    "cairn:ack",
    "invalid_request",
  ],
  ["a request without a body", { ...chat("q1", ""), init: {} }, "cairn:error", "invalid_request"],
  [
    "a request with an object",
    { ...chat("q2", ""), init: { body: user(text("a")) } },
    "cairn:error",
    "invalid_request",
  ],
  ["a request with a number for an id", { ...chat("", "{}"), id: 4 }, "cairn:error", "invalid_request"],
  ["a request with an id of 129", chat("x".repeat(129), "{}"), "cairn:error", "invalid_request"],
  [
    "a cancel with a list",
    { type: "cf_agent_chat_request_cancel", id: [] },
    "cairn:error",
    "invalid_request",
  ],
  [
    "a decision that is a text",
    { type: "cf_agent_tool_approval", toolCallId: "r1s1c0", approved: "yes" },
    "cairn:error",
    "invalid_request",
  ],
  [
    "a decision of a call that does not wait",
    { type: "cf_agent_tool_approval", toolCallId: "r1s1c0", approved: true },
    "cairn:error",
    "not_waiting",
  ],
  [
    "a result of a tool",
    { type: "cf_agent_tool_result", toolCallId: "r1s1c0", output: { pages: [] } },
    "cairn:error",
    "not_found",
  ],
  [
    "an error of a tool that is no text",
    { type: "cf_agent_tool_result", toolCallId: "r1s1c0", state: "output-error", errorText: { a: 1 } },
    "cairn:error",
    "not_found",
  ],
  [
    "a state",
    { type: "cf_agent_state", state: { admin: true } },
    "cf_agent_state_error",
    "State is read-only",
  ],
  [
    "a call of 257 characters",
    { type: "rpc", id: "1", method: "x".repeat(257) },
    "cairn:error",
    "invalid_request",
  ],
];

const BODIES: [name: string, body: unknown, words: string][] = [
  ["nothing", "", "not JSON"],
  ["half an object", "{", "not JSON"],
  ["a number", "42", "has messages"],
  ["a truth", "true", "has messages"],
  ["null", "null", "has messages"],
  ["an object of something else", { a: 1 }, "has messages"],
  ["no messages", { messages: [] }, "has messages"],
  ["an object for messages", { messages: {} }, "has messages"],
  ["an unknown trigger", { ...user(text("a")), trigger: "explode" }, "a trigger"],
  ["an unknown mode", { ...user(text("a")), mode: "now" }, "a mode"],
  ["a number for a message", { messages: [1] }, "no message of a person"],
  ["a message of the system", { messages: [{ role: "system", id: "m", parts: text("a") }] }, "of a person"],
  ["40,000 lists in lists", `{"messages":[${deep(40_000)}]}`, "nested more than 100 levels"],
  ["60,000 lists side by side", `{"messages":[${"[],".repeat(60_000)}[]]}`, "more than 50000 values"],
  ["a text for parts", user("a"), "of a person"],
  ["no parts", user([]), "says something"],
  ["only whitespace", user(text(" \n")), "says something"],
  ["only marks", user(text("\u200b\u200f")), "says something"],
  ["33 parts", user(Array.from({ length: 33 }, () => text("a")[0])), "1 to 32 parts"],
  ["64 KiB and a byte", user(text(long)), "larger than 65536 bytes"],
  ["a number for the id", user(text("a"), { id: 5 }), "id of a message"],
  ["an id of 129", user(text("a"), { id: "x".repeat(129) }), "id of a message"],
  ["a part of a tool", user([{ type: "tool-x", output: {} }]), "A part is text"],
  ["an answer without decisions", { messages: [{ role: "assistant", parts: [] }] }, "nothing new"],
];

const STILL = native("send", { text: "/say Still here." });

/** The same socket says something and sees its run to the end. */
async function goesOn(socket: RawSocket, eventId: string): Promise<void> {
  // Frames of earlier runs arrive before the mark.
  await socket.answers();
  socket.send({ ...STILL, eventId });
  const ended = (frame: Frame): boolean =>
    frame.type === "cf_agent_use_chat_response" && frame["done"] === true;
  const from = socket.frames.length;
  await socket.until(() => socket.frames.slice(from).some(ended));
  expect(socket.closed).toBeNull();
  const frames = socket.frames.slice(from);
  expect(frames.find((frame) => frame["eventId"] === eventId)).toMatchObject({ type: "cairn:ack", ok: true });
  expect(frames.find(ended)).toMatchObject({ outcome: "completed" });
  expect(JSON.stringify(frames.findLast(({ type }) => type === "cf_agent_message_updated"))).toContain(
    "Still here.",
  );
}

test("each bad frame gets one refusal, changes nothing, and the socket goes on", async () => {
  const socket = await connect("ses_bad_frames");
  for (const [name, frame, type, code] of FRAMES) {
    // Behind a refusal of the stock chat comes its list.
    const answers = (await socket.answers(frame)).filter(
      ({ type: told }) => told !== "cf_agent_chat_messages",
    );
    expect([name, answers.length, ...(refusalOf(answers[0]) ?? [])]).toEqual([name, 1, type, code]);
  }
  expect(await log("ses_bad_frames")).toEqual([]);
  await goesOn(socket, "alive");
  socket.close();
});

test("each bad body of a stock request ends that request alone with a sentence, and the list follows", async () => {
  const socket = await connect("ses_bad_bodies");
  for (const [at, [name, body, words]] of BODIES.entries()) {
    const answers = await socket.answers(chat(`q${at}`, body));
    expect([name, answers]).toEqual([
      name,
      [
        {
          type: "cf_agent_use_chat_response",
          id: `q${at}`,
          body: expect.stringContaining(words),
          done: true,
          error: true,
          outcome: "error",
        },
        { type: "cf_agent_chat_messages", messages: [] },
      ],
    ]);
  }
  expect(await log("ses_bad_bodies")).toEqual([]);
  await goesOn(socket, "alive");
  socket.close();
});

test("frames that ask for nothing are answered as the interface says, or not at all", async () => {
  const socket = await connect("ses_idle_frames");
  const quiet = [
    { type: "cf_agent_chat_request_cancel", id: "nothing" },
    { type: "cf_agent_stream_resume_ack", id: "nothing" },
  ];
  expect(await socket.answers(...quiet)).toEqual([]);
  expect(await socket.answers({ type: "cf_agent_chat_messages", messages: 5 })).toEqual([
    { type: "cf_agent_chat_messages", messages: [] },
  ]);
  const probe = { type: "cf_agent_stream_resume_request", probeId: "p\u0000" };
  expect(await socket.answers(probe)).toEqual([
    { type: "cf_agent_stream_resume_none", reason: "idle", probeId: "p\u0000" },
  ]);
  expect(await log("ses_idle_frames")).toEqual([]);
  await goesOn(socket, "alive");
  socket.close();
});

test("a frame with 20,000 unknown fields is refused in an answer that stays small", async () => {
  const socket = await connect("ses_many_fields");
  const fields = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`k${at}`, at]));
  const [ack] = await socket.answers(native("send", { eventId: "e1", text: "a", ...fields }));
  expect(refusalOf(ack)).toEqual(["cairn:ack", "unknown_field"]);
  expect(JSON.stringify(ack).length).toBeLessThan(4_000);
  await goesOn(socket, "alive");
  socket.close();
});

describe("a frame that cannot be taken at all", () => {
  test.each([
    ["bytes", new ArrayBuffer(8), 1003, "unsupported_frame"],
    ["no bytes", new ArrayBuffer(0), 1003, "unsupported_frame"],
    ["1 MiB and a byte", "x".repeat(1_048_577), 1009, "frame_too_large"],
    ["1 MiB of two-byte letters", "é".repeat(524_289), 1009, "frame_too_large"],
    ["2 MiB", JSON.stringify({ type: "cairn:send", text: "x".repeat(2_097_152) }), 1009, "frame_too_large"],
  ])("%s closes that socket only", async (_, frame, code, reason) => {
    const other = await connect("ses_closing");
    const socket = await connect("ses_closing");
    socket.send(frame);
    expect(await socket.closing()).toEqual({ code, reason });
    await goesOn(
      other,
      `alive-${reason}-${code}-${typeof frame === "string" ? frame.length : frame.byteLength}`,
    );
    other.close();
    await expectAlive("ses_closing");
  });

  test("a frame of exactly 1 MiB is read", async () => {
    const socket = await connect("ses_brim");
    const around = JSON.stringify(native("send", { eventId: "e1", text: "" })).length;
    const frame = native("send", { eventId: "e1", text: "x".repeat(1_048_576 - around) });
    expect(refusalOf((await socket.answers(frame))[0])).toEqual(["cairn:ack", "message_too_large"]);
    await goesOn(socket, "alive");
    socket.close();
  });
});

describe("much at once", () => {
  test("50 frames at once get 50 acks, in order, and what fits is done", { timeout: 30_000 }, async () => {
    const socket = await connect("ses_fifty");
    const frames = Array.from({ length: 50 }, (_, at) =>
      native("send", { eventId: `e${at}`, text: `/say ${at}`, id: `m${at}` }),
    );
    const answers = (await socket.answers(...frames)).filter(({ type }) => type === "cairn:ack");
    expect(answers.map((ack) => ack["eventId"])).toEqual(frames.map((_, at) => `e${at}`));
    const taken = answers.filter((ack) => ack["ok"] === true);
    const full = answers.filter((ack) => ack["ok"] === false);
    expect(taken.length).toBeGreaterThanOrEqual(20);
    expect(full.map(refusalOf)).toEqual(full.map(() => ["cairn:ack", "queue_full"]));
    await untilIdle("ses_fifty");
    const rows = await log("ses_fifty");
    const said = rows.filter(({ kind }) => kind === "user_message").map(({ body }) => body["id"]);
    expect(said).toEqual(taken.map((ack) => String(ack["eventId"]).replace("e", "m")));
    expect(rows.filter(({ kind }) => kind === "run_ended")).toHaveLength(said.length);
    await goesOn(socket, "alive");
    socket.close();
  });

  test("50 bad frames at once get 50 refusals, and a good one between them is done", async () => {
    const socket = await connect("ses_mixed");
    const bad = Array.from({ length: 25 }, () => "{");
    socket.send({ ...STILL, eventId: "good" });
    const answers = await socket.answers(...bad, { ...STILL, eventId: "good" }, ...bad);
    expect(answers.filter(({ type }) => type === "cairn:error")).toHaveLength(50);
    const acks = socket.frames.filter((frame) => frame["eventId"] === "good");
    expect(acks.map((ack) => [ack["ok"], ack["duplicate"] ?? false])).toEqual([
      [true, false],
      [true, true],
    ]);
    socket.close();
    await expectAlive("ses_mixed");
    expect((await log("ses_mixed")).filter(({ kind }) => kind === "user_message")).toHaveLength(2);
  });

  test("of two bodies under one message id accepts the first", async () => {
    const socket = await connect("ses_twice");
    const send = (eventId: string, words: string): object =>
      native("send", { eventId, id: "m", text: `/say ${words}` });
    const answers = await socket.answers(send("e1", "one"), send("e2", "two"), send("e3", "one"));
    const acks = answers.filter(({ type }) => type === "cairn:ack");
    expect(acks.map((ack) => [ack["ok"], refusalOf(ack)?.[1]])).toEqual([
      [true, undefined],
      [false, "message_exists"],
      [true, undefined],
    ]);
    socket.close();
    await expectAlive("ses_twice");
  });

  test("the 601st frame in a minute closes that socket only", { timeout: 30_000 }, async () => {
    const socket = await connect("ses_flood");
    for (let at = 0; at <= 600; at += 1) socket.send("{");
    expect(await socket.closing()).toEqual({ code: 4429, reason: "rate_limited" });
    await expectAlive("ses_flood");
  });
});

describe("a socket to nowhere", () => {
  test.each([
    ["a.b", 4400, "invalid_id"],
    ["a%2Fb", 4400, "invalid_id"],
    ["%00", 4400, "invalid_id"],
    ["会社", 4400, "invalid_id"],
    ["x".repeat(65), 4400, "invalid_id"],
  ])("/agents/session/%s is closed %i %s without a frame", async (id, code, reason) => {
    const response = await ask(`/agents/session/${id}`, { headers: { upgrade: "websocket" } });
    if (response.webSocket === null) throw new Error(`not upgraded: ${response.status}`);
    const socket = new RawSocket(response.webSocket);
    expect([await socket.closing(), socket.frames]).toEqual([{ code, reason }, []]);
  });

  test.each([
    "/agents",
    "/agents/session/",
    "/agents/session/a/b",
    "/agents/other/x",
    "/agents/session/x/sub/y",
  ])("%s is not found", async (path) => {
    const response = await ask(path, { headers: { upgrade: "websocket" } });
    expect([response.status, response.webSocket]).toEqual([404, null]);
  });

  test("a plain request is told to upgrade", async () => {
    expect((await ask("/agents/session/x")).status).toBe(426);
    expect((await ask("/agents/session/x?__agents_transport=capnweb")).status).toBe(400);
  });
});
