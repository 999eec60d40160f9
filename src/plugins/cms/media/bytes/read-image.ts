import { GIF } from "image-size/types/gif";
import { HEIF } from "image-size/types/heif";
import { JPG } from "image-size/types/jpg";
import { PNG } from "image-size/types/png";
import { WEBP } from "image-size/types/webp";
import type { ToolError } from "../../../../cairn/tools/define.ts";
import { fail } from "../../model/errors.ts";
import { cleanImage } from "./clean.ts";
import { IMAGE_BYTES_MAX, IMAGE_PIXELS_MAX } from "../limits.ts";

/** Received bytes as an image of the library: what they are is read from them alone, never from a name or a header. */

const TYPES = {
  "image/jpeg": { ext: "jpg", is: (b: Uint8Array) => starts(b, 0, "\xff\xd8\xff"), size: JPG },
  "image/png": { ext: "png", is: (b: Uint8Array) => starts(b, 0, "\x89PNG\r\n\x1a\n"), size: PNG },
  "image/gif": {
    ext: "gif",
    is: (b: Uint8Array) => starts(b, 0, "GIF87a") || starts(b, 0, "GIF89a"),
    size: GIF,
  },
  "image/webp": {
    ext: "webp",
    is: (b: Uint8Array) => starts(b, 0, "RIFF") && starts(b, 8, "WEBP"),
    size: WEBP,
  },
  "image/avif": { ext: "avif", is: (b: Uint8Array) => starts(b, 4, "ftypavif"), size: HEIF },
} as const;
type MediaType = keyof typeof TYPES;
const MEDIA_TYPES = Object.keys(TYPES) as MediaType[];

const starts = (bytes: Uint8Array, at: number, text: string): boolean =>
  [...text].every((char, i) => bytes[at + i] === char.charCodeAt(0));

const ACCEPTED = "JPEG, PNG, GIF, WebP and AVIF are accepted, up to 10 MB and 40 megapixels.";

export interface ReadImage {
  readonly mediaType: MediaType;
  readonly ext: string;
  /** as they are to be stored: without location and camera data */
  readonly bytes: Uint8Array;
  /** pixels, as it is shown */
  readonly width: number;
  readonly height: number;
}

export const isImage = (bytes: Uint8Array): boolean => MEDIA_TYPES.some((type) => TYPES[type].is(bytes));

/** Refuses `too_large` and `unsupported_media`. */
export function readImage(received: Uint8Array): ReadImage {
  if (received.length > IMAGE_BYTES_MAX) throw tooLarge();
  const mediaType = MEDIA_TYPES.find((type) => TYPES[type].is(received));
  if (mediaType === undefined) {
    throw fail("unsupported_media", "This file type is not supported.", {
      hint: ACCEPTED,
    });
  }
  const { bytes, orientation, width, height } = measured(mediaType, received);
  if (width * height > IMAGE_PIXELS_MAX) {
    const megapixels = Math.round((width * height) / 100_000) / 10;
    throw fail("too_large", `The image has ${megapixels} megapixels (${width} × ${height}).`, {
      hint: `Make it smaller first. ${ACCEPTED}`,
    });
  }
  const isOnItsSide = orientation >= 5;
  return {
    mediaType,
    ext: TYPES[mediaType].ext,
    bytes,
    width: isOnItsSide ? height : width,
    height: isOnItsSide ? width : height,
  };
}

export const tooLarge = (): ToolError =>
  fail("too_large", "The file is larger than 10 MB.", { hint: `Make it smaller first. ${ACCEPTED}` });

function measured(mediaType: MediaType, received: Uint8Array) {
  try {
    // Cleaned first: the size is then read from valid segments.
    const { bytes, orientation } = cleanImage(mediaType, received);
    const { width, height } = TYPES[mediaType].size.calculate(bytes);
    if (!(width > 0 && height > 0)) throw new TypeError("no size");
    return { bytes, orientation, width, height };
  } catch {
    throw fail("unsupported_media", "The image is damaged: its header cannot be read.", { hint: ACCEPTED });
  }
}
