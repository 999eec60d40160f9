import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { wrapLanguageModel } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { describe, expect, test } from "vitest";
import { createOwnModels, type ModelFactories } from "../../../../src/cairn/models/own-models.ts";
import { createProviders } from "../../../../src/cairn/models/providers.ts";
import { ask, failureOf, replyOf } from "./wire.ts";

/** Models of a project: made by name, refused with a sentence, and bounded whatever they stream. */

const env = { KEY: "sk-secret" } as unknown as Cloudflare.Env;
const made = (factories: Readonly<Record<string, (env: Cloudflare.Env) => unknown>>) => {
  const reports: string[] = [];
  const own = createOwnModels(factories as ModelFactories, env, (name, error) =>
    reports.push(`${name}: ${String(error)}`),
  );
  const providers = createProviders({
    ai: null,
    openaiCompatible: null,
    openrouter: null,
    gatewayId: null,
    ownModels: own,
  });
  return { own, reports, providers };
};
const streaming = (make: () => ReadableStream<LanguageModelV4StreamPart>): LanguageModelV4 =>
  new MockLanguageModelV4({ doStream: async () => ({ stream: make() }) });

test("a model is made from the environment, and is found by its name", async () => {
  const model = new MockLanguageModelV4({ modelId: "claude-test" });
  let seen: Cloudflare.Env | null = null;
  const { own, providers } = made({
    claude: (given) => {
      seen = given;
      return model;
    },
  });
  expect([...own.gaps]).toEqual([["claude", null]]);
  expect(seen).toBe(env);
  expect(await providers("claude", "s1")).toBe(model);
  expect(await providers("claud", "s1")).toEqual({
    problem: expect.stringMatching(/^The model name must be claude, workers-ai:<id>, .* gateway:<id>\.$/),
  });
  expect(await providers("toString", "s1")).toHaveProperty("problem");
});

describe("a model cannot be called", () => {
  test.each([
    ["that is a text", () => "anthropic/claude-sonnet-5", "is a text"],
    [
      "of an older interface",
      () => ({ specificationVersion: "v3", doStream: () => null }),
      "is of another version of the AI SDK than v4",
    ],
    [
      "of the one before",
      () => ({ specificationVersion: "v2", doStream: () => null }),
      "is of another version",
    ],
    ["that is a promise", () => Promise.resolve(new MockLanguageModelV4()), "is no language model"],
    ["that is nothing", () => undefined, "is no language model"],
    ["that cannot stream", () => ({ specificationVersion: "v4" }), "is no language model"],
  ])("%s", async (_, factory, words) => {
    const { own, providers } = made({ gpt: factory });
    expect(own.gaps.get("gpt")).toContain(words);
    expect(await providers("gpt", "s1")).toEqual({
      problem: expect.stringContaining(`The model gpt ${words}`),
    });
  });

  test("whose factory throws, and only the log gets its words", async () => {
    const { own, reports, providers } = made({
      gpt: ({ ...given }) => {
        throw new Error(`no ${JSON.stringify(given)}`);
      },
    });
    expect(own.gaps.get("gpt")).toBe("could not be made: the log of the worker says why");
    expect(JSON.stringify(await providers("gpt", "s1"))).not.toContain("secret");
    expect(reports[0]).toContain("sk-secret");
  });
});

const streamOf = (
  ...parts: readonly LanguageModelV4StreamPart[]
): ReadableStream<LanguageModelV4StreamPart> =>
  new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });

describe("whatever a provider streams", () => {
  const forEver = (...parts: readonly LanguageModelV4StreamPart[]) =>
    streaming(() => {
      let at = 0;
      return new ReadableStream({
        pull(controller) {
          const part = parts[at++ % parts.length];
          if (part !== undefined) controller.enqueue(part);
        },
      });
    });
  test.each<[string, readonly LanguageModelV4StreamPart[]]>([
    [
      "empty texts",
      [
        { type: "text-start", id: "0" },
        { type: "text-delta", id: "0", delta: "" },
      ],
    ],
    ["parts that nobody reads", [{ type: "raw", rawValue: null }]],
    [
      "metadata",
      [{ type: "reasoning-end", id: "0", providerMetadata: { own: { signature: "x".repeat(10_000) } } }],
    ],
  ])("%s without an end end the call, even from memory", async (_, parts) => {
    expect(failureOf(await ask(forEver(...parts), { timeoutMs: 600_000 })).class).toBe("cut_off");
  });

  test("metadata that nests without measure is left out, and the answer stands", async () => {
    let nested: Record<string, never> = {};
    for (let depth = 0; depth < 5_000; depth++) nested = { nested } as unknown as Record<string, never>;
    const model = streaming(() =>
      streamOf(
        { type: "text-start", id: "0" },
        { type: "text-delta", id: "0", delta: "Hello." },
        { type: "text-end", id: "0", providerMetadata: { deep: nested, own: { itemId: "m" } } },
        {
          type: "finish",
          finishReason: { unified: "stop", raw: "stop" },
          usage: {
            inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
            outputTokens: { total: 1, text: 1, reasoning: 0 },
          },
        },
      ),
    );
    expect(replyOf(await ask(model)).parts).toEqual([
      { type: "text", text: "Hello.", options: { own: { itemId: "m" } } },
    ]);
  });

  test("middleware around a model can change what is asked", async () => {
    const model = new MockLanguageModelV4({ doStream: async () => Promise.reject(new Error("not called")) });
    const temperatures: (number | undefined)[] = [];
    const wrapped = wrapLanguageModel({
      model,
      middleware: {
        specificationVersion: "v4",
        wrapStream: async ({ params }) => {
          temperatures.push(params.temperature);
          throw new Error("connection refused");
        },
        transformParams: async ({ params }) => ({ ...params, temperature: 0.3 }),
      },
    });
    const { providers } = made({ wrapped: () => wrapped });
    expect(await providers("wrapped", "s1")).toBe(wrapped);
    expect(failureOf(await ask(wrapped)).class).toBe("network");
    expect(temperatures).toEqual([0.3]);
  });
});
