/**
 * The only EXIF fact that stays: the orientation of the picture (EXIF 2.32, tag 0x0112; 1 is upright, 5 to 8 lie on
 * their side). A block of EXIF data is a TIFF file (TIFF 6.0).
 */

const ORIENTATION = 0x0112;
const SHORT = 3;
const ENTRY_BYTES = 12;

/** 1 to 8; 1 if the block is unreadable. */
export function orientationIn(tiff: Uint8Array): number {
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength);
  if (view.byteLength < 10) return 1;
  const order = view.getUint16(0);
  if (order !== 0x4949 && order !== 0x4d4d) return 1;
  const little = order === 0x4949;
  const directory = view.getUint32(4, little);
  if (directory + 2 > view.byteLength) return 1;
  const count = view.getUint16(directory, little);
  for (let n = 0; n < count; n++) {
    const at = directory + 2 + n * ENTRY_BYTES;
    if (at + ENTRY_BYTES > view.byteLength) return 1;
    if (view.getUint16(at, little) !== ORIENTATION) continue;
    const value = view.getUint16(at + 8, little);
    return view.getUint16(at + 2, little) === SHORT && value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

/** A block with only the orientation: 26 bytes. */
export function tiffOf(orientation: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(26));
  view.setUint32(0, 0x4d4d002a);
  view.setUint32(4, 8);
  view.setUint16(8, 1);
  view.setUint16(10, ORIENTATION);
  view.setUint16(12, SHORT);
  view.setUint32(14, 1);
  view.setUint16(18, orientation);
  return new Uint8Array(view.buffer);
}
