import { isObject, type Json, type JsonObject } from "../../../src/cairn/core/log/json.ts";

/** Parts that providers refuse in the schema of a tool, each rule with its source. Written without the code that it checks. */

const AT_ROOT = ["anyOf", "oneOf", "allOf", "enum", "not", "const", "if", "$ref"];
const NOWHERE = [
  "oneOf",
  "allOf",
  "not",
  "const",
  "if",
  "$ref",
  "$defs",
  "definitions",
  "prefixItems",
  "patternProperties",
  "additionalProperties",
];
const TYPES = ["object", "array", "string", "number", "integer", "boolean"];
const NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

export function strictFaults(schema: Json, at = "$"): readonly string[] {
  if (!isObject(schema)) return [`${at}: no object`];
  const faults: string[] = [];
  const { type, properties, required, items, anyOf, enum: values } = schema;
  // https://github.com/makenotion/notion-mcp-server/issues/340
  for (const key of at === "$" ? AT_ROOT : []) if (key in schema) faults.push(`${at}: ${key}`);
  // https://github.com/pizza-bot-app/pizza-bot/issues/62, https://ai.google.dev/api/caching#Schema
  for (const key of NOWHERE) if (key in schema) faults.push(`${at}: ${key}`);
  for (const [key, value] of Object.entries(schema)) if (value === null) faults.push(`${at}: ${key} is null`);
  if (at === "$" && (type !== "object" || !isObject(properties)))
    faults.push(`${at}: no object with properties`);
  if (anyOf === undefined && !TYPES.includes(type as string)) faults.push(`${at}: type`);
  // https://github.com/digitalocean-labs/mcp-digitalocean/issues/265
  if (type === "array" && !isObject(items)) faults.push(`${at}: items`);
  if (required !== undefined) {
    const names = Array.isArray(required) ? (required as readonly Json[]) : [null];
    const isSound = names.every(
      (name) => typeof name === "string" && Object.hasOwn(properties as JsonObject, name),
    );
    if (!isSound || new Set(names).size !== names.length) faults.push(`${at}: required`);
  }
  if (values !== undefined) {
    const isSound =
      Array.isArray(values) &&
      values.length > 0 &&
      values.every((one) => typeof one === "string" && one !== "");
    if (!isSound || type !== "string") faults.push(`${at}: enum`);
  }
  if (isObject(properties))
    for (const [name, of] of Object.entries(properties)) {
      // https://github.com/freee/freee-mcp/issues/15
      if (!NAME.test(name)) faults.push(`${at}.${name}: name`);
      faults.push(...strictFaults(of, `${at}.${name}`));
    }
  if (items !== undefined) faults.push(...strictFaults(items, `${at}[]`));
  if (anyOf !== undefined) {
    const parts = Array.isArray(anyOf) ? (anyOf as readonly Json[]) : [];
    if (parts.length === 0 || Object.keys(schema).length > 1) faults.push(`${at}: anyOf`);
    for (const [n, part] of parts.entries()) faults.push(...strictFaults(part, `${at}|${n}`));
  }
  return faults;
}
