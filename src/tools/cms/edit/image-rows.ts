import * as z from "zod";
import { batchOf } from "../storage/load.ts";
import { contentsByOwner, number, numberOrNull, oneOf, text, type Row } from "../storage/rows.ts";
import type { CmsServices } from "../model/types.ts";

/** An image of the library as the read tools show it. */
export interface LibraryImage {
  readonly id: string;
  readonly sha256: string;
  readonly filename: string;
  readonly mediaType: string;
  readonly byteSize: number;
  readonly width: number | null;
  readonly height: number | null;
  /** in the nearest locale that has one */
  readonly alt: string;
  readonly altSource: "none" | "filename" | "model" | "stock" | "human";
  readonly tags: readonly string[];
  /** places that show it: fields, covers, settings; a draft and its published copy are one place */
  readonly usageCount: number;
  readonly version: number;
}

export const USAGE_COUNT = `(SELECT count(DISTINCT r.owner_type || '/' || r.owner_id || '/' || r.locale || '/' || r.path)
  FROM asset_refs r WHERE r.target_type = 'image' AND r.target_id = i.id)`;
const COLUMNS = `i.*, coalesce(m.tags, '[]') AS tags, ${USAGE_COUNT} AS usage_count`;
const tagsSchema = z.array(z.string());

/** Live images by id, in the order of the ids; what is not found is absent. `chain`: locales of the alt text, nearest first. */
export async function loadImages(
  services: CmsServices,
  ids: readonly string[],
  chain: readonly string[],
): Promise<LibraryImage[]> {
  if (ids.length === 0) return [];
  const [rows = [], contents = []] = await batchOf(services, [
    [
      `SELECT ${COLUMNS} FROM images i LEFT JOIN image_metadata m ON m.image_id = i.id
        WHERE i.env_id = ?1 AND i.deleted_at IS NULL AND i.id IN (SELECT value FROM json_each(?2))`,
      services.env,
      JSON.stringify(ids),
    ],
    [
      "SELECT * FROM contents WHERE owner_type = 'image' AND owner_id IN (SELECT value FROM json_each(?1))",
      JSON.stringify(ids),
    ],
  ]);
  const byOwner = contentsByOwner(contents);
  const byId = new Map(
    rows.map((row) => {
      const id = text(row, "id");
      const local = byOwner.get(`image:${id}`) ?? {};
      const alt = chain
        .map((locale) => local[locale]?.alt)
        .find((one) => typeof one === "string" && one !== "");
      return [id, imageOf(row, typeof alt === "string" ? alt : text(row, "alt"))] as const;
    }),
  );
  return ids.map((id) => byId.get(id)).filter((one) => one !== undefined);
}

function imageOf(row: Row, alt: string): LibraryImage {
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
    usageCount: number(row, "usage_count"),
    version: number(row, "version"),
  };
}
