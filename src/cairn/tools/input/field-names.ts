import { startOf } from "../../core/text/cut.ts";
import { sha256Hex } from "../../core/log/digest.ts";
import { isObject, type Json, type JsonObject } from "../../core/log/json.ts";
import { withWords } from "./offer.ts";

/**
 * The fields of a schema under names that every provider accepts, and the way back. Who changes names here changes what reaches
 * the server: a name is mapped to one name only, no two share one, and a name that the server itself has is never used for
 * another field.
 */

/** as Anthropic documents it for the fields of a tool's input */
const ALLOWED = /^[a-zA-Z0-9_.-]{1,64}$/;
const NAME_CHARS_MAX = 64;
const MARK_CHARS = 9;

/** The renamed fields of one place in an input; null below where nothing is renamed. */
export interface FieldNames {
  /** the server's names, by those that are offered; only names that differ */
  readonly real: ReadonlyMap<string, string>;
  /** by the server's names */
  readonly fields: ReadonlyMap<string, FieldNames>;
  readonly items: FieldNames | null;
}

/** How the fields of these schemas are offered, which all describe the same place; null where every name is allowed. */
export function fieldNamesOf(...schemas: readonly JsonObject[]): FieldNames | null {
  const alternatives = schemas.flatMap(alternativesOf);
  const below = new Map<string, JsonObject[]>();
  const lists: JsonObject[] = [];
  for (const { properties, items } of alternatives) {
    if (isObject(items)) lists.push(items);
    for (const [name, field] of isObject(properties) ? Object.entries(properties) : []) {
      const known = below.get(name) ?? [];
      below.set(name, known);
      if (isObject(field)) known.push(field);
    }
  }
  const real = new Map(Array.from(offeredNames([...below.keys()]), ([name, offered]) => [offered, name]));
  const fields = new Map<string, FieldNames>();
  for (const [name, of] of below) {
    const names = of.length === 0 ? null : fieldNamesOf(...of);
    if (names !== null) fields.set(name, names);
  }
  const items = lists.length === 0 ? null : fieldNamesOf(...lists);
  return real.size + fields.size === 0 && items === null ? null : { real, fields, items };
}

const alternativesOf = (schema: JsonObject): readonly JsonObject[] => {
  const { anyOf } = schema;
  return Array.isArray(anyOf) ? (anyOf as readonly Json[]).filter((one) => isObject(one)) : [schema];
};

/** The names of those that are not allowed. They are the same in whatever order a server lists its fields. */
function offeredNames(names: readonly string[]): ReadonlyMap<string, string> {
  const allowed = new Set(names.filter((name) => ALLOWED.test(name)));
  const odd = names.filter((name) => !allowed.has(name)).toSorted();
  const plain = new Map(odd.map((name) => [name, plainOf(name)]));
  const uses = new Map<string, number>();
  for (const offered of plain.values()) uses.set(offered, (uses.get(offered) ?? 0) + 1);
  const taken = new Set(allowed);
  const made = new Map<string, string>();
  for (const [name, offered] of plain) {
    let own = offered;
    // The mark is made of the name alone; another one is tried until it is free.
    for (let n = 0; own === "" || taken.has(own) || (n === 0 && uses.get(offered) !== 1); n++) {
      const mark = sha256Hex(`${n} ${name}`).slice(0, MARK_CHARS - 1);
      own = `${offered.slice(0, NAME_CHARS_MAX - MARK_CHARS) || "field"}_${mark}`;
    }
    taken.add(own);
    made.set(name, own);
  }
  return made;
}

/** `$filter` → `filter`, `user[name]` → `user_name`; empty where nothing of it is allowed */
const plainOf = (name: string): string =>
  name
    .replace(/[^a-zA-Z0-9_.-]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, NAME_CHARS_MAX);

/** Renames the fields of a schema to the offered names. Each description has the original name. */
export function renameFields(schema: JsonObject, names: FieldNames | null): JsonObject {
  if (names === null) return schema;
  const { anyOf, properties, required, items } = schema;
  if (Array.isArray(anyOf))
    return {
      ...schema,
      anyOf: (anyOf as readonly Json[]).map((one) => (isObject(one) ? renameFields(one, names) : one)),
    };
  const offered = new Map(Array.from(names.real, ([name, own]) => [own, name]));
  const field = (name: string, of: Json): [string, Json] => {
    const made = isObject(of) ? renameFields(of, names.fields.get(name) ?? null) : of;
    const as = offered.get(name);
    if (as === undefined || !isObject(made)) return [name, made];
    return [as, withWords(made, `Sent as ${JSON.stringify(startOf(name, SHOWN_CHARS_MAX).toWellFormed())}`)];
  };
  return {
    ...schema,
    ...(isObject(properties)
      ? { properties: Object.fromEntries(Object.entries(properties).map(([name, of]) => field(name, of))) }
      : {}),
    ...(Array.isArray(required)
      ? { required: (required as readonly string[]).map((name) => offered.get(name) ?? name) }
      : {}),
    ...(isObject(items) ? { items: renameFields(items, names.items) } : {}),
  };
}

const SHOWN_CHARS_MAX = 80;

/**
 * An input under the server's own names. An input that has them already stays as it is, so the same input can be read twice. A
 * field that is given under both of its names stays under both, and the server's schema decides.
 */
export function withRealNames(input: Json, names: FieldNames | null): Json {
  if (names === null) return input;
  if (Array.isArray(input)) return (input as readonly Json[]).map((one) => withRealNames(one, names.items));
  if (!isObject(input)) return input;
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => {
      const own = names.real.get(name);
      const real = own === undefined || Object.hasOwn(input, own) ? name : own;
      return [real, withRealNames(value, names.fields.get(real) ?? null)];
    }),
  );
}
