import { startOf } from "../../../cairn/core/text/cut.ts";
import { normalize } from "../../../cairn/core/log/normalize.ts";
import * as z from "zod";
import type { JsonObject } from "../../../cairn/core/log/json.ts";
import { isDotOrBlank, trimSigns } from "../../../cairn/core/text/trim.ts";
import { imagePath } from "../edit/read-shape.ts";
import { fail } from "../model/errors.ts";
import { minter } from "../model/ids.ts";
import type { AnyPlan, CmsContext, CmsServices, Image, StateGuard } from "../model/types.ts";
import { loadEnvironment } from "../storage/load.ts";
import { rowsOf } from "../storage/rows.ts";
import { findImage, projectImage } from "../storage/images.ts";
import { FILENAME_CHARS_MAX } from "./limits.ts";
import { readImage, type ReadImage } from "./bytes/read-image.ts";

/** An image coming into the library: its bytes into the bucket, then its row. Bytes without a row are swept later. */

export interface Arrival {
  readonly filename: string;
  readonly origin: Image["origin"];
  /** of the received bytes */
  readonly sha256: string;
  /** null where the library is known to hold it: its bytes were not fetched again */
  readonly read: ReadImage | null;
  readonly alt?: string;
  readonly altSource?: Image["altSource"];
  readonly sourceRef?: string;
  readonly attribution?: JsonObject;
  readonly tags?: readonly string[];
}

/** Where the bytes of an image are in the bucket. */
export const originalKey = (env: string, { sha256, ext }: Pick<Image, "sha256" | "ext">): string =>
  `media/${env}/${sha256}/orig.${ext}`;

/** The bucket. Refuses `not_configured` in a deployment without one. */
export function bucketOf({ media }: CmsServices): R2Bucket {
  if (media !== null) return media;
  throw fail("not_configured", "Images need a bucket, and this deployment has none.", {
    hint: "Bind MEDIA under [[r2_buckets]] in wrangler.toml (docs/deploy.md of Cairn).",
  });
}

export async function sha256Of(bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Checks the bytes and stores them under their digest. A repeat writes the same bytes to the same key. */
export async function storeBytes(
  services: CmsServices,
  received: Uint8Array,
): Promise<{ readonly sha256: string; readonly read: ReadImage }> {
  const bucket = bucketOf(services);
  const read = readImage(received);
  const sha256 = await sha256Of(received);
  await bucket.put(originalKey(services.env, { sha256, ext: read.ext }), read.bytes, {
    // R2 refuses bytes that are not those of the digest.
    sha256: await sha256Of(read.bytes),
    httpMetadata: { contentType: read.mediaType },
  });
  return { sha256, read };
}

/** The last part of a path, without what no file name may have, and with the ending of what the file is. */
export function cleanFilename(given: string, ext: string): string {
  const last = normalize(given, "NFC").split(/[/\\]/).at(-1) ?? "";
  const safe = last.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029<>:"|?*]/gu, "");
  const name = trimSigns(safe.replace(/\.[A-Za-z0-9]{1,5}$/, ""), isDotOrBlank);
  const stem = startOf(name, FILENAME_CHARS_MAX - ext.length - 1);
  return `${stem === "" ? "image" : stem}.${ext}`;
}

/** The row of a new image; that of the one with the same bytes, where there is one: then nothing is written. */
export async function planArrival(
  arrival: Arrival,
  context: CmsContext,
  stateGuards: readonly StateGuard[] = [],
) {
  const { services, key } = context;
  const { read, sha256, sourceRef } = arrival;
  const [environment, known] = await Promise.all([
    loadEnvironment(services),
    findImage(services, { sha256, ...(sourceRef === undefined ? {} : { sourceRef }) }),
  ]);
  const image: Image = known ?? freshImage(arrival, read ?? nothingRead(), context);
  const isNew = known === null;
  return {
    result: { ok: true, op: key, publicNow: false, image: imageBrief(image), deduped: !isNew },
    changes: isNew ? [{ type: "image", before: null, after: image }] : [],
    stateGuards,
    projection: projectImage(image, { description: "", tags: [] }, environment.defaultLocale),
    impact: {
      title: `Add “${image.filename}” to the library`,
      summary: isNew
        ? `Add the image “${image.filename}”.`
        : `“${image.filename}” is in the library already.`,
      lines: [],
      public: false,
    },
  } satisfies AnyPlan;
}

function nothingRead(): never {
  throw fail("state_conflict", "The image was deleted meanwhile.", { hint: "Call the tool again." });
}

/** The row of an image that the library did not have. */
function freshImage(arrival: Arrival, read: ReadImage, { at, key, facts }: CmsContext): Image {
  const { sha256, sourceRef } = arrival;
  return {
    id: minter(key)("im"),
    sha256,
    filename: cleanFilename(arrival.filename, read.ext),
    mediaType: read.mediaType,
    ext: read.ext,
    byteSize: read.bytes.length,
    width: read.width,
    height: read.height,
    alt: arrival.alt ?? "",
    altSource: arrival.altSource ?? "none",
    caption: "",
    origin: arrival.origin,
    sourceRef: sourceRef ?? null,
    attribution: arrival.attribution === undefined ? null : JSON.stringify(arrival.attribution),
    tags: arrival.tags === undefined ? null : JSON.stringify(arrival.tags),
    session: facts.session || null,
    version: 1,
    deletedAt: null,
    createdAt: at,
    updatedAt: at,
    texts: {},
  };
}

export function imageBrief(image: Image) {
  const { id, filename, width, height, alt, altSource, version } = image;
  return { id, filename, url: imagePath(image), width, height, alt, altSource, version };
}

/** An image whose description failed is queued again when it is uploaded again. */
export async function queueAgain(services: CmsServices, imageId: string): Promise<void> {
  await rowsOf(
    services,
    `UPDATE image_metadata SET status='pending', attempts=0, lease_until=NULL, error=NULL
      WHERE image_id=?1 AND status='failed'`,
    imageId,
  );
}

/** The stored result of an import, for every reader. */
export const importedOutput = z.object({
  ok: z.literal(true),
  op: z.string().optional(),
  publicNow: z.boolean(),
  image: z.object({
    id: z.string(),
    filename: z.string(),
    url: z.string(),
    width: z.number().nullable(),
    height: z.number().nullable(),
    alt: z.string(),
    altSource: z.string(),
    version: z.number(),
  }),
  deduped: z.boolean(),
  unchanged: z.literal(true).optional(),
  replayed: z.literal(true).optional(),
});
