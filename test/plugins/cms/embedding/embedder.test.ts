import { describe, expect, test } from "vitest";
import { createEmbedder, type EmbeddingSettings } from "../../../../src/plugins/cms/embedding/embedder.ts";

/** Requests to an embedding model, and the handling of each answer. */

const settings: EmbeddingSettings = {
  name: "openai-compatible:small",
  id: "small",
  ai: null,
  similarity: { from: 0.5, to: 0.9 },
  endpoint: { baseUrl: "https://models.example/v1", apiKey: "k-1", headers: {}, reportsCost: false },
};
const never = new AbortController().signal;
const answering = (answer: () => Response | Promise<Response>) => {
  const asked: { url: string; init: RequestInit | undefined }[] = [];
  const fetch = async (url: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    asked.push({ url: String(url), init });
    return answer();
  };
  return { asked, embedder: createEmbedder({ ...settings, fetch }) };
};
const vectors = (...list: unknown[]) =>
  Response.json({ data: list.map((embedding, index) => ({ index, embedding })) });

describe("an API in the format of OpenAI", () => {
  test("is sent all texts at once with the key, and its vectors are put in order", async () => {
    const { asked, embedder } = answering(() =>
      Response.json({
        data: [
          { index: 1, embedding: [2] },
          { index: 0, embedding: [1] },
        ],
      }),
    );
    expect(await embedder.embed(["a", "b"], never)).toEqual({ kind: "embedded", vectors: [[1], [2]] });
    const [{ url, init } = { url: "", init: undefined }] = asked;
    expect(url).toBe("https://models.example/v1/embeddings");
    expect(init).toMatchObject({
      method: "POST",
      redirect: "manual",
      headers: { authorization: "Bearer k-1" },
      body: JSON.stringify({ model: "small", input: ["a", "b"], encoding_format: "float" }),
    });
  });

  test.each([
    [429, true],
    [503, true],
    [401, true],
    [404, true],
    [302, false],
    [400, false],
    [413, false],
    [422, false],
  ])("that answers %i fails, and whether for all texts: %s", async (status, passing) => {
    const { embedder } = answering(() => new Response(status === 302 ? null : "secret words", { status }));
    expect(await embedder.embed(["a"], never)).toEqual({
      kind: "failed",
      passing,
      message: `The model answered ${status}.`,
    });
  });

  test("is not believed when it answers something else, or another number of vectors", async () => {
    for (const answer of ["nothing", {}, { data: [{ embedding: [1] }] }])
      expect(await answering(() => Response.json(answer)).embedder.embed(["a"], never)).toMatchObject({
        kind: "failed",
        passing: true,
      });
    expect(await answering(() => vectors([1])).embedder.embed(["a", "b"], never)).toEqual({
      kind: "failed",
      passing: false,
      message: "The model answered 1 vectors for 2 texts.",
    });
    expect(await answering(() => vectors([1, null], [2])).embedder.embed(["a", "b"], never)).toEqual({
      kind: "embedded",
      vectors: [null, [2]],
    });
  });

  test("that cannot be reached, or not in time, says so without an address", async () => {
    const down = answering(() => Promise.reject(new Error("connect https://models.example")));
    expect(await down.embedder.embed(["a"], never)).toEqual({
      kind: "failed",
      passing: true,
      message: "The model cannot be reached.",
    });
    expect(await down.embedder.embed(["a"], AbortSignal.abort())).toMatchObject({
      message: "The model did not answer in time.",
    });
  });

  test("is asked once for what one asks again, and again after a failure", async () => {
    const { asked, embedder } = answering(() => vectors([1]));
    await embedder.embed(["a"], never);
    expect(await embedder.embed(["a"], never)).toEqual({ kind: "embedded", vectors: [[1]] });
    expect(asked).toHaveLength(1);
    const broken = answering(() => new Response(null, { status: 500 }));
    await broken.embedder.embed(["a"], never);
    await broken.embedder.embed(["a"], never);
    expect(broken.asked).toHaveLength(2);
  });
});

describe("Workers AI", () => {
  const run = (work: (id: string, input: unknown) => Promise<unknown>) =>
    createEmbedder({
      ...settings,
      endpoint: null,
      id: "@cf/baai/bge-m3",
      ai: { run: work } as unknown as Ai,
    });

  test("is given the texts under the name of the model", async () => {
    const asked: unknown[] = [];
    const embedder = run(async (...args) => {
      asked.push(args.slice(0, 2));
      return { shape: [2, 1], data: [[1], [2]] };
    });
    expect(await embedder.embed(["a", "b"], never)).toEqual({ kind: "embedded", vectors: [[1], [2]] });
    expect(asked).toEqual([["@cf/baai/bge-m3", { text: ["a", "b"] }]]);
  });

  test("fails for now where it is down, and for these texts where it says so", async () => {
    const says = (message: string) => run(() => Promise.reject(new Error(message))).embed(["a"], never);
    expect(await says("Binding AI needs to be run remotely")).toMatchObject({
      kind: "failed",
      passing: true,
    });
    expect(await says("3040: Capacity temporarily exceeded")).toMatchObject({ passing: true });
    expect(await says("5004: invalid input")).toMatchObject({ passing: false });
  });

  test("is given up when the time is over, although it heeds no signal", async () => {
    const late = new AbortController();
    const asked = run(() => new Promise(() => {})).embed(["a"], late.signal);
    late.abort();
    expect(await asked).toMatchObject({ kind: "failed", message: "The model did not answer in time." });
  });
});
