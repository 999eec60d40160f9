import { rowsOf } from "../storage/rows.ts";
import { number, text } from "../model/columns.ts";
import type { Picture } from "../../../cairn/uploads/picture-reader.ts";
import { originalKey } from "./library.ts";

/** An image as a model is shown it: small, and in a form that models take. */

/** bytes; with base64 a picture has a third more */
const PICTURE_BYTES_MAX = 3_000_000;
const PICTURE_TYPES: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/webp", "image/gif"]);
/** wide enough to read a sign on it */
const WIDTH = 960;

/** The smaller form of a live image, else the original where it is one that models take; null when there is none. */
export async function readPicture(
  { db, media }: { readonly db: D1Database; readonly media: R2Bucket | null },
  imageId: string,
): Promise<Picture | null> {
  const [row] = await rowsOf(
    { db },
    `SELECT i.env_id, i.sha256, i.ext, i.media_type, i.byte_size, v.r2_key AS small, v.format FROM images i
      LEFT JOIN image_variants v ON v.image_id=i.id AND v.width=${WIDTH}
      WHERE i.id=?1 AND i.deleted_at IS NULL LIMIT 1`,
    imageId,
  );
  if (row === undefined || media === null) return null;
  if (typeof row["small"] === "string") {
    const format = text(row, "format");
    return bytesAt(media, row["small"], `image/${format === "jpg" ? "jpeg" : format}`);
  }
  const mediaType = text(row, "media_type");
  if (!PICTURE_TYPES.has(mediaType) || number(row, "byte_size") > PICTURE_BYTES_MAX) return null;
  const image = { sha256: text(row, "sha256"), ext: text(row, "ext") };
  return bytesAt(media, originalKey(text(row, "env_id"), image), mediaType);
}

async function bytesAt(media: R2Bucket, key: string, mediaType: string): Promise<Picture | null> {
  const object = await media.get(key);
  return object === null ? null : { mediaType, bytes: await object.arrayBuffer() };
}
