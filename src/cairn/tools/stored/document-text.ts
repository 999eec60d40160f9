import { loadYaml } from "../../../../build/modules/yaml.ts";
import { hasTooManyValues } from "../../core/log/json-values.ts";
import { isTooDeep, JSON_DEPTH_MAX, type Json } from "../../core/log/json.ts";

/** A document as JSON or YAML text: OpenAPI documents are published in both. */

/** of a document in JSON */
export const DOCUMENT_BYTES_MAX = 16_000_000;
/** of a document in YAML, which takes about ten times as long to read */
const YAML_CHARS_MAX = 4_000_000;
/** values of YAML, those that its aliases and merge keys repeat counted each time */
const YAML_VALUES_MAX = 300_000;
/** characters of its texts, repeated ones counted each time */
const YAML_TEXT_CHARS_MAX = DOCUMENT_BYTES_MAX;

export type DocumentRead =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly why: string };

/** The value of a text in JSON or YAML; otherwise the reason. Never throws. */
export async function readDocument(text: string): Promise<DocumentRead> {
  const start = text.replace(/^\uFEFF/, "");
  // JSON is YAML too, but for tabs; its own parser is faster and has no bound of 4 MB.
  if (/^\s*[{[]/.test(start)) {
    const json = readJsonText(start);
    if (json.ok || start.length > YAML_CHARS_MAX) return json;
    const yaml = await readYaml(start);
    return yaml.ok ? yaml : json;
  }
  return readYaml(start);
}

function readJsonText(text: string): DocumentRead {
  const valuesMax = DOCUMENT_BYTES_MAX / 20;
  if (hasTooManyValues(text, valuesMax)) return refused(`It has more than ${valuesMax} values.`);
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return refused("It is not JSON.");
  }
  return isTooDeep(value) ? refused(TOO_DEEP) : { ok: true, value };
}

async function readYaml(text: string): Promise<DocumentRead> {
  if (text.length > YAML_CHARS_MAX)
    return refused(`In YAML a document has at most ${YAML_CHARS_MAX} characters: send this one as JSON.`);
  // Every value ends at a line or a comma, so the parser makes no more than these.
  if (countOf(text, /[\n,]/g) > YAML_VALUES_MAX) return refused(TOO_MANY);
  const { load, CORE_SCHEMA } = await loadYaml();
  let value: unknown;
  try {
    // Dates stay texts; of a key that is there twice the last value is taken, as in JSON.
    value = load(text, { schema: CORE_SCHEMA, json: true, maxDepth: JSON_DEPTH_MAX });
  } catch (error) {
    return refused(`It is not YAML: ${reasonOf(error)}`);
  }
  const copy = new PlainCopy();
  try {
    return { ok: true, value: copy.of(value, 0) };
  } catch (error) {
    if (error instanceof Unbounded) return refused(error.message);
    throw error;
  }
}

class Unbounded extends Error {
  override readonly name = "Unbounded";
}

/** YAML as plain JSON: each alias becomes a copy, and `<<` the fields that it names. Throws `Unbounded`. */
class PlainCopy {
  #values = 0;
  #chars = 0;

  of(value: unknown, depth: number): Json {
    this.#values += 1;
    if (typeof value === "string") this.#chars += value.length;
    if (this.#values > YAML_VALUES_MAX || this.#chars > YAML_TEXT_CHARS_MAX) throw new Unbounded(TOO_MANY);
    // A recursive alias ends here.
    if (depth > JSON_DEPTH_MAX) throw new Unbounded(TOO_DEEP);
    if (typeof value === "string" || typeof value === "boolean") return value;
    if (typeof value === "number") return Number.isFinite(value) ? value : null;
    if (Array.isArray(value)) return value.map((one: unknown) => this.of(one, depth + 1));
    if (typeof value !== "object" || value === null) return null;
    // Not by assignment: `__proto__` would set the prototype.
    return Object.fromEntries(this.#fields(value, depth));
  }

  #fields(value: object, depth: number): ReadonlyMap<string, Json> {
    const fields = new Map<string, Json>();
    for (const [key, held] of Object.entries(value)) {
      this.#chars += key.length;
      if (key !== "<<") fields.set(key, this.of(held, depth + 1));
    }
    const merged: unknown = Object.hasOwn(value, "<<") ? (value as { readonly "<<": unknown })["<<"] : [];
    for (const one of Array.isArray(merged) ? (merged as readonly unknown[]) : [merged]) {
      if (typeof one !== "object" || one === null || depth >= JSON_DEPTH_MAX) continue;
      for (const [key, held] of this.#fields(one, depth + 1)) if (!fields.has(key)) fields.set(key, held);
    }
    return fields;
  }
}

const TOO_DEEP = `It is nested more than ${JSON_DEPTH_MAX} levels deep.`;
const TOO_MANY = `It has more than ${YAML_VALUES_MAX} values or ${YAML_TEXT_CHARS_MAX} characters, repeated ones counted: send a part of it.`;

const refused = (why: string): DocumentRead => ({ ok: false, why });

function countOf(text: string, pattern: RegExp): number {
  let count = 0;
  for (const _ of text.matchAll(pattern)) {
    count += 1;
    if (count > YAML_VALUES_MAX) break;
  }
  return count;
}

/** The reason and the line of an error of the parser. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "it cannot be read.";
  const { reason, mark } = error as {
    readonly reason?: unknown;
    readonly mark?: { readonly line?: unknown };
  };
  const why = typeof reason === "string" ? reason : "it cannot be read";
  const line = typeof mark?.line === "number" ? ` (line ${mark.line + 1})` : "";
  return `${why.slice(0, 200)}${line}.`;
}
