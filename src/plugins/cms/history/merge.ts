import {
  canonicalJson,
  isObject,
  type Json,
  type JsonObject,
  ownValue,
} from "../../../cairn/core/log/json.ts";

/**
 * Taking a change back while later ones stay: field by field, between what was before it, after it, and what is now. Pure.
 * A side is a row with its texts as a revision holds it; null where there is no row.
 */

export type Side = JsonObject | null;

/** The path of a field, such as `["content","en","title"]`. */
export type FieldPath = readonly string[];

/** Counters and times: they follow a change, and are never its purpose. */
const BOOKKEEPING = new Set(["version", "publishedVersion", "updatedAt", "createdAt", "publishedAt"]);

/** Values that are merged field by field, `*` standing for any key; everything else is one value. */
interface Shape {
  readonly [key: string]: Shape;
}
const TEXTS: Shape = { "*": {} };
const SHAPE: Shape = {
  meta: TEXTS,
  labels: TEXTS,
  texts: TEXTS,
  content: TEXTS,
  value: {},
  document: { meta: TEXTS, content: TEXTS, section: { "*": { content: TEXTS } } },
};

type Fields = ReadonlyMap<string, Json>;

/** The fields of a side, each under its path as JSON. */
function fieldsOf(side: Side): Fields {
  const fields = new Map<string, Json>();
  const open = (value: Json, shape: Shape | undefined, path: FieldPath): void => {
    if (shape === undefined || !isObject(value) || Object.keys(value).length === 0) {
      if (path.length > 0) fields.set(JSON.stringify(path), value);
      return;
    }
    for (const [key, each] of Object.entries(value))
      open(each, ownValue(shape, key) ?? shape["*"], [...path, key]);
  };
  if (side !== null) open(byId(side), SHAPE, []);
  return fields;
}

/** The sections of a published page by their IDs, next to their list, so that each is merged separately. */
function byId(side: JsonObject): JsonObject {
  const { document } = side;
  if (!isObject(document) || !Array.isArray(document["sections"])) return side;
  const sections = document["sections"].filter(isObject);
  const idOf = ({ id }: JsonObject): string => (typeof id === "string" ? id : "");
  const ids = sections.map(idOf);
  const section = Object.fromEntries(sections.map((one) => [idOf(one), one]));
  return { ...side, document: { ...document, sections: ids, section } };
}

function inOrder(side: JsonObject): JsonObject {
  const { document } = side;
  if (!isObject(document) || !isObject(document["section"])) return side;
  const { section, sections, ...rest } = document;
  const ids = Array.isArray(sections) ? sections : [];
  return {
    ...side,
    document: {
      ...rest,
      sections: ids.flatMap((id) => (typeof id === "string" ? [section[id] ?? null] : [])),
    },
  };
}

/** The side that has these fields. */
function sideFrom(fields: Fields): JsonObject {
  const root: Record<string, Json> = {};
  for (const [at, value] of fields) {
    const path = parsePath(at);
    let holder = root;
    for (const key of path.slice(0, -1)) {
      const known = holder[key];
      const next: Record<string, Json> = isObject(known) ? { ...known } : {};
      holder[key] = next;
      holder = next;
    }
    holder[path.at(-1) ?? ""] = value;
  }
  return inOrder(root);
}

const parsePath = (at: string): FieldPath => JSON.parse(at) as FieldPath;

const isBookkeeping = (at: string): boolean => BOOKKEEPING.has(parsePath(at).at(-1) ?? "");

const isSame = (one: Json | undefined, other: Json | undefined): boolean =>
  canonicalJson(one) === canonicalJson(other);

/** The fields in which two sides differ, counters and times aside. */
export function differingFields(one: Side, other: Side): FieldPath[] {
  const [a, b] = [fieldsOf(one), fieldsOf(other)];
  return [...new Set([...a.keys(), ...b.keys()])]
    .filter((at) => !isBookkeeping(at) && !isSame(a.get(at), b.get(at)))
    .map(parsePath);
}

export const hasSameFields = (one: Side, other: Side): boolean =>
  (one === null) === (other === null) && differingFields(one, other).length === 0;

/**
 * Returns `now` without the change from `before` to `after`. Fields that a later change has changed too are
 * conflicts, and keep their current value.
 */
export function takeBack(
  before: Side,
  after: Side,
  now: Side,
): { readonly side: Side; readonly conflicts: readonly FieldPath[] } {
  if (hasSameFields(now, after)) return { side: before, conflicts: [] };
  if (hasSameFields(now, before)) return { side: now, conflicts: [] };
  const [old, made, current] = [fieldsOf(before), fieldsOf(after), fieldsOf(now)];
  const wanted = new Map(current);
  const conflicts: FieldPath[] = [];
  for (const at of new Set([...old.keys(), ...made.keys()])) {
    const [was, became, is] = [old.get(at), made.get(at), current.get(at)];
    if (isSame(was, became) || isSame(is, was)) continue;
    if (!isSame(is, became)) {
      if (!isBookkeeping(at)) conflicts.push(parsePath(at));
    } else if (was === undefined) wanted.delete(at);
    else wanted.set(at, was);
  }
  return { side: sideFrom(wanted), conflicts };
}

/** `side` with these fields as they are in `from`. */
export function withFields(side: Side, from: Side, paths: readonly FieldPath[]): Side {
  const [fields, source] = [new Map(fieldsOf(side)), fieldsOf(from)];
  for (const path of paths) {
    const at = JSON.stringify(path);
    const value = source.get(at);
    if (value === undefined) fields.delete(at);
    else fields.set(at, value);
  }
  return sideFrom(fields);
}
