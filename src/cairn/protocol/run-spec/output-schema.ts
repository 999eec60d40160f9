import { startOf } from "../../core/text/cut.ts";
import * as z from "zod";
import { checkable, schemaNamed } from "../../core/log/checkable-schema.ts";
import { canonicalJson, type JsonObject } from "../../core/log/json.ts";

/** The JSON Schema that the value of an answer must satisfy, as a caller gives it. */

const BYTES_MAX = 32_768;
/** schemas in one another, through what they refer to; so none refers to itself */
const DEPTH_MAX = 8;
/** schemas that a value is validated against, with references expanded: bounds the time of a check */
const SCHEMAS_MAX = 2_000;
const WHY_CHARS_MAX = 200;

const HOLDS_SCHEMAS = new Set([
  "items",
  "prefixItems",
  "additionalItems",
  "additionalProperties",
  "contains",
  "propertyNames",
  "not",
  "if",
  "then",
  "else",
  "allOf",
  "anyOf",
  "oneOf",
  "unevaluatedItems",
  "unevaluatedProperties",
  "contentSchema",
]);
const NAMES_SCHEMAS = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "dependencies",
  "$defs",
  "definitions",
]);

export type OutputSchema =
  | { readonly ok: true; readonly schema: z.ZodType }
  | { readonly ok: false; readonly why: string };

/**
 * The schema as values are checked with it, or why it is none. Its patterns (`pattern`, `patternProperties`) are shown to the
 * model and not checked. Never throws, and takes time for its size alone.
 */
export function readOutputSchema(given: JsonObject): OutputSchema {
  if (new TextEncoder().encode(canonicalJson(given)).length > BYTES_MAX)
    return refused(`It must have at most ${BYTES_MAX} bytes.`);
  const fault = faultOf(given);
  if (fault !== null) return refused(fault);
  try {
    // A separate registry, so that the schema of one caller leaves nothing behind.
    return { ok: true, schema: z.fromJSONSchema(checkable(given), { registry: z.registry() }) };
  } catch (error) {
    const why = error instanceof Error ? error.message : "It is no JSON Schema.";
    return refused(startOf(why, WHY_CHARS_MAX).toWellFormed());
  }
}

const refused = (why: string): OutputSchema => ({ ok: false, why });

function faultOf(root: JsonObject): string | null {
  let level: unknown[] = [root];
  let count = 0;
  for (let depth = 1; level.length > 0; depth += 1) {
    count += level.length;
    if (depth > DEPTH_MAX)
      return `Its schemas must stand at most ${DEPTH_MAX} levels deep, through every $ref; none may refer to itself.`;
    if (count > SCHEMAS_MAX) return `It must have at most ${SCHEMAS_MAX} schemas, each $ref counted.`;
    const next: unknown[] = [];
    for (const schema of level) {
      if (!isHolder(schema)) continue;
      const below = lookInto(schema, root, next);
      if (below !== null) return below;
    }
    level = next;
  }
  return null;
}

/** Adds the schemas that this one contains or references; returns a fault or null. */
function lookInto(
  schema: { readonly [key: string]: unknown },
  root: JsonObject,
  next: unknown[],
): string | null {
  for (const [key, value] of Object.entries(schema)) {
    if (key === "$ref") {
      const named = typeof value === "string" ? schemaNamed(value, root) : undefined;
      if (named === undefined)
        return "A $ref must name one of its own $defs or definitions, as #/$defs/name.";
      next.push(named);
    }
    if (HOLDS_SCHEMAS.has(key)) next.push(...(Array.isArray(value) ? value : [value]));
    if (!NAMES_SCHEMAS.has(key) || !isHolder(value)) continue;
    // zod leaves such a property out, so nothing would check it.
    if (Object.hasOwn(value, "__proto__")) return "No property can be named __proto__.";
    next.push(...Object.values(value));
  }
  return null;
}

const isHolder = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value);
