import { expect, test } from "vitest";
import { MockLanguageModelV4, simulateReadableStream } from "ai/test";
import { createLazyModel, createLazyProviders } from "../../../src/cairn/models/lazy-model.ts";
import type { ModelRequest } from "../../../src/cairn/core/log/model.ts";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const mock = new MockLanguageModelV4({
  doStream: async () => ({
    stream: simulateReadableStream({
      chunks: [
        { type: "stream-start", warnings: [] },
        { type: "text-start", id: "t" },
        { type: "text-delta", id: "t", delta: "Hello." },
        { type: "text-end", id: "t" },
        { type: "finish", usage, finishReason: { unified: "stop", raw: "stop" } },
      ],
    }),
  }),
});
const providers = createLazyProviders({
  ai: null,
  openaiCompatible: null,
  openrouter: null,
  gatewayId: null,
  rules: { "rehearsal:": async () => mock },
});
const request: ModelRequest = {
  model: "rehearsal:",
  session: "s1",
  step: "r1s1",
  attempt: 1,
  instructions: "",
  messages: [{ role: "user", parts: [{ type: "text", text: "/say Hello." }] }],
  dialect: "native",
  takesWritten: true,
  tools: [],
  maxOutputTokens: 100,
  temperature: null,
  timeoutMs: 1_000,
};

test("providers that are loaded at the first call find models, and say why there is none", async () => {
  expect(await providers("rehearsal:", "s1")).toMatchObject({ specificationVersion: "v4" });
  expect(await providers("openrouter:a/b", "s1")).toEqual({ problem: "No key of OpenRouter is set." });
});

test("a model that is loaded at the first call answers, and its failures are values", async () => {
  const model = createLazyModel({ providers });
  const ask = (name: string, signal = new AbortController().signal) =>
    model.call({ ...request, model: name }, () => undefined, signal);
  expect(await ask("rehearsal:")).toMatchObject({
    kind: "replied",
    reply: { parts: [{ type: "text", text: "Hello." }] },
  });
  expect(await ask("openrouter:a/b")).toMatchObject({ kind: "failed", failure: { class: "unknown_model" } });
  expect(await ask("rehearsal:", AbortSignal.abort())).toMatchObject({ kind: "aborted" });
});
