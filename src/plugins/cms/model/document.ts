import * as z from "zod";
import type { Json } from "../../../cairn/core/log/json.ts";

/** Field values by field key, as stored: links and images by id, never by URL. */
export type Content = { readonly [field: string]: Json };
/** One value per locale that has it; the reader falls back along the locale chain, field by field. */
export type ByLocale<T> = { readonly [locale: string]: T };

/** A link as stored: by id, so that a rename breaks nothing. */
export type StoredLink =
  | { readonly kind: "page" | "entry" | "collection"; readonly id: string; readonly anchor?: string }
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "anchor"; readonly anchor: string };

/** An image slot as stored. `alt` here beats the image's own. */
export interface StoredImage {
  readonly image: string;
  readonly alt?: string;
  readonly decorative?: boolean;
}

const contentByLocale: z.ZodType<ByLocale<Content>> = z.record(z.string(), z.record(z.string(), z.json()));
const sectionDocument = z.object({
  id: z.string(),
  template: z.string(),
  variant: z.string(),
  hidden: z.boolean(),
  content: contentByLocale,
});
const pageDocument = z.object({
  v: z.literal(1),
  type: z.literal("page"),
  kind: z.enum(["page", "layout"]),
  id: z.string(),
  slug: z.string(),
  name: z.string(),
  indexing: z.boolean(),
  /** `{title?, description?, ogImage?}` by locale */
  meta: contentByLocale,
  /** in order; hidden ones are left out when the document is published */
  sections: z.array(sectionDocument),
});
const entryDocument = z.object({
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
});

export type SectionDocument = Readonly<z.output<typeof sectionDocument>>;
/** A page as the renderer takes it: the frozen published one, or one loaded from the working copy for a preview. */
export type PageDocument = Readonly<Omit<z.output<typeof pageDocument>, "sections">> & {
  readonly sections: readonly SectionDocument[];
};
/** An entry of a collection. `content` holds title, excerpt and the collection's own fields. */
export type EntryDocument = Readonly<z.output<typeof entryDocument>>;
export type PublishedDocument = PageDocument | EntryDocument;

export const publishedDocument: z.ZodType<PublishedDocument> = z.discriminatedUnion("type", [
  pageDocument,
  entryDocument,
]);

export const FIELD_TYPES = [
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
] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

/** How the entries of a collection are listed: `published_at desc` and the like. */
export const COLLECTION_SORT = /^(published_at|updated_at|created_at|title) (asc|desc)$/;

/** A field of a section template or a collection, as stored in its `fields` column. */
export interface Field {
  readonly key: string;
  readonly label: string;
  readonly type: FieldType;
  readonly required?: boolean;
  readonly min?: number;
  readonly max?: number;
  readonly options?: readonly string[];
  readonly default?: Json;
  /** fields of one element of a `list` */
  readonly item?: readonly Field[];
  readonly help?: string;
}
