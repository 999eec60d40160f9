import type { Row } from "../model/columns.ts";

/** The database of a query: the site, or a change set in front of it. */
interface Reader {
  readonly db: D1Database;
  /** `live`: the database behind the set */
  readonly changeSet?: { readonly live: D1Database };
}

/**
 * The rows of one query. `values` are bound in order; a set is passed as one JSON text. Queries that are asked in one
 * moment, as by `Promise.all`, go in one round trip and are read at one moment.
 */
export async function rowsOf(
  services: Reader,
  sql: string,
  ...values: readonly (string | number | null)[]
): Promise<Row[]> {
  const { db, changeSet } = services;
  return await together(changeSet?.live ?? db, db.prepare(sql).bind(...values));
}

/** The rows of several queries in one round trip, read at one moment. */
export async function batchOf(services: Reader, queries: readonly Query[]): Promise<Row[][]> {
  return await Promise.all(queries.map(([sql, ...values]) => rowsOf(services, sql, ...values)));
}

interface PendingQuery {
  readonly statement: D1PreparedStatement;
  readonly answer: (rows: Row[]) => void;
  readonly refuse: (error: unknown) => void;
}

/**
 * Queries that wait for the end of the current tick, by database. Only promises resolve until then, so no other
 * request's query is among them.
 */
const waiting = new WeakMap<D1Database, PendingQuery[]>();
/** A moment is this many turns of the queue of promises: as many as an async function that only calls another. */
const TURNS = 3;

function together(db: D1Database, statement: D1PreparedStatement): Promise<Row[]> {
  return new Promise((answer, refuse) => {
    const query: PendingQuery = { statement, answer, refuse };
    const others = waiting.get(db);
    if (others !== undefined) {
      others.push(query);
      return;
    }
    const all = [query];
    waiting.set(db, all);
    void endOfMoment().then(async () => {
      waiting.delete(db);
      await ask(db, all);
    });
  });
}

async function endOfMoment(): Promise<void> {
  for (let turn = 1; turn <= TURNS; turn++) await Promise.resolve();
}

/** A failed query fails the others of its batch: none of them is useful without the others. */
async function ask(db: D1Database, all: readonly PendingQuery[]): Promise<void> {
  try {
    const answers = await answersOf(db, all);
    for (const [index, { answer }] of all.entries()) answer(answers[index]?.results ?? []);
  } catch (error) {
    for (const { refuse } of all) refuse(error);
  }
}

async function answersOf(db: D1Database, all: readonly PendingQuery[]): Promise<D1Result<Row>[]> {
  const [only, ...others] = all;
  if (only === undefined) return [];
  return others.length === 0
    ? [await only.statement.all<Row>()]
    : await db.batch<Row>(all.map((one) => one.statement));
}

export type Query = readonly [sql: string, ...values: (string | number | null)[]];
