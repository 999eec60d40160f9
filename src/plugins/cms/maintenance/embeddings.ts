import { startOf } from "../../../cairn/core/text/cut.ts";
import { sha256Hex } from "../../../cairn/core/log/digest.ts";
import type { Embedder, EmbeddingOutcome } from "../embedding/embedder.ts";
import { complaintOf, createRedactor } from "../../../cairn/core/text/redact.ts";
import { logError } from "../../../cairn/operator-log.ts";
import { embeddedText, VECTORS_SCANNED_MAX, type Meaning } from "../model/meaning.ts";
import type { CmsServices } from "../model/types.ts";
import { dimensionsOf, hexOf, toUnit, vectorFault } from "../search/vectors.ts";
import { rowsOf } from "../storage/rows.ts";
import { number, text, textOrNull, type Row } from "../model/columns.ts";
import { fillIndex } from "./vector-index.ts";

/**
 * Embeds search documents after they were written. Owns: the pass that a cron trigger starts. Invariants: one pass at
 * a time embeds a document (a lease), and each text once; failures are retried with growing delays; an invalid vector
 * is never stored; documents of a change set are not embedded.
 */

const BATCH_MAX = 32;
const BATCHES_PER_PASS_MAX = 8;
/** longer than a batch takes; after it another pass may try */
const LEASE_MS = 300_000;
const BATCH_MS = 60_000;
const BACKOFF_MS = 300_000;
const BACKOFF_DOUBLINGS_MAX = 6;
const ERROR_CHARS_MAX = 300;

export interface EmbeddingWork extends Meaning {
  readonly db: D1Database;
}

interface Due {
  readonly id: number;
  readonly title: string;
  readonly body: string;
  /** what is embedded of it */
  readonly text: string;
  readonly digest: string;
  /** digest of the stored vector's text */
  readonly stored: string | null;
}

/** Processes documents that are due at `now`, in every environment. Returns the number of embedded documents. */
export async function maintainEmbeddings(work: EmbeddingWork, now: number): Promise<number> {
  const { db, embedder, index } = work;
  const site: CmsServices = { db, media: null, env: "" };
  await forgetOtherModels(db, embedder);
  // An environment that is still being imported is skipped.
  const environments = await rowsOf(site, "SELECT id FROM environments WHERE import_id IS NULL ORDER BY id");
  let done = 0;
  let batches = 0;
  let isDown = false;
  let isFailed = false;
  for (const row of environments) {
    const services = { ...site, env: text(row, "id") };
    try {
      while (!isDown && batches < BATCHES_PER_PASS_MAX) {
        const due = await claim(services, work, now);
        if (due.length === 0) break;
        batches += 1;
        const batch = new Batch(services, embedder, await storedDimensions(services, embedder), now);
        await batch.embed(due);
        done += batch.done;
        isDown = batch.isDown;
        if (index === null) await reportWhenFull(services);
      }
    } catch (error) {
      // Claimed documents are due again after their lease. The other environments do not wait.
      logError("texts were not embedded", services.env, complaintOf(error, createRedactor([])));
      isFailed = true;
    }
  }
  if (index === null) await db.prepare("DELETE FROM search_vectors_gone").run();
  else await fillIndex(site, index, embedder.model);
  if (isFailed) throw new Error("texts of an environment were not embedded");
  return done;
}

/** Two ranges of the index, where an inequality would read all of it. */
const OF_OTHERS = "env_id IN (SELECT id FROM environments) AND (model<?1 OR model>?1)";

/** The vectors of two models cannot be compared, so those of another one are of no use any more. */
async function forgetOtherModels(db: D1Database, { model }: Embedder): Promise<void> {
  await db.batch(
    [
      `UPDATE search_docs SET embedded_at=NULL WHERE id IN (SELECT doc_id FROM search_vectors WHERE ${OF_OTHERS})`,
      `DELETE FROM search_vectors WHERE ${OF_OTHERS}`,
    ].map((sql) => db.prepare(sql).bind(model)),
  );
}

/** Pages first: where not all of them have room, these are what people look for. */
const DUE = `SELECT d.id, d.title, d.body, v.digest FROM search_docs d
   LEFT JOIN search_vectors v ON v.doc_id=d.id LEFT JOIN embedding_attempts a ON a.doc_id=d.id
  WHERE d.env_id=?1 AND d.embedded_at IS NULL AND (a.lease_until IS NULL OR a.lease_until<=?2)
  ORDER BY v.doc_id IS NULL, instr('page entry section image collection template',d.kind), d.updated_at DESC, d.id
  LIMIT ${BATCH_MAX}`;

/** The next documents of an environment that this pass alone may embed. */
async function claim(services: CmsServices, { index }: EmbeddingWork, now: number): Promise<Due[]> {
  const rows = await rowsOf(services, DUE, services.env, now);
  if (rows.length === 0) return [];
  const capacity = index === null ? VECTORS_SCANNED_MAX - (await countVectors(services)) : BATCH_MAX;
  const renewed = rows.filter((row) => row["digest"] !== null);
  const fresh = rows.filter((row) => row["digest"] === null).slice(0, Math.max(0, capacity));
  const due = [...renewed, ...fresh].map(dueOf);
  if (due.length === 0) return [];
  const taken = await rowsOf(
    services,
    `INSERT INTO embedding_attempts(doc_id,attempts,lease_until)
     SELECT d.id, 1, ?2 FROM search_docs d WHERE d.id IN (SELECT value FROM json_each(?1)) AND d.embedded_at IS NULL
     ON CONFLICT(doc_id) DO UPDATE SET attempts=attempts+1, lease_until=excluded.lease_until WHERE lease_until<=?3
     RETURNING doc_id`,
    JSON.stringify(due.map(({ id }) => id)),
    now + LEASE_MS,
    now,
  );
  const own = new Set(taken.map((row) => number(row, "doc_id")));
  return due.filter(({ id }) => own.has(id));
}

function dueOf(row: Row): Due {
  const [title, body] = [text(row, "title"), text(row, "body")];
  const embedded = embeddedText({ title, body });
  return {
    id: number(row, "id"),
    title,
    body,
    text: embedded,
    digest: sha256Hex(embedded),
    stored: textOrNull(row, "digest"),
  };
}

async function countVectors(services: CmsServices): Promise<number> {
  const [row] = await rowsOf(
    services,
    "SELECT count(*) AS n FROM search_vectors WHERE env_id=?1",
    services.env,
  );
  return row === undefined ? 0 : number(row, "n");
}

async function storedDimensions(services: CmsServices, { model }: Embedder): Promise<number | null> {
  const [row] = await rowsOf(
    services,
    "SELECT length(vector) AS bytes FROM search_vectors WHERE env_id=?1 AND model=?2 LIMIT 1",
    services.env,
    model,
  );
  return row === undefined ? null : dimensionsOf(number(row, "bytes"));
}

/** Documents that are embedded together, and in parts where the model refuses some of them. */
class Batch {
  readonly #services: CmsServices;
  readonly #embedder: Embedder;
  readonly #now: number;
  #dimensions: number | null;
  done = 0;
  /** the model does not respond: the rest of the pass would fail in the same way */
  isDown = false;

  constructor(services: CmsServices, embedder: Embedder, dimensions: number | null, now: number) {
    this.#services = services;
    this.#embedder = embedder;
    this.#dimensions = dimensions;
    this.#now = now;
  }

  async embed(due: readonly Due[]): Promise<void> {
    // A text that came back, and one without words, have nothing to ask.
    const known = due.filter((one) => one.text === "" || one.stored === one.digest);
    const unknown = due.filter((one) => !known.includes(one));
    await this.#finish(known);
    if (unknown.length > 0) await this.#ask(unknown);
  }

  async #ask(due: readonly Due[]): Promise<void> {
    // The same words in two languages are one text.
    const texts = [...new Set(due.map((one) => one.text))];
    const outcome = this.isDown
      ? ({ kind: "failed", passing: true, message: "The model does not answer now." } as const)
      : await this.#embedder.embed(texts, AbortSignal.timeout(BATCH_MS));
    if (outcome.kind === "embedded") return this.#store(due, texts, outcome.vectors);
    if (!outcome.passing && due.length > 1) {
      const half = Math.ceil(due.length / 2);
      await this.#ask(due.slice(0, half));
      return this.#ask(due.slice(half));
    }
    this.isDown ||= outcome.passing;
    await this.#giveBack(due, outcome.message);
  }

  async #store(
    due: readonly Due[],
    texts: readonly string[],
    vectors: (EmbeddingOutcome & { kind: "embedded" })["vectors"],
  ): Promise<void> {
    const good: { due: Due; vector: readonly number[] }[] = [];
    for (const one of due) {
      const vector = vectors[texts.indexOf(one.text)] ?? null;
      const fault = vectorFault(vector, this.#dimensions);
      if (fault !== null || vector === null) {
        await this.#giveBack([one], `The vector cannot be used: ${fault ?? ""}.`);
        continue;
      }
      this.#dimensions ??= vector.length;
      good.push({ due: one, vector });
    }
    const { db } = this.#services;
    await this.#finish(
      good.map((one) => one.due),
      good.length === 0
        ? []
        : [
            db
              .prepare(
                `INSERT INTO search_vectors(doc_id,env_id,model,kind,locale,digest,vector)
                 SELECT d.id, d.env_id, ?2, d.kind, d.locale, j.value->>'digest', unhex(j.value->>'vector') FROM ${SAME_TEXT}
                 ON CONFLICT(doc_id) DO UPDATE SET model=excluded.model, digest=excluded.digest, vector=excluded.vector, indexed=0`,
              )
              .bind(
                JSON.stringify(
                  good.map(({ due: { id, title, body, digest }, vector }) => ({
                    id,
                    title,
                    body,
                    digest,
                    vector: hexOf(toUnit(vector)),
                  })),
                ),
                this.#embedder.model,
              ),
          ],
    );
  }

  /** They have what their text means, or nothing; one whose text has changed meanwhile is embedded anew. */
  async #finish(due: readonly Due[], before: readonly D1PreparedStatement[] = []): Promise<void> {
    if (due.length === 0) return;
    const { db } = this.#services;
    const list = JSON.stringify(due.map(({ id, title, body }) => ({ id, title, body })));
    const wordless = JSON.stringify(due.filter((one) => one.text === "").map(({ id }) => id));
    await db.batch([
      ...before,
      db
        .prepare("DELETE FROM search_vectors WHERE doc_id IN (SELECT value FROM json_each(?1))")
        .bind(wordless),
      db
        .prepare(`UPDATE search_docs SET embedded_at=?2 WHERE id IN (SELECT d.id FROM ${SAME_TEXT})`)
        .bind(list, this.#now),
      db
        .prepare("DELETE FROM embedding_attempts WHERE doc_id IN (SELECT value->>'id' FROM json_each(?1))")
        .bind(list),
    ]);
    this.done += due.length;
  }

  async #giveBack(due: readonly Due[], why: string): Promise<void> {
    logError("a document was not embedded", `${due.length} of them`, why);
    await rowsOf(
      this.#services,
      `UPDATE embedding_attempts SET error=?2, lease_until=?3+${BACKOFF_MS}*(1<<min(attempts-1,${BACKOFF_DOUBLINGS_MAX}))
        WHERE doc_id IN (SELECT value FROM json_each(?1))`,
      JSON.stringify(due.map(({ id }) => id)),
      startOf(why, ERROR_CHARS_MAX),
      this.#now,
    );
  }
}

/** Those of a list that still are what was read of them. */
const SAME_TEXT = `json_each(?1) j JOIN search_docs d
  ON d.id=j.value->>'id' AND d.title=j.value->>'title' AND d.body=j.value->>'body'`;

/** Reported when the last slot is taken, and so once. */
async function reportWhenFull(services: CmsServices): Promise<void> {
  if ((await countVectors(services)) < VECTORS_SCANNED_MAX) return;
  const [row] = await rowsOf(
    services,
    "SELECT 1 FROM search_docs WHERE env_id=?1 AND embedded_at IS NULL LIMIT 1",
    services.env,
  );
  if (row !== undefined)
    logError(
      `more than ${VECTORS_SCANNED_MAX} documents: the rest is found by words only until VECTORIZE is bound`,
      services.env,
    );
}
