import { normalize } from "../log/normalize.ts";
import {
  IDS_PER_RESULT_MAX,
  MESSAGE_COMPARED_CHARS_MAX,
  PLACEHOLDERS_NAMED_MAX,
  QUERY_WORDS_STORED,
} from "../limits.ts";
import { sha256Hex } from "../log/digest.ts";
import { readJson, isObject, canonicalJson, type Json, type JsonObject, ownValue } from "../log/json.ts";
import { MESSAGE_KINDS } from "../address.ts";
import type { CallMark, MessageMark, ResultMark } from "../log/mark.ts";
import type { CallShape, ToolFailure, ToolTraits } from "../log/tool.ts";
export type { CallShape } from "../log/tool.ts";
import { normalised } from "../text/nearest.ts";
import { findPlaceholders } from "../text/placeholders.ts";

/**
 * Equality of calls. The shell computes a mark while it has the arguments, and stores it with the call: the guards'
 * memory is folded from marks and never sees an argument.
 */

export const NO_SHAPE: CallShape = {
  volatile: [],
  cursors: [],
  query: null,
  target: [],
  value: null,
  ids: null,
};

/** First 12 hex digits of SHA-256 over the canonical JSON. */
export function digest12(value: unknown): string {
  return sha256Hex(canonicalJson(value)).slice(0, 12);
}

/** The mark of a call with these arguments, as its schema made them. */
export function markCall(traits: ToolTraits, shape: CallShape, args: Json): CallMark {
  const { tool, effect, kind, polling } = traits;
  const canonical = canonicalArgs(args, shape.volatile);
  const fields = isObject(canonical) ? canonical : {};
  const target = targetOf(fields, shape);
  const query = shape.query === null ? undefined : ownValue(fields, shape.query);
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
    ...(shape.message === true ? { message: messageOf(fields) } : {}),
  };
}

/** A message as it is compared: by its words where it is short, else only whole. */
function messageOf(fields: JsonObject): MessageMark {
  const text = typeof fields["text"] === "string" ? fields["text"] : "";
  const kind = MESSAGE_KINDS.find((one) => one === fields["kind"]) ?? "progress";
  const items = text.match(/^[ \t]*(?:[-*+]|\d{1,9}[.)])\s/gmu)?.length ?? 0;
  const questions = text.match(/[?？]/gu)?.length ?? 0;
  const isWhole = text.length > MESSAGE_COMPARED_CHARS_MAX || items >= 3 || questions >= 2;
  const placeholders = findPlaceholders(text).slice(0, PLACEHOLDERS_NAMED_MAX);
  return {
    kind,
    chars: text.length,
    words: isWhole
      ? null
      : [...new Set(normalised(text).split(" "))]
          .filter((word) => word.length > 3)
          .map(digest12)
          .toSorted(),
    ...(placeholders.length === 0 ? {} : { placeholders }),
  };
}

/**
 * Arguments in the form in which equal ones are equal: `volatile` keys and undefined dropped, strings NFC and trimmed,
 * URLs normalised. Keys are sorted by the digest.
 */
export function canonicalArgs(args: Json, volatile: readonly string[] = []): Json {
  if (typeof args === "string") return canonicalUrl(normalize(args, "NFC").trim());
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
  const parts = /^(https?):\/\/([^/?#\s]+)((?:\/[^?#\s]*)?)(?:\?([^#\s]*))?(?:#\S*)?$/i.exec(text);
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
  return [...words].map(digest12).sort().slice(0, QUERY_WORDS_STORED);
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

function targetOf(fields: JsonObject, shape: CallShape): string | null {
  const named = shape.target.filter(
    (key) => ownValue(fields, key) !== undefined && ownValue(fields, key) !== null,
  );
  return named.length === 0 ? null : digest12(named.map((key) => [key, ownValue(fields, key)]));
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

/** Lists whose being empty is the answer: nothing is wrong. */
const FINDINGS = new Set(["errors", "problems", "issues", "warnings", "violations", "findings", "conflicts"]);

/** Fields with these values only confirm that there is an answer. */
const ENVELOPE = new Set(["ok", "success", "status"]);

const ENVELOPE_VALUES = new Set<Json>([true, "ok", "success", 200]);

/** The mark of an ok result: the whole output, as JSON where it is JSON, without its volatile fields. */
export function markOutput(tool: string, shape: CallShape, args: Json, output: Json): ResultMark {
  const stable = canonicalArgs(output, shape.volatile);
  const found =
    shape.ids !== null
      ? valuesAt(stable, shape.ids.split("."))
      : shape.query === null
        ? null
        : hitsIn(stable);
  return {
    res: digest12(stable),
    ids:
      found === null
        ? null
        : [...new Set(found.map((id) => digest12([tool, id])))].slice(0, IDS_PER_RESULT_MAX),
    empty: found === null ? isEmpty(stable, echoes(args)) : found.length === 0,
  };
}

/** Identifying fields of search hits, if the tool declares none: the first that every hit has. */
const HIT_KEYS = ["id", "url", "link", "href", "slug", "path", "title", "name"];

/** The hits of a search: what its only list is made of. Null where there is no such list. */
function hitsIn(output: Json): Json[] | null {
  const lists = (isObject(output) ? Object.values(output) : [output]).filter((one) => Array.isArray(one));
  const [hits, ...others] = lists;
  if (hits === undefined || others.length > 0) return null;
  const key = HIT_KEYS.find((name) => hits.every((hit) => isObject(hit) && name in hit));
  return key === undefined ? null : hits.flatMap((hit) => (isObject(hit) ? [hit[key] ?? null] : []));
}

/** The mark of a failure: class, code and message, its digits and ids masked. */
export function markFailure(failure: Pick<ToolFailure, "class" | "code" | "message">): ResultMark {
  return {
    res: digest12([failure.class, failure.code, maskMessage(failure.message)]),
    ids: null,
    empty: false,
  };
}

/** A tool's output text as a value: its JSON, or the text itself. */
export function readOutput(text: string): Json {
  const value = readJson(text, Infinity);
  return value === undefined ? text : value;
}

/** The message without what differs from one failure to the next: UUIDs, long hexadecimal names, digits. */
export function maskMessage(message: string): string {
  return normalize(message, "NFC")
    .replace(/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, "#")
    .replace(/\b(?=[a-z]*\d)[0-9a-f]{8,}\b/gi, "#")
    .replace(/\d+/g, "#")
    .trim();
}

/**
 * True if a result is empty: no value, an empty text or list, or an object of empty lists with nothing else but
 * counters, an envelope and echoed arguments.
 */
export function isEmpty(output: Json, known: ReadonlySet<string> = new Set()): boolean {
  if (output === null) return true;
  if (typeof output === "string") return output.trim() === "";
  if (Array.isArray(output)) return output.length === 0;
  if (!isObject(output)) return false;
  const fields = Object.entries(output).filter(
    ([key, value]) => !(ENVELOPE.has(key) && ENVELOPE_VALUES.has(value)),
  );
  const lists = fields.filter(([, value]) => Array.isArray(value));
  if (fields.length > 0 && lists.some(([key]) => FINDINGS.has(key))) return false;
  return (
    fields.every(([, value]) => saysNothing(value, lists.length > 0, known)) &&
    (lists.length > 0 || fields.length === Object.keys(output).length)
  );
}

function saysNothing(value: Json, isSibling: boolean, known: ReadonlySet<string>): boolean {
  if (value === false || typeof value === "number") return isSibling;
  if (value === true) return false;
  if (typeof value === "string" && known.has(value.trim())) return isSibling;
  return isEmpty(value, known);
}

/** The texts among the arguments, which a result may repeat. */
function echoes(args: Json): ReadonlySet<string> {
  const texts = isObject(args) ? Object.values(args) : [args];
  return new Set(texts.filter((value) => typeof value === "string").map((value) => value.trim()));
}

/** The values at a path such as `items[].id`; `[]` goes through a list. */
function valuesAt(value: Json, path: readonly string[]): Json[] {
  const [head, ...rest] = path;
  if (head === undefined) return Array.isArray(value) ? value.flatMap((item: Json) => [item]) : [value];
  const through = head.endsWith("[]");
  const key = through ? head.slice(0, -2) : head;
  const inner = key === "" ? value : isObject(value) ? ownValue(value, key) : undefined;
  if (inner === undefined || inner === null) return [];
  if (!through) return valuesAt(inner, rest);
  return Array.isArray(inner) ? inner.flatMap((item: Json) => valuesAt(item, rest)) : [];
}
