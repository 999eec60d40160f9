import type { Embedder } from "../../../../src/plugins/cms/embedding/embedder.ts";
import type { VectorIndex } from "../../../../src/plugins/cms/model/meaning.ts";
import { meaningOf } from "../../../e2e/models/concepts.ts";

/** Models of meaning for tests, and an index as strict as Vectorize. */

export const SIMILARITY = { from: 0.2, to: 0.9 };

/** Counts what it is asked. `answer` may give other vectors, or a failure. */
export function embedderOf(
  answer: (texts: readonly string[]) => Awaited<ReturnType<Embedder["embed"]>> = understood,
): Embedder & { readonly asked: string[][] } {
  const asked: string[][] = [];
  return {
    model: "fixture:concepts",
    similarity: SIMILARITY,
    asked,
    embed: async (texts) => {
      asked.push([...texts]);
      return answer(texts);
    },
  };
}

export const understood = (texts: readonly string[]) => ({
  kind: "embedded" as const,
  vectors: texts.map(meaningOf),
});
export const refused = (passing: boolean) => () => ({ kind: "failed" as const, passing, message: "No." });

/** Limits: https://developers.cloudflare.com/vectorize/platform/limits */
const ID_BYTES_MAX = 64;
const BATCH_MAX = 1_000;
const DIMENSIONS_MAX = 1_536;
const FILTER_BYTES_MAX = 2_048;

type Stored = {
  readonly namespace: string;
  readonly values: number[];
  readonly metadata: Record<string, string>;
};

/**
 * Fake Vectorize index: writes become visible only after `settle`, as mutations of the real one do. `indexed`: the
 * properties that have an index; as in the real one, a filter by another property finds nothing.
 */
export function indexOf(dimensions: number, indexed = ["kind", "locale", "status"]) {
  const stored = new Map<string, Stored>();
  const waiting: (() => void)[] = [];
  const check = (isRight: boolean, what: string): void => {
    if (!isRight) throw new Error(`VECTOR_ERROR: ${what}`);
  };
  const bytes = (text: string): number => new TextEncoder().encode(text).length;
  const index: VectorIndex & Record<string, unknown> = {
    upsert: async (vectors) => {
      check(vectors.length > 0 && vectors.length <= BATCH_MAX, "batch");
      for (const { id, namespace, values, metadata } of vectors) {
        check(bytes(id) > 0 && bytes(id) <= ID_BYTES_MAX, "id");
        check(values.length === dimensions && dimensions <= DIMENSIONS_MAX, "dimensions");
        check([...values].every(Number.isFinite), "values");
        check(bytes(namespace ?? "") <= ID_BYTES_MAX, "namespace");
        const flat = Object.fromEntries(
          Object.entries(metadata ?? {}).map(([key, value]) => [key, String(value)]),
        );
        waiting.push(() =>
          stored.set(id, { namespace: namespace ?? "", values: [...values], metadata: flat }),
        );
      }
      return { mutationId: "m1" };
    },
    deleteByIds: async (ids) => {
      check(ids.length > 0 && ids.length <= BATCH_MAX, "ids");
      waiting.push(() => ids.forEach((id) => stored.delete(id)));
      return { mutationId: "m2" };
    },
    query: async (vector, options = {}) => {
      const { topK = 5, namespace, filter = {}, returnValues = false, returnMetadata = "none" } = options;
      check(vector.length === dimensions, "dimensions of the query");
      check(topK >= 1 && topK <= (returnValues || returnMetadata === "all" ? 50 : 100), "topK");
      check(bytes(JSON.stringify(filter)) < FILTER_BYTES_MAX, "filter");
      const asked = Object.entries(filter as Record<string, string | { $in: string[] }>);
      const matches = [...stored]
        .filter(([, one]) => namespace === undefined || one.namespace === namespace)
        .filter(([, { metadata }]) =>
          asked.every(([key, want]) => {
            const has = metadata[key] ?? "";
            return (
              indexed.includes(key) && (typeof want === "string" ? has === want : want.$in.includes(has))
            );
          }),
        )
        .map(([id, one]) => ({ id, score: cosine([...vector], one.values) }))
        .sort((one, other) => other.score - one.score)
        .slice(0, topK);
      return { matches, count: matches.length };
    },
  };
  return {
    index,
    stored,
    settle: () => {
      for (const act of waiting.splice(0)) act();
    },
  };
}

function cosine(one: readonly number[], other: readonly number[]): number {
  const product = one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
  return product / (Math.hypot(...one) * Math.hypot(...other));
}
