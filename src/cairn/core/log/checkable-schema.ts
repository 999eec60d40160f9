import { isObject, ownValue, type Json, type JsonObject } from "./json.ts";

/**
 * A JSON Schema from outside, without its patterns, for checking values here: a crafted pattern can occupy this isolate
 * for minutes on a short text, and no list of known shapes finds them all. Keywords that would refuse more values
 * without the patterns are loosened too. The model still sees the schema with its patterns.
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
      // Two alternatives that differ only in patterns would both match.
      const isLoose = key === "oneOf" && JSON.stringify(parts) !== JSON.stringify(value);
      return isLoose ? ("anyOf" in schema ? [] : [["anyOf", parts]]) : [[key, parts]];
    }
    return [[key, isObject(value) ? checkable(value) : value]];
  });
  return Object.fromEntries(entries);
}

const VALUES: ReadonlySet<string> = new Set(["default", "const", "enum", "examples"]);
const NAMED: ReadonlySet<string> = new Set(["properties", "$defs", "definitions", "dependentSchemas"]);

/** schemas inserted for references; each costs time when a value is checked */
const REFERRED_SCHEMAS_MAX = 500;
const REFERRED_DEPTH_MAX = 50;

/**
 * Inlines the references of a JSON Schema from outside. A recursive reference, or one beyond the bounds above, allows
 * any value: 200 schemas that each name the next one twice would be checked 2^200 times. Keywords that would then
 * refuse more values are loosened too. A reference to no schema of the document is left unchanged.
 */
export function unrollSchema(root: JsonObject): JsonObject {
  let left = REFERRED_SCHEMAS_MAX;

  const unroll = (schema: JsonObject, open: readonly string[]): Unrolled => {
    const { $ref: ref } = schema;
    if (typeof ref === "string") return follow(schema, ref, open);
    if (open.length > 0) left -= 1;
    if (left < 0) return ANYTHING;
    let isLoose = false;
    const inner = (value: Json): Json => {
      if (!isObject(value)) return value;
      const made = unroll(value, open);
      isLoose ||= made.isLoose;
      return made.schema;
    };
    const entries = Object.entries(schema).flatMap(([key, value]): [string, Json][] => {
      if (key === "$defs" || key === "definitions") return [];
      if (VALUES.has(key) || key === "not") return [[key, value]];
      if ((NAMED.has(key) || key === "patternProperties") && isObject(value))
        return [[key, Object.fromEntries(Object.entries(value).map(([field, of]) => [field, inner(of)]))]];
      if (!Array.isArray(value)) return [[key, inner(value)]];
      const parts = value.map((one: Json): { readonly schema: Json; readonly isLoose: boolean } =>
        isObject(one) ? unroll(one, open) : { schema: one, isLoose: false },
      );
      const hasLoose = parts.some((part) => part.isLoose);
      isLoose ||= hasLoose;
      const made = parts.map((part) => part.schema);
      if (key !== "oneOf" || !hasLoose) return [[key, made]];
      // Two of them could fit now.
      return "anyOf" in schema ? [] : [["anyOf", made]];
    });
    return { schema: Object.fromEntries(entries), isLoose };
  };

  const follow = (schema: JsonObject, ref: string, open: readonly string[]): Unrolled => {
    const named = schemaNamed(ref, root);
    if (!isObject(named)) return { schema, isLoose: false };
    if (left <= 0 || open.length === REFERRED_DEPTH_MAX || open.includes(ref)) return ANYTHING;
    const made = unroll(named, [...open, ref]);
    const preset = schema["default"];
    return preset === undefined ? made : { ...made, schema: { ...made.schema, default: preset } };
  };

  return unroll(root, []).schema;
}

interface Unrolled {
  readonly schema: JsonObject;
  /** it fits more values than it did with its references */
  readonly isLoose: boolean;
}
const ANYTHING: Unrolled = { schema: {}, isLoose: true };

/** The schema that a reference names within its root, as `#`, `#/$defs/name` or `#/definitions/name`; undefined for any other. */
export function schemaNamed(ref: string, root: JsonObject): Json | undefined {
  if (ref === "#") return root;
  const [, holder, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(ref) ?? [];
  const names = holder === undefined ? undefined : ownValue(root, holder);
  if (name === undefined || !isObject(names)) return undefined;
  return ownValue(names, name.replaceAll("~1", "/").replaceAll("~0", "~"));
}
