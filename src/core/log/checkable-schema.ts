import { isObject, type Json, type JsonObject } from "./json.ts";

/**
 * A JSON Schema from outside, without its patterns, as values are checked with it here: a pattern can be made so that a short
 * text keeps this isolate busy for minutes, and no list of known shapes finds them all. Whatever would refuse more values
 * without the patterns is loosened too. The model is still shown the schema with its patterns.
 */
export function checkable(schema: JsonObject): JsonObject {
  const hasPatterns = "patternProperties" in schema;
  const entries = Object.entries(schema).flatMap(([key, value]): [string, Json][] => {
    if (key === "pattern" || key === "patternProperties") return [];
    // The patterns also decided which fields there may be.
    if (key === "additionalProperties" && hasPatterns) return [];
    // zod accepts only `not: {}`: a `not` that it refuses must not become that by losing a pattern.
    if (VALUES.has(key) || key === "not") return [[key, value]];
    if (NAMED.has(key) && isObject(value))
      return [
        [
          key,
          Object.fromEntries(
            Object.entries(value).map(([field, of]) => [field, isObject(of) ? checkable(of) : of]),
          ),
        ],
      ];
    if (Array.isArray(value)) {
      const parts = value.map((one: Json) => (isObject(one) ? checkable(one) : one));
      // Two that only their patterns told apart would both fit.
      const isLoose = key === "oneOf" && JSON.stringify(parts) !== JSON.stringify(value);
      return isLoose ? ("anyOf" in schema ? [] : [["anyOf", parts]]) : [[key, parts]];
    }
    return [[key, isObject(value) ? checkable(value) : value]];
  });
  return Object.fromEntries(entries);
}

const VALUES: ReadonlySet<string> = new Set(["default", "const", "enum", "examples"]);
const NAMED: ReadonlySet<string> = new Set(["properties", "$defs", "definitions", "dependentSchemas"]);
