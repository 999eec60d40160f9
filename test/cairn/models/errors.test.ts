import {
  APICallError,
  EmptyResponseBodyError,
  InvalidResponseDataError,
  LoadAPIKeyError,
  TypeValidationError,
  UnsupportedFunctionalityError,
} from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import type { ModelErrorClass } from "../../../src/cairn/core/log/model.ts";
import { classifyModelError } from "../../../src/cairn/models/errors.ts";
import { StreamEventError } from "../../../src/cairn/models/evidence.ts";

const NOW = Date.UTC(2026, 0, 1);
const URL = "https://user:hunter2@api.example/v1/chat/completions?key=sk-secret0123456789";
const PROMPT = "the private prompt of a person";

function answered(status: number, body: unknown = {}, headers: Record<string, string> = {}): APICallError {
  const responseBody = typeof body === "string" ? body : JSON.stringify(body);
  return new APICallError({
    message: `refused: ${PROMPT} at ${URL}`,
    url: URL,
    requestBodyValues: { messages: [PROMPT] },
    statusCode: status,
    responseHeaders: headers,
    responseBody,
  });
}
const withCode = (code: string | number, message = ""): unknown => ({ error: { message, code } });
const classOf = (error: unknown): ModelErrorClass => classifyModelError(error, NOW).class;

describe("classifyModelError", () => {
  it.each<[number, unknown, ModelErrorClass]>([
    [429, {}, "rate_limit"],
    [429, withCode("insufficient_quota"), "auth"],
    [429, withCode("rate_limit_exceeded"), "rate_limit"],
    [408, {}, "overloaded"],
    [409, {}, "overloaded"],
    [500, {}, "overloaded"],
    [503, "<html>bad gateway</html>", "overloaded"],
    [529, {}, "overloaded"],
    [401, withCode("invalid_api_key"), "auth"],
    [402, {}, "auth"],
    [403, {}, "auth"],
    [403, withCode(403, "Your input was flagged by moderation"), "content_filter"],
    [402, withCode(402, "Insufficient credits. Add more using https://openrouter.ai/credits"), "auth"],
    [404, withCode(404, "No endpoints found for meta/llama-9."), "unknown_model"],
    [404, withCode(404, "No endpoints found that support tool use. To learn more, visit"), "no_tools"],
    [404, withCode(404, "No endpoints found that support the provided 'tool_choice' value."), "no_tools"],
    [400, { error: { message: "registry.ollama.ai/library/phi does not support tools" } }, "no_tools"],
    [
      400,
      { message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set' },
      "no_tools",
    ],
    [400, withCode(400, "tools[0].function.name must not be empty"), "bad_request"],
    [
      400,
      // OpenRouter passes on the error of the model's own provider as text in its metadata.
      {
        error: {
          message: "Provider returned error",
          code: 400,
          metadata: { raw: '{"error":{"message":"prompt is too long: 9 tokens > 8 maximum"}}' },
        },
      },
      "context_overflow",
    ],
    [
      400,
      { error: { message: "odd", code: 400, metadata: { error_type: "context_length_exceeded" } } },
      "context_overflow",
    ],
    [404, {}, "unknown_model"],
    [410, {}, "unknown_model"],
    [413, {}, "context_overflow"],
    [400, withCode("context_length_exceeded"), "context_overflow"],
    [
      400,
      { error: { message: "too long", type: "exceed_context_size_error", code: 400 } },
      "context_overflow",
    ],
    [400, withCode(400, "This model's maximum context length is 8192 tokens."), "context_overflow"],
    [400, withCode(400, "However, the model's context length is only 1024 tokens"), "context_overflow"],
    [400, withCode(400, "prompt is too long: 210000 tokens > 200000 maximum"), "context_overflow"],
    [400, withCode("content_filter"), "content_filter"],
    [400, withCode("model_not_found"), "unknown_model"],
    [400, withCode(400, "foo/bar is not a valid model ID"), "unknown_model"],
    [400, withCode("invalid_api_key"), "auth"],
    [400, withCode(400, "temperature must be a number"), "bad_request"],
    [422, {}, "bad_request"],
    [500, withCode("context_length_exceeded"), "context_overflow"],
    [200, "half an answer", "cut_off"],
  ])("takes status %i with %j for %s", (status, body, expected) => {
    expect(classOf(answered(status, body))).toBe(expected);
  });

  it.each<[string, unknown, ModelErrorClass]>([
    [
      "a refused connection",
      Object.assign(new TypeError("fetch failed"), {
        cause: Object.assign(new Error("connect"), { code: "ECONNREFUSED" }),
      }),
      "network",
    ],
    ["a lost connection of the platform", new Error("Network connection lost."), "network"],
    [
      "a connect timeout",
      Object.assign(new TypeError("fetch failed"), {
        cause: Object.assign(new Error("x"), { code: "UND_ERR_CONNECT_TIMEOUT" }),
      }),
      "timeout",
    ],
    ["a time limit", new DOMException("too slow", "TimeoutError"), "timeout"],
    [
      "a retryable error without a status",
      new APICallError({ message: "odd", url: URL, requestBodyValues: {}, isRetryable: true }),
      "network",
    ],
    [
      "Workers AI out of capacity",
      new Error("3040: No more data centers to forward the request to"),
      "overloaded",
    ],
    [
      "Workers AI without a free allocation",
      new Error("AiError: 3036: you have used up your daily free allocation"),
      "rate_limit",
    ],
    ["Workers AI without the model", new Error("5007: No such model @cf/nope or task"), "unknown_model"],
    [
      "Workers AI with too long a prompt",
      new Error(
        "AiError: The estimated number of input and maximum output tokens (11146) exceeded this model context window limit (7968).",
      ),
      "context_overflow",
    ],
    ["the binding of a local start", new Error("Binding AI needs to be run remotely"), "auth"],
    ["Cloudflare's API refusing access", new Error("10000: Authentication error"), "auth"],
    ["a refusal in words alone", new Error("InferenceUpstreamError: Unauthorized"), "auth"],
    [
      "the binding with a status of its own",
      Object.assign(new Error("InferenceUpstreamError: odd"), { httpCode: 403 }),
      "auth",
    ],
    ["an error event", new StreamEventError({ error: "something" }), "cut_off"],
    [
      "an error event with a status",
      new StreamEventError({ error: { code: 429, message: "slow down" } }),
      "rate_limit",
    ],
    [
      "an error event with a code of Workers AI",
      new StreamEventError({ errors: [{ code: 3040 }], success: false }),
      "overloaded",
    ],
    ["an error part with a status", new StreamEventError({ message: "x", statusCode: 503 }), "overloaded"],
    ["an error part without one", new StreamEventError({ message: "odd" }), "cut_off"],
    [
      "a stream without a finish",
      new InvalidResponseDataError({ data: null, message: "no finish reason" }),
      "cut_off",
    ],
    ["an empty body", new EmptyResponseBodyError(), "cut_off"],
    [
      "a chunk that no parser takes",
      new TypeValidationError({ value: { choices: "maximum context" }, cause: new Error("shape") }),
      "cut_off",
    ],
    ["no key", new LoadAPIKeyError({ message: "no key" }), "auth"],
    [
      "a file that the adapter cannot send",
      new UnsupportedFunctionalityError({ functionality: "pdf" }),
      "bad_request",
    ],
    ["a bug", new TypeError("Cannot read properties of undefined"), "internal"],
    ["a thrown text", "boom", "internal"],
    ["a thrown nothing", undefined, "internal"],
  ])("takes %s for its class", (_, error, expected) => {
    expect(classOf(error)).toBe(expected);
  });

  it.each<[ModelErrorClass, readonly number[]]>([
    ["auth", [401, 402, 403]],
    ["unknown_model", [404, 410]],
    ["overloaded", [408, 409, 425, 500, 501, 502, 503, 504, 522, 529]],
    ["context_overflow", [413]],
    ["rate_limit", [429]],
    ["bad_request", [400, 405, 406, 411, 415, 422, 499]],
    ["cut_off", [200, 206]],
  ])("takes the statuses of %s for it", (expected, statuses) => {
    expect(statuses.map((status) => [status, classOf(answered(status))])).toEqual(
      statuses.map((status) => [status, expected]),
    );
  });

  // https://developers.cloudflare.com/workers-ai/platform/errors/
  it.each<[ModelErrorClass, readonly number[]]>([
    ["bad_request", [3003, 3039, 5004, 5005, 5019]],
    ["context_overflow", [3006, 5021]],
    ["timeout", [3007]],
    ["overloaded", [3008, 3040]],
    ["rate_limit", [3036]],
    ["unknown_model", [3042, 5007]],
    ["auth", [3023, 3041, 5016, 5018, 10_000]],
  ])("takes the codes of Workers AI that mean %s for it", (expected, codes) => {
    expect(codes.map((code) => [code, classOf(new Error(`${code}: odd`))])).toEqual(
      codes.map((code) => [code, expected]),
    );
  });

  it.each<[ModelErrorClass, readonly string[]]>([
    ["network", ["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "EAI_AGAIN", "EPIPE", "UND_ERR_SOCKET"]],
    ["timeout", ["ETIMEDOUT", "UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]],
  ])("takes the faults of a socket that mean %s for it", (expected, codes) => {
    const broken = (code: string): Error => Object.assign(new Error("odd"), { code });
    expect(codes.map((code) => [code, classOf(broken(code))])).toEqual(codes.map((code) => [code, expected]));
  });

  it("finds the real error behind the one that wraps it", () => {
    expect(classOf(new Error("no output", { cause: answered(429) }))).toBe("rate_limit");
  });

  it.each<[Record<string, string>, number | null]>([
    [{ "retry-after": "7" }, 7_000],
    [{ "Retry-After": "1.5" }, 1_500],
    [{ "retry-after": new Date(NOW + 90_000).toUTCString() }, 90_000],
    [{ "retry-after": new Date(NOW - 90_000).toUTCString() }, 0],
    [{ "retry-after-ms": "250", "retry-after": "7" }, 250],
    [{ "retry-after": "soon" }, null],
    [{ "retry-after": "" }, null],
    [{}, null],
  ])("reads %j as %s ms to wait", (headers, expected) => {
    expect(classifyModelError(answered(429, {}, headers), NOW).retryAfterMs).toBe(expected);
  });

  it("waits for room where OpenRouter says when there will be, and for credits never", () => {
    const room = classifyModelError(answered(402, withCode(402, "in flight"), { "retry-after": "4" }), NOW);
    expect(room).toMatchObject({ class: "rate_limit", retryAfterMs: 4_000 });
    expect(classOf(answered(402, withCode(402, "in flight")))).toBe("auth");
  });

  it("tells status, code and field, and nothing that a provider wrote in prose", () => {
    const body = {
      error: {
        message: `Incorrect key sk-secret0123456789 for "${PROMPT}"`,
        code: "invalid_value",
        param: "tools[0].function.parameters",
      },
    };
    expect(classifyModelError(answered(400, body), NOW)).toEqual({
      class: "bad_request",
      message:
        "The model's provider refused the request as invalid. (status 400, code invalid_value, field tools[0].function.parameters)",
      retryAfterMs: null,
      usage: null,
    });
  });

  it("tells the code that Workers AI writes into its text, when it is one of its own", () => {
    expect(classifyModelError(new Error(`AiError: 3006: ${PROMPT}`), NOW).message).toBe(
      "The conversation is too long for the model. (code 3006)",
    );
    expect(classifyModelError(new Error("at 12345: odd"), NOW).message).not.toContain("12345");
  });

  it.each([
    answered(401, withCode("sk-secret0123456789", `key sk-secret0123456789, prompt ${PROMPT}`)),
    answered(400, { error: { message: PROMPT, code: "a1b2c3d4e5f6a7b8c9d0", param: PROMPT, type: PROMPT } }),
    new Error(`connect ECONNREFUSED ${URL}`),
    new StreamEventError({ error: { message: PROMPT, code: URL } }),
    PROMPT,
  ])("never shows a key, a credential, a prompt or a stack (%#)", (error) => {
    const { message } = classifyModelError(error, NOW);
    expect(message).not.toMatch(/secret|hunter2|private|a1b2c3|api\.example|\bat\b.*\.ts/);
    expect(message.length).toBeLessThan(200);
  });

  it("survives an error that refers to itself", () => {
    const error: Error & { cause?: unknown } = new Error("loop");
    error.cause = { error, errors: [error] };
    expect(classOf(error)).toBe("internal");
  });
});
