import { hasTooManyValues, JSON_VALUES_MAX } from "./json-values.ts";
import { normalize } from "./normalize.ts";

/** Plain JSON: what an entry, a frame and a tool's result are made of. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export type JsonObject = { readonly [key: string]: Json };

/**
 * Canonical JSON: keys sorted by UTF-16 code unit, no spaces, strings in NFC, undefined dropped.
 * The text that every digest is taken over (RFC 8785 in spirit, without its number rules: ours come from JSON.parse).
 */
export function canonicalJson(value: unknown): string {
  if (value === undefined || value === null) return "null";
  if (typeof value === "string") return JSON.stringify(normalize(value, "NFC"));
  if (typeof value !== "object") return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(",")}]`;
  const pairs = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .map(([key, item]) => [normalize(key, "NFC"), item] as const)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`);
  return `{${pairs.join(",")}}`;
}

/**
 * Makes any value plain JSON before it is stored: BigInt as text, dates as ISO text, cycles as "[cycle]", what is nested more
 * than JSON_DEPTH_MAX levels deep as "[nested too deep]", functions and symbols dropped. Never throws, because it runs after an
 * effect that has already happened.
 */
export function toJson(value: unknown, above: readonly unknown[] = []): Json {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object") return null;
  if (above.includes(value)) return "[cycle]";
  if (above.length === JSON_DEPTH_MAX) return "[nested too deep]";
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  const path = [...above, value];
  if (Array.isArray(value)) return value.map((item) => toJson(item, path));
  const held = Object.entries(value).filter(
    ([, item]) => item !== undefined && typeof item !== "function" && typeof item !== "symbol",
  );
  // An assignment to `__proto__` would set the prototype.
  return Object.fromEntries(held.map(([key, item]) => [key, toJson(item, path)]));
}

/**
 * The value of a key that comes from outside, or undefined where the record itself does not have it. A plain read also
 * finds what every object inherits, such as `constructor` and `toString`.
 */
export function ownValue<Value>(
  record: Readonly<Record<string, Value>> | Readonly<Partial<Record<string, Value>>> | null | undefined,
  key: string,
): Value | undefined {
  return record !== null && record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Levels of lists and objects that a value from outside may have. Whatever walks one by recursion has stack for more. */
export const JSON_DEPTH_MAX = 100;

/**
 * True if lists and objects are nested more than `max` levels deep. Recursion stops there, because JSON.parse output
 * can be deeper than any stack.
 */
export function isTooDeep(value: unknown, max = JSON_DEPTH_MAX): boolean {
  return holdsMore(value) && isDeeper(value, 1, max);
}

function isDeeper(holder: object, depth: number, max: number): boolean {
  const items = (Array.isArray(holder) ? holder : Object.values(holder)) as readonly unknown[];
  for (const item of items)
    if (holdsMore(item) && (depth === max || isDeeper(item, depth + 1, max))) return true;
  return false;
}

/**
 * Parses JSON; undefined if the text is invalid, nested too deep or has more than `valuesMax` values. Never throws.
 * Stored text, and parts of a model's reply, are bounded elsewhere: pass Infinity.
 */
export function readJson(text: string, valuesMax = JSON_VALUES_MAX): Json | undefined {
  if (valuesMax < Infinity && hasTooManyValues(text, valuesMax)) return undefined;
  try {
    const value = JSON.parse(text) as Json;
    return isTooDeep(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

function holdsMore(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A copy of an object without the fields whose value is undefined. */
export const definedFields = <Fields extends object>(fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
