import type { Json } from "../../../core/log/json.ts";

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

export interface SectionDocument {
  readonly id: string;
  readonly template: string;
  readonly variant: string;
  readonly hidden: boolean;
  readonly content: ByLocale<Content>;
}

/** A page as the renderer takes it: the frozen published one, or one loaded from the working copy for a preview. */
export interface PageDocument {
  readonly v: 1;
  readonly type: "page";
  readonly kind: "page" | "layout";
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly indexing: boolean;
  /** `{title?, description?, ogImage?}` by locale */
  readonly meta: ByLocale<Content>;
  /** in order; hidden ones are left out when the document is published */
  readonly sections: readonly SectionDocument[];
}

/** An entry of a collection. `content` holds title, excerpt and the collection's own fields. */
export interface EntryDocument {
  readonly v: 1;
  readonly type: "entry";
  readonly id: string;
  readonly collection: string;
  readonly slug: string;
  readonly category: string | null;
  readonly author: string | null;
  readonly cover: string | null;
  readonly indexing: boolean;
  readonly publishedAt: number | null;
  readonly content: ByLocale<Content>;
}

export type PublishedDocument = PageDocument | EntryDocument;

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
