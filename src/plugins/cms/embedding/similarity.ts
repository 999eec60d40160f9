import type { Similarity } from "./embedder.ts";

/**
 * Thresholds for cosine similarity by model family. Models differ: a near miss for one is the best match of another.
 * Rough numbers from the models' publications; EMBEDDING_SIMILARITY sets those of a deployment.
 */
const OF_FAMILIES: readonly (readonly [head: RegExp, similarity: Similarity])[] = [
  [/\bbge-m3\b/, { from: 0.35, to: 0.8 }],
  [/\bqwen3-embedding\b/, { from: 0.3, to: 0.8 }],
  [/\bembeddinggemma\b/, { from: 0.2, to: 0.7 }],
  [/\btext-embedding-3-/, { from: 0.15, to: 0.6 }],
  [/\btext-embedding-ada-002\b/, { from: 0.7, to: 0.9 }],
  [/\ball-minilm\b/, { from: 0.15, to: 0.7 }],
];

/** The English bge models, and those that are not known. */
const DEFAULT_SIMILARITY: Similarity = { from: 0.5, to: 0.9 };

export function similarityOf(modelId: string): Similarity {
  const id = modelId.toLowerCase();
  return OF_FAMILIES.find(([head]) => head.test(id))?.[1] ?? DEFAULT_SIMILARITY;
}
