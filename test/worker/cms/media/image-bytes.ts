/** Images as small as their formats allow, with everything in them that must not stay. */

const ascii = (text: string): number[] => [...text].map((one) => one.charCodeAt(0));
const be16 = (n: number): number[] => [n >> 8, n & 255];
const be32 = (n: number): number[] => [(n >>> 24) & 255, (n >> 16) & 255, (n >> 8) & 255, n & 255];
const le32 = (n: number): number[] => be32(n).toReversed();

/** An EXIF block (TIFF, little endian): orientation, and a text in which the place stands. */
export const exif = (orientation: number): number[] => [
  ...[...ascii("II"), 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0],
  ...[0, 0, 0, 0, ...ascii("GPS 46.5197 Camera X100")],
];
const segment = (marker: number, data: number[]): number[] => [
  0xff,
  marker,
  ...be16(data.length + 2),
  ...data,
];

/** A JPEG with EXIF, XMP, IPTC and a comment, a second picture behind its end, and colours that stay. */
export function jpeg({ width = 40, height = 30, orientation = 6, seed = 0 } = {}): Uint8Array {
  const frame = [8, ...be16(height), ...be16(width), 1, 1, 0x11, 0];
  return Uint8Array.from([
    ...[0xff, 0xd8, ...segment(0xe0, [...ascii("JFIF\0"), 1, 1, 0, 0, 1, 0, 1, 0, 0])],
    ...segment(0xe1, [...ascii("Exif\0\0"), ...exif(orientation)]),
    ...segment(0xe1, ascii("http://ns.adobe.com/xap/1.0/\0GPS 46.5197")),
    ...segment(0xe2, ascii("ICC_PROFILE\0colours")),
    ...segment(0xed, ascii("Photoshop 3.0\0GPS 46.5197")),
    ...segment(0xfe, ascii("GPS 46.5197")),
    ...segment(0xc0, frame),
    ...segment(0xda, [1, 1, 0, 0, 63, 0]),
    ...[1, 2, 0xff, 0, 3, 0xff, 0xd0, 4, ...be32(seed).map((one) => one & 127)],
    ...[0xff, 0xd9, ...segment(0xe1, [...ascii("Exif\0\0"), ...exif(1)]), 0xff, 0xd9],
  ]);
}

const chunk = (name: string, data: number[]): number[] => [
  ...be32(data.length),
  ...ascii(name),
  ...data,
  ...[1, 2, 3, 4],
];

/** A PNG with its place in an EXIF chunk and in a text. */
export function png({ width = 20, height = 10, seed = 0 } = {}): Uint8Array {
  return Uint8Array.from([
    ...[0x89, ...ascii("PNG\r\n\x1a\n")],
    ...chunk("IHDR", [...be32(width), ...be32(height), 8, 2, 0, 0, 0]),
    ...chunk("eXIf", exif(8)),
    ...chunk("tEXt", ascii("Comment\0GPS 46.5197")),
    ...chunk("IDAT", [...be32(seed)]),
    ...[...chunk("IEND", []), ...ascii("GPS behind the end")],
  ]);
}

const riff = (name: string, data: number[]): number[] => [
  ...ascii(name),
  ...le32(data.length),
  ...data,
  ...(data.length % 2 === 1 ? [0] : []),
];

/** A WebP of the extended form, with EXIF and XMP. */
export function webp({ width = 50, height = 25 } = {}): Uint8Array {
  const size = (n: number): number[] => le32(n - 1).slice(0, 3);
  const body = [
    ...ascii("WEBP"),
    ...riff("VP8X", [0x0c, 0, 0, 0, ...size(width), ...size(height)]),
    ...riff("VP8 ", [1, 2, 3]),
    ...riff("EXIF", exif(1)),
    ...riff("XMP ", ascii("GPS 46.5197")),
  ];
  return Uint8Array.from([...ascii("RIFF"), ...le32(body.length), ...body]);
}

export function gif({ width = 5, height = 4 } = {}): Uint8Array {
  return Uint8Array.from([...ascii("GIF89a"), width, 0, height, 0, 0, 0, 0, 0x3b]);
}

export const textIn = (bytes: Uint8Array): string => String.fromCharCode(...bytes);
