import { describe, expect, it } from "vitest";
import { createRehearsalModel } from "../../../src/plugins/rehearsal/model.ts";
import type { Endpoint } from "../../../src/cairn/core/log/model.ts";
import { createProviders, type ProviderSettings } from "../../../src/cairn/models/providers.ts";

const NOTHING: ProviderSettings = { ai: null, openaiCompatible: null, openrouter: null, gatewayId: null };
const endpoint = (baseUrl: string, apiKey: string | null = null): Endpoint => ({
  baseUrl,
  apiKey,
  headers: {},
  reportsCost: false,
});
const problem = { problem: expect.any(String) };

describe("createProviders", () => {
  it("says what is missing instead of failing later", async () => {
    const resolve = createProviders(NOTHING);
    for (const name of [
      "workers-ai:@cf/a/b",
      "gateway:openai/x",
      "openai-compatible:x",
      "openrouter:x/y",
      "nonsense",
    ]) {
      expect(await resolve(name, "s1")).toEqual(problem);
    }
  });

  it("loads the rules of a plugin at each call, and has none without it", async () => {
    const rules = { "rehearsal:": async () => createRehearsalModel() };
    const resolve = createProviders({ ...NOTHING, rules });
    expect(await resolve("rehearsal:", "s1")).toMatchObject({ specificationVersion: "v4" });
    expect(await createProviders(NOTHING)("rehearsal:", "s1")).toEqual(problem);
  });

  it.each(["ftp://example.com", "not a url", "http://user:hunter2@example.com/v1"])(
    "refuses the base URL %s without repeating it",
    async (baseUrl) => {
      const all = createProviders({
        ...NOTHING,
        openaiCompatible: endpoint(baseUrl),
        openrouter: endpoint(baseUrl),
      });
      for (const name of ["openai-compatible:x", "openrouter:x/y"]) {
        const resolved = await all(name, "s1");
        expect(resolved).toEqual(problem);
        expect(JSON.stringify(resolved)).not.toContain("hunter2");
      }
    },
  );

  it("sends through the fetch that it is given, without a key when there is none", async () => {
    const asked: Request[] = [];
    const resolved = await createProviders({
      ...NOTHING,
      openaiCompatible: endpoint("http://models.invalid/v1/"),
      fetch: async (input, init) => {
        asked.push(new Request(input, init));
        return new Response("{}", { status: 503 });
      },
    })("openai-compatible:qwen3:8b", "s1");
    if ("problem" in resolved) throw new Error(resolved.problem);
    await expect(
      resolved.doStream({ prompt: [{ role: "user", content: [{ type: "text", text: "hi" }] }] }),
    ).rejects.toMatchObject({ statusCode: 503 });
    expect(asked.map((request) => request.url)).toEqual(["http://models.invalid/v1/chat/completions"]);
    expect(asked[0]?.headers.get("authorization")).toBeNull();
  });
});

it("sends each of two providers its own models, with its own key and headers", async () => {
  const asked: Request[] = [];
  const resolve = createProviders({
    ...NOTHING,
    openaiCompatible: endpoint("http://own.invalid/v1", "own-key"),
    openrouter: {
      ...endpoint("https://router.invalid/api/v1", "router-key"),
      headers: { "HTTP-Referer": "https://cairn.example", "X-OpenRouter-Title": "Cairn" },
    },
    fetch: async (input, init) => {
      asked.push(new Request(input, init));
      return new Response("{}", { status: 503 });
    },
  });
  for (const name of ["openai-compatible:m", "openrouter:meta-llama/llama-3:free"]) {
    const model = await resolve(name, "s1");
    if ("problem" in model) throw new Error(model.problem);
    const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "hi" }] }];
    await expect(model.doStream({ prompt })).rejects.toMatchObject({ statusCode: 503 });
  }
  expect(
    await Promise.all(
      asked.map(async (request) => [
        request.url,
        request.headers.get("authorization"),
        request.headers.get("http-referer"),
        request.headers.get("x-openrouter-title"),
        await request.json(),
      ]),
    ),
  ).toEqual([
    [
      "http://own.invalid/v1/chat/completions",
      "Bearer own-key",
      null,
      null,
      expect.objectContaining({ model: "m" }),
    ],
    [
      "https://router.invalid/api/v1/chat/completions",
      "Bearer router-key",
      "https://cairn.example",
      "Cairn",
      expect.objectContaining({ model: "meta-llama/llama-3:free" }),
    ],
  ]);
});
