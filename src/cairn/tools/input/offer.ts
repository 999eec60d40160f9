import { shortened } from "../../core/text/cut.ts";
import { schemaNamed } from "../../core/log/checkable-schema.ts";
import { isObject, ownValue, type Json, type JsonObject } from "../../core/log/json.ts";
import { removeHidden } from "../../core/text/untrusted.ts";
import { isSchema, loosenSchema, namesIn, typesIn } from "./loosened.ts";

/**
 * The schema of a tool as every provider accepts it: an object at the root with no union there, one type for each value, items
 * for each list, and no references, conditions, tuples or `additionalProperties`. It may accept more than the tool does; the
 * schema of the tool itself is what a call is checked with. Sources of the rules: the providers' documentation of function calling, and test/foreign/mcp/schemas.ts.
 */

/** Chars of an offered schema; references that are written out must not make it longer. */
const OFFER_CHARS_MAX = 16_000;
/** schemas in one offer, tried in this order until the offer is short enough */
const BUDGETS = [500, 120, 40] as const;
const REFERRED_DEPTH_MAX = 20;
const PARTS_MAX = 12;
const WORDS_CHARS_MAX = 400;
const PATTERN_CHARS_MAX = 300;

/** The offered schema with the tool's own field names; null where the tool's schema is none of an object. */
export function offeredSchema(schema: Json): JsonObject | null {
  if (!isObject(schema)) return null;
  for (const budget of BUDGETS) {
    const made = new Offering(loosenedRoot(schema), schema, budget).root();
    if (made === null) return null;
    if (JSON.stringify(made).length <= OFFER_CHARS_MAX) return made;
  }
  return null;
}

/** The schema with which an input is checked here, before the server checks it. */
export const loosenedRoot = (schema: JsonObject): JsonObject => ({ ...loosenSchema(schema), type: "object" });

const SCALARS: readonly JsonObject[] = [{ type: "string" }, { type: "number" }, { type: "boolean" }];
/** any JSON value: a schema without a type is refused by some */
const ANYTHING: JsonObject = {
  anyOf: [...SCALARS, { type: "object", properties: {} }, { type: "array", items: { anyOf: SCALARS } }],
};

class Offering {
  readonly #root: JsonObject;
  readonly #given: JsonObject;
  #left: number;

  constructor(root: JsonObject, given: JsonObject, budget: number) {
    this.#root = root;
    this.#given = given;
    this.#left = budget;
  }

  root(): JsonObject | null {
    const types = typesIn(this.#given["type"]);
    if (types.length > 0 && !types.includes("object")) return null;
    const { type: _type, ...rest } = this.#root;
    // A reference decides what the root is.
    const whole = this.#resolved("$ref" in rest ? rest : { ...rest, type: "object" }, []);
    if (whole === null) return null;
    const own = typesIn(whole.schema["type"]);
    if (own.length > 0 && !own.includes("object")) return null;
    const { enum: values, const: only, ...schema } = whole.schema;
    const made = this.#object(schema, whole.open);
    if (made === null) return null;
    const listed = Array.isArray(values) ? values : only === undefined ? [] : [only];
    if (listed.length > 0) return withWords(made, `One of ${cut(JSON.stringify(listed))}`);
    return this.#hasConditions() ? withWords(made, "The server checks more conditions") : made;
  }

  #hasConditions(): boolean {
    return CONDITIONS.some((key) => isObject(this.#given[key] ?? null));
  }

  /** Resolves a reference, merged with its neighbors; null if it is recursive or too deep. */
  #resolved(schema: JsonObject, open: readonly string[]): Resolved | null {
    let whole = schema;
    let refs = open;
    while (typeof whole["$ref"] === "string") {
      const { $ref: ref, ...others } = whole;
      const named = typeof ref === "string" ? schemaNamed(ref, this.#root) : undefined;
      if (!isObject(named) || typeof ref !== "string") return null;
      if (refs.includes(ref) || refs.length === REFERRED_DEPTH_MAX) return null;
      refs = [...refs, ref];
      whole = { ...named, ...others };
    }
    return { schema: whole, open: refs };
  }

  /** One value. */
  #value(given: Json, open: readonly string[]): JsonObject {
    if (!isObject(given)) return ANYTHING;
    this.#left -= 1;
    const resolved = this.#left < 0 ? null : this.#resolved(given, open);
    if (resolved === null) return described(ANYTHING, given);
    const { schema } = resolved;
    const refs = resolved.open;
    const types = typesIn(schema["type"]).filter((type) => type !== "null");
    if (types.length > 1)
      return this.#union(
        types.map((type) => ({ ...schema, type })),
        schema,
        refs,
      );
    const [type = guessedType(schema)] = types;
    const parts = partsOf(schema);
    if (type === "object") return this.#object(schema, refs) ?? ANYTHING;
    if (parts.any.length > 0) {
      // Fields next to a union hold for each of its parts.
      const {
        anyOf: _any,
        oneOf: _one,
        allOf: _all,
        description: _words,
        title: _title,
        default: _value,
        ...base
      } = schema;
      return this.#union(
        parts.any.map((one) => (isObject(one) ? { ...base, ...one } : one)),
        schema,
        refs,
      );
    }
    if (parts.all.length > 0) {
      const all = parts.all.flatMap((one) => (isObject(one) ? [this.#resolved(one, refs)] : []));
      const known = all.filter((one) => one !== null);
      if (known.some((one) => guessedType(one.schema) === "object" || one.schema["type"] === "object"))
        return this.#object(schema, refs) ?? ANYTHING;
      const { allOf: _all, ...base } = schema;
      const whole = known.reduce<JsonObject>((made, one) => ({ ...made, ...one.schema }), {});
      return this.#value({ ...whole, ...base }, [...new Set([...refs, ...known.flatMap((one) => one.open)])]);
    }
    if (type === "array") {
      const { items } = schema;
      const made = { type, items: isObject(items) ? this.#value(items, refs) : ANYTHING };
      return described({ ...made, ...bounds(schema, ["minItems", "maxItems"]) }, schema);
    }
    return type === null ? valuesOf(schema) : scalar(type, schema);
  }

  /**
   * Flattens an object: the fields of its unions become optional fields, and descriptions tell which belong together.
   */
  #object(given: JsonObject, open: readonly string[]): JsonObject | null {
    const fields = new Map<string, JsonObject>();
    const required = new Set<string>();
    const notes: string[] = [];
    let extra: Json | undefined;
    const take = (schema: JsonObject, refs: readonly string[], isNeeded: boolean, level: number): void => {
      // The parts of parts are schemas of the budget too: eight levels of them would be tried in every combination.
      this.#left -= level === 0 ? 0 : 1;
      if (this.#left < 0) return;
      const { properties } = schema;
      for (const [name, field] of isObject(properties) ? Object.entries(properties) : []) {
        // `false` allows no value at all.
        if (field === false) continue;
        const value = this.#value(field, refs);
        const made = isNullable(field) ? withWords(value, "May be null") : value;
        const before = fields.get(name);
        fields.set(name, before === undefined ? made : joined(before, made));
      }
      if (isNeeded) for (const name of requiredIn(schema)) required.add(name);
      const isOpen = schema["additionalProperties"];
      if (level === 0 && isOpen !== undefined) extra = isObject(isOpen) ? this.#value(isOpen, refs) : isOpen;
      if (level >= LEVELS_MAX) return;
      const parts = partsOf(schema);
      for (const part of parts.all) {
        const resolved = isObject(part) ? this.#resolved(part, refs) : null;
        if (resolved !== null) take(resolved.schema, resolved.open, isNeeded, level + 1);
      }
      const some = parts.any.flatMap((part) => {
        const resolved = isObject(part) ? this.#resolved(part, refs) : null;
        return resolved === null || !mayBeObject(resolved.schema) ? [] : [resolved];
      });
      for (const part of some) take(part.schema, part.open, false, level + 1);
      const sets = some.map((part) => requiredIn(part.schema));
      const [first = [], ...others] = sets;
      if (isNeeded)
        for (const name of first) if (others.every((set) => set.includes(name))) required.add(name);
      const named = sets.filter((set) => set.length > 0).map((set) => set.join(" + "));
      if (named.length > 1 && new Set(named).size > 1)
        notes.push(`Give one of these: ${cut([...new Set(named)].join("; or "))}`);
    };
    const isUnion = partsOf(given).any.length > 0;
    take(given, open, true, 0);
    if (isUnion && fields.size === 0 && partsOf(given).any.every((part) => !this.#isObjectPart(part, open)))
      return null;
    const made: JsonObject = {
      type: "object",
      properties: Object.fromEntries(fields),
      ...(required.size === 0 ? {} : { required: [...required].filter((name) => fields.has(name)) }),
    };
    const others = otherFields(extra, fields.size);
    if (others !== null) notes.push(others);
    return notes.reduce(withWords, described(made, given));
  }

  #isObjectPart(part: Json, open: readonly string[]): boolean {
    const resolved = isObject(part) ? this.#resolved(part, open) : null;
    return resolved !== null && mayBeObject(resolved.schema);
  }

  /**
   * A union within a value: some providers allow nothing next to `anyOf`, so the description goes into its first part.
   */
  #union(given: readonly Json[], around: JsonObject, refs: readonly string[]): JsonObject {
    const parts = given
      .slice(0, PARTS_MAX)
      .filter((one) => !isNull(one))
      .map((one) => this.#value(isObject(one) ? without(one, around) : one, refs))
      .flatMap((one) => (Array.isArray(one["anyOf"]) ? (one["anyOf"] as readonly JsonObject[]) : [one]));
    const [first, ...others] = distinct(parts);
    if (first === undefined) return described(ANYTHING, around);
    if (others.length === 0) return described({ ...first, ...bounds(around, ["default"]) }, around);
    return { anyOf: [described(first, around), ...others] };
  }
}

interface Resolved {
  readonly schema: JsonObject;
  /** references that were followed to it */
  readonly open: readonly string[];
}

const LEVELS_MAX = 8;
const CONDITIONS = ["not", "if", "dependentRequired", "dependentSchemas", "dependencies"] as const;

/** The parts of a union do not each have the words of the whole. */
const without = (part: JsonObject, around: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(part).filter(
      ([key, value]) =>
        !(key === "description" || key === "title" || key === "default") || value !== ownValue(around, key),
    ),
  );

const isNull = (schema: Json): boolean =>
  isObject(schema) &&
  ((typesIn(schema["type"]).includes("null") && typesIn(schema["type"]).length === 1) ||
    ("const" in schema && schema["const"] === null));

/** `null` is a value of it, and not the one that it has when it is left out. No provider accepts the type everywhere. */
const isNullable = (schema: Json): boolean => {
  if (!isObject(schema) || schema["default"] === null) return false;
  const { description } = schema;
  if (typeof description === "string" && /\bnull\b/u.test(description)) return false;
  const types = typesIn(schema["type"]);
  if (types.length > 1 && types.includes("null")) return true;
  return schema["nullable"] === true || partsOf(schema).any.some(isNull);
};

/** Fields that are not listed, in words: some providers refuse the keyword `additionalProperties`. */
function otherFields(extra: Json | undefined, listed: number): string | null {
  if (extra === undefined || extra === false) return null;
  const name = listed === 0 ? "Fields of any name" : "Other fields of any name";
  if (!isObject(extra) || JSON.stringify(extra) === JSON.stringify(ANYTHING))
    return listed === 0 ? name : null;
  const { type } = extra;
  const isPlain = Object.keys(extra).length === 1 && typeof type === "string";
  return `${name}, each of the type ${isPlain ? type : cut(JSON.stringify(extra))}`;
}

const mayBeObject = (schema: JsonObject): boolean => {
  const types = typesIn(schema["type"]);
  return types.length === 0 || types.includes("object");
};

const requiredIn = ({ required }: JsonObject): readonly string[] =>
  Array.isArray(required) ? namesIn(required) : [];

function partsOf(schema: JsonObject): { readonly any: readonly Json[]; readonly all: readonly Json[] } {
  const list = (key: string): readonly Json[] => {
    const value = ownValue(schema, key);
    return Array.isArray(value) ? (value as readonly Json[]).filter(isSchema) : [];
  };
  return { any: [...list("anyOf"), ...list("oneOf")], all: list("allOf") };
}

/** Returns the type of a schema without `type`, or null if nothing implies one. */
function guessedType(schema: JsonObject): string | null {
  if ("properties" in schema || "additionalProperties" in schema) return "object";
  if ("items" in schema) return "array";
  const { any, all } = partsOf(schema);
  if (any.length + all.length > 0) return null;
  if ("pattern" in schema || "minLength" in schema || "maxLength" in schema) return "string";
  return "minimum" in schema || "maximum" in schema ? "number" : null;
}

/** A value of which only the possible values are known. */
function valuesOf(schema: JsonObject): JsonObject {
  const { enum: values, const: only } = schema;
  const listed: readonly Json[] = Array.isArray(values) ? values : only === undefined ? [] : [only];
  const types = new Set(listed.filter((one) => one !== null).map(typeOf));
  const [type] = types;
  if (types.size !== 1 || type === undefined || type === "object" || type === "array")
    return listed.length === 0
      ? described(ANYTHING, schema)
      : withWords(described(ANYTHING, schema), `One of ${cut(JSON.stringify(listed))}`);
  return scalar(type, schema);
}

const typeOf = (value: Json): string => (Array.isArray(value) ? "array" : typeof value);

function scalar(type: string, schema: JsonObject): JsonObject {
  const {
    enum: values,
    const: only,
    format,
    pattern,
    exclusiveMinimum: above,
    exclusiveMaximum: below,
  } = schema;
  const listed: readonly Json[] = Array.isArray(values) ? values : only === undefined ? [] : [only];
  const texts = namesIn(listed);
  const notes: string[] = [];
  const isTextEnum = type === "string" && texts.length > 0 && texts.every((text) => text !== "");
  if (listed.length > 0 && !isTextEnum) notes.push(`One of ${cut(JSON.stringify(listed))}`);
  if (typeof format === "string" && format !== "date-time") notes.push(`Format: ${cut(format)}`);
  if (typeof above === "number") notes.push(`Greater than ${above}`);
  if (typeof below === "number") notes.push(`Less than ${below}`);
  const isNumber = type === "number" || type === "integer";
  const made: JsonObject = {
    type,
    ...(isTextEnum ? { enum: texts } : {}),
    ...(isNumber ? bounds(schema, ["minimum", "maximum"]) : {}),
    ...(type === "string" ? bounds(schema, ["minLength", "maxLength"]) : {}),
    ...(type === "string" && typeof pattern === "string" && isPattern(pattern) ? { pattern } : {}),
    ...(type === "string" && format === "date-time" ? { format } : {}),
    ...bounds(schema, ["default"]),
  };
  return notes.reduce(withWords, described(made, schema));
}

/** The keywords of these names that have a value of the right kind. */
const bounds = (schema: JsonObject, keys: readonly string[]): JsonObject =>
  Object.fromEntries(
    keys.flatMap((key): [string, Json][] => {
      const value = ownValue(schema, key);
      const isSound =
        key === "default"
          ? value !== undefined && value !== null && typeof value !== "object"
          : typeof value === "number" &&
            (key.endsWith("imum") || (Number.isSafeInteger(value) && value >= 0));
      return isSound ? [[key, value ?? null]] : [];
    }),
  );

function isPattern(pattern: string): boolean {
  if (pattern.length > PATTERN_CHARS_MAX) return false;
  try {
    return new RegExp(pattern, "u").unicode;
  } catch {
    return false;
  }
}

/** A union has its words in its first part. */
function described(made: JsonObject, { title, description }: JsonObject): JsonObject {
  const words = {
    ...(typeof title === "string" && title !== "" ? { title } : {}),
    ...(typeof description === "string" && description !== "" ? { description } : {}),
  };
  if (Object.keys(words).length === 0) return made;
  const parts = made["anyOf"];
  if (!Array.isArray(parts)) return { ...made, ...words };
  const [first, ...others] = parts as readonly JsonObject[];
  return { anyOf: [{ ...first, ...words }, ...others] };
}

/** The schema with a sentence more. Names and values in it are a server's. */
export function withWords(made: JsonObject, given: string): JsonObject {
  const words = removeHidden(given).replaceAll("<", "‹");
  const parts = made["anyOf"];
  if (Array.isArray(parts)) {
    const [first = {}, ...others] = parts as readonly JsonObject[];
    return { anyOf: [withWords(first, words), ...others] };
  }
  const { description } = made;
  const before = typeof description === "string" ? `${description.replace(/\.?\s*$/, "")}. ` : "";
  return { ...made, description: `${before}${words}.` };
}

const distinct = (parts: readonly JsonObject[]): readonly JsonObject[] => [
  ...new Map(parts.map((part) => [JSON.stringify(part), part])).values(),
];

/** The schema of a field that two parts of a union name. */
function joined(one: JsonObject, other: JsonObject): JsonObject {
  if (JSON.stringify(one) === JSON.stringify(other)) return one;
  const [first, second] = [one["enum"], other["enum"]];
  if (Array.isArray(first) && Array.isArray(second) && one["type"] === other["type"])
    return { ...one, enum: [...new Set([...(first as readonly Json[]), ...(second as readonly Json[])])] };
  const partsIn = (schema: JsonObject): readonly JsonObject[] =>
    Array.isArray(schema["anyOf"]) ? (schema["anyOf"] as readonly JsonObject[]) : [schema];
  return { anyOf: distinct([...partsIn(one), ...partsIn(other)]).slice(0, PARTS_MAX) };
}

const cut = (text: string): string => shortened(text, WORDS_CHARS_MAX).toWellFormed();
