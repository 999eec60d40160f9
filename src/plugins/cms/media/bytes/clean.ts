import { concatBytes } from "../../../../cairn/core/bytes.ts";
import { cleanAvif } from "./avif.ts";
import { cleanGif } from "./gif.ts";
import { copyOf, hasText, latin } from "./parts.ts";
import { orientationIn, tiffOf } from "./tiff.ts";

/**
 * Removes metadata about where, when and with what an image was taken: EXIF, XMP, IPTC and comments go, colors and
 * the orientation stay, and so does every pixel. Pure. Data after the end of a picture goes too: phones store a
 * second picture with its own EXIF data there.
 */

export interface Cleaned {
  readonly bytes: Uint8Array;
  /** 1 to 8, as EXIF has it */
  readonly orientation: number;
}

const CLEANERS = {
  "image/jpeg": cleanJpeg,
  "image/png": cleanPng,
  "image/webp": cleanWebp,
  // EXIF data do not turn either of these.
  "image/gif": (bytes: Uint8Array): Cleaned => ({ bytes: cleanGif(bytes), orientation: 1 }),
  "image/avif": (bytes: Uint8Array): Cleaned => ({ bytes: cleanAvif(bytes), orientation: 1 }),
};
export type CleanedType = keyof typeof CLEANERS;

/** Throws RangeError or TypeError at bytes that end too early or break the format. */
export const cleanImage = (type: CleanedType, bytes: Uint8Array): Cleaned => CLEANERS[type](bytes);

const EXIF = "Exif\0\0";
const exifBlock = (bytes: Uint8Array): Uint8Array =>
  latin(bytes, 0, EXIF.length) === EXIF ? bytes.subarray(EXIF.length) : bytes;

/** Application segments needed to show the picture; the others describe it. */
const JPEG_ALLOWED: { readonly [marker: number]: string } = {
  0xe0: "JFIF\0",
  0xe2: "ICC_PROFILE\0",
  0xee: "Adobe",
};
const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;
const COMMENT = 0xfe;

/** ITU-T T.81, annex B: segments, and behind each start of scan its data up to the next marker. */
function cleanJpeg(bytes: Uint8Array): Cleaned {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const copy = copyOf(bytes);
  let orientation = 1;
  let at = 2;
  for (;;) {
    if (view.getUint8(at) !== 0xff) throw new TypeError("no marker where one is due");
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === END_OF_IMAGE) {
      copy.add(at, at + 2);
      break;
    }
    const end = at + 2 + view.getUint16(at + 2);
    if (end > bytes.length || end < at + 4) throw new RangeError("a segment is longer than the file");
    const data = at + 4;
    const isApplication = marker >= 0xe0 && marker <= 0xef;
    if (marker === 0xe1 && end - data >= EXIF.length && hasText(bytes, data, EXIF))
      orientation = orientationIn(bytes.subarray(data + EXIF.length, end));
    const head = JPEG_ALLOWED[marker] ?? "";
    const hasHead = head !== "" && end - data >= head.length && hasText(bytes, data, head);
    if (isApplication ? hasHead : marker !== COMMENT) copy.add(at, end);
    at = end;
    if (marker !== START_OF_SCAN) continue;
    const next = endOfScan(bytes, at);
    copy.add(at, next);
    at = next;
    // Cut off while it was sent or taken; it shows as far as it goes.
    if (at >= bytes.length) break;
  }
  return {
    bytes: concatBytes([bytes.subarray(0, 2), ...turnedJpeg(orientation), copy.bytes()]),
    orientation,
  };
}

/** Where the next marker is that is neither a stuffed byte nor a restart. */
function endOfScan(bytes: Uint8Array, from: number): number {
  for (let at = from; at + 1 < bytes.length; at++) {
    if (bytes[at] !== 0xff) continue;
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at;
  }
  return bytes.length;
}

function turnedJpeg(orientation: number): Uint8Array[] {
  if (orientation === 1) return [];
  const data = concatBytes([new TextEncoder().encode(EXIF), tiffOf(orientation)]);
  return [Uint8Array.of(0xff, 0xe1, 0, data.length + 2), data];
}

/** PNG 3rd edition, 11.3: chunks that hold words, times or EXIF data. */
const PNG_DROPPED = ["eXIf", "tEXt", "zTXt", "iTXt", "tIME"];
const PNG_SIGNATURE_BYTES = 8;

function cleanPng(bytes: Uint8Array): Cleaned {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const copy = copyOf(bytes);
  copy.add(0, PNG_SIGNATURE_BYTES);
  let headEnd = 0;
  let orientation = 1;
  let at = PNG_SIGNATURE_BYTES;
  for (;;) {
    const end = at + 12 + view.getUint32(at);
    const nameAt = at + 4;
    if (end > bytes.length) throw new RangeError("a chunk is longer than the file");
    if (hasText(bytes, nameAt, "eXIf"))
      orientation = orientationIn(exifBlock(bytes.subarray(at + 8, end - 4)));
    if (!PNG_DROPPED.some((name) => hasText(bytes, nameAt, name))) {
      copy.add(at, end);
      if (headEnd === 0) headEnd = copy.length();
    }
    if (hasText(bytes, nameAt, "IEND")) break;
    at = end;
  }
  const cleaned = copy.bytes();
  if (orientation === 1) return { bytes: cleaned.slice(), orientation };
  // Directly after the header, where every chunk without pixels is allowed.
  const turned = pngChunk("eXIf", tiffOf(orientation));
  return {
    bytes: concatBytes([cleaned.subarray(0, headEnd), turned, cleaned.subarray(headEnd)]),
    orientation,
  };
}

function pngChunk(name: string, data: Uint8Array): Uint8Array {
  const body = concatBytes([new TextEncoder().encode(name), data]);
  const frame = new DataView(new ArrayBuffer(8));
  frame.setUint32(0, data.length);
  frame.setUint32(4, crc32(body));
  const bytes = new Uint8Array(frame.buffer);
  return concatBytes([bytes.subarray(0, 4), body, bytes.subarray(4)]);
}

/** The checksum of PNG (annex D), bit by bit: it is of 30 bytes. */
function crc32(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}

const WEBP_HEAD_BYTES = 12;
const HAS_EXIF = 0x08;
const HAS_XMP = 0x04;

/** The container of WebP (RFC 9649, 2.3): RIFF chunks, padded to an even length; VP8X lists them. */
function cleanWebp(bytes: Uint8Array): Cleaned {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = view.getUint32(4, true) + 8;
  if (size > bytes.length) throw new RangeError("the file ends too early");
  const copy = copyOf(bytes);
  let orientation = 1;
  let headAt: number | null = null;
  for (let at = WEBP_HEAD_BYTES; at + 8 <= size;) {
    const length = view.getUint32(at + 4, true);
    const end = at + 8 + length + (length % 2);
    if (at + 8 + length > size) throw new RangeError("a chunk is longer than the file");
    const isExif = hasText(bytes, at, "EXIF");
    if (isExif) orientation = orientationIn(exifBlock(bytes.subarray(at + 8, at + 8 + length)));
    if (headAt === null && hasText(bytes, at, "VP8X")) headAt = copy.length();
    if (!isExif && !hasText(bytes, at, "XMP ")) copy.add(at, Math.min(end, size));
    at = end;
  }
  const cleaned = copy.bytes();
  const turned = orientation !== 1 && headAt !== null;
  if (headAt !== null && headAt + 8 < cleaned.length)
    cleaned[headAt + 8] = ((cleaned[headAt + 8] ?? 0) & ~(HAS_EXIF | HAS_XMP)) | (turned ? HAS_EXIF : 0);
  const body = turned ? concatBytes([cleaned, riffChunk("EXIF", tiffOf(orientation))]) : cleaned;
  const start = new DataView(new ArrayBuffer(WEBP_HEAD_BYTES));
  new Uint8Array(start.buffer).set(bytes.subarray(0, WEBP_HEAD_BYTES));
  start.setUint32(4, body.length + 4, true);
  return { bytes: concatBytes([new Uint8Array(start.buffer), body]), orientation: turned ? orientation : 1 };
}

function riffChunk(name: string, data: Uint8Array): Uint8Array {
  const head = new DataView(new ArrayBuffer(8));
  new Uint8Array(head.buffer).set(new TextEncoder().encode(name));
  head.setUint32(4, data.length, true);
  return concatBytes([new Uint8Array(head.buffer), data]);
}
