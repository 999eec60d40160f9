import type { Json } from "../log/json.ts";
import type { ToolFailure } from "../log/tool.ts";
import { IDS_PER_RESULT_MAX } from "../guard-limits.ts";
import { canonicalArgs, digest12, isObject, type CallShape } from "./call-digest.ts";

/** A settled result as digests (guards 5.1): what is stored of it for the guards. */
export interface ResultMark {
  readonly res: string;
  /** digests of tool and id; null where the tool declares none */
  readonly ids: readonly string[] | null;
  readonly empty: boolean;
}

/** Lists whose being empty is the answer: nothing is wrong. */
const FINDINGS = new Set(["errors", "problems", "issues", "warnings", "violations", "findings", "conflicts"]);
/** Fields that say only that there is an answer, with these values. */
const ENVELOPE = new Set(["ok", "success", "status"]);
const ENVELOPE_VALUES = new Set<Json>([true, "ok", "success", 200]);

/** The mark of an ok result: the whole output, as JSON where it is JSON, without its volatile fields. */
export function markOutput(tool: string, shape: CallShape, args: Json, output: Json): ResultMark {
  const kept = canonicalArgs(output, shape.volatile);
  const found =
    shape.ids !== null ? valuesAt(kept, shape.ids.split(".")) : shape.query === null ? null : hitsIn(kept);
  return {
    res: digest12(kept),
    ids:
      found === null
        ? null
        : [...new Set(found.map((id) => digest12([tool, id])))].slice(0, IDS_PER_RESULT_MAX),
    empty: found === null ? isEmpty(kept, echoes(args)) : found.length === 0,
  };
}

/** By what the hits of a search are known, where its tool does not say: the first of these that each of them has. */
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
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** The message without what differs from one failure to the next: UUIDs, long hexadecimal names, digits. */
export function maskMessage(message: string): string {
  return message
    .normalize("NFC")
    .replace(/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, "#")
    .replace(/\b(?=[a-z]*\d)[0-9a-f]{8,}\b/gi, "#")
    .replace(/\d+/g, "#")
    .trim();
}

/**
 * Whether a result holds nothing: no value, an empty text, an empty list, or an object of empty lists with nothing beside
 * them but counters, an envelope and what the arguments had said.
 */
export function isEmpty(output: Json, said: ReadonlySet<string> = new Set()): boolean {
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
    fields.every(([, value]) => saysNothing(value, lists.length > 0, said)) &&
    (lists.length > 0 || fields.length === Object.keys(output).length)
  );
}

function saysNothing(value: Json, besideList: boolean, said: ReadonlySet<string>): boolean {
  if (value === false || typeof value === "number") return besideList;
  if (value === true) return false;
  if (typeof value === "string" && said.has(value.trim())) return besideList;
  return isEmpty(value, said);
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
  const inner = key === "" ? value : isObject(value) ? value[key] : undefined;
  if (inner === undefined || inner === null) return [];
  if (!through) return valuesAt(inner, rest);
  return Array.isArray(inner) ? inner.flatMap((item: Json) => valuesAt(item, rest)) : [];
}
