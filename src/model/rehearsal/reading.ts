import type { Json, JsonObject } from "../../core/log/json.ts";
import { toJson } from "../../core/log/json.ts";

/** Reading of tool results: JSON from outside the model, so nothing in it is taken for granted. */

/** Whether a value is an object and no list. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The text under a key; null when there is none or it is empty. */
export function textAt(value: Json | undefined, key: string): string | null {
  const found = isObject(value) ? value[key] : undefined;
  return typeof found === "string" && found !== "" ? found : null;
}

/** The number under a key, or null. */
export function numberAt(value: Json | undefined, key: string): number | null {
  const found = isObject(value) ? value[key] : undefined;
  return typeof found === "number" ? found : null;
}

/** Whether true stands under a key. */
export function isAt(value: Json | undefined, key: string): boolean {
  return isObject(value) && value[key] === true;
}

/** The object under a key, or null. */
export function objectAt(value: Json | undefined, key: string): JsonObject | null {
  const found = isObject(value) ? value[key] : undefined;
  return isObject(found) ? found : null;
}

/** The list under a key; empty when there is none. */
export function listAt(value: Json | undefined, key: string): readonly Json[] {
  const found = isObject(value) ? value[key] : undefined;
  return Array.isArray(found) ? (found as readonly Json[]) : [];
}

/** The objects in a list; a note that a cut list carries at its end is left out. */
export function objectsAt(value: Json | undefined, key: string): JsonObject[] {
  return listAt(value, key).filter(isObject);
}

/** JSON, also when something stands before or behind it; null when there is none. */
export function parseJson(text: string): Json {
  for (const candidate of [text, text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)]) {
    try {
      return toJson(JSON.parse(candidate));
    } catch {
      // Cut or plain text: the next candidate, or none.
    }
  }
  return null;
}
