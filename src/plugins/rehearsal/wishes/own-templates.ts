import { startOf } from "../../../cairn/core/text/cut.ts";
import type { Json, JsonObject } from "../../../cairn/core/log/json.ts";
import type { Course } from "../course.ts";
import { isAt, objectsAt, textAt } from "../../../cairn/models/script/fields.ts";
import type { Desk } from "../site.ts";
import { look } from "../site.ts";
import { folded } from "../slots.ts";

/** Sections of templates that nothing is known about here: the site is asked which there are and what they take. */

/** A section as `page_create` and `section_add` take it. */
export interface PlannedSection extends JsonObject {
  readonly template: string;
  readonly content: JsonObject;
}

interface OwnTemplate {
  readonly key: string;
  readonly name: string;
  readonly fields: readonly JsonObject[];
}

/** `Price list`, `price-list` and `price lists` are one name. */
const plain = (name: string): string => folded(name.replaceAll("-", " ")).replace(/s$/u, "");

/** New sections by what they were called; what the site has no template for is asked about, and is not among them. */
export function* planOwn(
  desk: Desk,
  asked: readonly string[],
): Course<ReadonlyMap<string, readonly PlannedSection[]>> {
  const planned = new Map<string, readonly PlannedSection[]>();
  if (asked.length === 0) return planned;
  const listed = yield* look(desk, "look at the templates of the site", "schema_list", { kind: "section" });
  if (listed === null) return planned;
  const all = objectsAt(listed, "templates")
    .filter((one) => (textAt(one, "region") ?? "main") === "main")
    .map((one): OwnTemplate => {
      const key = textAt(one, "key") ?? "";
      return { key, name: textAt(one, "name") ?? key, fields: objectsAt(one, "fields") };
    });
  for (const name of asked) {
    const found = all.find((one) => [one.key, one.name].some((own) => plain(own) === plain(name)));
    if (found === undefined) {
      const there = all.map((one) => `"${one.name}"`).join(", ");
      desk.say("asked", `Which section do you mean? The site has none called "${name}". It has ${there}.`);
      continue;
    }
    planned.set(name, [{ template: found.key, content: contentOf(found) }]);
    desk.say("note", `The ${found.name} section begins with words of mine. Tell me what it shall say.`);
  }
  return planned;
}

/** A line to know it by, and what it cannot be without, as the site itself would fill it. */
function contentOf({ name, fields }: OwnTemplate): JsonObject {
  const line = fields.find((one) => textAt(one, "type") === "text");
  return Object.fromEntries(
    fields.flatMap((one): [string, Json][] => {
      const key = textAt(one, "key");
      if (key === null) return [];
      const max = Number(one["max"] ?? name.length);
      if (one === line) return [[key, startOf(name, max)]];
      return isAt(one, "required") && one["example"] !== undefined ? [[key, one["example"]]] : [];
    }),
  );
}
