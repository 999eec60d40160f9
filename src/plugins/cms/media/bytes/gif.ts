import { concatBytes } from "../../../../cairn/core/bytes.ts";
import { copyOf, latin } from "./parts.ts";

/** GIF89a: a head, then typed blocks. Comments and data of applications go; the rest stays. */

/** Application extensions needed to show the picture: its repetitions, and its colors. */
const ALLOWED_APPLICATIONS = new Set(["NETSCAPE2.0", "ANIMEXTS1.0", "ICCRGBG1012"]);
const APPLICATION_BYTES = 11;

const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;
const PADDING = 0;

/** by their labels: text that is drawn, and how the next picture is drawn */
const SHOWN = new Set([0x01, 0xf9]);
const APPLICATION = 0xff;

const HEAD_BYTES = 13;
const DESCRIPTOR_BYTES = 10;

/** Throws RangeError or TypeError at bytes that end too early or break the format. */
export function cleanGif(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = HEAD_BYTES + colourBytes(view.getUint8(10));
  if (at > bytes.length) throw new RangeError("the head is longer than the file");
  const copy = copyOf(bytes);
  copy.add(0, at);
  // Many a picture ends without a trailer, and shows all the same.
  while (at < bytes.length) {
    const kind = view.getUint8(at);
    if (kind === TRAILER) break;
    if (kind === PADDING) {
      at += 1;
      continue;
    }
    let data = at + 2;
    if (kind === IMAGE) data = at + DESCRIPTOR_BYTES + colourBytes(view.getUint8(at + 9)) + 1;
    else if (kind !== EXTENSION) throw new TypeError("no block where one is due");
    const end = endOfData(view, data);
    if (kind === IMAGE || isShown(bytes, view.getUint8(at + 1), data)) copy.add(at, end);
    at = end;
  }
  return concatBytes([copy.bytes(), Uint8Array.of(TRAILER)]);
}

/** Bytes of the color table described by these flags. */
const colourBytes = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));

/** Skips blocks with a length byte each, up to the empty one. XMP has no such blocks, but ends in the same way. */
function endOfData(view: DataView, from: number): number {
  let at = from;
  for (let length = view.getUint8(at); length > 0; length = view.getUint8(at)) at += 1 + length;
  return at + 1;
}

function isShown(bytes: Uint8Array, label: number, data: number): boolean {
  if (label !== APPLICATION) return SHOWN.has(label);
  return (
    bytes[data] === APPLICATION_BYTES && ALLOWED_APPLICATIONS.has(latin(bytes, data + 1, APPLICATION_BYTES))
  );
}
