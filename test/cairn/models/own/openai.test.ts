import { createOpenAI } from "@ai-sdk/openai";
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

/** OpenAI's Responses API behind its own package. Source: https://platform.openai.com/docs/api-reference/responses-streaming */

interface Item {
  readonly type?: string;
  readonly role?: string;
  readonly id?: string;
  readonly call_id?: string;
  readonly encrypted_content?: string;
}
interface Body {
  readonly store?: boolean;
  readonly include?: readonly string[];
  readonly input: readonly Item[];
}

const created = {
  type: "response.created",
  response: { id: "resp_1", created_at: 1_780_000_000, model: "gpt-test-1" },
};
const added = (output_index: number, item: object) => ({
  type: "response.output_item.added",
  output_index,
  item,
});
const done = (output_index: number, item: object) => ({
  type: "response.output_item.done",
  output_index,
  item,
});
const ENCRYPTED = "gAAAAABencrypted+reasoning/==";
const reasoning = (at: number, id: string, summaries: readonly string[]) => [
  added(at, { type: "reasoning", id, summary: [], encrypted_content: null }),
  ...summaries.flatMap((delta, summary_index) => [
    { type: "response.reasoning_summary_part.added", item_id: id, summary_index },
    { type: "response.reasoning_summary_text.delta", item_id: id, summary_index, delta },
    { type: "response.reasoning_summary_part.done", item_id: id, summary_index },
  ]),
  done(at, {
    type: "reasoning",
    id,
    summary: summaries.map((text) => ({ type: "summary_text", text })),
    encrypted_content: ENCRYPTED,
  }),
];
const words = (at: number, id: string, text: string) => [
  added(at, { type: "message", id, role: "assistant", content: [] }),
  { type: "response.output_text.delta", item_id: id, output_index: at, content_index: 0, delta: text },
  done(at, {
    type: "message",
    id,
    role: "assistant",
    content: [{ type: "output_text", text, annotations: [] }],
  }),
];
const call = (at: number, name: string, input: object) => {
  const item = { type: "function_call", id: `fc_${"a".repeat(48)}`, call_id: `call_${"b".repeat(24)}`, name };
  const text = JSON.stringify(input);
  return [
    added(at, { ...item, arguments: "" }),
    { type: "response.function_call_arguments.delta", item_id: item.id, output_index: at, delta: text },
    { type: "response.function_call_arguments.done", item_id: item.id, output_index: at, arguments: text },
    done(at, { ...item, arguments: text, status: "completed" }),
  ];
};
const usage = {
  input_tokens: 50,
  input_tokens_details: { cached_tokens: 32 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 12 },
};
const completed = { type: "response.completed", response: { id: "resp_1", usage, incomplete_details: null } };
const incomplete = (reason: string) => ({
  type: "response.incomplete",
  response: { id: "resp_1", usage, incomplete_details: { reason } },
});

const gpt = (wire: Wire<Body>) => createOpenAI({ apiKey: "sk-secret", fetch: wire.fetch })("gpt-5");

test("text, its summed-up thoughts, and cached and reasoning tokens come out of the stream", async () => {
  const wire = new Wire<Body>().answers(
    streamed(created, ...reasoning(0, "rs_1", ["Hm."]), ...words(1, "msg_1", "Hello."), completed),
  );
  expect(replyOf(await ask(gpt(wire)))).toMatchObject({
    parts: [
      {
        type: "reasoning",
        text: "Hm.",
        options: { openai: { itemId: "rs_1", reasoningEncryptedContent: ENCRYPTED } },
      },
      { type: "text", text: "Hello." },
    ],
    finish: "stop",
    model: "gpt-test-1",
    usage: {
      inputTokens: 50,
      cachedInputTokens: 32,
      outputTokens: 20,
      reasoningTokens: 12,
      estimated: false,
    },
  });
  // The log is the history, so nothing is referred to that OpenAI would have to keep.
  expect(wire.bodies[0]).toMatchObject({ store: false, include: ["reasoning.encrypted_content"] });
});

test.each([
  ["with a summary", ["It must be published.", "Now."]],
  ["without a summary", []],
])("encrypted reasoning %s is sent back unchanged before its call, after a crash", async (_, summaries) => {
  const wire = new Wire<Body>().answers(
    streamed(created, ...reasoning(0, "rs_1", summaries), ...call(1, "publish", { name: "b" }), completed),
    streamed(created, ...words(0, "msg_2", "It is published."), completed),
  );
  expect(outcomes(await runWithCrash(gpt(wire)))).toEqual(["completed"]);
  const input = wire.bodies[1]?.input ?? [];
  expect(input.some(({ type }) => type === "item_reference")).toBe(false);
  const thought = input.findIndex(({ type }) => type === "reasoning");
  expect(input[thought]).toEqual({
    type: "reasoning",
    id: "rs_1",
    encrypted_content: ENCRYPTED,
    summary: summaries.map((text) => ({ type: "summary_text", text })),
  });
  const called = input[thought + 1];
  expect(called).toMatchObject({ type: "function_call", name: "publish", arguments: '{"name":"b"}' });
  const results = input.filter(({ type }) => type === "function_call_output");
  expect(results.map((result) => result.call_id)).toEqual([called?.call_id]);
  expect(called?.call_id).toMatch(/^[a-zA-Z0-9]{9}$/);
});

describe("a failure", () => {
  const error = (type: string, code: string | null, message: string, param: string | null = null) => ({
    error: { type, code, message, param },
  });
  const failed = (code: string, message: string) => ({
    type: "response.failed",
    sequence_number: 3,
    response: { error: { code, message }, usage: null, incomplete_details: null },
  });
  test.each([
    [
      "a wrong key",
      refused(
        401,
        error("invalid_request_error", "invalid_api_key", "Incorrect API key provided: sk-secret"),
      ),
      "auth",
      null,
    ],
    [
      "too many requests",
      refused(429, error("requests", "rate_limit_exceeded", "slow down"), { "retry-after": "7" }),
      "rate_limit",
      7_000,
    ],
    [
      "a spent account",
      refused(429, error("insufficient_quota", "insufficient_quota", "sk-secret")),
      "auth",
      null,
    ],
    [
      "a request that is wrong",
      refused(400, error("invalid_request_error", "invalid_value", "Ada Lovelace", "input[0]")),
      "bad_request",
      null,
    ],
    [
      "a prompt that is too long",
      refused(400, error("invalid_request_error", "context_length_exceeded", "210000")),
      "context_overflow",
      null,
    ],
    [
      "a model that is not there",
      refused(404, error("invalid_request_error", "model_not_found", "gpt-x")),
      "unknown_model",
      null,
    ],
    ["an overloaded provider", refused(503, error("server_error", null, "sk-secret")), "overloaded", null],
    [
      "an answer that failed",
      streamed(created, ...words(0, "m", "He"), failed("server_error", "sk-secret")),
      "overloaded",
      null,
    ],
    [
      "an answer that failed by its limit",
      streamed(created, failed("rate_limit_exceeded", "sk-secret")),
      "rate_limit",
      null,
    ],
    [
      "an error event",
      streamed(created, { type: "error", ...error("server_error", "server_error", "sk-secret") }),
      "overloaded",
      null,
    ],
    ["an answer that breaks off", streamed(created, ...words(0, "m", "He")), "cut_off", null],
  ] as const)(
    "from %s has its class, and shows nothing of the provider's words",
    async (_, answer, wanted, wait) => {
      const failure = failureOf(await ask(gpt(new Wire<Body>().answers(answer))));
      expect([failure.class, failure.retryAfterMs]).toEqual([wanted, wait]);
      expect(failure.message).not.toMatch(/secret|Lovelace|210000|slow down/);
    },
  );

  test("of a stream without an end is an answer that broke off", async () => {
    const first = [created, added(0, { type: "message", id: "m", role: "assistant", content: [] })];
    const again = {
      type: "response.output_text.delta",
      item_id: "m",
      output_index: 0,
      content_index: 0,
      delta: LONG,
    };
    const wire = new Wire<Body>().answers(endless(first, again));
    expect(failureOf(await ask(gpt(wire), { timeoutMs: 60_000 })).class).toBe("cut_off");
  });
});

test("an answer that a filter held back, and one that was cut by its length, say so", async () => {
  const ended = async (event: object) =>
    replyOf(await ask(gpt(new Wire<Body>().answers(streamed(created, ...words(0, "m", "I"), event))))).finish;
  expect([await ended(incomplete("content_filter")), await ended(incomplete("max_output_tokens"))]).toEqual([
    "content-filter",
    "length",
  ]);
});
