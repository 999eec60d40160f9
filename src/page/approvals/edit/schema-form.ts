import { isObject, type Json, type JsonObject, ownValue } from "../../../cairn/core/log/json.ts";

/**
 * A form from a tool's JSON Schema: the control of each value, and back. Pure, without React. A value without a
 * specific control (references, free keys) is a box of JSON, so that everything can be changed.
 */

export type Field =
  | { readonly kind: "text"; readonly long: boolean; readonly max: number | null }
  | {
      readonly kind: "number";
      readonly whole: boolean;
      readonly min: number | null;
      readonly max: number | null;
    }
  | { readonly kind: "switch" }
  | { readonly kind: "choice"; readonly options: readonly Json[] }
  /** `of` is the schema of its items: each has the form that fits it */
  | { readonly kind: "list"; readonly of: Json; readonly max: number | null; readonly min: number }
  | { readonly kind: "group"; readonly fields: readonly Named[] }
  | { readonly kind: "json" };

export interface Named {
  readonly name: string;
  readonly label: string;
  /** the tool's description of it */
  readonly hint: string | null;
  readonly required: boolean;
  readonly field: Field;
}

/** texts that are, or may become, longer than this get several lines */
const LINE_CHARS = 80;
const DEPTH_MAX = 6;

/** The form of a value by its schema; `value` decides where the schema leaves open how long a text is. */
export function fieldOf(schema: Json, value: Json | undefined, depth = 0): Field {
  if (!isObject(schema) || depth > DEPTH_MAX) return { kind: "json" };
  const { enum: options, const: only } = schema;
  if (only !== undefined) return { kind: "choice", options: [only] };
  if (Array.isArray(options)) return { kind: "choice", options };
  const { type, oneOf, anyOf = oneOf } = schema;
  const variants = Array.isArray(type) ? type.map((each: Json) => ({ ...schema, type: each })) : anyOf;
  if (Array.isArray(variants)) return fieldOf(variantOf(variants, value), value, depth + 1);
  switch (type) {
    case "string":
      return fits(value, "string") ? textField(schema, value) : { kind: "json" };
    case "integer":
    case "number":
      return fits(value, "number") ? numberField(schema) : { kind: "json" };
    case "boolean":
      return fits(value, "boolean") ? { kind: "switch" } : { kind: "json" };
    case "array":
      return listField(schema, value, depth);
    case "object":
      return groupField(schema, value, depth);
    default:
      return { kind: "json" };
  }
}

function textField(schema: JsonObject, value: Json | undefined): Field {
  const max = numberOr(schema["maxLength"]);
  const text = typeof value === "string" ? value : "";
  return { kind: "text", long: text.length > LINE_CHARS || text.includes("\n") || (max ?? 0) > 300, max };
}

function numberField(schema: JsonObject): Field {
  const [min, max] = [numberOr(schema["minimum"]), numberOr(schema["maximum"])];
  return {
    kind: "number",
    whole: schema["type"] === "integer",
    min: min !== null && Number.isSafeInteger(min) && min > -SAFE ? min : null,
    max: max !== null && max < SAFE ? max : null,
  };
}

/** the bounds that a schema of whole numbers has for no reason of the tool's */
const SAFE = Number.MAX_SAFE_INTEGER;

function listField(schema: JsonObject, value: Json | undefined, depth: number): Field {
  if (value !== undefined && !Array.isArray(value)) return { kind: "json" };
  const { items: of = null } = schema;
  const items: readonly Json[] = value ?? [];
  const forms = [undefined, ...items].map((item) => fieldOf(of, item, depth + 1));
  if (forms.every(({ kind }) => kind === "json")) return { kind: "json" };
  return { kind: "list", of, max: numberOr(schema["maxItems"]), min: numberOr(schema["minItems"]) ?? 0 };
}

/** The variant of a union that the value matches, by its type and its fixed fields; the first for a new value. */
function variantOf(schemas: readonly Json[], value: Json | undefined): Json {
  return schemas.find((schema) => isObject(schema) && (value === undefined || isOf(schema, value))) ?? null;
}

function isOf(schema: JsonObject, value: Json): boolean {
  const { properties, required, type, const: only } = schema;
  if (only !== undefined) return only === value;
  if (!isObject(value)) return typeof value === (type === "integer" ? "number" : type);
  if (!isObject(properties)) return false;
  const fits = Object.entries(value).every(([name, own]) => {
    const { [name]: rule } = properties;
    return isObject(rule) && (rule["const"] === undefined || rule["const"] === own);
  });
  return (
    fits && (!Array.isArray(required) || required.every((name) => typeof name === "string" && name in value))
  );
}

function groupField(schema: JsonObject, value: Json | undefined, depth: number): Field {
  const { properties, required, additionalProperties } = schema;
  if (!isObject(properties) || (value !== undefined && !isObject(value))) return { kind: "json" };
  // Keys that the schema does not name are free, and only JSON can hold them.
  const names = Object.keys(properties);
  if (isObject(additionalProperties) || Object.keys(value ?? {}).some((key) => !names.includes(key)))
    return { kind: "json" };
  const needed = Array.isArray(required) ? required : [];
  return {
    kind: "group",
    fields: names.map((name): Named => {
      const { [name]: own = null } = properties;
      return {
        name,
        ...describeField(name, own),
        required: needed.includes(name),
        field: fieldOf(own, ownValue(value, name), depth + 1),
      };
    }),
  };
}

/** `Page: id or slug` is a label and a hint; any other description is a hint under the name of the argument. */
function describeField(name: string, schema: Json): Pick<Named, "label" | "hint"> {
  const description = isObject(schema) ? schema["description"] : null;
  if (typeof description !== "string") return { label: labelOf(name), hint: null };
  const [, label = null, hint = null] = /^([A-Z][^:.;]{1,39}): (.+)$/s.exec(description) ?? [];
  return label === null ? { label: labelOf(name), hint: description } : { label, hint };
}

/** `copyFrom` and `copy_from` as `Copy from` */
export function labelOf(name: string): string {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`)
    .replaceAll(/[_-]+/g, " ")
    .trim();
  return words === "" ? name : words[0]?.toUpperCase() + words.slice(1);
}

/** A value to begin with, where there is none yet. */
export function emptyOf(field: Field): Json {
  switch (field.kind) {
    case "text":
      return "";
    case "number":
      return field.min ?? 0;
    case "switch":
      return false;
    case "choice":
      return field.options[0] ?? null;
    case "list":
      return Array.from({ length: field.min }, () => emptyOf(fieldOf(field.of, undefined)));
    case "group":
      return Object.fromEntries(
        field.fields.filter(({ required }) => required).map((each) => [each.name, emptyOf(each.field)]),
      );
    case "json":
      return null;
  }
}

/** A position in the arguments: `pages[0]`, `meta.title`; empty for the whole. */
export function pathText(path: readonly (string | number)[]): string {
  return path.reduce<string>((before, part) => {
    if (typeof part === "number") return `${before}[${part}]`;
    return before === "" ? part : `${before}.${part}`;
  }, "");
}

export interface Issue {
  readonly path: string;
  readonly message: string;
}

/**
 * The issues of a refused edit, by the path of the control where each is shown: its own, or the nearest above it that has one.
 * `""` is the form itself.
 */
export function placeIssues(
  issues: readonly Issue[],
  shown: ReadonlySet<string>,
): ReadonlyMap<string, readonly string[]> {
  const placed = new Map<string, readonly string[]>();
  for (const { path, message } of issues) {
    let at = path.replace(/^args\.?/, "");
    while (at !== "" && !shown.has(at)) at = at.replace(/(?:\.[^.[\]]*|\[\d+\]|^[^.[\]]*)$/, "");
    placed.set(at, [...(placed.get(at) ?? []), message]);
  }
  return placed;
}

/** The paths of a form that have a control, as it is drawn for this value. */
export function pathsOf(
  field: Field,
  value: Json | undefined,
  path: readonly (string | number)[] = [],
): string[] {
  const own = path.length === 0 ? [] : [pathText(path)];
  if (value === undefined) return own;
  if (field.kind === "list" && Array.isArray(value))
    return [
      ...own,
      ...value.flatMap((item: Json, index) => pathsOf(fieldOf(field.of, item), item, [...path, index])),
    ];
  if (field.kind === "group" && isObject(value))
    return [
      ...own,
      ...field.fields.flatMap((each) =>
        pathsOf(each.field, ownValue(value, each.name), [...path, each.name]),
      ),
    ];
  return own;
}

const fits = (value: Json | undefined, type: "string" | "number" | "boolean"): boolean =>
  value === undefined || typeof value === type;

const numberOr = (value: Json | undefined): number | null => (typeof value === "number" ? value : null);
