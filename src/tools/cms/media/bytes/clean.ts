import { cleanAvif } from "./avif.ts";
import { cleanGif } from "./gif.ts";
import { joined, latin } from "./parts.ts";
import { orientationIn, tiffOf } from "./tiff.ts";

/**
 * Images without what says where, when and with what they were taken: EXIF, XMP, IPTC and comments go, colours and the
 * orientation stay, and so does every pixel. Pure. What is behind the end of a picture goes too: phones keep a second
 * picture with its own EXIF data there.
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
  // Neither is turned by what EXIF data say.
  "image/gif": (bytes: Uint8Array): Cleaned => ({ bytes: cleanGif(bytes), orientation: 1 }),
  "image/avif": (bytes: Uint8Array): Cleaned => ({ bytes: cleanAvif(bytes), orientation: 1 }),
};
export type CleanedType = keyof typeof CLEANERS;

/** Throws RangeError or TypeError at bytes that end too early or break the format. */
export const cleanImage = (type: CleanedType, bytes: Uint8Array): Cleaned => CLEANERS[type](bytes);

const EXIF = "Exif\0\0";
const exifBlock = (bytes: Uint8Array): Uint8Array =>
  latin(bytes, 0, EXIF.length) === EXIF ? bytes.subarray(EXIF.length) : bytes;

/** Application segments that say how to show the picture; the others say something about it. */
const JPEG_KEPT: { readonly [marker: number]: string } = {
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
  const kept: Uint8Array[] = [];
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
      kept.push(bytes.subarray(at, at + 2));
      break;
    }
    const end = at + 2 + view.getUint16(at + 2);
    if (end > bytes.length || end < at + 4) throw new RangeError("a segment is longer than the file");
    const data = bytes.subarray(at + 4, end);
    const isApplication = marker >= 0xe0 && marker <= 0xef;
    if (marker === 0xe1 && latin(data, 0, EXIF.length) === EXIF) orientation = orientationIn(exifBlock(data));
    const head = JPEG_KEPT[marker] ?? "";
    const isKept = isApplication ? head !== "" && latin(data, 0, head.length) === head : marker !== COMMENT;
    if (isKept) kept.push(bytes.subarray(at, end));
    at = end;
    if (marker !== START_OF_SCAN) continue;
    const next = endOfScan(bytes, at);
    kept.push(bytes.subarray(at, next));
    at = next;
    // Cut off while it was sent or taken; it shows as far as it goes.
    if (at >= bytes.length) break;
  }
  return { bytes: joined([bytes.subarray(0, 2), ...turnedJpeg(orientation), ...kept]), orientation };
}

/** Where the next marker is that is neither a stuffed byte nor a restart. */
function endOfScan(bytes: Uint8Array, from: number): number {
  let at = bytes.indexOf(0xff, from);
  while (at !== -1 && at + 1 < bytes.length) {
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at;
    at = bytes.indexOf(0xff, at + 1);
  }
  return bytes.length;
}

function turnedJpeg(orientation: number): Uint8Array[] {
  if (orientation === 1) return [];
  const data = joined([new TextEncoder().encode(EXIF), tiffOf(orientation)]);
  return [Uint8Array.of(0xff, 0xe1, 0, data.length + 2), data];
}

/** PNG 3rd edition, 11.3: chunks that hold words, times or EXIF data. */
const PNG_DROPPED = new Set(["eXIf", "tEXt", "zTXt", "iTXt", "tIME"]);
const PNG_SIGNATURE_BYTES = 8;

function cleanPng(bytes: Uint8Array): Cleaned {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const kept: Uint8Array[] = [bytes.subarray(0, PNG_SIGNATURE_BYTES)];
  let orientation = 1;
  let at = PNG_SIGNATURE_BYTES;
  for (;;) {
    const end = at + 12 + view.getUint32(at);
    const name = latin(bytes, at + 4, 4);
    if (end > bytes.length) throw new RangeError("a chunk is longer than the file");
    if (name === "eXIf") orientation = orientationIn(exifBlock(bytes.subarray(at + 8, end - 4)));
    if (!PNG_DROPPED.has(name)) kept.push(bytes.subarray(at, end));
    if (name === "IEND") break;
    at = end;
  }
  // Behind the header, where every chunk that is not of the pixels may stand.
  if (orientation !== 1) kept.splice(2, 0, pngChunk("eXIf", tiffOf(orientation)));
  return { bytes: joined(kept), orientation };
}

function pngChunk(name: string, data: Uint8Array): Uint8Array {
  const body = joined([new TextEncoder().encode(name), data]);
  const frame = new DataView(new ArrayBuffer(8));
  frame.setUint32(0, data.length);
  frame.setUint32(4, crc32(body));
  const bytes = new Uint8Array(frame.buffer);
  return joined([bytes.subarray(0, 4), body, bytes.subarray(4)]);
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

/** The container of WebP (RFC 9649, 2.3): RIFF chunks, padded to an even length; VP8X says which there are. */
function cleanWebp(bytes: Uint8Array): Cleaned {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = view.getUint32(4, true) + 8;
  if (size > bytes.length) throw new RangeError("the file ends too early");
  const kept: Uint8Array[] = [];
  let orientation = 1;
  for (let at = WEBP_HEAD_BYTES; at + 8 <= size;) {
    const length = view.getUint32(at + 4, true);
    const end = at + 8 + length + (length % 2);
    if (at + 8 + length > size) throw new RangeError("a chunk is longer than the file");
    const name = latin(bytes, at, 4);
    if (name === "EXIF") orientation = orientationIn(exifBlock(bytes.subarray(at + 8, at + 8 + length)));
    if (name !== "EXIF" && name !== "XMP ") kept.push(bytes.slice(at, Math.min(end, size)));
    at = end;
  }
  const head = kept.find((chunk) => latin(chunk, 0, 4) === "VP8X");
  const turned = orientation !== 1 && head !== undefined;
  if (head !== undefined) head[8] = ((head[8] ?? 0) & ~(HAS_EXIF | HAS_XMP)) | (turned ? HAS_EXIF : 0);
  if (turned) kept.push(riffChunk("EXIF", tiffOf(orientation)));
  const body = joined(kept);
  const start = new DataView(new ArrayBuffer(WEBP_HEAD_BYTES));
  new Uint8Array(start.buffer).set(bytes.subarray(0, WEBP_HEAD_BYTES));
  start.setUint32(4, body.length + 4, true);
  return { bytes: joined([new Uint8Array(start.buffer), body]), orientation: turned ? orientation : 1 };
}

function riffChunk(name: string, data: Uint8Array): Uint8Array {
  const head = new DataView(new ArrayBuffer(8));
  new Uint8Array(head.buffer).set(new TextEncoder().encode(name));
  head.setUint32(4, data.length, true);
  return joined([new Uint8Array(head.buffer), data]);
}
