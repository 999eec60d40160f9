import { isKnown } from "../answers.ts";
import { SEEN_ENVIRONMENTS } from "../../storage/environments.ts";
import { batchOf } from "../../storage/rows.ts";
import { text, type Row } from "../../model/columns.ts";
import type { CmsServices } from "../../model/types.ts";

/**
 * `/media/:sha256/:file`: the bytes of a live image, or of a smaller rendition of it. The type is that of the row,
 * never one that the file name suggests. The bytes of an address never change, so a range needs no `If-Range`.
 */

const SHA256 = /^[0-9a-f]{64}$/;
const VARIANT = /^w([1-9][0-9]{0,4})\.([a-z0-9]{2,5})$/;
const CACHE_CONTROL = "public, max-age=86400";
/** Only seed files may be SVG; opened by itself, one still runs nothing. */
const SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

interface Stored {
  readonly key: string;
  readonly mediaType: string;
}

/** Answers 200, 206, 304, 412 or 416, and 404 when there is no such live image. */
export async function serveMedia(
  services: CmsServices,
  media: R2Bucket,
  request: Request,
  path: string,
): Promise<Response> {
  const [, , sha256 = "", file = "", ...more] = path.split("/");
  const stored = SHA256.test(sha256) && more.length === 0 ? await findStored(services, sha256, file) : null;
  return stored === null ? missing() : answer(media, stored, request);
}

// Images of every environment, by their index.
const EVERYWHERE = `i.env_id IN ${SEEN_ENVIRONMENTS} AND i.sha256=?1 AND i.deleted_at IS NULL`;

async function findStored(services: CmsServices, sha256: string, file: string): Promise<Stored | null> {
  const [images = [], variants = []] = await batchOf(services, [
    [`SELECT i.env_id, i.filename, i.media_type, i.ext FROM images i WHERE ${EVERYWHERE}`, sha256],
    [
      `SELECT v.width, v.format, v.r2_key FROM image_variants v JOIN images i ON i.id=v.image_id
        WHERE ${EVERYWHERE}`,
      sha256,
    ],
  ]);
  // The same bytes may be in several environments, under several names.
  const name = encoded(file);
  const image = images.find((one) => encodeURIComponent(text(one, "filename")) === name);
  if (image !== undefined) {
    return {
      key: `media/${text(image, "env_id")}/${sha256}/orig.${text(image, "ext")}`,
      mediaType: text(image, "media_type"),
    };
  }
  const variant = variants.find((row) => variantFile(row) === file);
  if (variant === undefined || !VARIANT.test(file)) return null;
  const format = text(variant, "format");
  return { key: text(variant, "r2_key"), mediaType: `image/${format === "jpg" ? "jpeg" : format}` };
}

const variantFile = (row: Row): string => `w${String(row.width)}.${text(row, "format")}`;

/** The one spelling of a file name in a path, whatever the client escaped. */
function encoded(file: string): string | null {
  try {
    return encodeURIComponent(decodeURIComponent(file));
  } catch {
    return null;
  }
}

async function answer(media: R2Bucket, stored: Stored, request: Request): Promise<Response> {
  if (request.method === "HEAD") return answerHead(media, stored, request);
  const { key, mediaType } = stored;
  const range = request.headers.has("if-range") ? null : parseRange(request.headers.get("range"));
  if (range !== null && "offset" in range) {
    // R2 throws on a range behind the end
    const size = (await media.head(key))?.size;
    if (size === undefined) return missing();
    if (range.offset >= size) {
      const headers = { "content-range": `bytes */${size}`, "cache-control": "no-store" };
      return new Response(null, { status: 416, headers });
    }
  }
  const object = await media.get(key, { onlyIf: request.headers, ...(range === null ? {} : { range }) });
  if (object === null) return missing();
  const headers = headersOf(object, mediaType);
  if (!("body" in object)) {
    const isConditional = request.headers.has("if-none-match") || request.headers.has("if-modified-since");
    return new Response(null, { status: isConditional ? 304 : 412, headers });
  }
  const { start, end } = boundsOf(range, object.size);
  headers.set("content-length", String(end - start));
  if (range !== null) headers.set("content-range", `bytes ${start}-${end - 1}/${object.size}`);
  return new Response(object.body, { status: range === null ? 200 : 206, headers });
}

async function answerHead(media: R2Bucket, { key, mediaType }: Stored, request: Request): Promise<Response> {
  const object = await media.head(key);
  if (object === null) return missing();
  const headers = headersOf(object, mediaType);
  if (isKnown(request, object.httpEtag)) return new Response(null, { status: 304, headers });
  headers.set("content-length", String(object.size));
  return new Response(null, { headers });
}

function headersOf(object: R2Object, mediaType: string): Headers {
  const headers = new Headers({
    "content-type": mediaType,
    "x-content-type-options": "nosniff",
    etag: object.httpEtag,
    "last-modified": object.uploaded.toUTCString(),
    "cache-control": CACHE_CONTROL,
    "accept-ranges": "bytes",
  });
  if (mediaType === "image/svg+xml") headers.set("content-security-policy", SVG_POLICY);
  return headers;
}

type Range = { readonly offset: number; readonly length?: number } | { readonly suffix: number };

/** One range of bytes. Anything else, several ranges included, is answered with the whole, as RFC 9110 14.2 allows. */
function parseRange(header: string | null): Range | null {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header?.trim() ?? "") ?? [];
  if (first === "") return last === "" || Number(last) === 0 ? null : { suffix: Number(last) };
  if (last === "") return { offset: Number(first) };
  const length = Number(last) - Number(first) + 1;
  return length < 1 ? null : { offset: Number(first), length };
}

function boundsOf(range: Range | null, size: number): { readonly start: number; readonly end: number } {
  if (range === null) return { start: 0, end: size };
  if ("suffix" in range) return { start: Math.max(0, size - range.suffix), end: size };
  const end = range.length === undefined ? size : Math.min(size, range.offset + range.length);
  return { start: range.offset, end };
}

function missing(): Response {
  const headers = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };
  return new Response("There is no such image.\n", { status: 404, headers });
}
