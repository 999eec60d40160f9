import * as z from "zod";
import { readJson, type Json } from "../core/log/json.ts";

/**
 * The value of a JSON text; undefined for a text that is no JSON, or is nested more than 100 levels deep. The message of the parser
 * quotes the text, so it goes nowhere.
 */
export const parseJson = (text: string): unknown => readJson(text);

/**
 * As parseJson, of any depth: for a reader that looks at single fields, so that it can name what it refuses, and asks `isTooDeep`
 * before it hands the value on.
 */
export function parseDeepJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Any JSON value, as `z.json()` takes it; under one name, because a schema that holds itself needs one in the OpenAPI document. */
export const json: z.ZodType<Json> = z
  .lazy(() =>
    z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(json), z.record(z.string(), json)]),
  )
  .meta({ id: "Json" });
