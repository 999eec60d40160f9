import { isObject, type Json, ownValue } from "../../../cairn/core/log/json.ts";
import type { Content, Field, StoredImage, StoredLink } from "./document.ts";
import { walkFields } from "./values.ts";

/** Links and images as they are given, and as they are stored: by id. */

export const LINK_FORMS =
  "page:<id or slug>, entry:<collection/slug>, collection:<slug>, /site/…, https://…, mailto:…, tel:… or #anchor";
export const URL_CHARS_MAX = 2_000;

type TargetKind = "page" | "entry" | "collection" | "image";

/** A link as given: already stored, or naming a target that is yet to be found. */
type ParsedLink =
  | { readonly kind: "stored"; readonly link: StoredLink }
  | {
      readonly kind: "ref";
      readonly type: "page" | "entry" | "collection";
      readonly ref: string;
      readonly anchor?: string;
    };

const REF = /^(page|entry|collection):([^#\s]+)(?:#(\S+))?$/;
// Spaces, controls and backslashes have no place in a URL; browsers drop or turn some of them.
const UNSAFE = /[\s\\\p{Cc}]/u;

/** Reads a link, as text or as stored. `null` when it is none of the forms of LINK_FORMS. */
export function parseLink(value: Json): ParsedLink | null {
  if (typeof value === "string") return parseLinkText(value.trim());
  if (!isObject(value)) return null;
  const { kind, id, url, anchor } = value;
  if (kind === "url" && typeof url === "string") return parseLinkText(url);
  if (kind === "anchor" && typeof anchor === "string") return parseLinkText(`#${anchor}`);
  if (typeof id !== "string" || typeof kind !== "string") return null;
  return parseLinkText(`${kind}:${id}${typeof anchor === "string" ? `#${anchor}` : ""}`);
}

function parseLinkText(given: string): ParsedLink | null {
  const ref = REF.exec(given);
  const type = ref?.[1];
  if (type === "page" || type === "entry" || type === "collection") {
    const anchor = ref?.[3];
    return { kind: "ref", type, ref: ref?.[2] ?? "", ...(anchor === undefined ? {} : { anchor }) };
  }
  if (/^#[^\s#]+$/.test(given)) return { kind: "stored", link: { kind: "anchor", anchor: given.slice(1) } };
  return isSafeUrl(given) ? { kind: "stored", link: { kind: "url", url: given } } : null;
}

const SITE_PATH = /^\/site(?:\/|$)/;

/** True if a URL is allowed in a page: a path under /site/, or http, https, mailto, tel. */
export function isSafeUrl(url: string): boolean {
  if (url.length > URL_CHARS_MAX || UNSAFE.test(url)) return false;
  if (SITE_PATH.test(url)) return SITE_PATH.test(new URL(url, "https://site.invalid").pathname);
  if (/^(mailto|tel):[^/]/i.test(url)) return true;
  return /^https?:\/\/[^/]/i.test(url) && URL.canParse(url);
}

/** A target named in content: the field that names it, and how. */
export interface Wanted {
  readonly type: TargetKind;
  readonly ref: string;
  /** field path, such as `items[0].icon` */
  readonly at: string;
}

// `](page:about)`, `](<image:im_1>)` and definitions `[x]: entry:blog/a`.
const IN_MARKDOWN = /(\]\(\s*<?|^[ \t]*\[[^\][\n]+\]:[ \t]*<?)(page|entry|collection|image):([^\s)>#"]+)/gm;

/** Every target that a content names, by reference or by id. Works on given and on stored content alike. */
export function wantedIn(fields: readonly Field[], content: Content): Wanted[] {
  return [...walkFields(fields, content)].flatMap(({ field, path, value }) => {
    if (value === undefined) return [];
    if (field.type === "link") {
      const link = parseLink(value);
      return link?.kind === "ref" ? [{ type: link.type, ref: link.ref, at: path }] : [];
    }
    if (field.type === "image") return imageIn(value, path);
    if (field.type === "image_list") return listOf(value).flatMap((one, i) => imageIn(one, `${path}[${i}]`));
    if (field.type !== "markdown" || typeof value !== "string") return [];
    return [...value.matchAll(IN_MARKDOWN)].flatMap(([, , type, ref = ""]) => {
      return type === "page" || type === "entry" || type === "collection" || type === "image"
        ? [{ type, ref, at: path }]
        : [];
    });
  });
}

function imageIn(value: Json, at: string): Wanted[] {
  const ref = typeof value === "string" ? value : isObject(value) ? value.image : undefined;
  return typeof ref === "string" && ref !== "" ? [{ type: "image", ref, at }] : [];
}

/** Finds the id of a target; refuses when there is none. */
export type IdOf = (type: TargetKind, ref: string) => string;

/** The content with every reference replaced by the id that it names: the form in which it is stored. */
export function storedContent(fields: readonly Field[], content: Content, idOf: IdOf): Content {
  const stored: Record<string, Json> = { ...content };
  for (const field of fields) {
    const value = ownValue(content, field.key);
    if (value !== undefined) stored[field.key] = storedValue(field, value, idOf);
  }
  return stored;
}

function storedValue(field: Field, value: Json, idOf: IdOf): Json {
  if (field.type === "link") return storedLink(value, idOf);
  if (field.type === "image") return { ...storedImage(value, idOf) };
  if (field.type === "image_list") return listOf(value).map((one) => ({ ...storedImage(one, idOf) }));
  if (field.type === "list") {
    return listOf(value).map((one) => (isObject(one) ? storedContent(field.item ?? [], one, idOf) : one));
  }
  if (field.type !== "markdown" || typeof value !== "string") return value;
  return value.replace(IN_MARKDOWN, (whole, open: string, type: string, ref: string) =>
    type === "page" || type === "entry" || type === "collection" || type === "image"
      ? `${open}${type}:${idOf(type, ref)}`
      : whole,
  );
}

/** A link as stored. Throws on a value that `parseLink` does not read: content is validated before it is stored. */
function storedLink(value: Json, idOf: IdOf): { readonly [key: string]: Json } {
  const parsed = parseLink(value);
  if (parsed === null) throw new TypeError("a link is validated before it is stored");
  if (parsed.kind === "stored") return { ...parsed.link };
  const { type, ref, anchor } = parsed;
  return { kind: type, id: idOf(type, ref), ...(anchor === undefined ? {} : { anchor }) };
}

function storedImage(value: Json, idOf: IdOf): StoredImage {
  if (typeof value === "string") return { image: idOf("image", value) };
  if (!isObject(value) || typeof value.image !== "string")
    throw new TypeError("an image is validated before it is stored");
  return {
    image: idOf("image", value.image),
    ...(typeof value.alt === "string" ? { alt: value.alt } : {}),
    ...(typeof value.decorative === "boolean" ? { decorative: value.decorative } : {}),
  };
}

function listOf(value: Json): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}
