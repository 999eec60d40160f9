import { boundJson } from "../storage/changes.ts";
import type { Image } from "../model/types.ts";

/** Smaller renditions of an image, made once and shown by `srcset`. */

const WIDTHS = [480, 960, 1_600] as const;

export interface VariantParts {
  readonly db: D1Database;
  readonly media: R2Bucket;
  readonly images: ImagesBinding;
}

interface Variant {
  readonly width: number;
  readonly height: number | null;
  readonly key: string;
  readonly size: number;
}

/** Those that are missing, as WebP, never larger than the image. Bytes first, then rows: a repeat writes the same. */
export async function makeVariants(
  { db, media, images }: VariantParts,
  env: string,
  image: Pick<Image, "id" | "sha256" | "width" | "height" | "mediaType">,
  bytes: ArrayBuffer,
): Promise<void> {
  const { id, sha256, width, height, mediaType } = image;
  // A rendition would not move; an SVG scales already.
  if (width === null || mediaType === "image/gif" || mediaType === "image/svg+xml") return;
  const { results } = await db
    .prepare("SELECT width FROM image_variants WHERE image_id=?1 AND format='webp'")
    .bind(id)
    .all<{ width: number }>();
  const have = new Set(results.map((one) => one.width));
  const made: Variant[] = [];
  for (const target of WIDTHS.filter((one) => one < width && !have.has(one))) {
    const source = new Response(bytes).body;
    if (source === null) throw new Error("bytes have a body");
    const rendition = await images
      .input(source)
      .transform({ width: target, fit: "scale-down" })
      .output({ format: "image/webp" });
    const body = await rendition.response().arrayBuffer();
    const key = `media/${env}/${sha256}/w${target}.webp`;
    await media.put(key, body, { httpMetadata: { contentType: "image/webp" } });
    const scaled = height === null ? null : Math.max(1, Math.round((height * target) / width));
    made.push({ width: target, height: scaled, key, size: body.byteLength });
  }
  if (made.length === 0) return;
  await db.batch([
    db
      .prepare(
        `INSERT INTO image_variants(image_id,width,format,height,byte_size,r2_key)
         SELECT ?2, value->>'width', 'webp', value->>'height', value->>'size', value->>'key' FROM json_each(?1)
         WHERE true ON CONFLICT DO NOTHING`,
      )
      .bind(boundJson(made), id),
    db.prepare("UPDATE environments SET epoch=epoch+1 WHERE id=?1").bind(env),
  ]);
}
