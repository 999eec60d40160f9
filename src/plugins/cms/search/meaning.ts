import type { Embedder } from "../embedding/embedder.ts";
import { complaintOf, createRedactor } from "../../../cairn/core/text/redact.ts";
import { logError } from "../../../cairn/operator-log.ts";
import { VECTORS_SCANNED_MAX, type Meaning, type VectorIndex } from "../model/meaning.ts";
import type { CmsServices } from "../model/types.ts";
import { rowsOf } from "../storage/rows.ts";
import { number, text } from "../model/columns.ts";
import { SCORE_MIN } from "./score.ts";
import { bytesOfVector, cosineOf, meaningScore, toUnit, vectorFault, vectorOf } from "./vectors.ts";

/**
 * Which documents mean what a query means. Owns: the vector of the query, and what is near it. Always holds: only
 * documents of the environment are asked for, and only ones whose text is the one that was embedded.
 */

/** The query is embedded while a person waits; without it the full-text search still answers. */
const QUERY_MS = 3_000;
/** of vectors that are in memory at once */
const PAGE_BYTES = 1_048_576;
/** https://developers.cloudflare.com/vectorize/platform/limits: the most that one query answers */
const INDEX_MATCHES_MAX = 100;

interface MeaningQuestion {
  readonly query: string;
  readonly kinds: readonly string[];
  readonly locales: readonly string[];
  readonly status?: string;
  readonly ids?: readonly string[];
}

/** A document by its row, and how near it is: 0 to 0.9. */
export interface Near {
  readonly document: number;
  readonly score: number;
}

export interface FoundByMeaning {
  /** nearest first, none below what is worth showing */
  readonly near: readonly Near[];
  /** why semantic search was not used, or only in part: a sentence for the requester */
  readonly note: string | null;
}

const NOTHING: FoundByMeaning = { near: [], note: null };

/** Never fails: what keeps it from an answer is a note. */
export async function findByMeaning(
  services: CmsServices,
  meaning: Meaning,
  question: MeaningQuestion,
  signal: AbortSignal,
): Promise<FoundByMeaning> {
  const { embedder, index } = meaning;
  if (!(await isEmbedded(services, embedder)))
    return {
      near: [],
      note: "Found by words only: nothing of this site is embedded yet. It is done in the background.",
    };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(QUERY_MS)]);
  const outcome = await embedder.embed([question.query], limit);
  const vector = outcome.kind === "embedded" ? (outcome.vectors[0] ?? null) : null;
  const fault = outcome.kind === "failed" ? outcome.message : vectorFault(vector, null);
  if (fault !== null || vector === null) {
    logError("a query was not embedded", fault ?? "");
    return { near: [], note: "Found by words only: the embedding model did not answer." };
  }
  const queryVector = toUnit(vector);
  // Through an index the ids of a library cannot be a filter.
  const found =
    index === null || question.ids !== undefined
      ? null
      : await askIndex(services, index, question, queryVector).catch((error: unknown) => {
          logError("the vector index did not answer", complaintOf(error, createRedactor([])));
          return null;
        });
  const near = (found ?? (await scan(services, embedder, question, queryVector)))
    .map(({ document, cosine }) => ({ document, score: meaningScore(cosine, embedder.similarity) }))
    .filter(({ score }) => score >= SCORE_MIN)
    .sort((one, other) => other.score - one.score || one.document - other.document);
  return near.length === 0 ? NOTHING : { near, note: null };
}

interface Measured {
  readonly document: number;
  readonly cosine: number;
}

async function isEmbedded(services: CmsServices, { model }: Embedder): Promise<boolean> {
  const any = "SELECT 1 FROM search_vectors WHERE env_id=?1 AND model=?2 LIMIT 1";
  return (await rowsOf(services, any, services.env, model)).length > 0;
}

/** ?1 environment, ?2 model, ?3 bytes, ?4 the last row, ?5 kinds, ?6 locales. The vector is read last, and only of what fits. */
export const SCAN = `SELECT doc_id, hex(vector) AS vector FROM search_vectors
  WHERE env_id=?1 AND model=?2 AND doc_id>?4 AND kind IN (SELECT value FROM json_each(?5))
    AND locale IN (SELECT value FROM json_each(?6)) AND length(vector)=?3
  ORDER BY doc_id LIMIT ?7`;

/** Reads every vector of the environment, in pages: all of them would not fit in memory. */
async function scan(
  services: CmsServices,
  { model }: Embedder,
  { kinds, locales }: MeaningQuestion,
  queryVector: Float32Array,
): Promise<Measured[]> {
  const bytes = bytesOfVector(queryVector.length);
  const page = Math.max(1, Math.floor(PAGE_BYTES / bytes));
  const measured: Measured[] = [];
  let last = 0;
  while (measured.length < VECTORS_SCANNED_MAX) {
    const limit = Math.min(page, VECTORS_SCANNED_MAX - measured.length);
    const rows = await rowsOf(
      services,
      SCAN,
      services.env,
      model,
      bytes,
      last,
      JSON.stringify(kinds),
      JSON.stringify(locales),
      limit,
    );
    for (const row of rows) {
      last = number(row, "doc_id");
      measured.push({ document: last, cosine: cosineOf(queryVector, vectorOf(text(row, "vector"))) });
    }
    if (rows.length < limit) break;
  }
  return measured;
}

/** The nearest of the index, which knows environment, kind, locale and status; a metric other than cosine is not for it. */
async function askIndex(
  services: CmsServices,
  index: VectorIndex,
  { kinds, locales, status }: MeaningQuestion,
  queryVector: Float32Array,
): Promise<Measured[]> {
  const { matches } = await index.query([...queryVector], {
    namespace: services.env,
    topK: INDEX_MATCHES_MAX,
    returnValues: false,
    returnMetadata: "none",
    filter: {
      kind: { $in: [...kinds] },
      locale: { $in: [...locales] },
      ...(status === undefined ? {} : { status }),
    },
  });
  const cosines = new Map(matches.map(({ id, score }) => [id, score]));
  const rows = await rowsOf(
    services,
    `SELECT doc_id, vector_id FROM search_vectors
      WHERE vector_id IN (SELECT value FROM json_each(?1)) AND env_id=?2`,
    JSON.stringify([...cosines.keys()]),
    services.env,
  );
  return rows.map((row) => ({
    document: number(row, "doc_id"),
    cosine: cosines.get(text(row, "vector_id")) ?? 0,
  }));
}
