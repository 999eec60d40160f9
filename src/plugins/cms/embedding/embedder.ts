import * as z from "zod";
import { readBytes } from "../../../cairn/core/bytes.ts";
import { readJson } from "../../../cairn/core/log/json.ts";
import type { Endpoint } from "../../../cairn/core/log/model.ts";

/** An embedding model: Workers AI, or the `/embeddings` of an API in OpenAI's format. */

/** Cosines of a model: from where a text has something to do with a question, and where it can hardly have more. */
export interface Similarity {
  readonly from: number;
  readonly to: number;
}

/** An embedding model: one vector for each text. Never throws. */
export interface Embedder {
  /** `<provider>:<id>`: vectors of two models cannot be compared */
  readonly model: string;
  readonly similarity: Similarity;
  embed(texts: readonly string[], signal: AbortSignal): Promise<EmbeddingOutcome>;
}

export type EmbeddingOutcome =
  /** one for each text, in order, as the provider gave it; null for one that is no list of numbers */
  | { readonly kind: "embedded"; readonly vectors: readonly (readonly number[] | null)[] }
  | {
      readonly kind: "failed";
      /** true if the failure does not depend on the texts, so that they may be retried later */
      readonly passing: boolean;
      /** safe for people: no key, no text of a provider */
      readonly message: string;
    };

export interface EmbeddingSettings {
  /** `<provider>:<id>`, as vectors of it are marked */
  readonly name: string;
  readonly id: string;
  /** null: Workers AI */
  readonly endpoint: Endpoint | null;
  readonly similarity: Similarity;
  /** the AI binding; its presence does not mean that it works */
  readonly ai: Ai | null;
  readonly fetch?: typeof fetch;
}

/** single texts whose vectors an isolate keeps, because people and agents ask the same again */
const CACHE_MAX = 200;
/** a hundred vectors of 4,096 numbers in decimal digits are 10 MB */
const ANSWER_BYTES_MAX = 16 * 1_048_576;
const STATUS_PASSING = new Set([401, 402, 403, 404, 408, 409, 425, 429]);

/** numbers, and the values around them */
const ANSWER_VALUES_MAX = 500_000;
/** vectors of one answer */
const VECTORS_MAX = 1_000;

/**
 * Null for a list that holds something else than numbers, as some servers answer for a text that they cannot take. A schema would
 * note a fault for each of its items.
 */
const vector = z
  .unknown()
  .transform((given): number[] | null =>
    Array.isArray(given) && given.every((one) => Number.isFinite(one)) ? (given as number[]) : null,
  );
const listOf = <Item extends z.ZodType>(item: Item) =>
  z.array(z.unknown()).max(VECTORS_MAX).pipe(z.array(item));
const openAiAnswer = z.object({
  data: listOf(z.object({ index: z.int().min(0), embedding: vector })),
});
const workersAiAnswer = z.object({ data: listOf(vector) });

/** Never throws, and never answers another number of vectors than it was given texts. */
export function createEmbedder(settings: EmbeddingSettings): Embedder {
  const { name, similarity, endpoint, ai } = settings;
  const ask = async (texts: readonly string[], signal: AbortSignal): Promise<EmbeddingOutcome> => {
    if (texts.length === 0) return { kind: "embedded", vectors: [] };
    const outcome =
      endpoint !== null
        ? await askServer(settings, endpoint, texts, signal)
        : ai === null
          ? failed(true, "This deployment has no AI binding for Workers AI.")
          : await askWorkersAi(settings.id, ai, texts, signal);
    if (outcome.kind === "failed" || outcome.vectors.length === texts.length) return outcome;
    const { length } = outcome.vectors;
    return failed(false, `The model answered ${length} vectors for ${texts.length} texts.`);
  };
  const cache = new Map<string, readonly number[] | null>();
  return {
    model: name,
    similarity,
    embed: async (texts, signal) => {
      const [text] = texts;
      if (text === undefined || texts.length > 1) return ask(texts, signal);
      const known = cache.get(text);
      if (known !== undefined) return { kind: "embedded", vectors: [known] };
      const outcome = await ask(texts, signal);
      const made = outcome.kind === "embedded" ? outcome.vectors[0] : undefined;
      if (made !== undefined && made !== null) addToCache(cache, text, made);
      return outcome;
    },
  };
}

/** The oldest goes for the newest. */
function addToCache(
  cache: Map<string, readonly number[] | null>,
  text: string,
  made: readonly number[],
): void {
  cache.set(text, made);
  const [oldest] = cache.keys();
  if (cache.size > CACHE_MAX && oldest !== undefined) cache.delete(oldest);
}

const failed = (passing: boolean, message: string): EmbeddingOutcome => ({
  kind: "failed",
  passing,
  message,
});
const LATE = failed(true, "The model did not answer in time.");

/** https://platform.openai.com/docs/api-reference/embeddings/create */
async function askServer(
  { id, fetch: ask = fetch }: EmbeddingSettings,
  { baseUrl, apiKey, headers }: Endpoint,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<EmbeddingOutcome> {
  try {
    const response = await ask(`${baseUrl}/embeddings`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...headers,
        ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({ model: id, input: texts, encoding_format: "float" }),
      // A key goes to the address that it is for.
      redirect: "manual",
      signal,
    });
    const { ok, status } = response;
    if (!ok) {
      await response.body?.cancel();
      return failed(status >= 500 || STATUS_PASSING.has(status), `The model answered ${status}.`);
    }
    const answer = openAiAnswer.safeParse(await jsonOf(response));
    if (!answer.success) return failed(true, "The model answered no vectors.");
    const data = answer.data.data.toSorted((one, other) => one.index - other.index);
    return { kind: "embedded", vectors: data.map((one) => one.embedding) };
  } catch {
    return signal.aborted ? LATE : failed(true, "The model cannot be reached.");
  }
}

/** The body as JSON; null where it is none or is larger than an answer can be. */
async function jsonOf({ body }: Response): Promise<unknown> {
  const bytes = await readBytes(body, ANSWER_BYTES_MAX);
  return bytes === null ? null : (readJson(new TextDecoder().decode(bytes), ANSWER_VALUES_MAX) ?? null);
}

/** https://developers.cloudflare.com/workers-ai/models (text embeddings) */
async function askWorkersAi(
  id: string,
  ai: Ai,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<EmbeddingOutcome> {
  try {
    const run: unknown = Reflect.apply(ai.run, ai, [id, { text: texts }, { signal }]);
    const answer = workersAiAnswer.safeParse(await orAborted(run, signal));
    return answer.success
      ? { kind: "embedded", vectors: answer.data.data }
      : failed(true, "The model answered no vectors.");
  } catch (error) {
    if (signal.aborted) return LATE;
    return failed(!isAboutTexts(error), "Workers AI did not take the texts, or cannot be reached.");
  }
}

/** Codes of Workers AI for an input that no repetition makes right (developers.cloudflare.com/workers-ai/platform/errors). */
const isAboutTexts = (error: unknown): boolean =>
  error instanceof Error && /\b(?:3003|3006|3039|5004|5005)\b/.test(error.message);

/** The binding does not promise to heed a signal. */
function orAborted(work: unknown, signal: AbortSignal): Promise<unknown> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(new Error("aborted"));
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener("abort", stop));
}
