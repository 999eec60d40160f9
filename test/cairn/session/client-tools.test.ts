import { describe, expect, it } from "vitest";
import { CLIENT_ANSWER_MS } from "../../../src/cairn/core/limits.ts";
import type { ClientTool } from "../../../src/cairn/core/log/client-tool.ts";
import type { EntryKind } from "../../../src/cairn/core/log/entry.ts";
import type { Json } from "../../../src/cairn/core/log/json.ts";
import type { ModelRequest } from "../../../src/cairn/core/log/model.ts";
import { EMPTY_STATE } from "../../../src/cairn/core/state/state.ts";
import { fold } from "../../../src/cairn/core/state/apply.ts";
import type { RunOptions } from "../../../src/cairn/protocol/run-spec/run-options.ts";
import { LiveSession, RawClient, type Frame, type Line } from "./sockets/session-fixture.ts";

/** Tools that a chat page brings and runs, through the real loop. */

const LOCATION = {
  name: "getLocation",
  description: "Where the person is.",
  parameters: { type: "object", properties: { unit: { type: "string" } } },
};
const TOOL: ClientTool = {
  name: "getLocation",
  description: "Where the person is.",
  inputSchema: { type: "object", properties: { unit: { type: "string" } } },
};
const HERE = { lat: 52.5, lon: 13.4 };
const locate: Line = { calls: [["getLocation", { unit: "m" }]] };
const SCRIPT: readonly Line[] = [locate, { text: "You are in Berlin, at 52.5 north and 13.4 east." }];

const request = (id: string, message: string, body: object = {}): Frame => ({
  type: "cf_agent_use_chat_request",
  id,
  init: {
    method: "POST",
    body: JSON.stringify({
      messages: [{ id: message, role: "user", parts: [{ type: "text", text: "where am I?" }] }],
      clientTools: [LOCATION],
      ...body,
    }),
  },
});
const result = (call: string, more: object): Frame => ({
  type: "cf_agent_tool_result",
  toolCallId: call,
  toolName: "getLocation",
  autoContinue: true,
  clientTools: [LOCATION],
  ...more,
});

const kinds = (session: LiveSession): EntryKind[] =>
  session.store.entriesAfter(0, 1_000).map(({ kind }) => kind);
const settled = (session: LiveSession): unknown[] =>
  session.store
    .entriesAfter(0, 1_000)
    .flatMap((entry) =>
      entry.kind === "call_settled"
        ? [[entry.body.call, entry.body.status, entry.body.failure?.code ?? null]]
        : [],
    );
const observation = (session: LiveSession, call: string): string =>
  session.store
    .entriesAfter(0, 1_000)
    .flatMap((entry) =>
      entry.kind === "call_settled" && entry.body.call === call ? [entry.body.observation] : [],
    )
    .join();
const errors = (client: RawClient): unknown[] =>
  client.ofType("cairn:error").map((frame) => (frame["error"] as { code: string }).code);
const chunks = (client: RawClient, id: string): Json[] =>
  client
    .ofType("cf_agent_use_chat_response")
    .filter((frame) => frame["id"] === id && frame["body"] !== "")
    .map((frame) => JSON.parse(String(frame["body"])) as Json);
const types = (client: RawClient, id: string): unknown[] =>
  chunks(client, id).map((chunk) => (chunk as { type: string }).type);
const isFolded = (session: LiveSession): void =>
  expect(fold(EMPTY_STATE, session.store.entriesAfter(0, 10_000))).toEqual(session.state);

async function waiting(script: readonly Line[] = SCRIPT) {
  const session = new LiveSession(script);
  const requests: ModelRequest[] = [];
  session.onRequest = (asked) => void requests.push(asked);
  session.service.admitOrCreate(session.actor());
  const client = await RawClient.connect(session);
  const other = await RawClient.connect(session);
  await client.send(request("q1", "m1"));
  await session.settle();
  return { session, client, other, requests };
}

describe("a tool of the client", () => {
  it("is offered in the caller's words, called, waited for, and its answer goes to the model as content from outside", async () => {
    const { session, client, other, requests } = await waiting();
    const offer = requests[0]?.tools.find(({ name }) => name === "getLocation");
    expect(offer).toEqual({
      name: "getLocation",
      description: "Runs at the person's client, which describes it so: Where the person is.",
      inputSchema: TOOL.inputSchema,
    });
    expect(session.state.run?.phase).toMatchObject({ at: "waiting_client", client: { call: "r1s1c0" } });
    expect(session.disk.alarm).toBe(session.now + CLIENT_ANSWER_MS);
    for (const tab of [client, other]) {
      const shown = chunks(tab, "q1");
      expect(shown).toContainEqual({
        type: "tool-input-available",
        toolCallId: "r1s1c0",
        toolName: "getLocation",
        title: "Get location",
        input: { unit: "m" },
      });
      expect(shown).toContainEqual({
        type: "data-client-call",
        id: "r1s1c0",
        data: {
          callId: "r1s1c0",
          tool: "getLocation",
          expiresAt: new Date(session.now + CLIENT_ANSWER_MS).toISOString(),
          state: "waiting",
        },
      });
      expect(shown.at(-1)).toEqual({ type: "finish", finishReason: "tool-calls" });
    }
    await client.send(result("r1s1c0", { output: HERE }));
    await session.settle();
    expect(errors(client)).toEqual([]);
    expect(kinds(session)).toEqual([
      "user_message",
      "run_queued",
      "run_started",
      "step_started",
      "model_replied",
      "call_intended",
      "client_asked",
      "client_answered",
      "call_settled",
      "step_started",
      "model_replied",
      "review",
      "answer",
      "run_ended",
    ]);
    expect(observation(session, "r1s1c0")).toMatch(
      /^<untrusted source="r1s1c0">\n\{"lat":52.5,"lon":13.4\}\n<\/untrusted>/,
    );
    expect(session.state.ended.at(-1)?.taint.tainted).toMatchObject({ by: "getLocation" });
    expect(types(other, "ses_demo.r1.c1").slice(0, 3)).toEqual([
      "start",
      "data-client-call",
      "tool-output-available",
    ]);
    isFolded(session);
  });

  it("costs nothing while it waits, and survives the end of its isolate before and after the answer", async () => {
    const { session, client } = await waiting();
    const used = session.state.run?.used.activeMs;
    session.now += CLIENT_ANSWER_MS / 2;
    session.boot();
    expect(session.disk.alarm).toBe(session.now + CLIENT_ANSWER_MS / 2);
    expect(session.state.run?.used.activeMs).toBe(used);
    await client.send(result("r1s1c0", { output: HERE }));
    session.boot();
    await session.settle();
    expect(settled(session)).toEqual([["r1s1c0", "ok", null]]);
    expect(session.state.ended.at(-1)?.outcome ?? kinds(session).at(-1)).toBeTruthy();
    expect(kinds(session).filter((kind) => kind === "call_intended")).toHaveLength(1);
    isFolded(session);
  });

  it("takes its answer once: the same again changes nothing, another is refused", async () => {
    const { session, client, other } = await waiting();
    await client.send(result("r1s1c0", { output: HERE }));
    const head = session.state.head;
    await other.send(result("r1s1c0", { output: { lon: 13.4, lat: 52.5 } }));
    expect([errors(other), session.state.head]).toEqual([[], head]);
    await other.send(result("r1s1c0", { output: { lat: 0, lon: 0 } }));
    await other.send(result("r1s1c0", { state: "output-error", errorText: "denied" }));
    expect([errors(other), session.state.head]).toEqual([["already_answered", "already_answered"], head]);
    await session.settle();
    await other.send(result("r1s1c0", { output: HERE }));
    expect(errors(other)).toHaveLength(2);
    expect(settled(session)).toEqual([["r1s1c0", "ok", null]]);
  });

  it("refuses answers to unknown calls, of people without the right, and that are too large", async () => {
    const { session, client } = await waiting([{ calls: [["look", { name: "a" }]] }, ...SCRIPT]);
    await client.send(result("r1s1c0", { output: HERE }));
    await client.send(result("r9s1c0", { output: HERE }));
    await client.send(result("nonsense", { output: HERE }));
    expect(errors(client)).toEqual(["not_found", "not_found", "not_found"]);
    const output = { call: "r1s2c0", result: { kind: "output", value: HERE } } as const;
    expect(await session.api.answerCall(session.actor(["read"]), output)).toMatchObject({
      ok: false,
      error: { code: "missing_scope" },
    });
    expect(await session.api.answerCall(session.actor(["read", "send"], "eve"), output)).toMatchObject({
      ok: false,
      error: { code: "not_found" },
    });
    await client.send(result("r1s2c0", { output: "x".repeat(70_000) }));
    expect(errors(client).at(-1)).toBe("output_too_large");
    expect(session.state.run?.phase.at).toBe("waiting_client");
    expect(await session.api.answerCall(session.actor(), output)).toMatchObject({ ok: true });
  });

  it("may fail, and the run goes on with the failure", async () => {
    const { session, client, requests } = await waiting();
    await client.send(result("r1s1c0", { state: "output-error", errorText: "The person said no." }));
    await session.settle();
    expect(settled(session)).toEqual([["r1s1c0", "error", "client_error"]]);
    expect(JSON.stringify(requests.at(-1)?.messages)).toContain("The person said no.");
    expect(types(client, "ses_demo.r1.c1")).toContain("tool-output-error");
  });

  it("waits for a time only, and a client that comes later is told so", async () => {
    const { session, client } = await waiting();
    session.now += CLIENT_ANSWER_MS;
    await session.fire();
    await session.settle();
    expect(settled(session)).toEqual([["r1s1c0", "unknown", "unknown_outcome"]]);
    await client.send(result("r1s1c0", { output: HERE }));
    expect(errors(client)).toEqual(["not_waiting"]);
    isFolded(session);
  });

  it("has an unknown outcome where its run is stopped", async () => {
    const { session, client } = await waiting();
    await session.api.cancel(session.actor(), { id: "stop", runId: null, all: true, reason: null });
    await client.send(result("r1s1c0", { output: HERE }));
    await session.settle();
    expect(errors(client)).toEqual(["not_waiting"]);
    expect(settled(session)).toEqual([["r1s1c0", "unknown", "unknown_outcome"]]);
    expect(types(client, "ses_demo.r1.c1")).toEqual([
      "start",
      "data-client-call",
      "tool-output-error",
      "data-step",
      "text-start",
      "text-delta",
      "text-end",
      "message-metadata",
      "abort",
    ]);
    expect(JSON.stringify(chunks(client, "ses_demo.r1.c1")[1])).toContain('"state":"stopped"');
  });

  it("is called one at a time, with arguments that fit its schema", async () => {
    const both: Line = {
      calls: [
        ["getLocation", { unit: 7 }],
        ["getLocation", { unit: "m" }],
        ["getLocation", { unit: "ft" }],
      ],
    };
    const { session, client } = await waiting([both, ...SCRIPT.slice(1)]);
    expect(settled(session)).toEqual([["r1s1c0", "refused", "invalid_input"]]);
    expect(session.state.run?.phase).toMatchObject({ at: "waiting_client", client: { call: "r1s1c1" } });
    await client.send(result("r1s1c2", { output: HERE }));
    expect(errors(client)).toEqual(["not_found"]);
    await client.send(result("r1s1c1", { output: HERE }));
    await session.settle();
    expect(session.state.run?.phase).toMatchObject({ at: "waiting_client", client: { call: "r1s1c2" } });
    await client.send(result("r1s1c2", { output: HERE }));
    await session.settle();
    expect(session.state.run).toBeNull();
  });

  it("asks a person by the rule of two", async () => {
    // The answer of a client is from outside, and `look` reads what is not public.
    const { session, client } = await waiting([
      locate,
      { calls: [["look", { name: "a" }]] },
      locate,
      { text: "Done here." },
    ]);
    await client.send(result("r1s1c0", { output: HERE }));
    await session.settle();
    expect(session.state.run?.phase).toMatchObject({ at: "waiting_approval", approval: { call: "r1s3c0" } });
    await client.send({ type: "cf_agent_tool_approval", toolCallId: "r1s3c0", approved: true });
    await session.settle();
    expect(session.state.run?.phase).toMatchObject({ at: "waiting_client", client: { call: "r1s3c0" } });
    await client.send(result("r1s3c0", { output: HERE }));
    await session.settle();
    expect(session.state.run).toBeNull();
  });
});

describe("what a run may bring", () => {
  const send = (session: LiveSession, id: string, ask: RunOptions, source: "web" | "webhook" = "web") =>
    session.api.send(session.actor(), {
      id,
      parts: [{ type: "text", text: "where am I?" }],
      mode: null,
      source,
      request: null,
      ask,
    });

  it.each(["look", "complete", "run_agent", "pause_for_human", "mcp_sky_look", "__proto__"])(
    "is no tool that is named %s",
    async (name) => {
      const session = new LiveSession(SCRIPT);
      const sent = await send(session, "m1", { clientTools: [{ ...TOOL, name }] });
      expect(sent).toMatchObject({ ok: false, error: { status: 422, code: "invalid_client_tools" } });
      expect(session.state.head).toBe(0);
    },
  );

  it("is nothing for a run without a person, a guest, or a run in quarantine", async () => {
    for (const [ask, source] of [
      [{ clientTools: [TOOL], quarantine: true }, "web"],
      [{ clientTools: [TOOL], role: "guest" }, "web"],
      [{ clientTools: [TOOL] }, "webhook"],
    ] as const) {
      const session = new LiveSession(SCRIPT);
      const requests: ModelRequest[] = [];
      session.onRequest = (asked) => void requests.push(asked);
      await send(session, "m1", ask, source);
      await session.settle();
      expect(requests[0]?.tools.map(({ name }) => name)).not.toContain("getLocation");
      expect(settled(session)).toEqual([["r1s1c0", "refused", expect.any(String)]]);
    }
  });

  it("belongs to its run: the next one has other tools, and one that joins brings none", async () => {
    const { session, client } = await waiting([...SCRIPT, locate, { text: "I cannot see that from here." }]);
    await client.send(request("q2", "m2", { mode: "join", clientTools: [{ name: "other" }] }));
    await client.send(result("r1s1c0", { output: HERE }));
    await session.settle();
    const granted = session.store
      .entriesAfter(0, 1_000)
      .flatMap((entry) => (entry.kind === "run_started" ? [entry.body.grant.map(({ tool }) => tool)] : []));
    expect(granted[0]).toContain("getLocation");
    expect(granted[0]).not.toContain("other");
    await client.send(request("q3", "m3", { clientTools: undefined }));
    await session.settle();
    expect(settled(session).at(-1)).toEqual(["r2s1c0", "refused", "unknown_tool"]);
  });

  it("comes with an answer that is made again, too", async () => {
    const { session, client } = await waiting([{ text: "I do not know where you are." }, ...SCRIPT]);
    await client.send(request("q2", "m1", { trigger: "regenerate-message" }));
    await session.settle();
    expect(session.state.run?.phase.at).toBe("waiting_client");
  });
});

describe("a body of useChat", () => {
  const output = (value: Json) => ({ call: "r1s1c0", result: { kind: "output", value } }) as const;

  it("answers with the message of the assistant, and with words behind it", async () => {
    const { session } = await waiting();
    const body = { decisions: [], answers: [], message: null };
    expect(await session.api.submit(session.actor(), { ...body, outputs: [output(HERE)] })).toMatchObject({
      ok: true,
      value: { decided: { runId: "ses_demo.r1", pending: false }, sent: null },
    });
    await session.settle();
    expect(session.state.run).toBeNull();
    // History: the answer that was given, and what the stream has shown in its place.
    const head = session.state.head;
    expect(await session.api.submit(session.actor(), { ...body, outputs: [output(HERE)] })).toMatchObject({
      ok: true,
      value: { decided: null },
    });
    expect(
      await session.api.submit(session.actor(), { ...body, outputs: [output({ lat: 0 })] }),
    ).toMatchObject({
      ok: false,
      error: { code: "already_answered" },
    });
    expect(session.state.head).toBe(head);
    const message = {
      id: "m2",
      parts: [{ type: "text", text: "and now?" }],
      mode: null,
      source: "web",
      request: null,
      ask: {},
    } as const;
    expect(
      await session.api.submit(session.actor(), { ...body, outputs: [output({ lat: 0 })], message }),
    ).toMatchObject({
      ok: true,
      value: { decided: null, sent: { messageId: "m2" } },
    });
  });

  it("answers nothing for people who may only decide", async () => {
    const { session } = await waiting();
    const approver = session.actor(["approve"], "bob");
    const body = { decisions: [], answers: [], message: null, outputs: [output(HERE)] };
    expect(await session.api.submit(approver, body)).toMatchObject({ ok: false });
    expect(session.state.run?.phase.at).toBe("waiting_client");
  });
});
