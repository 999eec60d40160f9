import { sha256Hex } from "../log/digest.ts";
import { canonicalJson, type Json, type JsonObject } from "../log/json.ts";
import { normalised } from "../text/nearest.ts";
import { QUERY_WORDS_KEPT } from "../guard-limits.ts";
import type { CallShape } from "../log/tool.ts";
import type { CallRow, ToolTraits } from "./loop-memory.ts";

export type { CallShape } from "../log/tool.ts";

/**
 * What makes two calls equal (guards 4 and 5.1). The shell computes a mark where it has the arguments, and stores it with
 * the call: the guards' memory is folded from marks and never sees an argument.
 */

export const NO_SHAPE: CallShape = {
  volatile: [],
  cursors: [],
  query: null,
  target: [],
  value: null,
  ids: null,
};

/** A proposed call as digests: what is stored of it for the guards. */
export type CallMark = Pick<
  CallRow,
  "tool" | "effect" | "kind" | "sig" | "mask" | "target" | "value" | "query" | "scope" | "polling"
>;

/** First 12 hex digits of SHA-256 over the canonical JSON (guards 1.3). */
export function digest12(value: unknown): string {
  return sha256Hex(canonicalJson(value)).slice(0, 12);
}

/** The mark of a call with these arguments, as its schema made them. */
export function markCall(traits: ToolTraits, shape: CallShape, args: Json): CallMark {
  const { tool, effect, kind, polling } = traits;
  const canonical = canonicalArgs(args, shape.volatile);
  const fields = isObject(canonical) ? canonical : {};
  const target = targetOf(fields, shape);
  const query = shape.query === null ? undefined : fields[shape.query];
  const scope = hostOf(canonical) ?? target;
  return {
    tool,
    effect,
    kind,
    sig: digest12([tool, canonical]),
    mask: digest12([tool, maskArgs(canonical, shape.cursors)]),
    target,
    value: effect === "read" ? null : digest12([tool, valueOf(fields, shape)]),
    query: typeof query === "string" ? queryWords(query) : null,
    ...(scope === null ? {} : { scope }),
    ...(polling === null ? {} : { polling }),
  };
}

/**
 * Arguments in the form in which equal ones are equal: `volatile` keys and undefined dropped, strings NFC and trimmed,
 * URLs normalised. Keys are sorted by the digest.
 */
export function canonicalArgs(args: Json, volatile: readonly string[] = []): Json {
  if (typeof args === "string") return canonicalUrl(args.normalize("NFC").trim());
  if (Array.isArray(args)) return args.map((item: Json) => canonicalArgs(item, volatile));
  if (!isObject(args)) return args;
  return Object.fromEntries(
    Object.entries(args)
      .filter(([key, item]) => item !== undefined && !volatile.includes(key))
      .map(([key, item]) => [key, canonicalArgs(item, volatile)]),
  );
}

/** A text that is a web address: host in lower case, without default port, fragment and `utm_*`. Another text as it is. */
export function canonicalUrl(text: string): string {
  const parts = /^(https?):\/\/([^/?#\s]+)([^?#\s]*)(?:\?([^#\s]*))?(?:#\S*)?$/i.exec(text);
  if (parts === null) return text;
  const [, scheme = "", authority = "", path = "", search = ""] = parts;
  const lower = scheme.toLowerCase();
  const host = authority.toLowerCase().replace(lower === "https" ? /:443$/ : /:80$/, "");
  const query = search
    .split("&")
    .filter((pair) => pair !== "" && !/^utm_/i.test(pair))
    .join("&");
  return `${lower}://${host}${path === "" ? "/" : path}${query === "" ? "" : `?${query}`}`;
}

/** Canonical arguments with numbers, digits and cursors masked: calls that only count on are equal in it. */
export function maskArgs(args: Json, cursors: readonly string[]): Json {
  if (typeof args === "number") return "#";
  if (typeof args === "string") return args.replace(/\d+/g, "#");
  if (Array.isArray(args)) return args.map((item: Json) => maskArgs(item, cursors));
  if (!isObject(args)) return args;
  return Object.fromEntries(
    Object.entries(args)
      // The first page is often asked for without a cursor.
      .filter(([key]) => !cursors.includes(key))
      .map(([key, item]) => [key, maskArgs(item, cursors)]),
  );
}

/** Hashed words of a query, as a set without case, marks and punctuation; at most QUERY_WORDS_KEPT. */
export function queryWords(query: string): string[] {
  const words = new Set(
    normalised(query)
      .split(" ")
      .filter((word) => word !== ""),
  );
  return [...words].map(digest12).sort().slice(0, QUERY_WORDS_KEPT);
}

/** One digest of the set of words longer than 3 characters, in a list; an empty list where there are none. */
export function thoughtWords(text: string): string[] {
  const words = new Set(
    normalised(text)
      .split(" ")
      .filter((word) => word.length > 3),
  );
  return words.size === 0 ? [] : [digest12([...words].sort())];
}

/** Shared words over all words, 0 to 1 (Jaccard 1912). Two empty sets are alike. */
export function jaccard(a: readonly string[], b: readonly string[]): number {
  const left = new Set(a);
  const all = new Set([...a, ...b]);
  if (all.size === 0) return 1;
  return new Set(b.filter((word) => left.has(word))).size / all.size;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function targetOf(fields: JsonObject, shape: CallShape): string | null {
  const named = shape.target.filter((key) => fields[key] !== undefined && fields[key] !== null);
  return named.length === 0 ? null : digest12(named.map((key) => [key, fields[key]]));
}

function valueOf(fields: JsonObject, shape: CallShape): JsonObject {
  const holds = (key: string): boolean =>
    shape.value === null ? !shape.target.includes(key) : shape.value.includes(key);
  return Object.fromEntries(Object.entries(fields).filter(([key]) => holds(key)));
}

/** The host of the first argument that is a web address. */
function hostOf(args: Json): string | null {
  const values = isObject(args) ? Object.values(args) : [args];
  for (const value of values) {
    const host = typeof value === "string" ? /^https?:\/\/([^/?#]+)/.exec(value)?.[1] : undefined;
    if (host !== undefined) return digest12(["host", host]);
  }
  return null;
}
