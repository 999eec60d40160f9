import { createAnthropic } from "@ai-sdk/anthropic";
import { defaultSettingsMiddleware, wrapLanguageModel } from "ai";
import { describe, expect, test } from "vitest";
import {
  ask,
  endless,
  failureOf,
  outcomes,
  refused,
  replyOf,
  runWithCrash,
  streamed,
  Wire,
  LONG,
} from "./wire.ts";

/** Anthropic's Messages API behind its own package. Source: https://docs.anthropic.com/en/api/messages-streaming */

interface Block {
  readonly type: string;
  readonly id?: string;
  readonly tool_use_id?: string;
  readonly signature?: string;
}
interface Body {
  readonly model: string;
  readonly thinking?: unknown;
  readonly messages: readonly { readonly role: string; readonly content: readonly Block[] }[];
}

const USAGE = {
  input_tokens: 10,
  cache_read_input_tokens: 30,
  cache_creation_input_tokens: 5,
  output_tokens: 1,
};
const start = {
  type: "message_start",
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-test-1",
    content: [],
    usage: USAGE,
  },
};
const block = (index: number, content_block: object, ...deltas: readonly object[]) => [
  { type: "content_block_start", index, content_block },
  ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
  { type: "content_block_stop", index },
];
const thinking = (index: number, text: string, signature: string) =>
  block(
    index,
    { type: "thinking", thinking: "", signature: "" },
    { type: "thinking_delta", thinking: text },
    { type: "signature_delta", signature },
  );
const words = (index: number, text: string) =>
  block(index, { type: "text", text: "" }, { type: "text_delta", text });
const use = (index: number, name: string, input: object) =>
  block(
    index,
    { type: "tool_use", id: `toolu_01${"A".repeat(22)}`, name, input: {} },
    { type: "input_json_delta", partial_json: JSON.stringify(input) },
  );
const end = (stop_reason: string) => [
  { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 20 } },
  { type: "message_stop" },
];

const SIGNATURE = "EqQBCkYIBBgCKkDsigned+/==";

function claude(wire: Wire<Body>) {
  const provider = createAnthropic({ apiKey: "sk-ant-secret", fetch: wire.fetch });
  return wrapLanguageModel({
    model: provider("claude-sonnet-4-5"),
    middleware: defaultSettingsMiddleware({
      settings: { providerOptions: { anthropic: { thinking: { type: "enabled", budgetTokens: 1_024 } } } },
    }),
  });
}

test("text, its thoughts and cached tokens come out of the stream", async () => {
  const wire = new Wire<Body>().answers(
    streamed(start, ...thinking(0, "Hm.", SIGNATURE), ...words(1, "Hello."), ...end("end_turn")),
  );
  const reply = replyOf(await ask(claude(wire)));
  expect(reply).toMatchObject({
    parts: [
      { type: "reasoning", text: "Hm.", options: { anthropic: { signature: SIGNATURE } } },
      { type: "text", text: "Hello." },
    ],
    finish: "stop",
    model: "claude-test-1",
    usage: { inputTokens: 45, cachedInputTokens: 30, outputTokens: 20, estimated: false },
  });
  expect(wire.bodies[0]?.thinking).toEqual({ type: "enabled", budget_tokens: 1_024 });
});

test("signed and redacted thoughts are sent back unchanged before their call, after a crash", async () => {
  const redacted = block(1, { type: "redacted_thinking", data: "cmVkYWN0ZWQ=" });
  const wire = new Wire<Body>().answers(
    streamed(
      start,
      ...thinking(0, "It must be published.", SIGNATURE),
      ...redacted,
      ...use(2, "publish", { name: "b" }),
      ...end("tool_use"),
    ),
    streamed(start, ...words(0, "It is published."), ...end("end_turn")),
  );
  expect(outcomes(await runWithCrash(claude(wire)))).toEqual(["completed"]);
  const messages = wire.bodies[1]?.messages ?? [];
  const answer = messages.find(({ role }) => role === "assistant");
  expect(answer?.content).toMatchObject([
    { type: "thinking", thinking: "It must be published.", signature: SIGNATURE },
    { type: "redacted_thinking", data: "cmVkYWN0ZWQ=" },
    { type: "tool_use", name: "publish", input: { name: "b" } },
  ]);
  const called = answer?.content.at(-1)?.id ?? "";
  expect(called).toMatch(/^[a-zA-Z0-9_-]+$/);
  const results = messages.flatMap(({ content }) => content.filter(({ type }) => type === "tool_result"));
  expect(results.map((result) => result.tool_use_id)).toEqual([called]);
});

describe("a failure", () => {
  const overloaded = {
    type: "error",
    error: { type: "overloaded_error", message: "sk-ant-secret overloaded" },
  };
  const error = (type: string, message: string) => ({ type: "error", error: { type, message } });
  test.each([
    [
      "a wrong key",
      refused(401, error("authentication_error", "invalid x-api-key sk-ant-secret")),
      "auth",
      null,
    ],
    [
      "too many requests",
      refused(429, error("rate_limit_error", "slow down"), { "retry-after": "7" }),
      "rate_limit",
      7_000,
    ],
    [
      "a request that is wrong",
      refused(400, error("invalid_request_error", "messages: Ada Lovelace")),
      "bad_request",
      null,
    ],
    [
      "a prompt that is too long",
      refused(400, error("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")),
      "context_overflow",
      null,
    ],
    [
      "a model that is not there",
      refused(404, error("not_found_error", "model: claude-x")),
      "unknown_model",
      null,
    ],
    ["an overloaded provider", refused(529, overloaded), "overloaded", null],
    ["an error event that comes first", streamed(overloaded), "overloaded", null],
    ["an error event within the answer", streamed(start, ...words(0, "He"), overloaded), "overloaded", null],
    ["an answer that breaks off", streamed(start, ...words(0, "He")), "cut_off", null],
  ] as const)(
    "from %s has its class, and shows nothing of the provider's words",
    async (_, answer, wanted, wait) => {
      const failure = failureOf(await ask(claude(new Wire<Body>().answers(answer))));
      expect([failure.class, failure.retryAfterMs]).toEqual([wanted, wait]);
      expect(failure.message).not.toMatch(/secret|Lovelace|210000|slow down/);
    },
  );

  test("of a stream without an end is an answer that broke off", async () => {
    const thoughts = {
      type: "content_block_delta",
      index: 0,
      delta: { type: "thinking_delta", thinking: LONG },
    };
    const first = [
      start,
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "thinking", thinking: "", signature: "" },
      },
    ];
    const failure = failureOf(
      await ask(claude(new Wire<Body>().answers(endless(first, thoughts))), { timeoutMs: 60_000 }),
    );
    expect(failure.class).toBe("cut_off");
  });
});

test("a refusal is an answer that a filter held back", async () => {
  const wire = new Wire<Body>().answers(streamed(start, ...words(0, "I"), ...end("refusal")));
  expect(replyOf(await ask(claude(wire))).finish).toBe("content-filter");
});

test("a cancelled call ends with what had come", async () => {
  const stop = new AbortController();
  const wire = new Wire<Body>().answers(() => {
    queueMicrotask(() => stop.abort());
    return new Response(new ReadableStream({ pull: () => new Promise(() => undefined) }), {
      headers: { "content-type": "text/event-stream" },
    });
  });
  expect(await ask(claude(wire), {}, stop.signal)).toMatchObject({ kind: "aborted", partial: { parts: [] } });
});
