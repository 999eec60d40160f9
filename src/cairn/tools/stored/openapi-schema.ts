import { startOf } from "../../core/text/cut.ts";
import { isObject, ownValue, type Json, type JsonObject } from "../../core/log/json.ts";

/**
 * Schemas of an OpenAPI document (2.0, 3.0 and 3.1) as JSON Schema without references. What is nested too deep, refers to
 * itself or is beyond the bound allows any value: the API itself checks the whole.
 */

const DEPTH_MAX = 12;
/** references that lead to references */
const HOPS_MAX = 20;
const WORDS_CHARS_MAX = 300;
const ENUM_MAX = 100;

/** The value that a reference within the document names; the value itself where it is none; null where it leads nowhere. */
export function followReference(document: JsonObject, value: Json | undefined): JsonObject | null {
  let found = value;
  for (let hop = 0; hop <= HOPS_MAX; hop += 1) {
    if (!isObject(found)) return null;
    const ref = found["$ref"];
    if (typeof ref !== "string") return found;
    found = named(document, ref);
  }
  return null;
}

function named(document: JsonObject, ref: string): Json | undefined {
  if (!ref.startsWith("#/")) return undefined;
  let found: Json | undefined = document;
  for (const part of ref.slice(2).split("/").slice(0, 30)) {
    const key = decoded(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(found)) found = (found as readonly Json[])[Number(key)];
    else if (isObject(found)) found = ownValue(found, key);
    else return undefined;
  }
  return found;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Work that the import of one document may still take: values that are read, and characters of schemas that are made. */
export interface ImportWork {
  left: number;
}

/** Makes schemas of one document; at most `budget` of them, after which any value is allowed. */
export class OpenApiSchemas {
  readonly #document: JsonObject;
  readonly #work: ImportWork;
  #left: number;

  constructor(document: JsonObject, budget: number, work: ImportWork) {
    this.#document = document;
    this.#left = budget;
    this.#work = work;
  }

  of(value: Json | undefined, open: readonly string[] = []): JsonObject {
    if (!isObject(value) || open.length > DEPTH_MAX) return {};
    this.#left -= 1;
    this.#work.left -= 1;
    if (this.#left < 0 || this.#work.left < 0) return {};
    const ref = value["$ref"];
    if (typeof ref === "string") {
      if (open.includes(ref)) return {};
      const target = named(this.#document, ref);
      const words = described(value);
      return { ...this.of(target, [...open, ref]), ...words };
    }
    const inside = [...open, ""];
    const one = (part: Json | undefined): JsonObject => this.of(part, inside);
    const made: Record<string, Json> = { ...described(value), ...copied(value) };
    const type = typeOf(value);
    if (type !== undefined) made["type"] = type;
    const listed = value["enum"];
    if (Array.isArray(listed) && listed.length <= ENUM_MAX) made["enum"] = listed;
    if ("const" in value) made["const"] = value["const"] ?? null;
    if (isObject(value["properties"])) {
      const given = Object.entries(value["properties"]);
      this.#work.left -= given.length;
      const fields = given.filter(([, field]) => !isReadOnly(this.#document, field));
      made["properties"] = Object.fromEntries(fields.map(([name, field]) => [name, one(field)]));
      const names = new Set(fields.map(([name]) => name));
      const { required } = value;
      if (Array.isArray(required)) this.#work.left -= required.length;
      if (Array.isArray(required))
        made["required"] = required.filter((name: Json) => typeof name === "string" && names.has(name));
    }
    const { additionalProperties: more } = value;
    if (isObject(more)) made["additionalProperties"] = one(more);
    if (isObject(value["items"])) made["items"] = one(value["items"]);
    else if (type === "array") made["items"] = {};
    for (const key of ["allOf", "anyOf", "oneOf"]) {
      const parts = value[key];
      if (!Array.isArray(parts)) continue;
      // Two parts of which something is left out may both fit.
      made[key === "oneOf" ? "anyOf" : key] = parts.slice(0, 30).map((part: Json) => one(part));
    }
    return made;
  }
}

function described(value: JsonObject): JsonObject {
  const { description } = value;
  return typeof description === "string" && description.trim() !== ""
    ? { description: startOf(description.trim(), WORDS_CHARS_MAX).toWellFormed() }
    : {};
}

const NUMBERS = ["minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum"] as const;

function copied(value: JsonObject): JsonObject {
  const made: Record<string, Json> = {};
  for (const key of NUMBERS) if (typeof value[key] === "number") made[key] = value[key];
  const { format, default: preset } = value;
  // Other formats are words to a reader, and unknown to a checker.
  if (typeof format === "string" && ["date", "date-time", "email", "uuid", "uri"].includes(format))
    made["format"] = format;
  if (preset !== undefined && (preset === null || typeof preset !== "object")) made["default"] = preset;
  return made;
}

const TYPES: ReadonlySet<string> = new Set([
  "string",
  "number",
  "integer",
  "boolean",
  "array",
  "object",
  "null",
]);

/** `nullable` of 3.0 is a second type. */
function typeOf(value: JsonObject): Json | undefined {
  const { type } = value;
  const given: readonly unknown[] = Array.isArray(type) ? type : [type];
  const types = given.filter((one): one is string => typeof one === "string" && TYPES.has(one));
  if (types.length === 0) return isObject(value["properties"]) ? "object" : undefined;
  const all = value["nullable"] === true && !types.includes("null") ? [...types, "null"] : types;
  return all.length === 1 ? all[0] : all;
}

const isReadOnly = (document: JsonObject, field: Json): boolean =>
  followReference(document, field)?.["readOnly"] === true;
