import type { Json, JsonObject } from "../../core/json.ts";

/** Reading of tool results: JSON from outside the model, so nothing in it is taken for granted. */

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function textAt(value: Json | undefined, key: string): string | null {
  const found = isObject(value) ? value[key] : undefined;
  return typeof found === "string" && found !== "" ? found : null;
}

export function numberAt(value: Json | undefined, key: string): number | null {
  const found = isObject(value) ? value[key] : undefined;
  return typeof found === "number" ? found : null;
}

export function isAt(value: Json | undefined, key: string): boolean {
  return isObject(value) && value[key] === true;
}

export function objectAt(value: Json | undefined, key: string): JsonObject | null {
  const found = isObject(value) ? value[key] : undefined;
  return isObject(found) ? found : null;
}

export function listAt(value: Json | undefined, key: string): readonly Json[] {
  const found = isObject(value) ? value[key] : undefined;
  return Array.isArray(found) ? (found as readonly Json[]) : [];
}

/** The objects in a list; a note that a cut list carries at its end is left out. */
export function objectsAt(value: Json | undefined, key: string): JsonObject[] {
  return listAt(value, key).filter(isObject);
}
