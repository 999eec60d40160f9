import { boundaryAfter, boundaryBefore } from "../text/cut.ts";
import { readJson, type Json } from "../log/json.ts";
import { OBSERVATION_ERROR_CHARS_MIN, OBSERVATIONS_PER_REPLY_CHARS_MAX } from "../limits.ts";

/** Excerpt of a long output for the model; the whole is stored under the name of its call. */

const ITEMS_SHOWN = 5;
/** characters of a string that are shown where there is least room */
const STRING_CHARS_MIN = 120;
const BASE64_CHARS_MAX = 512;

/** Characters that one result of a reply may show: its tool's own cap, and its share of what the reply may show. */
export function shownChars(observationMax: number, calls: number): number {
  const share = Math.floor(OBSERVATIONS_PER_REPLY_CHARS_MAX / Math.max(1, calls));
  return Math.min(observationMax, Math.max(OBSERVATION_ERROR_CHARS_MIN, share));
}

/**
 * Returns the text, shortened to at most `max` characters. JSON shrinks by its structure first and stays JSON; if still
 * too long, its head and tail are shown. A note states what was cut and how to read it: `ref` is the name of the call.
 */
export function cutObservation(text: string, max: number, ref: string): string {
  if (text.length <= max) return text;
  const shrunk = shrinkJson(text, max, ref);
  if (shrunk !== null) return shrunk;
  const note = (from: number, to: number): string =>
    `\n[cut ${from}..${to} of ${text.length}; read_observation("${ref}", ${from})]\n`;
  const space = max - note(text.length, text.length).length;
  const from = boundaryBefore(text, Math.floor(space * 0.7));
  const to = boundaryBefore(text, text.length - Math.floor(space * 0.3));
  return text.slice(0, from) + note(from, to) + text.slice(to);
}

/** A slice of a stored text, its ends moved so that no visible character is split. Null past the end. */
export function sliceText(
  text: string,
  offset: number,
  limit: number,
): { text: string; next: number | null } | null {
  if (offset > 0 && offset >= text.length) return null;
  const from = boundaryBefore(text, offset);
  const to = boundaryBefore(text, from + limit);
  const end = to <= from ? boundaryAfter(text, from) : to;
  return { text: text.slice(from, end), next: end < text.length ? end : null };
}

/**
 * The JSON with short lists, and with strings as long as `max` characters of the whole allow: what short strings leave of them goes to
 * the longest ones. Null for what is no JSON, or does not fit even with short strings.
 */
function shrinkJson(text: string, max: number, ref: string): string | null {
  if (!/^\s*[[{]/.test(text)) return null;
  const value = readJson(text, Infinity);
  if (value === undefined) return null;
  const cut = `shortened from ${text.length} characters; read_observation("${ref}") returns the whole`;
  const small = shrink(value, max);
  const written = (stringMax: number): string => {
    const shown = withStrings(small, stringMax);
    if (Array.isArray(shown)) return JSON.stringify([...(shown as Json[]), { _cut: cut }]);
    return JSON.stringify({ ...(shown as { [key: string]: Json }), _cut: cut });
  };
  let best = written(STRING_CHARS_MIN);
  if (best.length > max) return null;
  let [low, high] = [STRING_CHARS_MIN, max];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const tried = written(middle);
    if (tried.length <= max) [low, best] = [middle, tried];
    else high = middle;
  }
  return best;
}

/** The beginning and the end of a long string, of which as much is shown as there is room for. */
class LongString {
  readonly length: number;
  readonly head: string;
  readonly tail: string;

  constructor(text: string, max: number) {
    this.length = text.length;
    this.head = text.slice(0, max);
    this.tail = text.slice(-max);
  }
}
type Small = Json | LongString | readonly Small[] | { readonly [key: string]: Small };

/**
 * Bytes as text: small letters, capitals and digits together, digits of base 16, or zeros. A line of dashes, a sequence of bases and
 * words joined by signs are written in the same alphabet, and are text.
 */
const isBase64 = (text: string): boolean =>
  /^[A-Za-z0-9+/_=-]+$/.test(text) &&
  (/^A+=*$/.test(text) ||
    [/[a-z]/, /[A-Z]/, /[0-9]/].every((kind) => kind.test(text)) ||
    (/^[0-9a-f]+$/i.test(text) && /[0-9]/.test(text) && /[a-f]/i.test(text)));

/** The value with short lists, and of each string no more than its beginning and its end of so many characters. */
function shrink(value: Json, max: number): Small {
  if (typeof value === "string") {
    if (value.length > BASE64_CHARS_MAX && isBase64(value)) return `[${value.length} characters of base64]`;
    return value.length > STRING_CHARS_MIN ? new LongString(value, max) : value;
  }
  if (Array.isArray(value)) {
    const shown = (value as Json[]).slice(0, ITEMS_SHOWN).map((item) => shrink(item, max));
    const left = value.length - shown.length;
    return left > 0 ? [...shown, `… ${left} more`] : shown;
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shrink(item, max)]));
}

function withStrings(value: Small, max: number): Json {
  if (value instanceof LongString) return partOf(value, max);
  if (Array.isArray(value)) return (value as Small[]).map((item) => withStrings(item, max));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as { [key: string]: Small }).map(([key, item]) => [key, withStrings(item, max)]),
  );
}

/** At most about so many characters of a string: 70 of 100 from its beginning, the others from its end. */
function partOf({ length, head, tail }: LongString, max: number): string {
  if (length <= max) return head;
  const from = boundaryBefore(head, Math.floor(max * 0.7));
  const to = boundaryBefore(tail, tail.length - Math.floor(max * 0.3));
  const left = length - from - (tail.length - to);
  return `${head.slice(0, from)} … ${left} characters … ${tail.slice(to)}`;
}
