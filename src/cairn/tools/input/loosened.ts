import { isObject, type Json, type JsonObject } from "../../core/log/json.ts";

/**
 * A schema of a server without what is no JSON Schema, and without what cannot be checked here. It accepts every input that the
 * schema itself accepts: the server checks the schema itself.
 */
export function loosenSchema(schema: JsonObject): JsonObject {
  const made = Object.entries(schema).flatMap(([key, value]): [string, Json][] => {
    if (VALUES.has(key)) return [[key, value]];
    if (value === null || UNCHECKED.has(key)) return [];
    if (key === "type") {
      const types = typesIn(value);
      return types.length === 0 ? [] : [[key, types.length === 1 ? (types[0] ?? "") : types]];
    }
    if (key === "required") return Array.isArray(value) ? [[key, namesIn(value)]] : [];
    if (key === "enum") return Array.isArray(value) && value.length > 0 ? [[key, value]] : [];
    if (NUMBERS.has(key)) return typeof value === "number" ? [[key, value]] : [];
    if (TEXTS.has(key)) return typeof value === "string" ? [[key, value]] : [];
    if (NAMED.has(key)) return isObject(value) ? [[key, namedIn(value)]] : [];
    if (UNIONS.has(key)) return unionOf(key, value, schema);
    // A tuple here would have to be complete.
    if (key === "items" && Array.isArray(value)) return [];
    return [[key, part(value)]];
  });
  return Object.fromEntries(made);
}

const part = (value: Json): Json => (isObject(value) ? loosenSchema(value) : value);

const namedIn = (value: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(value).map(([field, of]) => [field, isSchema(of) ? part(of) : {}] as const),
  );

function unionOf(key: string, value: Json, around: JsonObject): [string, Json][] {
  const given = Array.isArray(value) ? (value as readonly Json[]).filter(isSchema) : [];
  if (given.length === 0) return [];
  const parts = given.map(part);
  const isLoose = key === "oneOf" && JSON.stringify(parts) !== JSON.stringify(value);
  if (!isLoose) return [[key, parts]];
  // Two alternatives that differ only in a dropped condition would both match.
  return "anyOf" in around ? [] : [["anyOf", parts]];
}

export const isSchema = (value: Json): boolean => isObject(value) || typeof value === "boolean";

/** The types that a schema names, as JSON Schema writes them. */
export const typesIn = (value: Json | undefined): readonly string[] => {
  const given: readonly Json[] = Array.isArray(value) ? value : [value ?? null];
  const names = given.flatMap((one) => (typeof one === "string" ? [one.toLowerCase()] : []));
  return [...new Set(names.filter((name) => TYPES.has(name)))];
};

export const namesIn = (value: readonly Json[]): readonly string[] => [
  ...new Set(value.filter((name) => typeof name === "string")),
];

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));
const TYPES = words("object array string number integer boolean null");
const VALUES = words("default const examples");
const NUMBERS = words(
  "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems minProperties maxProperties",
);
const TEXTS = words("description title format pattern $ref");
const NAMED = words("properties patternProperties $defs definitions");
const UNIONS = words("anyOf oneOf allOf");
/** conditions that zod refuses to make a check of, and a tuple, of which it would want every item */
const UNCHECKED = words(
  "not if then else dependentRequired dependentSchemas dependencies unevaluatedProperties unevaluatedItems contains " +
    "minContains maxContains prefixItems additionalItems propertyNames contentSchema $dynamicRef $dynamicAnchor $schema $id id",
);
