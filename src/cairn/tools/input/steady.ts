import * as z from "zod";
import { $ZodAsyncError } from "zod/v4/core";
import { canonicalJson, toJson } from "../../core/log/json.ts";
import { samplesOf } from "./samples.ts";

/** The value that a schema makes of another, or null where it does not fit. An error that the schema's own code throws is a misfit. */
export function parsedBy(schema: z.core.$ZodType, value: unknown): { readonly value: unknown } | null {
  try {
    const parsed = z.safeParse(schema, value);
    return parsed.success ? { value: parsed.data } : null;
  } catch (error) {
    if (error instanceof $ZodAsyncError) throw error;
    return null;
  }
}

export const isSame = (one: unknown, other: unknown): boolean =>
  canonicalJson(toJson(one)) === canonicalJson(toJson(other));

/** True where the schema leaves a value that it made as it is. Tried with samples; a schema that none of them fits is not known to be. */
export function isSteady(schema: z.core.$ZodType): boolean {
  const made = samplesOf(schema).flatMap((sample) => parsedBy(schema, sample) ?? []);
  if (made.length === 0) return false;
  return made.every(({ value }) => {
    const again = parsedBy(schema, value);
    return again !== null && isSame(again.value, value);
  });
}

/** True where a schema, without those inside it, changes a value in place: `trim`, `toLowerCase`, `overwrite`. */
export const overwrites = (schema: z.core.$ZodType): boolean =>
  schema._zod.def.checks?.some((check) => check._zod.def.check === "overwrite") === true;

export const typeOf = (schema: z.core.$ZodType): string => schema._zod.def.type;
