import { ID_PATTERN } from "../../../cairn/core/log/names.ts";
import * as z from "zod";
import type { Json } from "../../../cairn/core/log/json.ts";
import {
  publishedDocument,
  FIELD_TYPES,
  type ByLocale,
  type Content,
  type Field,
} from "../model/document.ts";

/**
 * A line of a member of a site file: one thing of the site, as `storage/tables.ts` defines it, with its texts in all
 * locales. Any other shape is refused as damaged.
 */

/** An ID of a file, or a key that replaces it. */
const id = z.string().regex(ID_PATTERN);
const time = z.int().min(0);
const version = z.int().min(1);
const text = z.string().max(10_000);
/** Any value: the lines come from `readJson`, so all in them is JSON. `z.json()` would take microseconds for each part of it. */
const json = z.custom<Json>((value) => value !== undefined);
const content: z.ZodType<Content> = z.record(z.string().max(100), json);
const byLocale: z.ZodType<ByLocale<Content>> = z.record(z.string().max(20), content);

const field: z.ZodType<Field> = z.lazy(() =>
  z.strictObject({
    key: z.string().regex(/^[a-zA-Z][a-zA-Z0-9_]{0,39}$/),
    label: z.string().min(1).max(80),
    type: z.enum(FIELD_TYPES),
    required: z.boolean().optional(),
    min: z.number().optional(),
    max: z.number().optional(),
    options: z.array(z.string()).min(1).optional(),
    default: json.optional(),
    item: z.array(field).optional(),
    help: z.string().max(300).optional(),
  }),
);

const times = { deletedAt: z.null(), createdAt: time, updatedAt: time };
const publication = {
  version,
  publishedVersion: version.nullable(),
  publishedAt: time.nullable(),
  publishAt: time.nullable(),
  publishVersion: version.nullable(),
  publishFailure: text.nullable(),
  ...times,
};

const locale = z.strictObject({
  code: z.string().regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/),
  name: text,
  fallback: z.string().nullable(),
  isDefault: z.boolean(),
  active: z.boolean(),
  version,
});
const setting = z.strictObject({
  key: z.enum(["identity", "seo", "home", "theme", "social"]),
  value: content,
  version,
  updatedAt: time,
});
const slug = z.string().min(1).max(64);
const collection = z.strictObject({
  id,
  slug,
  name: text,
  description: text,
  fields: z.array(field).readonly(),
  sort: text,
  version,
  deletedAt: z.null(),
  updatedAt: time,
});

export const IMAGE_TYPES = {
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/avif": "avif",
  // of the sample site; served so that it runs nothing
  "image/svg+xml": "svg",
} as const;
type ImageType = keyof typeof IMAGE_TYPES;

const image = z.strictObject({
  id,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  filename: z.string().min(1).max(200),
  mediaType: z.enum(Object.keys(IMAGE_TYPES) as ImageType[]),
  ext: z.string(),
  byteSize: z.int().min(0),
  width: z.int().min(0).nullable(),
  height: z.int().min(0).nullable(),
  alt: text,
  altSource: z.enum(["none", "filename", "model", "stock", "human"]),
  caption: text,
  origin: z.enum(["seed", "chat", "api", "stock", "url"]),
  sourceRef: text.nullable(),
  attribution: text.nullable(),
  session: text.nullable(),
  tags: text.nullable(),
  version,
  ...times,
  texts: byLocale,
});
/** An image's description by a model or from its file name; null if it is still to be made. */
const metadata = z.strictObject({
  status: z.enum(["done", "skipped"]),
  description: text,
  tags: z.array(z.string()),
  detail: content,
  model: z.string().nullable(),
  generatedAt: time.nullable(),
});
const variant = z.strictObject({
  width: z.int().min(1).max(99_999),
  format: z.string().regex(/^[a-z0-9]{2,5}$/),
  height: z.int().min(1).nullable(),
  byteSize: z.int().min(0),
});

const page = z.strictObject({
  id,
  kind: z.enum(["page", "layout"]),
  slug,
  name: text,
  status: z.enum(["draft", "published", "unpublished"]),
  indexing: z.boolean(),
  ...publication,
  meta: byLocale,
});
const section = z.strictObject({
  id,
  pageId: id,
  template: z.string().max(64),
  variant: z.string().max(64),
  sortKey: z.string().min(1).max(200),
  hidden: z.boolean(),
  version,
  ...times,
  content: byLocale,
});
const entry = z.strictObject({
  id,
  collectionId: id,
  slug,
  title: text,
  status: z.enum(["draft", "published", "archived"]),
  category: text.nullable(),
  author: text.nullable(),
  cover: id.nullable(),
  indexing: z.boolean(),
  ...publication,
  content: byLocale,
});
const navTarget = z.discriminatedUnion("type", [
  z.strictObject({ type: z.enum(["page", "entry", "collection"]), id }),
  z.strictObject({ type: z.literal("url"), url: z.string().max(2_000) }),
  z.strictObject({ type: z.literal("none") }),
]);
const navItem = z.strictObject({
  id,
  location: z.enum(["header", "footer"]),
  parentId: id.nullable(),
  sortKey: z.string().min(1).max(200),
  label: text,
  target: navTarget,
  visible: z.boolean(),
  version,
  ...times,
  labels: byLocale,
});
const redirect = z.strictObject({
  fromPath: z.string().startsWith("/site/").max(400),
  targetType: z.enum(["page", "entry"]),
  targetId: id,
  createdAt: time,
});
const published = z.strictObject({
  ownerType: z.enum(["page", "entry"]),
  ownerId: id,
  version,
  publishedAt: time,
  document: publishedDocument,
});

export const recordSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("locale"), locale }),
  z.strictObject({ type: z.literal("setting"), setting }),
  z.strictObject({ type: z.literal("collection"), collection }),
  z.strictObject({
    type: z.literal("image"),
    image,
    metadata: metadata.nullable(),
    variants: z.array(variant),
  }),
  z.strictObject({ type: z.literal("page"), page, sections: z.array(section) }),
  z.strictObject({ type: z.literal("entry"), entry }),
  z.strictObject({ type: z.literal("navigation"), item: navItem }),
  z.strictObject({ type: z.literal("redirect"), redirect }),
  z.strictObject({ type: z.literal("published"), published }),
]);
export type SiteRecord = z.output<typeof recordSchema>;
export type RecordOf<Type extends SiteRecord["type"]> = Extract<SiteRecord, { type: Type }>;
export type Variant = z.output<typeof variant>;
export type Metadata = z.output<typeof metadata>;

/** A record as a line: keys in order, so that equal things are equal bytes. */
export const lineOf = (record: SiteRecord): string => `${JSON.stringify(ordered(record))}\n`;

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([key, one]) => [key, ordered(one)]),
  );
}
