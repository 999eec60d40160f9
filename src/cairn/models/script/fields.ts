import { isObject, type Json, type JsonObject, toJson, ownValue } from "../../core/log/json.ts";

/** Fields of JSON from outside: results of tools, schemas, inputs. Nothing about their form is taken for granted. */

/** The value under a key of an object; undefined for every other value. */
const fieldOf = (value: Json | undefined, key: string): Json | undefined =>
  isObject(value) ? ownValue(value, key) : undefined;

/** The text under a key; null where there is none or it is empty. */
export function textAt(value: Json | undefined, key: string): string | null {
  const found = fieldOf(value, key);
  return typeof found === "string" && found !== "" ? found : null;
}

/** The number under a key, or null. */
export function numberAt(value: Json | undefined, key: string): number | null {
  const found = fieldOf(value, key);
  return typeof found === "number" ? found : null;
}

/** True if the value under a key is true. */
export const isAt = (value: Json | undefined, key: string): boolean => fieldOf(value, key) === true;

/** The object under a key, or null. */
export function objectAt(value: Json | undefined, key: string): JsonObject | null {
  const found = fieldOf(value, key);
  return isObject(found) ? found : null;
}

/** The list under a key; empty where there is none. */
export function listAt(value: Json | undefined, key: string): readonly Json[] {
  const found = fieldOf(value, key);
  return Array.isArray(found) ? (found as readonly Json[]) : [];
}

/** The objects in a list; the note at the end of a cut list is left out. */
export const objectsAt = (value: Json | undefined, key: string): JsonObject[] =>
  listAt(value, key).filter(isObject);

/** JSON, also with text before or after it; null where there is none. */
export function parseJson(text: string): Json {
  for (const candidate of [text, text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)]) {
    try {
      return toJson(JSON.parse(candidate));
    } catch {
      // Cut or plain text: try the next candidate.
    }
  }
  return null;
}
