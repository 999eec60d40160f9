import { startOf } from "../../../cairn/core/text/cut.ts";
import type { Embedder } from "../embedding/embedder.ts";

/** Ports and limits of semantic search. */

/** Methods used of a Vectorize index: https://developers.cloudflare.com/vectorize/reference/client-api */
export type VectorIndex = Pick<Vectorize, "query" | "upsert" | "deleteByIds">;

export interface Meaning {
  readonly embedder: Embedder;
  /** null: the vectors in D1 are compared one by one */
  readonly index: VectorIndex | null;
}

/** vectors of one environment that are compared one by one: beyond, an index is needed */
export const VECTORS_SCANNED_MAX = 2_000;
/** characters of a document that are embedded: what most models read */
const EMBEDDED_CHARS_MAX = 2_000;

/** The text of a document that is embedded; empty if it has no words. */
export function embeddedText({ title, body }: { readonly title: string; readonly body: string }): string {
  return startOf(`${title}\n${body}`.trim(), EMBEDDED_CHARS_MAX).toWellFormed();
}
