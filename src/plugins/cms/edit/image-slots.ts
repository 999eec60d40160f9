import * as z from "zod";
import { type Json, isObject, ownValue } from "../../../cairn/core/log/json.ts";
import { imagesOf, walkFields } from "../model/values.ts";
import type { Content, Field, StoredImage } from "../model/document.ts";
import { fail } from "../model/errors.ts";
import type { CmsServices } from "../model/types.ts";
import { batchOf } from "../storage/rows.ts";
import { contentsByOwner, number, numberOrNull, oneOf, text, type Row } from "../model/columns.ts";
import { LIST_ITEMS_MAX } from "../model/validate.ts";

/** Image slots of a content, by path: `image`, `images[2]`, `items[0].icon`. Pure. */

const SLOTS_SUGGESTED_MAX = 20;

interface ImageSlot {
  readonly path: string;
  readonly label: string;
  /** id of the image that is there now */
  readonly current: string | null;
}

/** Every slot that an image can be put into; an image list has one more at its end, if it is not full. */
export function slotsOf(fields: readonly Field[], content: Content): readonly ImageSlot[] {
  return [...walkFields(fields, content)].flatMap(({ field, path, value }) => {
    if (field.type === "image")
      return [{ path, label: field.label, current: imagesOf(field, value)[0]?.image ?? null }];
    if (field.type !== "image_list") return [];
    const filled = imagesOf(field, value);
    const slots: ImageSlot[] = filled.map(({ at, image }) => ({
      path: path + at,
      label: field.label,
      current: image,
    }));
    const isFull = filled.length >= (field.max ?? LIST_ITEMS_MAX);
    return isFull
      ? slots
      : [
          ...slots,
          { path: `${path}[${filled.length}]`, label: `${field.label}, a further one`, current: null },
        ];
  });
}

/** The slot at a path. Refuses `unknown_field` and lists the slots there are. */
export function slotAt(path: string, slots: readonly ImageSlot[], owner: string): ImageSlot {
  const found = slots.find((slot) => slot.path === path);
  if (found !== undefined) return found;
  const paths = slots.map((slot) => slot.path);
  throw fail("unknown_field", `${owner} has no image slot “${path}”.`, {
    at: "field",
    hint:
      paths.length === 0
        ? "It has no image slots; choose another target."
        : `Its image slots are: ${paths.join(", ")}.`,
    suggestions: slots.slice(0, SLOTS_SUGGESTED_MAX).map((slot) => ({
      label: `${slot.path} (${slot.label}${slot.current === null ? "" : `, now ${slot.current}`})`,
      value: slot.path,
    })),
  });
}

/** The content with an image at the path of one of its slots. */
export function withImage(content: Content, path: string, image: StoredImage): Content {
  const [key = "", ...steps] = path.split(/[.[\]]+/).filter((part) => part !== "");
  return { ...content, [key]: placed(ownValue(content, key), steps, { ...image }) };
}

function placed(value: Json | undefined, steps: readonly string[], image: Json): Json {
  const [step, ...rest] = steps;
  if (step === undefined) return image;
  if (Array.isArray(value)) {
    const items: readonly Json[] = value;
    const at = Number(step);
    if (at === items.length) return [...items, placed(undefined, rest, image)];
    return items.map((item, index) => (index === at ? placed(item, rest, image) : item));
  }
  if (isObject(value)) return { ...value, [step]: placed(ownValue(value, step), rest, image) };
  return step === "0" ? [placed(undefined, rest, image)] : { [step]: placed(undefined, rest, image) };
}

/** An image of the library as the read tools show it; `alt` in the nearest locale that has one. */
export type LibraryImage = ReturnType<typeof imageOf>;

/** Places that show one: fields, covers, settings; a draft and its published copy are one place. */
const SLOTS_SQL = `SELECT DISTINCT r.target_id, r.owner_type, r.owner_id, r.locale, r.path FROM asset_refs r
  WHERE r.target_type = 'image' AND r.target_id IN (SELECT value FROM json_each(?1))`;
const COLUMNS = "i.*, coalesce(i.tags, m.tags, '[]') AS tags";
const tagsSchema = z.array(z.string());

/** Live images by id, in the order of the ids; what is not found is absent. `chain`: locales of the alt text, nearest first. */
export async function loadImages(
  services: CmsServices,
  ids: readonly string[],
  chain: readonly string[],
): Promise<LibraryImage[]> {
  if (ids.length === 0) return [];
  const [rows = [], contents = [], places = []] = await batchOf(services, [
    [
      `SELECT ${COLUMNS} FROM images i LEFT JOIN image_metadata m ON m.image_id = i.id
        WHERE +i.env_id = ?1 AND i.deleted_at IS NULL AND i.id IN (SELECT value FROM json_each(?2))`,
      services.env,
      JSON.stringify(ids),
    ],
    [
      "SELECT * FROM contents WHERE owner_type = 'image' AND owner_id IN (SELECT value FROM json_each(?1))",
      JSON.stringify(ids),
    ],
    [SLOTS_SQL, JSON.stringify(ids)],
  ]);
  const byOwner = contentsByOwner(contents);
  const byId = new Map(
    rows.map((row) => {
      const id = text(row, "id");
      const local = byOwner.get(`image:${id}`) ?? {};
      const alt = chain
        .map((locale) => local[locale]?.alt)
        .find((one) => typeof one === "string" && one !== "");
      const usageCount = places.filter((one) => one.target_id === id).length;
      return [id, imageOf(row, typeof alt === "string" ? alt : text(row, "alt"), usageCount)] as const;
    }),
  );
  return ids.map((id) => byId.get(id)).filter((one) => one !== undefined);
}

function imageOf(row: Row, alt: string, usageCount: number) {
  return {
    id: text(row, "id"),
    sha256: text(row, "sha256"),
    filename: text(row, "filename"),
    mediaType: text(row, "media_type"),
    byteSize: number(row, "byte_size"),
    width: numberOrNull(row, "width"),
    height: numberOrNull(row, "height"),
    alt,
    altSource: oneOf(row, "alt_source", ["none", "filename", "model", "stock", "human"]),
    tags: tagsSchema.parse(JSON.parse(text(row, "tags"))),
    usageCount,
    version: number(row, "version"),
  };
}
