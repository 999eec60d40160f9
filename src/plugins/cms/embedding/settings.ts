import { modelText, parseModelName, type Endpoint } from "../../../cairn/core/log/model.ts";
import type { Similarity } from "./embedder.ts";
import { parseEndpoint } from "../../../cairn/config/endpoints.ts";
import { isObject, isSet, text } from "../../../cairn/protocol/variables.ts";

/** The embedding model, for semantic search of the site. */

export interface Embedding {
  /** as it was configured */
  readonly name: string;
  /** the provider's own name of it */
  readonly id: string;
  /** null: Workers AI */
  readonly endpoint: Endpoint | null;
  readonly similarity: Similarity;
}

type Env = Readonly<Record<string, unknown>>;
type Problem = (variable: string, message: string) => void;

const FORMS = "workers-ai:<id> or openai-compatible:<id>";

/** Null without a model, or with one that cannot be asked: then the site is searched by words. */
export function parseEmbedding(env: Env, refuse: Problem): Embedding | null {
  const own = {
    variable: "EMBEDDING_BASE_URL",
    address: env["EMBEDDING_BASE_URL"],
    key: env["EMBEDDING_API_KEY"],
  };
  const endpoint = parseEndpoint(env, own, refuse);
  const given = parseSimilarity(env["EMBEDDING_SIMILARITY"]);
  if (given === "malformed")
    refuse("EMBEDDING_SIMILARITY", "Must be two cosines, the lower one first, such as 0.5-0.9.");
  const value = env["EMBEDDING_MODEL"];
  if (!isSet(value)) {
    if (isObject(env["VECTORIZE"]))
      refuse("VECTORIZE", "The index is bound, and EMBEDDING_MODEL names no model that could fill it.");
    return null;
  }
  const name = parseModelName(text(value) ?? "");
  const isOwn = name?.provider === "openai-compatible";
  if (name === null || (name.provider !== "workers-ai" && !isOwn)) {
    refuse("EMBEDDING_MODEL", `Must be ${FORMS}.`);
    return null;
  }
  if (isOwn ? endpoint === null : !isObject(env["AI"])) {
    const lack = isOwn ? "EMBEDDING_BASE_URL or OPENAI_COMPATIBLE_BASE_URL" : "the binding AI";
    refuse("EMBEDDING_MODEL", `The model needs ${lack}.`);
    return null;
  }
  const model = modelText(name);
  return {
    name: model,
    id: name.id,
    endpoint: isOwn ? endpoint : null,
    similarity: given === null || given === "malformed" ? similarityOf(name.id) : given,
  };
}

/** `<from>-<to>`; null when left out. */
function parseSimilarity(value: unknown): Similarity | "malformed" | null {
  if (!isSet(value)) return null;
  const numbers = /^(0?\.\d{1,4}|0)\s*-\s*(0?\.\d{1,4}|1(?:\.0)?)$/.exec(text(value) ?? "");
  const [from, to] = [Number(numbers?.[1]), Number(numbers?.[2])];
  return from < to ? { from, to } : "malformed";
}

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

function similarityOf(modelId: string): Similarity {
  const id = modelId.toLowerCase();
  return OF_FAMILIES.find(([head]) => head.test(id))?.[1] ?? DEFAULT_SIMILARITY;
}
