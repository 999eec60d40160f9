import * as z from "zod";
import type { Json } from "../../../cairn/core/log/json.ts";
import type { Content, Field } from "./document.ts";
import { fail } from "./errors.ts";
import { LINK_FORMS, parseLink } from "./links.ts";
import { nearestWord } from "./nearest.ts";
import { CONTENT_BYTES_MAX, MARKDOWN_BYTES_MAX } from "./types.ts";

export { isReservedSlug, slugify, validateSlug } from "./slugs.ts";

export const TEXT_CHARS_MAX = 10_000;
export const LIST_ITEMS_MAX = 50;
const TAGS_MAX = 10;
const TAG_CHARS_MAX = 40;
export const ALT_CHARS_MAX = 300;

/** Page meta is content like any other, with these fields. */
export const META_FIELDS: readonly Field[] = [
  { key: "title", label: "Title", type: "text", max: 120 },
  { key: "description", label: "Description", type: "text", max: 320 },
  { key: "ogImage", label: "Share image", type: "image" },
];

/** An image as given: an id, or an id with its own alt text. */
export const imageInput = z.union([
  z.string().min(1).max(64),
  z.strictObject({
    image: z.string().min(1).max(64),
    alt: z.string().max(ALT_CHARS_MAX).optional(),
    decorative: z.boolean().optional(),
  }),
]);

const linkInput = z
  .json()
  .refine((value) => parseLink(value) !== null, { error: `not a link: ${LINK_FORMS}` });
const ISO_DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** The UTF-8 size of a text, in bytes. */
export function bytesOf(value: string): number {
  return new TextEncoder().encode(value).length;
}

function schemaOf(field: Field): z.ZodType {
  const required = field.required === true;
  const min = field.min ?? 0;
  switch (field.type) {
    case "text": {
      const text = z.string().max(field.max ?? TEXT_CHARS_MAX);
      return required ? text.regex(/\S/, "is empty") : text;
    }
    case "markdown": {
      const text = z
        .string()
        .max(field.max ?? MARKDOWN_BYTES_MAX)
        .refine((value) => bytesOf(value) <= MARKDOWN_BYTES_MAX, { error: "is over 100 KB" });
      return required ? text.regex(/\S/, "is empty") : text;
    }
    case "image":
      return imageInput;
    case "image_list":
      return z
        .array(imageInput)
        .min(Math.max(min, required ? 1 : 0))
        .max(field.max ?? LIST_ITEMS_MAX);
    case "link":
      return linkInput;
    case "select":
      return z.enum(field.options ?? [""]);
    case "boolean":
      return z.boolean();
    case "number": {
      const number = z.number().min(field.min ?? -Number.MAX_SAFE_INTEGER);
      return number.max(field.max ?? Number.MAX_SAFE_INTEGER);
    }
    case "date":
      return z
        .string()
        .regex(ISO_DATE, "not an ISO date")
        .refine((value) => !Number.isNaN(Date.parse(value)), { error: "not a date" });
    case "tags":
      return z.array(z.string().trim().min(1).max(TAG_CHARS_MAX)).max(field.max ?? TAGS_MAX);
    case "list":
      return z
        .array(compile(field.item ?? []).create)
        .min(min)
        .max(field.max ?? LIST_ITEMS_MAX);
  }
}

/** The schemas of some fields: `create` asks for the required ones and fills in defaults, `patch` takes any part. */
export function compile(fields: readonly Field[]): { readonly create: z.ZodType; readonly patch: z.ZodType } {
  const create: Record<string, z.ZodType> = {};
  const patch: Record<string, z.ZodType> = {};
  for (const field of fields) {
    const schema = schemaOf(field);
    patch[field.key] = schema.optional();
    create[field.key] =
      field.default !== undefined
        ? schema.default(field.default)
        : field.required === true
          ? schema
          : schema.optional();
  }
  return { create: z.strictObject(create), patch: z.strictObject(patch) };
}

/** A field in the model's notation: `title* text ≤120`. */
export function describeField(field: Field): string {
  const star = field.required === true ? "*" : "";
  const options = field.options === undefined ? "" : ` (${field.options.join("/")})`;
  const unit = field.type === "list" || field.type === "image_list" || field.type === "tags" ? " items" : "";
  const max = field.max === undefined ? "" : ` ≤${field.max}${unit}`;
  const item = field.item === undefined ? "" : ` of {${field.item.map(describeField).join(", ")}}`;
  return `${field.key}${star} ${field.type}${options}${max}${item}`;
}

function describeFields(fields: readonly Field[]): string {
  return `Fields (* required): ${fields.map(describeField).join("; ")}.`;
}

/** A path as people write it: `items[0].title`. */
export function pathText(path: readonly PropertyKey[], prefix = ""): string {
  return path.reduce<string>(
    (text, part) =>
      typeof part === "number" ? `${text}[${part}]` : text === "" ? String(part) : `${text}.${String(part)}`,
    prefix,
  );
}

/**
 * Field values as given, checked against their definitions; defaults are filled in by `create`. Refuses `unknown_field`
 * (allowed and nearest keys), `required_field` and `invalid_content`, with the path below `at`.
 */
export function validateContent(
  fields: readonly Field[],
  given: Content,
  mode: "create" | "patch",
  at: string,
): Content {
  const parsed = compile(fields)[mode].safeParse(given);
  if (parsed.success) return checkSize(contentSchema.parse(parsed.data), at);
  const issues = parsed.error.issues;
  const unknown = issues.find((one) => one.code === "unrecognized_keys");
  const issue = unknown ?? issues[0];
  if (issue === undefined) throw new Error("a refusal of zod names an issue");
  const hint = describeFields(fields);
  if (issue.code === "unrecognized_keys") {
    const key = issue.keys[0] ?? "";
    const known = keysAt(fields, issue.path);
    throw fail("unknown_field", `There is no field “${key}” here.`, {
      at: pathText([...issue.path, key], at),
      hint,
      suggestions: nearestWord(key, known),
      details: { allowed: known },
    });
  }
  const value = valueAt(given, issue.path);
  const empty = value === undefined || value === null || (typeof value === "string" && value.trim() === "");
  const field = fieldOf(fields, issue.path);
  const path = pathText(issue.path, at);
  const last = issue.path.at(-1);
  if (empty && field?.required === true && field.key === last) {
    throw fail("required_field", `The field “${field.key}” is required and has no value.`, {
      at: path,
      hint,
    });
  }
  const advice = empty ? "Leave a field out to keep it, or name it in unset to clear it. " : "";
  throw fail("invalid_content", `${pathText(issue.path)}: ${issue.message}.`, {
    at: path,
    hint: advice + hint,
  });
}

const contentSchema: z.ZodType<Content> = z.record(z.string(), z.json());

/** Refuses `invalid_content` when the content does not fit into a row. */
export function checkSize(content: Content, at: string): Content {
  const bytes = bytesOf(JSON.stringify(content));
  if (bytes <= CONTENT_BYTES_MAX) return content;
  throw fail("limit_exceeded", `The content has ${bytes} bytes; at most ${CONTENT_BYTES_MAX} fit.`, {
    at,
    hint: "Shorten it.",
  });
}

/** The keys that an object at this path may have. */
function keysAt(fields: readonly Field[], path: readonly PropertyKey[]): string[] {
  const inner = fields.find((one) => one.key === path[0]);
  if (inner === undefined) return fields.map((one) => one.key);
  if (inner.item === undefined) return ["image", "alt", "decorative"];
  return keysAt(inner.item, path.slice(2));
}

function fieldOf(fields: readonly Field[], path: readonly PropertyKey[]): Field | undefined {
  const field = fields.find((one) => one.key === path[0]);
  return field !== undefined && path.length > 2 && field.item !== undefined
    ? fieldOf(field.item, path.slice(2))
    : field;
}

function valueAt(value: Json | undefined, path: readonly PropertyKey[]): Json | undefined {
  let inner = value;
  for (const part of path) {
    if (typeof inner !== "object" || inner === null) return undefined;
    inner = Array.isArray(inner)
      ? (inner as readonly Json[])[Number(part)]
      : Object.entries(inner).find(([key]) => key === part)?.[1];
  }
  return inner;
}

/**
 * Content after a patch: given keys are written as they are, `unset` ones go, the others stay. Refuses `unknown_field`
 * and, in the default locale, `required_field` for the removal of a required one.
 */
export function patched(
  fields: readonly Field[],
  before: Content,
  given: Content,
  unset: readonly string[],
  binding: boolean,
): Content {
  const after: Record<string, Json> = { ...before, ...given };
  for (const key of unset) {
    const field = fields.find((one) => one.key === key);
    if (field === undefined) {
      throw fail("unknown_field", `There is no field “${key}” to unset.`, {
        at: "unset",
        hint: describeFields(fields),
        suggestions: nearestWord(
          key,
          fields.map((one) => one.key),
        ),
        details: { allowed: fields.map((one) => one.key) },
      });
    }
    if (binding && field.required === true) {
      throw fail("required_field", `The field “${key}” is required and cannot be unset.`, {
        at: "unset",
        hint: describeFields(fields),
      });
    }
    delete after[key];
  }
  return after;
}
