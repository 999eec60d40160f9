import { expect, test } from "vitest";
import * as z from "zod";
import { createEmbedder } from "../../src/plugins/cms/embedding/embedder.ts";
import { createPexels } from "../../src/plugins/cms/media/stock.ts";
import { accessOf, type WebAccess } from "../../src/cairn/outbound/access.ts";
import { createResolve } from "../../src/cairn/outbound/resolve.ts";
import { askJson } from "../../src/cairn/outbound/provider.ts";

/** Services that Cairn asks, each with an answer that has no end. Each is given up, and the rest of its body is cancelled. */

const CHUNK = new Uint8Array(65_536).fill(0x20);
/** more than any of these answers may have */
const CHUNKS_MAX = 1_000;
const never = new AbortController().signal;

interface Endless {
  readonly fetch: () => Promise<Response>;
  readonly was: { chunks: number; cancelled: boolean };
}

function endless(): Endless {
  const was = { chunks: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      was.chunks++;
      if (was.chunks > CHUNKS_MAX) controller.error(new Error("read without a bound"));
      else controller.enqueue(CHUNK);
    },
    cancel() {
      was.cancelled = true;
    },
  });
  return { fetch: () => Promise.resolve(new Response(body)), was };
}

const access = (fetch: Endless["fetch"]): WebAccess => ({ ...accessOf({}), fetch });
const asFault = (error: unknown): unknown => error;

const ASKED: readonly (readonly [
  name: string,
  ask: (fetch: Endless["fetch"]) => Promise<unknown>,
  answer: object,
])[] = [
  [
    "a model of embeddings",
    (fetch) =>
      createEmbedder({
        name: "openai-compatible:small",
        id: "small",
        ai: null,
        similarity: { from: 0.5, to: 0.9 },
        endpoint: { baseUrl: "https://models.example/v1", apiKey: null, headers: {}, reportsCost: false },
        fetch,
      }).embed(["a"], never),
    { kind: "failed", passing: true },
  ],
  [
    "stock photos",
    (fetch) => createPexels(access(fetch), "k").load("1", never).catch(asFault),
    { failure: { code: "upstream_error" } },
  ],
  [
    "a provider of search",
    (fetch) =>
      askJson(
        fetch,
        { provider: "Search", url: "https://search.example/", init: {} },
        z.object({ items: z.array(z.string()) }),
        { signal: never, at: 0 },
      ).catch(asFault),
    { code: "provider_answer" },
  ],
  ["a resolver", (fetch) => createResolve(access(fetch))("a.example", never), { ok: false }],
];

test.each(ASKED)("%s that answers without an end is given up", async (_name, ask, answer) => {
  const answers: Endless[] = [];
  const given = await ask(() => {
    const next = endless();
    answers.push(next);
    return next.fetch();
  });
  expect(given).toMatchObject(answer);
  expect(answers.length).toBeGreaterThan(0);
  expect(answers.map(({ was }) => [was.cancelled, was.chunks <= CHUNKS_MAX])).toEqual(
    answers.map(() => [true, true]),
  );
});
