import { type Json, ownValue } from "../../../cairn/core/log/json.ts";
import type { Content, Field } from "./document.ts";

/** Field values for the checks, as stored: fields in order, links and images by ID. */

interface FieldAt {
  readonly field: Field;
  /** such as `items[0].icon` */
  readonly path: string;
  readonly value: Json | undefined;
  /** the object that holds the value */
  readonly siblings: Content;
}

export interface ImageAt {
  readonly image: string;
  readonly alt?: string;
  readonly decorative?: boolean;
  /** what to add to the path of the field: `[2]` in an image list, else nothing */
  readonly at: string;
}

/** Every declared field with its value, and those of the elements of lists. */
export function* walkFields(fields: readonly Field[], content: Content, prefix = ""): Generator<FieldAt> {
  for (const field of fields) {
    const value = ownValue(content, field.key);
    const path = prefix + field.key;
    yield { field, path, value, siblings: content };
    if (field.type !== "list" || !isList(value)) continue;
    for (const [at, element] of value.entries()) {
      if (isRecord(element)) yield* walkFields(field.item ?? [], element, `${path}[${at}].`);
    }
  }
}

/** Link targets by id, as `page:<id>`; outside links and anchors are no targets. */
export function linksOf(field: Field, value: Json | undefined): readonly string[] {
  if (field.type === "link" && isRecord(value)) {
    const { kind, id } = value;
    return (kind === "page" || kind === "entry" || kind === "collection") && typeof id === "string"
      ? [`${kind}:${id}`]
      : [];
  }
  if (field.type !== "markdown" || typeof value !== "string") return [];
  return [...value.matchAll(/\]\(\s*<?((?:page|entry|collection):[A-Za-z0-9_-]+)/g)].map(
    ([, target = ""]) => target,
  );
}

/** Images by id, of a slot, a list of slots or a markdown text. */
export function imagesOf(field: Field, value: Json | undefined): readonly ImageAt[] {
  if (field.type === "image") return slotOf(value, "");
  if (field.type === "image_list" && isList(value))
    return value.flatMap((item, at) => slotOf(item, `[${at}]`));
  if (field.type !== "markdown" || typeof value !== "string") return [];
  return [...value.matchAll(/!\[((?:(?!!\[)[^\]])*)\]\(\s*<?image:([A-Za-z0-9_-]+)/g)].map(
    ([, alt = "", image = ""]) => ({ image, alt, at: "" }),
  );
}

/** The alternative text that a slot shows: its own, else that of the image. */
export function altOf(slot: { readonly alt?: string }, image: { readonly alt: string }): string {
  return (slot.alt ?? "").trim() || image.alt.trim();
}

function slotOf(value: Json | undefined, at: string): readonly ImageAt[] {
  if (typeof value === "string" && value !== "") return [{ image: value, at }];
  if (!isRecord(value) || typeof value.image !== "string") return [];
  const alt = typeof value.alt === "string" ? { alt: value.alt } : {};
  const decorative = typeof value.decorative === "boolean" ? { decorative: value.decorative } : {};
  return [{ image: value.image, ...alt, ...decorative, at }];
}

/** Nothing that a reader would see. */
export function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value === "string") return value.trim() === "";
  return Array.isArray(value) && value.length === 0;
}

/** A text of spaces only. */
export function isBlank(value: Json | undefined): boolean {
  return typeof value === "string" && value !== "" && value.trim() === "";
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

function isRecord(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
