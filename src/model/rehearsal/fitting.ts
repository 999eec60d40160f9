import type { Json, JsonObject } from "../../core/log/json.ts";
import type { Course } from "./course.ts";
import type { Desk } from "./desk.ts";
import type { Brief } from "./writing.ts";
import { call } from "./course.ts";
import { objectsAt, textAt } from "./reading.ts";
import { writeField } from "./writing.ts";
import { firstOf } from "./tokens.ts";

/** Fields of a template; empty when they cannot be read. */
export function* fieldsOf(desk: Desk, template: string): Course<readonly JsonObject[]> {
  const listed = yield* call(
    desk.tools,
    `The ${template} section was refused, so I will read its fields.`,
    "schema_list",
    { kind: "section", key: template },
  );
  if (!listed.ok) return [];
  const found = objectsAt(listed.value, "templates").find((one) => textAt(one, "key") === template);
  return objectsAt(found, "fields");
}

/** Content that fits the fields: unknown keys dropped, long texts cut, required fields filled. */
export function fitContent(
  content: JsonObject,
  fields: readonly JsonObject[],
  brief: Brief,
): JsonObject | null {
  if (fields.length === 0) return null;
  const fitted: Record<string, Json> = {};
  for (const field of fields) {
    const key = textAt(field, "key") ?? "";
    const given = content[key];
    const max = field["max"];
    if (typeof given === "string" && typeof max === "number") fitted[key] = firstOf(given, max);
    else if (given !== undefined) fitted[key] = given;
    else if (field["required"] === true) {
      const value = writeField(field, brief);
      if (value === null) return null;
      fitted[key] = value;
    }
  }
  return fitted;
}
