import * as z from "zod";
import { type Json, toJson, type JsonObject, ownValue } from "../../../cairn/core/log/json.ts";
import type { ByLocale, Content, PublishedDocument } from "./document.ts";
import {
  fieldsIn,
  number,
  numberOrNull,
  objectIn,
  oneOf,
  publishedDocumentIn,
  text,
  textOrNull,
  type Row,
} from "./columns.ts";

/**
 * The tables of the site, each defined once: its type, its reader and its writer are made from the same list. Times
 * are in ms. Texts by locale are in the table `contents`.
 */

/** A property and its column, or its columns. */
interface Column<T> {
  readonly names: readonly string[];
  read(row: Row): T;
  store(value: T): JsonObject;
}
export type Table = { readonly [property: string]: Column<unknown> };
type RecordOf<T extends Table> = { readonly [K in keyof T]: T[K] extends Column<infer V> ? V : never };

/** A column that holds the value as it is. */
const plainColumn =
  <T extends Json>(read: (row: Row, name: string) => T) =>
  (name: string): Column<T> => ({
    names: [name],
    read: (row) => read(row, name),
    store: (value) => ({ [name]: value }),
  });
const string = plainColumn(text);
const stringOrNull = plainColumn(textOrNull);
const int = plainColumn(number);
const intOrNull = plainColumn(numberOrNull);
const choice = <const T extends string>(name: string, ...allowed: readonly T[]): Column<T> =>
  plainColumn((row) => oneOf(row, name, allowed))(name);
/** 0 and 1: bound as it is, a boolean would be stored as the text `true`. */
const flag = (name: string): Column<boolean> => ({
  names: [name],
  read: (row) => number(row, name) === 1,
  store: (value) => ({ [name]: value ? 1 : 0 }),
});
/** A column of JSON text. */
const json = <T>(name: string, read: (row: Row, name: string) => T): Column<T> => ({
  names: [name],
  read: (row) => read(row, name),
  store: (value) => ({ [name]: toJson(value) }),
});

export type NavTarget =
  | { readonly type: "page" | "entry" | "collection"; readonly id: string }
  | { readonly type: "url"; readonly url: string }
  | { readonly type: "none" };

const navTarget: Column<NavTarget> = {
  names: ["target_type", "target_id", "url"],
  read(row) {
    const type = oneOf(row, "target_type", ["page", "entry", "collection", "url", "none"]);
    if (type === "none") return { type };
    return type === "url" ? { type, url: text(row, "url") } : { type, id: text(row, "target_id") };
  },
  store: (target) => ({
    target_type: target.type,
    target_id: "id" in target ? target.id : null,
    url: "url" in target ? target.url : null,
  }),
};

const TIMES = {
  deletedAt: intOrNull("deleted_at"),
  createdAt: int("created_at"),
  updatedAt: int("updated_at"),
};
const PUBLICATION = {
  version: int("version"),
  publishedVersion: intOrNull("published_version"),
  publishedAt: intOrNull("published_at"),
  publishAt: intOrNull("publish_at"),
  /** the version that was approved for `publishAt` */
  publishVersion: intOrNull("publish_version"),
  /** why the last publishing at a time did not happen */
  publishFailure: stringOrNull("publish_failure"),
  ...TIMES,
};

/** Stored as a word: is the language on the site? */
const active: Column<boolean> = {
  names: ["status"],
  read: (row) => oneOf(row, "status", ["active", "inactive"]) === "active",
  store: (value) => ({ status: value ? "active" : "inactive" }),
};
export const LOCALES = {
  code: string("code"),
  name: string("name"),
  fallback: stringOrNull("fallback"),
  isDefault: flag("is_default"),
  active,
  version: int("version"),
};
const variantsSchema = z.array(z.string());
const TEMPLATES = {
  key: string("key"),
  name: string("name"),
  description: string("description"),
  region: choice("region", "main", "header", "footer"),
  fields: json("fields", fieldsIn),
  variants: json<readonly string[]>("variants", (row, name) =>
    variantsSchema.parse(JSON.parse(text(row, name))),
  ),
  version: int("version"),
};

export const COLLECTIONS = {
  id: string("id"),
  slug: string("slug"),
  name: string("name"),
  description: string("description"),
  fields: json("fields", fieldsIn),
  sort: string("sort"),
  version: int("version"),
  deletedAt: intOrNull("deleted_at"),
  updatedAt: int("updated_at"),
};
export const PAGES = {
  id: string("id"),
  kind: choice("kind", "page", "layout"),
  slug: string("slug"),
  name: string("name"),
  status: choice("status", "draft", "published", "unpublished"),
  indexing: flag("indexing"),
  ...PUBLICATION,
};
export const SECTIONS = {
  id: string("id"),
  pageId: string("page_id"),
  template: string("template_key"),
  variant: string("variant"),
  /** base-62 fraction; sections are ordered by it, code unit by code unit */
  sortKey: string("sort_key"),
  hidden: flag("hidden"),
  version: int("version"),
  ...TIMES,
};
export const ENTRIES = {
  id: string("id"),
  collectionId: string("collection_id"),
  slug: string("slug"),
  title: string("title"),
  status: choice("status", "draft", "published", "archived"),
  category: stringOrNull("category"),
  author: stringOrNull("author"),
  cover: stringOrNull("cover_image_id"),
  indexing: flag("indexing"),
  ...PUBLICATION,
};
export const NAV_ITEMS = {
  id: string("id"),
  location: choice("location", "header", "footer"),
  parentId: stringOrNull("parent_id"),
  sortKey: string("sort_key"),
  /** in the default locale */
  label: string("label"),
  target: navTarget,
  visible: flag("visible"),
  version: int("version"),
  ...TIMES,
};
export const SETTINGS = {
  key: choice("key", "identity", "seo", "home", "theme", "social"),
  value: json("value", objectIn),
  version: int("version"),
  updatedAt: int("updated_at"),
};
export const PUBLISHED = {
  ownerType: choice("owner_type", "page", "entry"),
  ownerId: string("owner_id"),
  version: int("version"),
  publishedAt: int("published_at"),
  document: json<PublishedDocument>("doc", publishedDocumentIn),
};
export const IMAGES = {
  id: string("id"),
  /** of the bytes as they were received; names them in the bucket and in URLs */
  sha256: string("sha256"),
  filename: string("filename"),
  mediaType: string("media_type"),
  ext: string("ext"),
  byteSize: int("byte_size"),
  width: intOrNull("width"),
  height: intOrNull("height"),
  /** in the default locale */
  alt: string("alt"),
  altSource: choice("alt_source", "none", "filename", "model", "stock", "human"),
  caption: string("caption"),
  origin: choice("origin", "seed", "chat", "api", "stock", "url"),
  /** where else it is known, such as `pexels:2014422` */
  sourceRef: stringOrNull("source_ref"),
  attribution: stringOrNull("attribution"),
  session: stringOrNull("session_id"),
  /** those that a person gave, as JSON; null: those of the metadata */
  tags: stringOrNull("tags"),
  version: int("version"),
  ...TIMES,
};
export const REDIRECTS = {
  /** a public path without locale, such as `/site/about` */
  fromPath: string("from_path"),
  targetType: choice("target_type", "page", "entry"),
  targetId: string("target_id"),
  createdAt: int("created_at"),
};

export type Locale = RecordOf<typeof LOCALES>;
export type Template = RecordOf<typeof TEMPLATES>;
export type Collection = RecordOf<typeof COLLECTIONS>;
export type Setting = RecordOf<typeof SETTINGS>;
export type PublishedRow = RecordOf<typeof PUBLISHED>;
export type Redirect = RecordOf<typeof REDIRECTS>;
/** A page of the working copy. `version` is that of the aggregate: page, contents and sections. */
export type Page = RecordOf<typeof PAGES> & {
  /** `{title?, description?, ogImage?}` by locale */
  readonly meta: ByLocale<Content>;
};
export type Section = RecordOf<typeof SECTIONS> & { readonly content: ByLocale<Content> };
/** An entry of the working copy. `content` holds `excerpt` and the collection's fields, and `title` for other locales. */
export type Entry = RecordOf<typeof ENTRIES> & { readonly content: ByLocale<Content> };
export type StoredNavItem = RecordOf<typeof NAV_ITEMS> & {
  /** `{label}` for locales other than the default */
  readonly labels: ByLocale<Content>;
};

/** An image of the library. */
export type Image = RecordOf<typeof IMAGES> & {
  /** `{alt?, caption?}` for locales other than the default */
  readonly texts: ByLocale<Content>;
};

/** A row as a record. */
export function record<T extends Table>(table: T, row: Row): RecordOf<T> {
  const entries = Object.entries(table).map(([property, column]) => [property, column.read(row)]);
  return Object.fromEntries(entries) as RecordOf<T>;
}

/** The names of all columns of these properties. */
export const columnNames = (table: Table): string[] =>
  Object.values(table).flatMap((column) => [...column.names]);

/** The columns of a record. */
export function columnsOf(table: Table, values: object): JsonObject {
  const given: { readonly [property: string]: unknown } = { ...values };
  return Object.fromEntries(
    Object.entries(table).flatMap(([key, column]) => Object.entries(column.store(ownValue(given, key)))),
  );
}

export const localeOf = (row: Row): Locale => record(LOCALES, row);
export const templateOf = (row: Row): Template => record(TEMPLATES, row);
export const collectionOf = (row: Row): Collection => record(COLLECTIONS, row);
export const settingOf = (row: Row): Setting => record(SETTINGS, row);
export const redirectOf = (row: Row): Redirect => record(REDIRECTS, row);
export const publishedOf = (row: Row): PublishedRow => record(PUBLISHED, row);
export const pageOf = (row: Row, meta: ByLocale<Content> = {}): Page => ({ ...record(PAGES, row), meta });
export const sectionOf = (row: Row, content: ByLocale<Content> = {}): Section => ({
  ...record(SECTIONS, row),
  content,
});
export const entryOf = (row: Row, content: ByLocale<Content> = {}): Entry => ({
  ...record(ENTRIES, row),
  content,
});
export const imageOf = (row: Row, texts: ByLocale<Content> = {}): Image => ({
  ...record(IMAGES, row),
  texts,
});
export const navItemOf = (row: Row, labels: ByLocale<Content> = {}): StoredNavItem => ({
  ...record(NAV_ITEMS, row),
  labels,
});
