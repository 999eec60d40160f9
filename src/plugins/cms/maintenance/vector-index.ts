import { complaintOf, createRedactor } from "../../../cairn/core/text/redact.ts";
import { logError } from "../../../cairn/operator-log.ts";
import type { VectorIndex } from "../model/meaning.ts";
import type { CmsServices } from "../model/types.ts";
import { vectorOf } from "../search/vectors.ts";
import { rowsOf } from "../storage/rows.ts";
import { text } from "../model/columns.ts";

/**
 * The content of a bound Vectorize index: a copy of the vectors in D1. Invariant: the ID of a vector is never reused
 * for another document, so that a late deletion cannot remove a live vector.
 */

const VECTORS_PER_CALL_MAX = 100;
const CALLS_PER_PASS_MAX = 5;

/** Removes vectors of deleted documents, and adds new or changed ones. Failures are left to the next pass. */
export async function fillIndex(site: CmsServices, index: VectorIndex, model: string): Promise<void> {
  try {
    for (let call = 0; call < CALLS_PER_PASS_MAX; call++) if (!(await takeOut(site, index))) break;
    for (let call = 0; call < CALLS_PER_PASS_MAX; call++) if (!(await putIn(site, index, model))) break;
  } catch (error) {
    logError("the vector index was not written", complaintOf(error, createRedactor([])));
  }
}

/** False when there was nothing. */
async function takeOut(site: CmsServices, index: VectorIndex): Promise<boolean> {
  const rows = await rowsOf(site, `SELECT vector_id FROM search_vectors_gone LIMIT ${VECTORS_PER_CALL_MAX}`);
  const ids = rows.map((row) => text(row, "vector_id"));
  if (ids.length === 0) return false;
  await index.deleteByIds(ids);
  await rowsOf(
    site,
    "DELETE FROM search_vectors_gone WHERE vector_id IN (SELECT value FROM json_each(?1))",
    JSON.stringify(ids),
  );
  return true;
}

async function putIn(site: CmsServices, index: VectorIndex, model: string): Promise<boolean> {
  const rows = await rowsOf(
    site,
    `SELECT v.vector_id, v.env_id, v.kind, v.locale, v.digest, d.status, hex(v.vector) AS vector
       FROM search_vectors v JOIN search_docs d ON d.id=v.doc_id WHERE v.indexed=0 AND v.model=?1
      ORDER BY v.doc_id LIMIT ${VECTORS_PER_CALL_MAX}`,
    model,
  );
  if (rows.length === 0) return false;
  const put = rows.map((row) => ({
    id: text(row, "vector_id"),
    namespace: text(row, "env_id"),
    digest: text(row, "digest"),
    values: [...vectorOf(text(row, "vector"))],
    metadata: { kind: text(row, "kind"), locale: text(row, "locale"), status: text(row, "status") },
  }));
  await index.upsert(put.map(({ id, namespace, values, metadata }) => ({ id, namespace, values, metadata })));
  // Documents that changed meanwhile are inserted again.
  await rowsOf(
    site,
    `UPDATE search_vectors SET indexed=1 WHERE vector_id IN (SELECT v.vector_id FROM json_each(?1) j
       JOIN search_vectors v ON v.vector_id=j.value->>'id' AND v.digest=j.value->>'digest'
       JOIN search_docs d ON d.id=v.doc_id AND d.status=j.value->>'status')`,
    JSON.stringify(put.map(({ id, digest, metadata }) => ({ id, digest, status: metadata.status }))),
  );
  return true;
}
