import { describe, expect, test } from "vitest";
import { parseEmbedding } from "../../../../src/plugins/cms/embedding/settings.ts";

const AI = { run: () => undefined };
const read = (variables: Readonly<Record<string, unknown>>) => {
  const faults: string[] = [];
  const embedding = parseEmbedding({ AI, ...variables }, (variable) => faults.push(variable));
  return { embedding, faults };
};

describe("EMBEDDING_MODEL", () => {
  const base = { OPENAI_COMPATIBLE_BASE_URL: "https://chat.example/v1", OPENAI_COMPATIBLE_API_KEY: "k-chat" };

  test("is asked where the chat model is, unless it has an address of its own, which gets its own key only", () => {
    const named = { ...base, EMBEDDING_MODEL: "openai-compatible:small" };
    expect(read(named).embedding).toEqual({
      name: "openai-compatible:small",
      id: "small",
      similarity: { from: 0.5, to: 0.9 },
      endpoint: { baseUrl: "https://chat.example/v1", apiKey: "k-chat", headers: {}, reportsCost: false },
    });
    const own = { ...named, EMBEDDING_BASE_URL: "http://127.0.0.1:11434/v1/" };
    expect(read(own).embedding?.endpoint).toMatchObject({
      baseUrl: "http://127.0.0.1:11434/v1",
      apiKey: null,
    });
    expect(read({ ...own, EMBEDDING_API_KEY: "k-own" }).embedding?.endpoint?.apiKey).toBe("k-own");
    expect(read({ EMBEDDING_MODEL: "workers-ai:@cf/baai/bge-m3" }).embedding).toMatchObject({
      id: "@cf/baai/bge-m3",
      endpoint: null,
      similarity: { from: 0.35, to: 0.8 },
    });
  });

  test("that cannot be asked turns only the search by meaning off", () => {
    const wrong: [string, Record<string, unknown>][] = [
      ["EMBEDDING_MODEL", { EMBEDDING_MODEL: "openai-compatible:small" }],
      ["EMBEDDING_MODEL", { EMBEDDING_MODEL: "workers-ai:@cf/baai/bge-m3", AI: undefined }],
      ["EMBEDDING_MODEL", { EMBEDDING_MODEL: "rehearsal:" }],
      ["EMBEDDING_MODEL", { EMBEDDING_MODEL: "small", ...base }],
      ["VECTORIZE", { VECTORIZE: {} }],
    ];
    for (const [variable, variables] of wrong) {
      expect(read(variables)).toEqual({ embedding: null, faults: [variable] });
    }
    const address = { ...base, EMBEDDING_MODEL: "openai-compatible:small", EMBEDDING_BASE_URL: "nowhere" };
    expect(read(address)).toEqual({ embedding: null, faults: ["EMBEDDING_BASE_URL", "EMBEDDING_MODEL"] });
  });

  test("EMBEDDING_SIMILARITY says which cosines mean something", () => {
    const of = (EMBEDDING_SIMILARITY: unknown) =>
      read({ EMBEDDING_MODEL: "workers-ai:@cf/baai/bge-m3", EMBEDDING_SIMILARITY });
    expect(of("0.2-0.65").embedding?.similarity).toEqual({ from: 0.2, to: 0.65 });
    for (const wrong of ["0.9-0.5", "0.5", "0.5-2", 0.5])
      expect([of(wrong).faults, of(wrong).embedding?.similarity.to]).toEqual([["EMBEDDING_SIMILARITY"], 0.8]);
  });
});
