import { readJson, type Json } from "../log/json.ts";
import { OBSERVATION_ERROR_CHARS_MIN, OBSERVATIONS_PER_REPLY_CHARS_MAX } from "../limits.ts";

/** What the model is shown of a long output; the whole is kept under the name of its call. */

const ITEMS_SHOWN = 5;
const STRING_CHARS_MAX = 800;
const STRING_END_CHARS = 280;
const BASE64_CHARS_MAX = 512;

/** Characters that one result of a reply may show: its tool's own cap, and its share of what the reply may show. */
export function shownChars(observationMax: number, calls: number): number {
  const share = Math.floor(OBSERVATIONS_PER_REPLY_CHARS_MAX / Math.max(1, calls));
  return Math.min(observationMax, Math.max(OBSERVATION_ERROR_CHARS_MIN, share));
}

/**
 * The text, shortened to at most `max` characters. JSON shrinks by its structure first and stays JSON; what is still too
 * long shows its head and tail. Either way it says what was cut and how to read it: `ref` is the name of the call.
 */
export function cutObservation(text: string, max: number, ref: string): string {
  if (text.length <= max) return text;
  const shrunk = shrinkJson(text, ref);
  if (shrunk !== null && shrunk.length <= max) return shrunk;
  const note = (from: number, to: number): string =>
    `\n[cut ${from}..${to} of ${text.length}; read_observation("${ref}", ${from})]\n`;
  const room = max - note(text.length, text.length).length;
  const from = whole(text, Math.floor(room * 0.7));
  const to = whole(text, text.length - Math.floor(room * 0.3));
  return text.slice(0, from) + note(from, to) + text.slice(to);
}

/** A slice of a kept text, its ends moved so that no surrogate pair is split. Null past the end. */
export function sliceText(
  text: string,
  offset: number,
  limit: number,
): { text: string; next: number | null } | null {
  if (offset > 0 && offset >= text.length) return null;
  const from = whole(text, offset);
  const to = whole(text, Math.min(text.length, from + limit));
  const end = to <= from ? Math.min(text.length, from + limit + 1) : to;
  return { text: text.slice(from, end), next: end < text.length ? end : null };
}

function shrinkJson(text: string, ref: string): string | null {
  if (!/^\s*[[{]/.test(text)) return null;
  const value = readJson(text, Infinity);
  if (value === undefined) return null;
  const cut = `shortened from ${text.length} characters; read_observation("${ref}") returns the whole`;
  const small = shrink(value);
  if (Array.isArray(small)) return JSON.stringify([...(small as Json[]), { _cut: cut }]);
  return JSON.stringify({ ...(small as { [key: string]: Json }), _cut: cut });
}

function shrink(value: Json): Json {
  if (typeof value === "string") return shrinkString(value);
  if (Array.isArray(value)) {
    const shown = (value as Json[]).slice(0, ITEMS_SHOWN).map(shrink);
    const left = value.length - shown.length;
    return left > 0 ? [...shown, `… ${left} more`] : shown;
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shrink(item)]));
}

function shrinkString(text: string): string {
  if (text.length > BASE64_CHARS_MAX && /^[A-Za-z0-9+/_=-]+$/.test(text))
    return `[${text.length} characters of base64]`;
  if (text.length <= STRING_CHARS_MAX) return text;
  const from = whole(text, STRING_END_CHARS);
  const to = whole(text, text.length - STRING_END_CHARS);
  return `${text.slice(0, from)} … ${to - from} characters … ${text.slice(to)}`;
}

/** The place, moved by one where it would split a surrogate pair. */
function whole(text: string, place: number): number {
  const code = text.charCodeAt(place);
  return code >= 0xdc00 && code <= 0xdfff ? place - 1 : place;
}
