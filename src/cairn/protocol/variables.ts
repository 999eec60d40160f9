import { parseJson } from "./json.ts";

/** One variable of the environment, as it comes: text from the shell, or a value from a TOML file. */

/** TOML may hold a boolean or a number where `--var` holds text. */
export function parseSwitch(
  value: unknown,
  on: readonly string[],
  off: readonly string[],
): boolean | "malformed" | null {
  if (!isSet(value)) return null;
  const word = isObject(value) ? "" : String(value).trim();
  return on.includes(word) ? true : off.includes(word) ? false : "malformed";
}

/** A comma list, a JSON array of text, or an array from TOML; empty when unset, null when malformed. */
export function parseList(value: unknown): string[] | null {
  if (!isSet(value)) return [];
  const given = text(value);
  const list: unknown = given === null ? value : given.startsWith("[") ? parseJson(given) : given.split(",");
  if (!Array.isArray(list)) return null;
  const entries = list.map((entry: unknown) => text(entry));
  return entries.every((entry): entry is string => entry !== null) ? entries : null;
}

/** JSON text of an object, or a table from TOML; empty when unset, null when malformed. */
export function parseObject(value: unknown): Record<string, unknown> | null {
  if (!isSet(value)) return {};
  const given = text(value);
  const parsed: unknown = given === null ? value : parseJson(given);
  return isObject(parsed) && !Array.isArray(parsed) ? (parsed as Record<string, unknown>) : null;
}

/** Empty text counts as unset. */
export const isSet = (value: unknown): boolean =>
  value !== undefined && value !== null && !(typeof value === "string" && value.trim() === "");
export const text = (value: unknown): string | null =>
  typeof value === "string" && value.trim() !== "" ? value.trim() : null;
export const url = (value: string): URL | null => (URL.canParse(value) ? new URL(value) : null);
export const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
