import { isObject, type Json, type JsonObject, ownValue } from "../../../cairn/core/log/json.ts";
import type { Schemas } from "../model/types.ts";
import { keyOf, loadNow, type Thing } from "../history/rows.ts";
import type { Wanted } from "../history/plan-restore.ts";
import type { Content, Field } from "../model/document.ts";
import { fail } from "../model/errors.ts";
import type { CmsServices, Environment } from "../model/types.ts";
import type { Inbound } from "../storage/load.ts";

/** Images taken out of, or changed in, everything that refers to them: drafts, published documents, settings. */

/** Another image for all of these, or none. */
export interface Swap {
  readonly from: ReadonlySet<string>;
  readonly to: string | null;
}

/** References of these places after the swap. Refuses `required_field` if a required one would be empty. */
export async function swappedRows(
  services: CmsServices,
  uses: readonly Inbound[],
  swap: Swap,
  site: { readonly environment: Environment; readonly schemas: Schemas },
): Promise<Wanted[]> {
  const things = [...new Map(uses.map(thingOf).map((one) => [keyOf(one), one])).values()];
  const rows = await loadNow(services, things);
  const wanted = things.flatMap((thing): Wanted[] => {
    const now = rows.get(keyOf(thing));
    return now === undefined ? [] : [{ ...thing, now, then: inObject(now, swap) }];
  });
  if (swap.to === null) checkRequired(wanted, uses, site);
  return wanted;
}

function thingOf({ state, ownerType, ownerId, rootId }: Inbound): Thing {
  if (state === "published") return { type: "published", id: rootId };
  if (ownerType === "page" || ownerType === "section" || ownerType === "entry" || ownerType === "setting")
    return { type: ownerType, id: ownerId };
  throw new TypeError(`a ${ownerType} refers to no image`);
}

/** undefined: it goes from where it is. */
function swapped(value: Json, swap: Swap): Json | undefined {
  if (typeof value === "string") return inText(value, swap);
  if (Array.isArray(value)) return value.flatMap((each: Json) => swapped(each, swap) ?? []);
  if (!isObject(value)) return value;
  const { image, decorative } = value;
  if (typeof image !== "string" || !swap.from.has(image)) return inObject(value, swap);
  // A text for this place described the old image; the new one has its own.
  return swap.to === null
    ? undefined
    : { image: swap.to, ...(decorative === undefined ? {} : { decorative }) };
}

function inObject(value: JsonObject, swap: Swap): JsonObject {
  const entries = Object.entries(value).flatMap(([key, each]): [string, Json][] => {
    const next = swapped(each, swap);
    // A cover is a separate column, which is empty rather than absent.
    if (next === undefined) return key === "cover" && typeof each === "string" ? [[key, null]] : [];
    return [[key, next]];
  });
  return Object.fromEntries(entries);
}

/** An id by itself, or in markdown as `image:<id>`. */
function inText(text: string, { from, to }: Swap): string | undefined {
  if (from.has(text)) return to ?? undefined;
  let result = text;
  for (const id of from) {
    if (!result.includes(`image:${id}`)) continue;
    if (to === null)
      result = result
        .replaceAll(new RegExp(`!\\[[^\\][]*\\]\\(\\s*<?image:${id}\\b[^)]{0,2000}\\)`, "g"), "")
        .replaceAll(new RegExp(`^[ \\t]*\\[[^\\][\\n]+\\]:[ \\t]*<?image:${id}\\b.*$\\n?`, "gm"), "");
    else result = result.replaceAll(new RegExp(`image:${id}\\b`, "g"), `image:${to}`);
  }
  return result;
}

function checkRequired(
  wanted: readonly Wanted[],
  uses: readonly Inbound[],
  { environment, schemas }: { readonly environment: Environment; readonly schemas: Schemas },
): void {
  const emptied = wanted.flatMap(({ type, id, now, then }) => {
    const fields =
      type === "section"
        ? schemas.templates.get(textIn(now, "template"))?.fields
        : type === "entry"
          ? schemas.collections.get(textIn(now, "collectionId"))?.fields
          : undefined;
    if (fields === undefined) return [];
    const [before, after] = [contentIn(now, environment), contentIn(then, environment)];
    const name = uses.find((use) => use.ownerId === id)?.rootName ?? id;
    return emptyFields(fields, before, after, "").map((field) => ({ owner: id, name, field }));
  });
  const [first] = emptied;
  if (first === undefined) return;
  throw fail("required_field", `“${first.name}” needs an image at ${first.field}.`, {
    at: "onUse",
    hint: "Choose onUse replace with another image, or delete that section first.",
    details: { fields: emptied },
  });
}

const textIn = (side: JsonObject | null, key: string): string => {
  const value = ownValue(side, key);
  return typeof value === "string" ? value : "";
};

function contentIn(side: JsonObject | null, { defaultLocale }: Environment): Content {
  const content = side?.["content"];
  const local = isObject(content) ? ownValue(content, defaultLocale) : undefined;
  return isObject(local) ? local : {};
}

/** Paths of required fields that held something and hold nothing, or too little, afterwards. */
function emptyFields(fields: readonly Field[], before: Content, after: Content, at: string): string[] {
  return fields.flatMap((field) => {
    const [had, has] = [ownValue(before, field.key), ownValue(after, field.key)];
    const path = `${at}${field.key}`;
    if (had === undefined) return [];
    if (Array.isArray(had) && Array.isArray(has)) {
      const least = field.min ?? (field.required === true ? 1 : 0);
      if (has.length < had.length && has.length < least) return [path];
      const item = field.item ?? [];
      return had.flatMap((each: Json, i) => {
        const next = (has as readonly Json[])[i];
        return isObject(each) && isObject(next) ? emptyFields(item, each, next, `${path}[${i}].`) : [];
      });
    }
    return has === undefined && field.required === true ? [path] : [];
  });
}
