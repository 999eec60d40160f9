import { isObject, type Json, type JsonObject } from "../log/json.ts";

/** Input as the schema of its tool wants it, where nothing is lost by it: "3" is 3, x is [x], a text is its only field. */
export function coerce(input: Json, schema: JsonObject): { readonly input: Json; readonly changed: boolean } {
  const shaped = shape(input, schema, 0);
  return { input: shaped, changed: shaped !== input };
}

/** levels of a schema that are followed */
const LEVELS_MAX = 8;

function shape(value: Json, schema: Json | undefined, level: number): Json {
  if (!isObject(schema) || level > LEVELS_MAX) return value;
  const types = typesOf(schema);
  if (types.length !== 1) return value;
  switch (types[0]) {
    case "object":
      return shapeObject(value, schema, level);
    case "array": {
      if (value === null) return value;
      if (!Array.isArray(value)) {
        const item = shape(value, schema["items"], level + 1);
        return isOf(item, schema["items"]) ? [item] : value;
      }
      const given = value as readonly Json[];
      const items = given.map((item) => shape(item, schema["items"], level + 1));
      return items.some((item, at) => item !== given[at]) ? items : given;
    }
    case "integer":
    case "number": {
      if (typeof value !== "string" || !/^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/u.test(value.trim()))
        return value;
      const number = Number(value);
      return types[0] === "integer" && !Number.isInteger(number) ? value : number;
    }
    case "boolean":
      if (value === "true" || value === "True") return true;
      return value === "false" || value === "False" ? false : value;
    case "string":
      return typeof value === "number" ? String(value) : value;
    default:
      return value;
  }
}

function shapeObject(value: Json, schema: JsonObject, level: number): Json {
  const fields = isObject(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? (schema["required"] as readonly Json[]) : [];
  if (typeof value === "string" && required.length === 1 && level === 0) {
    const [only] = required;
    if (typeof only === "string" && isOf(value, fields[only])) return { [only]: value };
  }
  if (!isObject(value)) return value;
  const shaped = Object.entries(value).map(([key, item]) => {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    return [key, shape(item, field, level + 1)] as const;
  });
  return shaped.some(([key, item]) => item !== value[key]) ? Object.fromEntries(shaped) : value;
}

function typesOf(schema: JsonObject): readonly Json[] {
  const { type } = schema;
  if (typeof type === "string") return [type];
  if (isObject(schema["properties"])) return ["object"];
  return [];
}

function isOf(value: Json, schema: Json | undefined): boolean {
  if (!isObject(schema)) return false;
  const [type] = typesOf(schema);
  if (type === "object") return isObject(value);
  if (type === "integer" || type === "number") return typeof value === "number";
  return typeof value === type;
}
