import { imagePath } from "../../edit/read-shape.ts";
import { contentsByOwner, number, numberOrNull, text, type Row } from "../../model/columns.ts";
import type { SiteImage } from "../context.ts";

/** The live images that a page shows, with their smaller renditions and their alternative text. */

type Query = readonly [sql: string, ...values: string[]];

/** Three queries; their rows go to `imagesById`. */
export function imageQueries(env: string, ids: readonly string[]): readonly Query[] {
  const set = JSON.stringify([...new Set(ids)]);
  return [
    [
      `SELECT * FROM images WHERE +env_id=?1 AND deleted_at IS NULL AND id IN (SELECT value FROM json_each(?2))`,
      env,
      set,
    ],
    [
      "SELECT * FROM contents WHERE owner_type='image' AND owner_id IN (SELECT value FROM json_each(?1))",
      set,
    ],
    [
      `SELECT image_id, width, format FROM image_variants
        WHERE image_id IN (SELECT value FROM json_each(?1)) ORDER BY image_id, width, format`,
      set,
    ],
  ];
}

/** `locales`: nearest first. Two formats of one width count once. */
export function imagesById(
  [images = [], contents = [], variants = []]: readonly Row[][],
  locales: readonly string[],
): ReadonlyMap<string, SiteImage> {
  const byOwner = contentsByOwner(contents);
  return new Map(
    images.map((row) => {
      const id = text(row, "id");
      const local = locales
        .map((locale) => byOwner.get(`image:${id}`)?.[locale]?.alt)
        .find((one) => typeof one === "string" && one !== "");
      const own = variants.filter((one) => one.image_id === id);
      const first = own.filter((one, at) => own.findIndex((other) => other.width === one.width) === at);
      const image: SiteImage = {
        id,
        path: imagePath({ sha256: text(row, "sha256"), filename: text(row, "filename") }),
        mediaType: text(row, "media_type"),
        width: numberOrNull(row, "width"),
        height: numberOrNull(row, "height"),
        alt: typeof local === "string" ? local : text(row, "alt"),
        variants: first.map((one) => ({
          width: number(one, "width"),
          path: `/media/${text(row, "sha256")}/w${number(one, "width")}.${text(one, "format")}`,
        })),
      };
      return [id, image];
    }),
  );
}
