import { canonicalJson, isObject, type Json, type JsonObject } from "../../core/log/json.ts";

/** `{{input.path}}` in an objective. */

const PLACEHOLDER = /\{\{\s*input((?:\.[A-Za-z0-9_-]{1,64}|\[\d{1,6}\])*)\s*\}\}/g;
/** number of missing paths that are listed */
const MISSING_LISTED_MAX = 5;

export interface Filled {
  readonly text: string;
  /** paths that the input does not have, each once, at most five */
  readonly missing: readonly string[];
}

/** The text with what the input has at each path: words as they are, other values as JSON. Other braces stay. */
export function fillTemplate(text: string, input: JsonObject): Filled {
  const missing = new Set<string>();
  const filled = text.replace(PLACEHOLDER, (whole, path: string) => {
    const value = valueAt(input, path);
    if (value !== undefined) return typeof value === "string" ? value : canonicalJson(value);
    missing.add(`input${path}`);
    return whole;
  });
  return { text: filled, missing: [...missing].slice(0, MISSING_LISTED_MAX) };
}

function valueAt(input: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = input;
  for (const [, key, index] of path.matchAll(/\.([A-Za-z0-9_-]+)|\[(\d+)\]/g)) {
    const name: string = key ?? index ?? "";
    if (isList(value)) value = value[/^\d+$/.test(name) ? Number(name) : -1];
    else if (isObject(value) && Object.hasOwn(value, name)) value = value[name];
    else return undefined;
  }
  return value;
}

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);
