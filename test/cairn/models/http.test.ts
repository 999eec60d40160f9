import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type {
  DraftPiece,
  ModelOutcome,
  ModelReply,
  ModelRequest,
} from "../../../src/cairn/core/log/model.ts";
import { createProviders } from "../../../src/cairn/models/providers.ts";
import { createModel, type ModelSettings } from "../../../src/cairn/models/step.ts";

/** The whole way of an OpenAI-compatible call over real HTTP: what the adapter and the SDK make of each kind of answer. */

type Answer = (response: ServerResponse, model: string) => void;

const REQUEST: ModelRequest = {
  model: "openai-compatible:test-model",
  session: "s1",
  step: "r1s1",
  attempt: 1,
  instructions: "Be brief.",
  messages: [{ role: "user", parts: [{ type: "text", text: "hello" }] }],
  tools: [{ name: "look", description: "Looks", inputSchema: { type: "object", properties: {} } }],
  maxOutputTokens: 100,
  temperature: 0.5,
  timeoutMs: 5_000,
  dialect: "native",
  takesWritten: true,
};
const USAGE = {
  prompt_tokens: 40,
  completion_tokens: 7,
  prompt_tokens_details: { cached_tokens: 32 },
  completion_tokens_details: { reasoning_tokens: 3 },
};

let answer: Answer = () => undefined;
let asked: { headers: IncomingHttpHeaders; body: unknown; url: string | undefined } | null = null;
const server = createServer((request, response) => {
  let body = "";
  request.on("data", (bytes: Buffer) => (body += bytes.toString()));
  request.on("end", () => {
    const parsed: unknown = JSON.parse(body);
    asked = { headers: request.headers, body: parsed, url: request.url };
    answer(response, "test-model");
  });
});
let baseUrl = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  baseUrl = `http://127.0.0.1:${port}/v1`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const event = (data: unknown): string =>
  `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
const chunk = (delta: unknown, finish: string | null = null): unknown => ({
  id: "c1",
  model: "test-model-2026",
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const said = (content: string): unknown => chunk({ content });
const called = (index: number, name: string, text: string, id = `functions.${name}:${index}`): unknown =>
  chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: text } }] });
const usage = { id: "c1", model: "test-model-2026", choices: [], usage: USAGE };
const open = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { "content-type": "text/event-stream" });
/** a whole stream of these events */
const stream =
  (...events: unknown[]): Answer =>
  (response) =>
    void open(response).end([...events, "[DONE]"].map(event).join(""));
const refuse =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(JSON.stringify(body));

async function ask(
  reply: Answer,
  more: {
    readonly request?: Partial<ModelRequest>;
    readonly settings?: Omit<ModelSettings, "providers">;
    readonly signal?: AbortSignal;
    readonly baseUrl?: string;
    readonly reportsCost?: boolean;
    readonly onDraft?: (piece: DraftPiece) => void;
  } = {},
): Promise<{ outcome: ModelOutcome; drafts: DraftPiece[] }> {
  answer = reply;
  const providers = createProviders({
    ai: null,
    openaiCompatible: {
      baseUrl: more.baseUrl ?? baseUrl,
      apiKey: "key-1",
      headers: {},
      reportsCost: more.reportsCost ?? false,
    },
    openrouter: null,
    gatewayId: null,
  });
  const drafts: DraftPiece[] = [];
  const outcome = await createModel({ providers, ...more.settings }).call(
    { ...REQUEST, ...more.request },
    (piece) => {
      drafts.push(piece);
      more.onDraft?.(piece);
    },
    more.signal ?? new AbortController().signal,
  );
  return { outcome, drafts };
}
function replyOf(outcome: ModelOutcome): ModelReply {
  if (outcome.kind !== "replied") throw new Error(JSON.stringify(outcome));
  return outcome.reply;
}
const failureOf = (outcome: ModelOutcome) => (outcome.kind === "failed" ? outcome.failure : outcome);

describe("an OpenAI-compatible model", () => {
  it("answers with text, usage and its own name", async () => {
    const { outcome, drafts } = await ask(stream(said("Hel"), said("lo."), chunk({}, "stop"), usage));
    expect(replyOf(outcome)).toMatchObject({
      parts: [{ type: "text", text: "Hello." }],
      finish: "stop",
      usage: {
        inputTokens: 40,
        cachedInputTokens: 32,
        outputTokens: 7,
        reasoningTokens: 3,
        estimated: false,
      },
      model: "test-model-2026",
    });
    expect(drafts.map((piece) => piece.text).join("")).toBe("Hello.");
  });

  it("is believed about the cost of its call only where the deployment says so", async () => {
    const priced = { ...usage, usage: { ...USAGE, cost: 0.0123 } };
    const costOf = async (reportsCost: boolean): Promise<number | undefined> => {
      const { outcome } = await ask(stream(said("ok"), chunk({}, "stop"), priced), { reportsCost });
      return replyOf(outcome).usage.reportedCost;
    };
    expect([await costOf(true), await costOf(false)]).toEqual([12_300, undefined]);
  });

  it.each<[string, unknown, number | undefined]>([
    ["nothing, of a free model", { cost: 0 }, 0],
    ["less than a millionth", { cost: 0.000_000_4 }, 1],
    ["what arithmetic made of 300 millionths", { cost: 0.000_1 * 3 }, 300],
    ["the highest that can be meant", { cost: 1_000 }, 1e9],
    ["more than can be meant", { cost: 1_000.01 }, undefined],
    ["less than nothing", { cost: -0.01 }, undefined],
    ["a text", { cost: "0.01" }, undefined],
    ["no number", { cost: null }, undefined],
    ["a list", { cost: [0.01] }, undefined],
    ["nothing at all", {}, undefined],
    ["a number that JSON rounds to infinity", '{"cost":1e999}', undefined],
    [
      "its fee, and what the operator's own key pays",
      { cost: 0.001, is_byok: true, cost_details: { upstream_inference_cost: 0.02 } },
      21_000,
    ],
    ["its fee alone, for a key of the operator's own", { cost: 0, is_byok: true }, undefined],
    [
      "the same twice, as it does where it pays",
      { cost: 0.02, is_byok: false, cost_details: { upstream_inference_cost: 0.02 } },
      20_000,
    ],
  ])("that says that the call cost %s is taken at its word, or not at all", async (_, said_, cost) => {
    const own = typeof said_ === "string" ? said_ : JSON.stringify(said_);
    const tokens = JSON.stringify(USAGE).slice(0, -1);
    const last = `{"choices":[],"usage":${tokens}${own === "{}" ? "}" : `,${own.slice(1)}`}}`;
    const { outcome } = await ask(stream(said("ok"), chunk({}, "stop"), last), { reportsCost: true });
    expect(replyOf(outcome).usage).toMatchObject({ inputTokens: 40, outputTokens: 7, estimated: false });
    expect(replyOf(outcome).usage.reportedCost).toBe(cost);
  });

  it("has its cost counted when its answer was cut off", async () => {
    const priced = { ...usage, usage: { ...USAGE, cost: 0.5 } };
    const { outcome } = await ask(stream(said("half"), chunk({}, "error"), priced), { reportsCost: true });
    expect(failureOf(outcome)).toMatchObject({ class: "cut_off", usage: { reportedCost: 500_000 } });
  });

  it("is sent the key, the tools, the limits and the wish for usage", async () => {
    await ask(stream(said("ok"), chunk({}, "stop")));
    expect(asked?.url).toBe("/v1/chat/completions");
    expect(asked?.headers.authorization).toBe("Bearer key-1");
    expect(asked?.body).toMatchObject({
      model: "test-model",
      max_tokens: 100,
      temperature: 0.5,
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "hello" },
      ],
      tools: [{ type: "function", function: { name: "look", description: "Looks" } }],
    });
  });

  it("reasons, speaks and calls, in this order", async () => {
    const { outcome, drafts } = await ask(
      stream(
        chunk({ reasoning_content: "Hm" }),
        chunk({ reasoning_content: "." }),
        said("I look."),
        called(0, "look", '{"slug":'),
        chunk({ tool_calls: [{ index: 0, function: { arguments: '"a"}' } }] }),
        called(1, "look", '{"slug":"b"}'),
        chunk({}, "tool_calls"),
        usage,
      ),
    );
    expect(replyOf(outcome)).toMatchObject({
      parts: [
        { type: "reasoning", text: "Hm." },
        { type: "text", text: "I look." },
        { type: "call", tool: "look", input: { slug: "a" } },
        { type: "call", tool: "look", input: { slug: "b" } },
      ],
      finish: "tool-calls",
    });
    expect(drafts.map(({ part, type }) => `${part} ${type}`)).toEqual(
      expect.arrayContaining(["0 reasoning", "1 text"]),
    );
  });

  it("may give two calls one id: they are two calls", async () => {
    const { outcome } = await ask(
      stream(
        called(0, "look", '{"a":1}', "same"),
        called(1, "look", '{"a":2}', "same"),
        chunk({}, "tool_calls"),
      ),
    );
    expect(replyOf(outcome).parts).toEqual([
      { type: "call", tool: "look", input: { a: 1 } },
      { type: "call", tool: "look", input: { a: 2 } },
    ]);
  });

  it("may call what it was not offered, and write what is no JSON", async () => {
    const { outcome } = await ask(
      stream(called(0, "fly", '{"to":"moon"}'), called(1, "look", "{slug: a}"), chunk({}, "tool_calls")),
    );
    expect(replyOf(outcome).parts).toEqual([
      { type: "call", tool: "fly", input: { to: "moon" } },
      { type: "call", tool: "look", input: null, malformed: "{slug: a}" },
    ]);
  });

  it("may be stopped by its limit in the middle of a call", async () => {
    const { outcome } = await ask(
      stream(said("Now"), called(0, "look", '{"slug":"ab'), chunk({}, "length"), usage),
    );
    expect(replyOf(outcome)).toMatchObject({
      parts: [
        { type: "text", text: "Now" },
        { type: "call", tool: "look", input: null, malformed: '{"slug":"ab' },
      ],
      finish: "length",
    });
  });

  it("may say nothing", async () => {
    const { outcome } = await ask(stream(chunk({}, "stop"), usage));
    expect(replyOf(outcome)).toMatchObject({ parts: [], finish: "stop", firstTokenMs: null });
  });

  it("is sent what it said before: reasoning, calls under our names, results", async () => {
    await ask(stream(said("ok"), chunk({}, "stop")), {
      request: {
        messages: [
          { role: "user", parts: [{ type: "text", text: "go" }] },
          {
            role: "assistant",
            parts: [
              { type: "reasoning", text: "Hm." },
              {
                type: "call",
                call: "r1s1c0",
                tool: "look",
                input: { slug: "a" },
                options: { compatible: { thoughtSignature: "sig" } },
              },
              { type: "call", call: "r1s1c1", tool: "look", input: null },
            ],
          },
          {
            role: "tool",
            results: [
              { call: "r1s1c0", tool: "look", observation: "seen", failed: false },
              { call: "r1s1c1", tool: "look", observation: "no JSON", failed: true },
            ],
          },
        ],
      },
    });
    expect(asked?.body).toMatchObject({
      messages: [
        { role: "system" },
        { role: "user" },
        {
          role: "assistant",
          reasoning_content: "Hm.",
          tool_calls: [
            {
              id: "000100100",
              function: { name: "look", arguments: '{"slug":"a"}' },
              extra_content: { google: { thought_signature: "sig" } },
            },
            { id: "000100101", function: { name: "look", arguments: "{}" } },
          ],
        },
        { role: "tool", tool_call_id: "000100100", content: "seen" },
        { role: "tool", tool_call_id: "000100101", content: "no JSON" },
      ],
    });
  });

  it.each<[string, Answer, object]>([
    [
      "429 with the wait it asks for",
      refuse(429, { error: { message: "slow" } }, { "retry-after": "3" }),
      { class: "rate_limit", retryAfterMs: 3_000 },
    ],
    ["500", refuse(500, { error: { message: "oops" } }), { class: "overloaded", retryAfterMs: null }],
    [
      "401",
      refuse(401, { error: { message: "bad key-1", code: "invalid_api_key" } }),
      {
        class: "auth",
        message:
          "The model's provider refused access: check the key, the account and its quota. (status 401, code invalid_api_key)",
      },
    ],
    ["404", refuse(404, { error: { message: "no such model" } }), { class: "unknown_model" }],
    [
      "an overflow",
      refuse(400, { error: { message: "x", code: "context_length_exceeded" } }),
      { class: "context_overflow" },
    ],
    [
      "an error inside the stream, with a finish after it",
      stream(said("half"), { error: { message: "odd" } }, chunk({}, "stop")),
      { class: "cut_off" },
    ],
    [
      "an error inside the stream with a status",
      stream(said("half"), { error: { message: "slow", code: 429 } }),
      { class: "rate_limit" },
    ],
    [
      "an error inside the stream that is a bare text",
      stream(said("half"), { error: "model runner has stopped" }),
      { class: "cut_off" },
    ],
    [
      "an error of OpenRouter in a chunk that looks like any other",
      stream(said("half"), {
        id: "c1",
        model: "test-model-2026",
        error: { code: 502, message: "Provider disconnected", metadata: { provider_name: "Odd" } },
        choices: [{ index: 0, delta: { content: "" }, finish_reason: "error" }],
      }),
      { class: "overloaded" },
    ],
    [
      "an error of OpenRouter before any word",
      stream({ error: { code: 429, message: "Provider returned error" }, choices: [] }),
      { class: "rate_limit" },
    ],
    [
      "a finish of OpenRouter that is an error",
      stream(said("half"), chunk({}, "error")),
      { class: "cut_off" },
    ],
    [
      "tools that the model cannot be given",
      refuse(404, { error: { message: "No endpoints found that support tool use.", code: 404 } }),
      { class: "no_tools", message: "The model cannot be given tools there. (status 404)" },
    ],
    ["a line that is no JSON", stream(said("half"), "{"), { class: "cut_off" }],
    ["a stream without a finish", stream(said("half")), { class: "cut_off" }],
    [
      "a stream that the server breaks",
      (response) => open(response).write(event(said("half")), () => response.destroy()),
      { class: "cut_off" },
    ],
  ])("fails with its class for %s", async (_, reply, failure) => {
    const { outcome } = await ask(reply);
    expect(failureOf(outcome)).toMatchObject(failure);
  });

  it("cannot be reached when nobody listens", async () => {
    // A port that was free a moment ago.
    const gone = createServer();
    await new Promise<void>((resolve) => gone.listen(0, "127.0.0.1", resolve));
    const { port } = gone.address() as AddressInfo;
    await new Promise((resolve) => gone.close(resolve));
    const { outcome } = await ask(() => undefined, { baseUrl: `http://127.0.0.1:${port}/v1` });
    expect(failureOf(outcome)).toEqual({
      class: "network",
      message: "The model could not be reached. (code econnrefused)",
      retryAfterMs: null,
      usage: null,
    });
  });

  it.each<[string, Answer, Omit<ModelSettings, "providers">]>([
    ["no answer at all", () => undefined, { firstChunkMs: 150 }],
    ["an answer without content", (response) => open(response).flushHeaders(), { firstChunkMs: 150 }],
    ["content that stops coming", (response) => open(response).write(event(said("half"))), { chunkMs: 30 }],
  ])("is given up after %s, and its connection is closed", async (_, reply, settings) => {
    let closed: Promise<void> | undefined;
    const { outcome } = await ask(
      (response, model) => {
        closed = new Promise((resolve) => response.once("close", resolve));
        reply(response, model);
      },
      { settings },
    );
    expect(failureOf(outcome)).toMatchObject({ class: "timeout" });
    expect(closed).toBeDefined();
    await closed;
  });

  it("keeps what had come when it is aborted, and its connection is closed", async () => {
    const stop = new AbortController();
    let closed: Promise<void> | undefined;
    const { outcome, drafts } = await ask(
      (response) => {
        closed = new Promise((resolve) => response.once("close", resolve));
        open(response).write(event(said("Half an")));
      },
      { signal: stop.signal, onDraft: () => stop.abort() },
    );
    expect(outcome).toMatchObject({
      kind: "aborted",
      partial: { parts: [{ type: "text", text: "Half an" }], finish: "aborted" },
    });
    expect(drafts).toEqual([{ type: "text", part: 0, text: "Half an" }]);
    await closed;
  });
});
