import * as z from "zod";
import type { Json, JsonObject } from "../../../cairn/core/log/json.ts";
import {
  FIELD_TYPES,
  publishedDocument,
  type ByLocale,
  type Content,
  type Field,
  type PublishedDocument,
} from "./document.ts";

/** Columns of a row as the values that they hold. Each reader throws on a column of another type. */

/** A row as D1 answers it. The tables are STRICT, so a column of another type is a bug of the query, and throws. */
export type Row = { readonly [column: string]: unknown };

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
