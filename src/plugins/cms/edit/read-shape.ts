import { type Json, isObject, ownValue } from "../../../cairn/core/log/json.ts";
import type { ByLocale, Content, Field } from "../model/document.ts";
import { pickLocale } from "./plan.ts";
import type { Environment } from "../model/types.ts";

/** How the read tools show stored things: times as ISO text, links as the text that a write takes, one locale. */

export const LIST_DEFAULT = 20;
export const LIST_MAX = 50;

export function isoTime(at: number): string;
export function isoTime(at: number | null): string | null;
export function isoTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** Public path of the bytes of an image. */
export function imagePath(image: { readonly sha256: string; readonly filename: string }): string {
  return `/media/${image.sha256}/${encodeURIComponent(image.filename)}`;
}

/**
 * The locales that a value is looked for in, nearest first: the asked one, its fallbacks, and always last the default.
 * Refuses `locale_unknown`.
 */
export function localeChain(environment: Environment, requested?: string): readonly string[] {
  const fallbacks = new Map(environment.locales.map((locale) => [locale.code, locale.fallback]));
  const last = environment.defaultLocale;
  const chain: string[] = [];
  let code: string | null = pickLocale(environment, requested);
  while (code !== null && code !== last && !chain.includes(code)) {
    chain.push(code);
    code = fallbacks.get(code) ?? null;
  }
  return [...chain, last];
}

interface LocalContent {
  readonly content: Content;
  /** keys whose value comes from another locale than the asked one */
  readonly fallbackFields: readonly string[];
}

/** The values of one locale, each from the nearest locale of the chain that has it, declared fields first. */
export function localContent(
  fields: readonly Field[],
  byLocale: ByLocale<Content>,
  chain: readonly string[],
): LocalContent {
  const declared = new Map(fields.map((field) => [field.key, field]));
  const keys = new Set([
    ...declared.keys(),
    ...chain.flatMap((code) => Object.keys(ownValue(byLocale, code) ?? {})),
  ]);
  const content: Record<string, Json> = {};
  const fallbackFields: string[] = [];
  for (const key of keys) {
    const from = chain.find((code) => ownValue(ownValue(byLocale, code), key) !== undefined);
    const value = from === undefined ? undefined : ownValue(ownValue(byLocale, from), key);
    if (value === undefined) continue;
    content[key] = shownValue(declared.get(key), value);
    if (from !== chain[0]) fallbackFields.push(key);
  }
  return { content, fallbackFields };
}

/** A value as a write would take it: a stored link becomes `page:<id>`, the rest is already in that form. */
function shownValue(field: Field | undefined, value: Json): Json {
  if (field?.type === "link") return linkText(value);
  if (field?.type !== "list" || !Array.isArray(value)) return value;
  return value.map((element: Json) => {
    if (!isObject(element)) return element;
    const item = new Map((field.item ?? []).map((one) => [one.key, one]));
    return Object.fromEntries(
      Object.entries(element).map(([key, one]) => [key, shownValue(item.get(key), one)]),
    );
  });
}

function linkText(value: Json): Json {
  if (!isObject(value)) return value;
  const { kind, id, url, anchor } = value;
  if (kind === "url" && typeof url === "string") return url;
  const end = typeof anchor === "string" ? `#${anchor.replace(/^#/, "")}` : "";
  if (kind === "anchor") return end;
  return typeof kind === "string" && typeof id === "string" ? `${kind}:${id}${end}` : value;
}
