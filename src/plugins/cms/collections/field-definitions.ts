import { canonicalJson, type Json, type JsonObject, ownValue } from "../../../cairn/core/log/json.ts";
import { nearestWord } from "../model/nearest.ts";
import { compile, describeField } from "../model/validate.ts";
import { FIELD_TYPES, type Field } from "../model/document.ts";
import { fail, type Suggestion } from "../model/errors.ts";
import { fieldSchema } from "../model/columns.ts";

/** The fields of a collection as they are given, checked; and what a change of one asks more of than before. Pure. */

export const FIELDS_MAX = 30;
const OPTIONS_MAX = 50;

/** Attributes that every entry has besides its fields. */
const TAKEN = new Set(["title", "slug", "category", "author", "cover"]);
/** Names of these types in other systems. */
const ALSO_CALLED: Readonly<Record<string, string>> = {
  string: "text",
  textarea: "markdown",
  richtext: "markdown",
  html: "markdown",
  int: "number",
  integer: "number",
  float: "number",
  bool: "boolean",
  checkbox: "boolean",
  datetime: "date",
  enum: "select",
  choice: "select",
  url: "link",
  photo: "image",
  picture: "image",
  images: "image_list",
};
const FORM =
  `A field is {key, type, label?, required?, min?, max?, options?, default?, item?, help?}; its key letters, digits and _. ` +
  `Types: ${FIELD_TYPES.join(", ")}.`;

function refuse(at: string, key: string, message: string, suggestions: readonly Suggestion[] = []) {
  const name = key === "" ? "This" : `The field “${key}”`;
  return fail("invalid_content", `${name} ${message}.`, {
    at,
    hint: FORM,
    suggestions,
    details: { types: [...FIELD_TYPES] },
  });
}

/** A new field. Refuses `invalid_content` with the types that there are. */
export function definedField(given: JsonObject, at: string): Field {
  const key = typeof given["key"] === "string" ? given["key"] : "";
  return checked({ label: labelOf(key), ...given }, key, at);
}

/** A field after a change: what is given is as given, null takes it away. Another type begins anew. */
export function changedField(before: Field, given: JsonObject, at: string): Field {
  const isOther = given["type"] !== undefined && given["type"] !== before.type;
  const { key, label, required, help } = before;
  const attributes: object = isOther
    ? { key, label, ...(required === undefined ? {} : { required }), ...(help === undefined ? {} : { help }) }
    : before;
  const merged = Object.entries({ ...attributes, ...given }).filter(([, value]) => value !== null);
  return checked(Object.fromEntries(merged), key, at);
}

function checked(given: object, key: string, at: string): Field {
  const parsed = fieldSchema.safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const { type }: { type?: unknown } = given;
    if (issue?.path[0] === "type") {
      const requested = typeof type === "string" ? type : "";
      const known = ownValue(ALSO_CALLED, requested.toLowerCase());
      const near =
        known === undefined ? nearestWord(requested, FIELD_TYPES) : [{ label: known, value: known }];
      throw refuse(
        `${at}.type`,
        key,
        requested === "" ? "has no type" : `cannot be of the type “${requested}”`,
        near,
      );
    }
    const path = [at, ...(issue?.path ?? []).map(String)].join(".");
    throw refuse(path, key, `is not defined well: ${issue?.message ?? "it is no field"}`);
  }
  checkField(parsed.data, at);
  return parsed.data;
}

function checkField(field: Field, at: string, inner = false): void {
  const { key, type, min, max, options, item } = field;
  const no = (part: string, message: string) => refuse(`${at}.${part}`, key, message);
  if (!inner && TAKEN.has(key)) throw no("key", "is what every entry has anyway");
  if (type === "select" && options === undefined) throw no("options", "needs options to select from");
  if (type !== "select" && options !== undefined) throw no("options", `of the type ${type} takes no options`);
  if ((options?.length ?? 0) > OPTIONS_MAX) throw no("options", `has more than ${OPTIONS_MAX} options`);
  if (new Set(options).size !== (options?.length ?? 0)) throw no("options", "has an option twice");
  if (type === "list" && (item === undefined || item.length === 0))
    throw no("item", "needs item: the fields of one element");
  if (type !== "list" && item !== undefined) throw no("item", `of the type ${type} takes no item`);
  if (inner && type === "list") throw no("type", "cannot be a list in a list");
  if (type !== "number" && [min, max].some((one) => one !== undefined && (one < 0 || one % 1 !== 0)))
    throw no("max", "counts characters or elements with min and max: whole numbers");
  if (min !== undefined && max !== undefined && min > max) throw no("min", "has a min above its max");
  for (const [i, one] of (item ?? []).entries()) checkField(one, `${at}.item[${i}]`, true);
  if (twice(item ?? []) !== null) throw no("item", `has “${twice(item ?? []) ?? ""}” twice`);
  if (field.default === undefined) return;
  const { default: value, ...plain } = field;
  if (!compile([plain]).patch.safeParse({ [key]: value }).success)
    throw no("default", "has a default that it does not take");
}

/** The first key that two fields have. */
export const twice = (fields: readonly Field[]): string | null =>
  fields.map((one) => one.key).find((key, i, keys) => keys.indexOf(key) !== i) ?? null;

/** `cookingTime` as `Cooking time` */
function labelOf(key: string): string {
  const words = key
    .replaceAll("_", " ")
    .replaceAll(/([a-z\d])([A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`)
    .trim();
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** Reasons why a changed field accepts less, one for each restriction: existing values may violate it. */
export function narrowings(before: Field, after: Field): string[] {
  if (before.type !== after.type) return [`it becomes ${after.type} and was ${before.type}`];
  const gone = (before.options ?? []).filter((one) => after.options?.includes(one) !== true);
  const [low, high] = [before.min ?? -Infinity, before.max ?? Infinity];
  return [
    ...((after.min ?? -Infinity) > low ? [`it takes at least ${after.min ?? 0}`] : []),
    ...((after.max ?? Infinity) < high ? [`it takes at most ${after.max ?? 0}`] : []),
    ...(gone.length > 0 ? [`${gone.map((one) => `“${one}”`).join(", ")} cannot be selected any more`] : []),
    ...(canonicalJson(itemsOf(before)) === canonicalJson(itemsOf(after))
      ? []
      : ["its elements have other fields"]),
  ];
}

const itemsOf = ({ item = [] }: Field): string[] => item.map(describeField);

/** Types stored as plain text, so that one of them can read another's values. */
const PLAIN = new Set(["text", "markdown", "select", "date"]);

/** True if a stored value is still valid after the field's type has changed. */
export function staysAs(before: Field, after: Field, value: Json): boolean {
  if (before.type === after.type) return true;
  if (!PLAIN.has(before.type) || !PLAIN.has(after.type)) return false;
  return compile([after]).patch.safeParse({ [after.key]: value }).success;
}
