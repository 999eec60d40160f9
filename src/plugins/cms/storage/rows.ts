import * as z from "zod";
import type { Json, JsonObject } from "../../../cairn/core/log/json.ts";
import {
  FIELD_TYPES,
  publishedDocument,
  type ByLocale,
  type Content,
  type Field,
  type PublishedDocument,
} from "../model/document.ts";

/** A row as D1 answers it. The tables are STRICT, so a column of another type is a bug of the query, and throws. */
export type Row = { readonly [column: string]: unknown };

/** What is asked: the site, or a change set in front of it. */
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

interface Asked {
  readonly statement: D1PreparedStatement;
  readonly answer: (rows: Row[]) => void;
  readonly refuse: (error: unknown) => void;
}

/** What waits for the end of the moment, by database. Promises alone pass until then, so no other request is among them. */
const waiting = new WeakMap<D1Database, Asked[]>();
/** A moment is this many turns of the queue of promises: as many as an async function that only calls another. */
const TURNS = 3;

function together(db: D1Database, statement: D1PreparedStatement): Promise<Row[]> {
  return new Promise((answer, refuse) => {
    const asked: Asked = { statement, answer, refuse };
    const others = waiting.get(db);
    if (others !== undefined) {
      others.push(asked);
      return;
    }
    const all = [asked];
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

/** A query that fails fails those beside it: none of them is of use without the others. */
async function ask(db: D1Database, all: readonly Asked[]): Promise<void> {
  try {
    const answers = await answersOf(db, all);
    for (const [index, { answer }] of all.entries()) answer(answers[index]?.results ?? []);
  } catch (error) {
    for (const { refuse } of all) refuse(error);
  }
}

async function answersOf(db: D1Database, all: readonly Asked[]): Promise<D1Result<Row>[]> {
  const [only, ...others] = all;
  if (only === undefined) return [];
  return others.length === 0
    ? [await only.statement.all<Row>()]
    : await db.batch<Row>(all.map((one) => one.statement));
}

export type Query = readonly [sql: string, ...values: (string | number | null)[]];

export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== "string") throw new TypeError(`column ${column} is not text`);
  return value;
}

export function number(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== "number") throw new TypeError(`column ${column} is not a number`);
  return value;
}

export function textOrNull(row: Row, column: string): string | null {
  return row[column] === null || row[column] === undefined ? null : text(row, column);
}

export function numberOrNull(row: Row, column: string): number | null {
  return row[column] === null || row[column] === undefined ? null : number(row, column);
}

/** One of the values that the column's CHECK allows. */
export function oneOf<const T extends string>(row: Row, column: string, allowed: readonly T[]): T {
  const value = text(row, column);
  const found = allowed.find((one) => one === value);
  if (found === undefined) throw new TypeError(`column ${column} holds ${value}`);
  return found;
}

const jsonSchema: z.ZodType<Json> = z.json();

/** The definition of a field, as templates and collections store it. */
export const fieldSchema: z.ZodType<Field> = z.lazy(() =>
  z.strictObject({
    key: z.string().regex(/^[a-zA-Z][a-zA-Z0-9_]{0,39}$/),
    label: z.string().min(1).max(80),
    type: z.enum(FIELD_TYPES),
    required: z.boolean().optional(),
    min: z.number().optional(),
    max: z.number().optional(),
    options: z.array(z.string()).min(1).optional(),
    default: jsonSchema.optional(),
    item: z.array(fieldSchema).optional(),
    help: z.string().max(300).optional(),
  }),
);

const fieldsSchema = z.array(fieldSchema);
const objectSchema = z.record(z.string(), jsonSchema);

/** The object in a JSON column. */
export function objectIn(row: Row, column: string): JsonObject {
  return objectSchema.parse(JSON.parse(text(row, column)));
}

/** The definitions of fields in a JSON column. */
export function fieldsIn(row: Row, column: string): readonly Field[] {
  return inOrder(JSON.parse(text(row, column)));
}

/** Definitions of fields, the parts of each in the order in which they are stored. */
export const inOrder = (fields: unknown): readonly Field[] => fieldsSchema.parse(fields);

/** Contents by `owner_type:owner_id`, from rows of `contents`. */
export function contentsByOwner(rows: readonly Row[]): ReadonlyMap<string, ByLocale<Content>> {
  const byOwner = new Map<string, Record<string, Content>>();
  for (const row of rows) {
    const key = `${text(row, "owner_type")}:${text(row, "owner_id")}`;
    const locales = byOwner.get(key) ?? {};
    locales[text(row, "locale")] = objectIn(row, "data");
    byOwner.set(key, locales);
  }
  return byOwner;
}

export function publishedDocumentIn(row: Row, column: string): PublishedDocument {
  return publishedDocument.parse(JSON.parse(text(row, column)));
}
