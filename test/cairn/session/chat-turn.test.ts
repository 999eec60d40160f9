import { describe, expect, test } from "vitest";
import type { ChatCommand, ChatDecision, SendCommand } from "../../../src/cairn/session/api/session-api.ts";
import { parseChatBody } from "../../../src/cairn/protocol/chat-body.ts";
import { LiveSession, RawClient, type Line } from "./sockets/session-fixture.ts";

/** Bodies of stock chat clients that hold responses and a message: all of a body happens, or nothing. */

const PUBLISH: Line = { calls: [["publish", { name: "about" }]] };
const ASK: Line = { calls: [["ask_human", { question: "Which color?" }]] };
const DONE: Line = { text: "I did not publish the page." };

const message = (id: string): SendCommand => ({
  id,
  parts: [{ type: "text", text: "use blue instead" }],
  mode: null,
  source: "web",
  request: null,
  ask: {},
});
const response = (approval: string, approved: boolean, digest: string | null = null): ChatDecision => ({
  approval,
  approved,
  reason: null,
  digest,
});
const body = (more: Partial<ChatCommand>): ChatCommand => ({
  decisions: [],
  answers: [],
  message: null,
  ...more,
});
const OPEN = "r1s1c0a1";

async function waiting(...script: readonly Line[]): Promise<LiveSession> {
  const session = new LiveSession(script);
  await session.say("publish the page", "m1");
  await session.settle();
  return session;
}
const kindsAfter = (session: LiveSession, head: number): string[] =>
  session.store.entriesAfter(head, 100).map((entry) => entry.kind);

describe("a body with a response and a message", () => {
  test.each([
    ["a no", false],
    ["a yes", true],
  ])("applies %s once, then accepts the message", async (_, approved) => {
    const session = await waiting(PUBLISH, DONE);
    const { head } = session.state;
    const command = body({ decisions: [response(OPEN, approved)], message: message("m2") });
    expect(await session.api.submit(session.actor(), command)).toMatchObject({
      ok: true,
      value: { decided: { runId: "ses_demo.r1", pending: false }, sent: { runId: "ses_demo.r2" } },
    });
    expect(kindsAfter(session, head).slice(0, 3)).toEqual(["approval_decided", "user_message", "run_queued"]);
    const again = await session.api.submit(session.actor(), command);
    expect(again).toMatchObject({
      ok: true,
      value: { decided: null, sent: { duplicate: true, runId: "ses_demo.r2" } },
    });
    await session.settle();
    expect(session.tools.keyed.size).toBe(approved ? 1 : 0);
  });

  test("skips the responses of its history, and applies the new one next to them", async () => {
    const session = await waiting(PUBLISH, DONE, PUBLISH, DONE);
    const first = body({ decisions: [response(OPEN, false)], message: message("m2") });
    expect(await session.api.submit(session.actor(), first)).toMatchObject({ ok: true });
    await session.settle();
    const second = body({
      decisions: [response(OPEN, false), response("r2s1c0a1", false)],
      message: message("m3"),
    });
    expect(await session.api.submit(session.actor(), second)).toMatchObject({
      ok: true,
      value: { decided: { runId: "ses_demo.r2" }, sent: { runId: "ses_demo.r3" } },
    });
  });

  test.each<[string, Partial<ChatCommand>, string]>([
    ["an approval that was never asked for", { decisions: [response("r7s1c0a1", false)] }, "not_found"],
    [
      "an approval of a child, which has another name here",
      { decisions: [response(OPEN, false), response("r1s2c0a1", true)] },
      "not_found",
    ],
    [
      "other content than the person was shown",
      { decisions: [response(OPEN, true, `sha256:${"0".repeat(64)}`)] },
      "digest_mismatch",
    ],
    [
      "a message whose id has other content",
      { decisions: [response(OPEN, false)], message: message("m1") },
      "message_exists",
    ],
  ])("refuses the whole body where it responds to %s", async (_, more, code) => {
    const session = await waiting(PUBLISH, DONE);
    const { head } = session.state;
    const refused = await session.api.submit(session.actor(), body({ message: message("m2"), ...more }));
    expect(refused).toMatchObject({ ok: false, error: { code } });
    expect(session.state.head).toBe(head);
    expect(session.state.run?.phase.at).toBe("waiting_approval");
    // The same isolate goes on from what is on disk.
    expect(
      await session.api.submit(session.actor(), body({ decisions: [response(OPEN, false)] })),
    ).toMatchObject({ ok: true, value: { decided: { runId: "ses_demo.r1" } } });
  });

  test("refuses the whole body for a token that may not decide, and takes it where nothing is open", async () => {
    const session = await waiting(PUBLISH, DONE, DONE);
    const sender = session.actor(["read", "send"]);
    const command = body({ decisions: [response(OPEN, false)], message: message("m2") });
    expect(await session.api.submit(sender, command)).toMatchObject({
      ok: false,
      error: { code: "missing_scope" },
    });
    await session.api.submit(session.actor(), body({ decisions: [response(OPEN, false)] }));
    expect(await session.api.submit(sender, command)).toMatchObject({ ok: true });
  });

  test("refuses a no that came after a yes once, and says so; its history is no obstacle afterwards", async () => {
    const session = await waiting(PUBLISH, { text: "The page is public." }, DONE);
    await session.api.submit(session.actor(), body({ decisions: [response(OPEN, true)] }));
    const { head } = session.state;
    const late = body({ decisions: [response(OPEN, false)], message: message("m2") });
    const refused = await session.api.submit(session.actor(), late);
    expect(refused).toMatchObject({
      ok: false,
      error: { status: 409, code: "already_decided", message: expect.stringContaining("nothing") },
    });
    expect(session.state.head).toBe(head);
    expect(await session.api.submit(session.actor(), late)).toMatchObject({
      ok: true,
      value: { decided: null, sent: { messageId: "m2" } },
    });
  });

  test("shows nothing of a session to a stranger, whatever it responds to", async () => {
    const session = await waiting(PUBLISH, DONE);
    const bob = session.actor(["read", "send", "approve"], "bob");
    const answers = [{ call: "r1s1c0", value: "blue" }];
    const bodies = [
      { decisions: [response(OPEN, false)] },
      { decisions: [response("r9s1c0a1", false)] },
      { answers },
    ];
    for (const more of bodies) {
      const refused = await session.api.submit(bob, body(more));
      expect(refused).toEqual({
        ok: false,
        error: expect.objectContaining({ code: "not_found", message: "No such session." }),
      });
    }
  });
});

test("a request of the agents protocol decides, then says: two frames later nothing is missing", async () => {
  const session = await waiting(PUBLISH, DONE, DONE);
  const client = await RawClient.connect(session);
  const part = {
    type: "tool-publish",
    toolCallId: "r1s1c0",
    state: "approval-responded",
    approval: { id: OPEN, approved: false },
  };
  const request = (id: string, ...messages: unknown[]) => ({
    type: "cf_agent_use_chat_request",
    id,
    init: { method: "POST", body: JSON.stringify({ messages }) },
  });
  const denied = { id: "ses_demo.r1", role: "assistant", parts: [part] };
  const said = { id: "m2", role: "user", parts: [{ type: "text", text: "use blue" }] };
  const { head } = session.state;
  await client.send(
    request(
      "q0",
      { ...denied, parts: [part, { ...part, approval: { id: "r4s1c0a1", approved: true } }] },
      said,
    ),
  );
  expect(client.frames.find((frame) => frame["id"] === "q0")).toMatchObject({ done: true, outcome: "error" });
  expect(session.state.head).toBe(head);
  await client.send(request("q1", denied, said));
  expect(kindsAfter(session, head).slice(0, 3)).toEqual(["approval_decided", "user_message", "run_queued"]);
  await session.settle();
  const ended = client.frames.filter((frame) => frame["id"] === "q1" && frame["done"] === true);
  expect(ended).toMatchObject([{ outcome: "completed", messageIds: ["m2"] }]);
});

describe("a body that asks for another answer", () => {
  const again = { id: "g1", message: null, request: null };
  type Responses = Partial<Pick<ChatCommand, "decisions" | "answers">>;
  const regenerate = (session: LiveSession, more: Responses) =>
    session.api.regenerate(session.actor(), { ...again, ...more });

  test.each<[string, Line, Responses]>([
    ["a new no", PUBLISH, { decisions: [response(OPEN, false)] }],
    ["a new answer", ASK, { answers: [{ call: "r1s1c0", value: "blue" }] }],
  ])("is refused as a whole with %s, which still waits afterwards", async (_, line, more) => {
    const session = await waiting(line, DONE);
    const { head } = session.state;
    expect(await regenerate(session, more)).toMatchObject({
      ok: false,
      error: { code: "busy", message: expect.stringContaining("nothing in this request was done") },
    });
    expect(session.state.head).toBe(head);
    expect(await session.api.submit(session.actor(), body(more))).toMatchObject({
      ok: true,
      value: { decided: { runId: "ses_demo.r1" } },
    });
  });

  test("is refused once with a no to a call that was approved meanwhile", async () => {
    const session = await waiting(
      {
        calls: [
          ["look", { name: "about" }],
          ["publish", { name: "about" }],
        ],
      },
      DONE,
    );
    await session.api.submit(session.actor(), body({ decisions: [response("r1s1c1a1", true)] }));
    await session.settle();
    const late = { decisions: [response("r1s1c1a1", false)] };
    expect(await regenerate(session, late)).toMatchObject({ ok: false, error: { code: "already_decided" } });
    expect(await regenerate(session, late)).toMatchObject({ ok: false, error: { code: "has_effects" } });
  });

  test("skips the responses of its history", async () => {
    const session = await waiting(PUBLISH, DONE, DONE);
    const denied = { decisions: [response(OPEN, false)] };
    await session.api.submit(session.actor(), body(denied));
    await session.settle();
    expect(await regenerate(session, denied)).toMatchObject({ ok: true, value: { runId: "ses_demo.r2" } });
  });

  test("is refused with a response to an approval that was never asked for", async () => {
    const session = await waiting({ text: "Hello." }, DONE);
    const unknown = { decisions: [response("r7s1c0a1", false)] };
    expect(await regenerate(session, unknown)).toMatchObject({ ok: false, error: { code: "not_found" } });
    expect(await regenerate(session, {})).toMatchObject({ ok: true });
  });

  test("carries its responses on the agents protocol", async () => {
    const session = await waiting(PUBLISH, DONE);
    const client = await RawClient.connect(session);
    const approval = { id: OPEN, approved: false };
    const part = { type: "tool-publish", toolCallId: "r1s1c0", state: "approval-responded", approval };
    const messages = [{ id: "ses_demo.r1", role: "assistant", parts: [part] }];
    const init = { method: "POST", body: JSON.stringify({ messages, trigger: "regenerate-message" }) };
    await client.send({ type: "cf_agent_use_chat_request", id: "q1", init });
    expect(client.frames.find((frame) => frame["id"] === "q1")).toMatchObject({
      outcome: "error",
      body: expect.stringContaining("waits for a decision"),
    });
    expect(session.state.run?.phase.at).toBe("waiting_approval");
  });
});

describe("an output that a client gives to ask_human", () => {
  test("answers the question, and the message behind it is a message", async () => {
    const session = await waiting(ASK, { text: "Blue it is." }, DONE);
    const command = body({ answers: [{ call: "r1s1c0", value: "blue" }], message: message("m2") });
    expect(await session.api.submit(session.actor(), command)).toMatchObject({
      ok: true,
      value: { decided: { runId: "ses_demo.r1" }, sent: { mode: "queue", runId: "ses_demo.r2" } },
    });
    const answered = session.store.entriesAfter(0, 100).find((entry) => entry.kind === "human_answered");
    expect(answered).toMatchObject({ body: { value: "blue", message: null } });
    expect(await session.api.submit(session.actor(), command)).toMatchObject({
      ok: true,
      value: { decided: null, sent: { duplicate: true } },
    });
  });

  test("that is no text is refused with the message", async () => {
    const session = await waiting(ASK, DONE);
    const { head } = session.state;
    const command = body({ answers: [{ call: "r1s1c0", value: null }], message: message("m2") });
    expect(await session.api.submit(session.actor(), command)).toMatchObject({
      ok: false,
      error: { code: "invalid_answer" },
    });
    expect(session.state.head).toBe(head);
  });

  test("answers as a frame too, and only the question that is open", async () => {
    const session = await waiting(ASK, { text: "Blue it is." });
    const client = await RawClient.connect(session);
    const frame = { type: "cf_agent_tool_result", toolName: "ask_human" };
    await client.send({ ...frame, toolCallId: "r1s9c0", output: "red" });
    await client.send({ ...frame, toolCallId: "r1s1c0", output: { color: "red" } });
    expect(client.ofType("cairn:error")).toMatchObject([
      { error: { code: "not_found" } },
      { error: { code: "invalid_answer" } },
    ]);
    await client.send({ ...frame, toolCallId: "r1s1c0", output: "blue" });
    expect(session.state.run?.phase.at).not.toBe("waiting_human");
  });
});

describe("the responses that are read from a body", () => {
  const part = (id: string, approved: unknown, more: object = {}) => ({
    type: "tool-page_delete",
    toolCallId: "r1s1c0",
    state: "approval-responded",
    approval: { id, approved, ...more },
  });
  const assistant = (...parts: unknown[]) => ({ id: "a", role: "assistant", parts });
  const user = (id: string) => ({ id, role: "user", parts: [{ type: "text", text: "hi" }] });
  const read = (...messages: unknown[]) => parseChatBody(JSON.stringify({ messages }));

  test("are those of every message, in order, each once, with the digest that was shown", () => {
    const descriptor = { digest: "sha256:ab", expiresAt: "x" };
    expect(
      read(
        user("m1"),
        assistant(part("r1s1c0a1", false, { descriptor, reason: "no" })),
        user("m2"),
        assistant(part("r2s1c0a1", true), part("r1s1c0a1", false, { descriptor, reason: "no" })),
        user("m3"),
      ),
    ).toEqual({
      kind: "say",
      id: "m3",
      parts: [{ type: "text", text: "hi" }],
      mode: null,
      decisions: [
        { approval: "r1s1c0a1", approved: false, reason: "no", digest: "sha256:ab" },
        { approval: "r2s1c0a1", approved: true, reason: null },
      ],
      run: {},
    });
  });

  test("that cannot be read refuse the body, and a long reason is cut", () => {
    const unreadable = [
      part("r1s1c0a1", "yes"),
      part("", false),
      { ...part("a", false), approval: undefined },
      part("x".repeat(129), false),
    ];
    for (const bad of unreadable)
      expect(read(user("m1"), assistant(bad), user("m2"))).toMatchObject({
        kind: "refused",
        code: "invalid_request",
      });
    const long = read(assistant(part("r1s1c0a1", false, { reason: "n".repeat(5_000) })), user("m2"));
    expect(long).toMatchObject({ decisions: [{ reason: `${"n".repeat(999)}…` }] });
  });

  test("come along with a request for another answer", () => {
    const messages = [user("m1"), assistant(part("r1s1c0a1", false))];
    expect(parseChatBody(JSON.stringify({ messages, trigger: "regenerate-message" }))).toEqual({
      kind: "regenerate",
      message: null,
      decisions: [{ approval: "r1s1c0a1", approved: false, reason: null }],
    });
  });

  test("refuse the body where two of them contradict each other", () => {
    expect(
      read(assistant(part("r1s1c0a1", true)), assistant(part("r1s1c0a1", false)), user("m2")),
    ).toMatchObject({
      kind: "refused",
      code: "invalid_request",
    });
  });
});
