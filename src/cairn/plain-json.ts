import { JSON_DEPTH_MAX } from "./core/log/json.ts";
import { JSON_VALUES_MAX } from "./core/log/json-values.ts";
import { err, ok, type Result } from "./core/log/result.ts";

/** The first fault of a value that should be JSON. */
export type JsonFault = "not_json" | "too_deep" | "too_many_values" | "too_large";

/**
 * The JSON text of a value that came over RPC, which carries more than JSON: functions and stubs, dates, maps, cycles, lists of
 * four thousand million holes. It is measured before it is written: at most `charsMax` characters in its strings and names,
 * JSON_DEPTH_MAX levels, and JSON_VALUES_MAX values. A field that is undefined is left out.
 */
export function plainJson(value: unknown, charsMax: number): Result<string, JsonFault> {
  const fault = measure(value, 1, { chars: charsMax, values: JSON_VALUES_MAX });
  return fault === null ? ok(JSON.stringify(value)) : err(fault);
}

interface JsonLimits {
  chars: number;
  values: number;
}

/** Takes the value off what is left of the room. It ends for a cycle too: at the depth that is allowed. */
function measure(value: unknown, depth: number, limits: JsonLimits): JsonFault | null {
  if ((limits.values -= 1) < 0) return "too_many_values";
  if (value === null || typeof value === "boolean") return null;
  if (typeof value === "string") return (limits.chars -= value.length) < 0 ? "too_large" : null;
  if (typeof value === "number") return Number.isFinite(value) ? null : "not_json";
  if (typeof value !== "object") return "not_json";
  const isList = Array.isArray(value);
  if (!isList && !isPlain(value)) return "not_json";
  if (depth > JSON_DEPTH_MAX) return "too_deep";
  if (isList && value.length > limits.values) return "too_many_values";
  for (const [name, item] of isList ? value.entries() : Object.entries(value)) {
    if (item === undefined && !isList) continue;
    if (typeof name === "string" && (limits.chars -= name.length) < 0) return "too_large";
    const fault = measure(item, depth + 1, limits);
    if (fault !== null) return fault;
  }
  return null;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
