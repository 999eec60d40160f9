import * as z from "zod";
import type { Json, JsonObject } from "../../../core/log/json.ts";
import type { ByLocale, Content, Field, FieldType, PublishedDocument } from "../model/document.ts";
import type {
  Collection,
  Entry,
  Locale,
  NavTarget,
  Page,
  PublishedRow,
  Redirect,
  Section,
  Setting,
  StoredNavItem,
  Template,
} from "../model/types.ts";

/** A row as D1 answers it. The tables are STRICT, so a column of another type is a bug of the query, and throws. */
export type Row = { readonly [column: string]: unknown };

export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== "string") throw new TypeError(`column ${column} is not text`);
  return value;
}

export function number(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== "number") throw new TypeError(`column ${column} is not a number`);
  return value;
}

export function textOrNull(row: Row, column: string): string | null {
  return row[column] === null || row[column] === undefined ? null : text(row, column);
}

export function numberOrNull(row: Row, column: string): number | null {
  return row[column] === null || row[column] === undefined ? null : number(row, column);
}

/** One of the values that the column's CHECK allows. */
export function oneOf<const T extends string>(row: Row, column: string, allowed: readonly T[]): T {
  const value = text(row, column);
  const found = allowed.find((one) => one === value);
  if (found === undefined) throw new TypeError(`column ${column} holds ${value}`);
  return found;
}

const FIELD_TYPES = [
  "text",
  "markdown",
  "image",
  "image_list",
  "link",
  "select",
  "boolean",
  "number",
  "date",
  "tags",
  "list",
] as const satisfies readonly FieldType[];

const jsonSchema: z.ZodType<Json> = z.json();

/** The definition of a field, as templates and collections store it. */
const fieldSchema: z.ZodType<Field> = z.lazy(() =>
  z.strictObject({
    key: z.string().regex(/^[a-zA-Z][a-zA-Z0-9_]{0,39}$/),
    label: z.string().min(1).max(80),
    type: z.enum(FIELD_TYPES),
    required: z.boolean().optional(),
    min: z.number().optional(),
    max: z.number().optional(),
    options: z.array(z.string()).min(1).optional(),
    default: jsonSchema.optional(),
    item: z.array(fieldSchema).optional(),
    help: z.string().max(300).optional(),
  }),
);

const fieldsSchema = z.array(fieldSchema);
const objectSchema = z.record(z.string(), jsonSchema);
const listSchema = z.array(z.string());

/** The object in a JSON column. */
export function objectIn(row: Row, column: string): JsonObject {
  return objectSchema.parse(JSON.parse(text(row, column)));
}

function fieldsIn(row: Row, column = "fields"): readonly Field[] {
  return fieldsSchema.parse(JSON.parse(text(row, column)));
}

/** Contents by `owner_type:owner_id`, from rows of `contents`. */
export function contentsByOwner(rows: readonly Row[]): ReadonlyMap<string, ByLocale<Content>> {
  const byOwner = new Map<string, Record<string, Content>>();
  for (const row of rows) {
    const key = `${text(row, "owner_type")}:${text(row, "owner_id")}`;
    const locales = byOwner.get(key) ?? {};
    locales[text(row, "locale")] = objectIn(row, "data");
    byOwner.set(key, locales);
  }
  return byOwner;
}

export function localeOf(row: Row): Locale {
  return {
    code: text(row, "code"),
    name: text(row, "name"),
    fallback: textOrNull(row, "fallback"),
    isDefault: number(row, "is_default") === 1,
    active: text(row, "status") === "active",
  };
}

export function templateOf(row: Row): Template {
  return {
    key: text(row, "key"),
    name: text(row, "name"),
    description: text(row, "description"),
    region: oneOf(row, "region", ["main", "header", "footer"]),
    fields: fieldsIn(row),
    variants: listSchema.parse(JSON.parse(text(row, "variants"))),
    version: number(row, "version"),
  };
}

export function pageOf(row: Row, meta: ByLocale<Content> = {}): Page {
  return {
    id: text(row, "id"),
    kind: oneOf(row, "kind", ["page", "layout"]),
    slug: text(row, "slug"),
    name: text(row, "name"),
    status: oneOf(row, "status", ["draft", "published", "unpublished"]),
    indexing: number(row, "indexing") === 1,
    ...publication(row),
    meta,
  };
}

export function sectionOf(row: Row, content: ByLocale<Content> = {}): Section {
  return {
    id: text(row, "id"),
    pageId: text(row, "page_id"),
    template: text(row, "template_key"),
    variant: text(row, "variant"),
    sortKey: text(row, "sort_key"),
    hidden: number(row, "hidden") === 1,
    version: number(row, "version"),
    deletedAt: numberOrNull(row, "deleted_at"),
    createdAt: number(row, "created_at"),
    updatedAt: number(row, "updated_at"),
    content,
  };
}

export function collectionOf(row: Row): Collection {
  return {
    id: text(row, "id"),
    slug: text(row, "slug"),
    name: text(row, "name"),
    description: text(row, "description"),
    fields: fieldsIn(row),
    sort: text(row, "sort"),
    version: number(row, "version"),
    updatedAt: number(row, "updated_at"),
  };
}

export function entryOf(row: Row, content: ByLocale<Content> = {}): Entry {
  return {
    id: text(row, "id"),
    collectionId: text(row, "collection_id"),
    slug: text(row, "slug"),
    title: text(row, "title"),
    status: oneOf(row, "status", ["draft", "published", "archived"]),
    category: textOrNull(row, "category"),
    author: textOrNull(row, "author"),
    cover: textOrNull(row, "cover_image_id"),
    indexing: number(row, "indexing") === 1,
    ...publication(row),
    content,
  };
}

function publication(row: Row) {
  return {
    version: number(row, "version"),
    publishedVersion: numberOrNull(row, "published_version"),
    publishedAt: numberOrNull(row, "published_at"),
    publishAt: numberOrNull(row, "publish_at"),
    deletedAt: numberOrNull(row, "deleted_at"),
    createdAt: number(row, "created_at"),
    updatedAt: number(row, "updated_at"),
  };
}

export function navItemOf(row: Row, labels: ByLocale<Content> = {}): StoredNavItem {
  return {
    id: text(row, "id"),
    location: oneOf(row, "location", ["header", "footer"]),
    parentId: textOrNull(row, "parent_id"),
    sortKey: text(row, "sort_key"),
    label: text(row, "label"),
    target: navTargetOf(row),
    visible: number(row, "visible") === 1,
    version: number(row, "version"),
    deletedAt: numberOrNull(row, "deleted_at"),
    createdAt: number(row, "created_at"),
    updatedAt: number(row, "updated_at"),
    labels,
  };
}

function navTargetOf(row: Row): NavTarget {
  const type = oneOf(row, "target_type", ["page", "entry", "collection", "url", "none"]);
  if (type === "none") return { type };
  return type === "url" ? { type, url: text(row, "url") } : { type, id: text(row, "target_id") };
}

export function settingOf(row: Row): Setting {
  return {
    key: oneOf(row, "key", ["identity", "seo", "home", "theme", "social"]),
    value: objectIn(row, "value"),
    version: number(row, "version"),
    updatedAt: number(row, "updated_at"),
  };
}

export function redirectOf(row: Row): Redirect {
  return {
    fromPath: text(row, "from_path"),
    targetType: oneOf(row, "target_type", ["page", "entry"]),
    targetId: text(row, "target_id"),
    createdAt: number(row, "created_at"),
  };
}

const contentByLocale = z.record(z.string(), objectSchema);
const sectionDocument = z.object({
  id: z.string(),
  template: z.string(),
  variant: z.string(),
  hidden: z.boolean(),
  content: contentByLocale,
});
const publishedDocument: z.ZodType<PublishedDocument> = z.discriminatedUnion("type", [
  z.object({
    v: z.literal(1),
    type: z.literal("page"),
    kind: z.enum(["page", "layout"]),
    id: z.string(),
    slug: z.string(),
    name: z.string(),
    indexing: z.boolean(),
    meta: contentByLocale,
    sections: z.array(sectionDocument),
  }),
  z.object({
    v: z.literal(1),
    type: z.literal("entry"),
    id: z.string(),
    collection: z.string(),
    slug: z.string(),
    category: z.string().nullable(),
    author: z.string().nullable(),
    cover: z.string().nullable(),
    indexing: z.boolean(),
    publishedAt: z.number().nullable(),
    content: contentByLocale,
  }),
]);

export function publishedOf(row: Row): PublishedRow {
  return {
    ownerType: oneOf(row, "owner_type", ["page", "entry"]),
    ownerId: text(row, "owner_id"),
    version: number(row, "version"),
    publishedAt: number(row, "published_at"),
    document: publishedDocument.parse(JSON.parse(text(row, "doc"))),
  };
}
