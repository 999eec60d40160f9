import type { Json } from "../../../core/log/json.ts";
import type { Content, Field, StoredImage } from "../model/document.ts";
import { imagesOf, walkFields } from "../checks/values.ts";
import { fail } from "../model/errors.ts";
import { isObject } from "../model/links.ts";
import { LIST_ITEMS_MAX } from "./validate.ts";

/** Image slots of a content, by path: `image`, `images[2]`, `items[0].icon`. Pure. */

const SLOTS_SUGGESTED_MAX = 20;

export interface ImageSlot {
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
  return { ...content, [key]: placed(content[key], steps, { ...image }) };
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
  if (isObject(value)) return { ...value, [step]: placed(value[step], rest, image) };
  return step === "0" ? [placed(undefined, rest, image)] : { [step]: placed(undefined, rest, image) };
}
