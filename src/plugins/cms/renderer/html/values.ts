import { type Json, isObject, ownValue } from "../../../../cairn/core/log/json.ts";
import { altOf, isEmpty } from "../../model/values.ts";
import type { ByLocale, Content } from "../../model/document.ts";
import type { SiteContext } from "../context.ts";
import type { Picture, Text } from "./html.ts";
import { addressOf, type Address } from "../links.ts";

/**
 * The values of one section, entry or list element as the page shows them: each field in the first locale of the
 * chain that has it. A value that is missing, or of another type than asked for, is null.
 */
export interface Values {
  /** a text or a markdown source */
  text(key: string): Text | null;
  /** null also when the target is not public */
  link(key: string): Address | null;
  /** null also when the image is gone */
  image(key: string): Picture | null;
  images(key: string): readonly Picture[];
  /** one of the options, the first when none is chosen */
  choice<const T extends string>(key: string, options: readonly [T, ...T[]]): T;
  texts(key: string): readonly Text[];
  elements(key: string): readonly Values[];
  /** the value as it is stored, with its language */
  stored(key: string): Stored | null;
}

interface Stored {
  readonly value: Json;
  readonly locale: string;
  /** null when it is the locale asked for */
  readonly lang: string | null;
}

/** @param content by locale, as stored */
export function valuesOf(content: ByLocale<Content>, context: SiteContext): Values {
  const stored = (key: string): Stored | null => {
    for (const [at, locale] of context.locales.entries()) {
      const value = ownValue(ownValue(content, locale), key);
      if (value !== undefined && !isEmpty(value)) return { value, locale, lang: at === 0 ? null : locale };
    }
    return null;
  };
  const list = (key: string): readonly (Stored & { readonly value: Json })[] => {
    const found = stored(key);
    if (found === null || !Array.isArray(found.value)) return [];
    return found.value.map((value: Json) => ({ ...found, value }));
  };
  return {
    stored,
    text: (key) => textIn(stored(key)),
    link: (key) => addressOf(stored(key)?.value, context),
    image: (key) => pictureIn(stored(key), context),
    images: (key) => list(key).flatMap((one) => pictureIn(one, context) ?? []),
    choice: (key, options) => options.find((option) => option === stored(key)?.value) ?? options[0],
    texts: (key) => list(key).flatMap((one) => textIn(one) ?? []),
    elements: (key) =>
      list(key).flatMap(({ value, locale }) =>
        isObject(value) ? [valuesOf({ [locale]: value }, context)] : [],
      ),
  };
}

function textIn(found: Stored | null): Text | null {
  return typeof found?.value === "string" ? { text: found.value.trim(), lang: found.lang } : null;
}

/** An image slot: an id, or an id with an alternative text that beats the image's own. */
function pictureIn(found: Stored | null, context: SiteContext): Picture | null {
  if (found === null) return null;
  const slot = isObject(found.value) ? found.value : { image: found.value };
  const image = typeof slot.image === "string" ? context.images.get(slot.image) : undefined;
  if (image === undefined) return null;
  if (slot.decorative === true) return { image, alt: "", lang: null };
  const own = typeof slot.alt === "string" ? slot.alt.trim() : "";
  // The image's own text comes in the language of the page already.
  return { image, alt: altOf({ alt: own }, image), lang: own === "" ? null : found.lang };
}
