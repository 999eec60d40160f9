import { createGoogle } from "@ai-sdk/google";
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

/** Google's Gemini API behind its own package. Source: https://ai.google.dev/api/generate-content */

interface Part {
  readonly text?: string;
  readonly thoughtSignature?: string;
  readonly functionCall?: { readonly id?: string; readonly name: string; readonly args: unknown };
  readonly functionResponse?: { readonly id?: string; readonly name: string };
}
interface Body {
  readonly contents: readonly { readonly role: string; readonly parts: readonly Part[] }[];
}

const SIGNATURE = "CqsBAVSoXO4thoughtsigned==";
const chunk = (parts: readonly object[], finishReason?: string) => ({
  candidates: [
    { content: { role: "model", parts }, ...(finishReason === undefined ? {} : { finishReason }) },
  ],
  usageMetadata: {
    promptTokenCount: 50,
    cachedContentTokenCount: 32,
    candidatesTokenCount: 8,
    thoughtsTokenCount: 12,
    totalTokenCount: 70,
  },
  modelVersion: "gemini-test-1",
});

const gemini = (wire: Wire<Body>) =>
  createGoogle({ apiKey: "AIza-secret", fetch: wire.fetch })("gemini-3-pro-preview");

test("text, thoughts, and cached and reasoning tokens come out of the stream", async () => {
  const wire = new Wire<Body>().answers(
    streamed(chunk([{ text: "Hm.", thought: true }]), chunk([{ text: "Hello." }], "STOP")),
  );
  expect(replyOf(await ask(gemini(wire)))).toMatchObject({
    parts: [
      { type: "reasoning", text: "Hm." },
      { type: "text", text: "Hello." },
    ],
    finish: "stop",
    usage: {
      inputTokens: 50,
      cachedInputTokens: 32,
      outputTokens: 20,
      reasoningTokens: 12,
      estimated: false,
    },
  });
  expect(wire.headers[0]?.get("x-goog-api-key")).toBe("AIza-secret");
});

test("the signature of a call is sent back unchanged, after a crash", async () => {
  const functionCall = { name: "publish", args: { name: "b" } };
  const wire = new Wire<Body>().answers(
    streamed(
      chunk([{ text: "It must be published.", thought: true }]),
      chunk([{ functionCall, thoughtSignature: SIGNATURE }], "STOP"),
    ),
    streamed(chunk([{ text: "It is published." }], "STOP")),
  );
  expect(outcomes(await runWithCrash(gemini(wire)))).toEqual(["completed"]);
  const parts = (wire.bodies[1]?.contents ?? []).flatMap((content) => content.parts);
  const called = parts.find((part) => part.functionCall !== undefined);
  expect(called).toMatchObject({ functionCall, thoughtSignature: SIGNATURE });
  const result = parts.find((part) => part.functionResponse !== undefined)?.functionResponse;
  expect([result?.name, result?.id]).toEqual(["publish", called?.functionCall?.id]);
});

describe("a failure", () => {
  const error = (code: number, status: string, message: string) => ({ error: { code, status, message } });
  test.each([
    [
      "a wrong key",
      refused(400, error(400, "INVALID_ARGUMENT", "API key not valid. AIza-secret")),
      "auth",
      null,
    ],
    ["no permission", refused(403, error(403, "PERMISSION_DENIED", "AIza-secret")), "auth", null],
    [
      "too many requests",
      refused(429, error(429, "RESOURCE_EXHAUSTED", "slow down"), { "retry-after": "7" }),
      "rate_limit",
      7_000,
    ],
    [
      "a request that is wrong",
      refused(400, error(400, "INVALID_ARGUMENT", "Ada Lovelace")),
      "bad_request",
      null,
    ],
    [
      "a prompt that is too long",
      refused(
        400,
        error(
          400,
          "INVALID_ARGUMENT",
          "The input token count (210000) exceeds the maximum number of tokens allowed (100000).",
        ),
      ),
      "context_overflow",
      null,
    ],
    [
      "a model that is not there",
      refused(404, error(404, "NOT_FOUND", "models/gemini-x is not found")),
      "unknown_model",
      null,
    ],
    [
      "an overloaded provider",
      refused(503, error(503, "UNAVAILABLE", "The model is overloaded. AIza-secret")),
      "overloaded",
      null,
    ],
    [
      "an error event",
      streamed(chunk([{ text: "He" }]), error(503, "UNAVAILABLE", "AIza-secret") as object),
      "overloaded",
      null,
    ],
    ["an answer that breaks off", streamed(chunk([{ text: "He" }])), "cut_off", null],
  ] as const)(
    "from %s has its class, and shows nothing of the provider's words",
    async (_, answer, wanted, wait) => {
      const failure = failureOf(await ask(gemini(new Wire<Body>().answers(answer))));
      expect([failure.class, failure.retryAfterMs]).toEqual([wanted, wait]);
      expect(failure.message).not.toMatch(/secret|Lovelace|210000|slow down/);
    },
  );

  test("of a stream without an end is an answer that broke off", async () => {
    const wire = new Wire<Body>().answers(endless([], chunk([{ text: LONG }])));
    expect(failureOf(await ask(gemini(wire), { timeoutMs: 60_000 })).class).toBe("cut_off");
  });
});

test.each(["SAFETY", "PROHIBITED_CONTENT", "RECITATION"])(
  "an answer that ends by %s was held back",
  async (reason) => {
    const wire = new Wire<Body>().answers(streamed(chunk([{ text: "I" }], reason)));
    expect(replyOf(await ask(gemini(wire))).finish).toBe("content-filter");
  },
);
