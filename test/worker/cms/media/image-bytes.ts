/** Images as small as their formats allow, with everything in them that must not stay. */

const ascii = (text: string): number[] => [...text].map((one) => one.charCodeAt(0));
const be16 = (n: number): number[] => [n >> 8, n & 255];
const be32 = (n: number): number[] => [(n >>> 24) & 255, (n >> 16) & 255, (n >> 8) & 255, n & 255];
const le32 = (n: number): number[] => be32(n).toReversed();

/** An EXIF block (TIFF, little endian): orientation, and a text in which the place stands. */
export const exif = (orientation: number): number[] => [
  ...ascii("II"),
  42,
  0,
  8,
  0,
  0,
  0,
  1,
  0,
  0x12,
  1,
  3,
  0,
  1,
  0,
  0,
  0,
  orientation,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  ...ascii("GPS 46.5197 Camera X100"),
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
    0xff,
    0xd8,
    ...segment(0xe0, [...ascii("JFIF\0"), 1, 1, 0, 0, 1, 0, 1, 0, 0]),
    ...segment(0xe1, [...ascii("Exif\0\0"), ...exif(orientation)]),
    ...segment(0xe1, ascii("http://ns.adobe.com/xap/1.0/\0GPS 46.5197")),
    ...segment(0xe2, ascii("ICC_PROFILE\0colours")),
    ...segment(0xed, ascii("Photoshop 3.0\0GPS 46.5197")),
    ...segment(0xfe, ascii("GPS 46.5197")),
    ...segment(0xc0, frame),
    ...segment(0xda, [1, 1, 0, 0, 63, 0]),
    1,
    2,
    0xff,
    0,
    3,
    0xff,
    0xd0,
    4,
    ...be32(seed).map((one) => one & 127),
    0xff,
    0xd9,
    ...segment(0xe1, [...ascii("Exif\0\0"), ...exif(1)]),
    0xff,
    0xd9,
  ]);
}

const chunk = (name: string, data: number[]): number[] => [
  ...be32(data.length),
  ...ascii(name),
  ...data,
  1,
  2,
  3,
  4,
];

/** A PNG with its place in an EXIF chunk and in a text. */
export function png({ width = 20, height = 10, seed = 0 } = {}): Uint8Array {
  return Uint8Array.from([
    0x89,
    ...ascii("PNG\r\n\x1a\n"),
    ...chunk("IHDR", [...be32(width), ...be32(height), 8, 2, 0, 0, 0]),
    ...chunk("eXIf", exif(8)),
    ...chunk("tEXt", ascii("Comment\0GPS 46.5197")),
    ...chunk("IDAT", [...be32(seed)]),
    ...chunk("IEND", []),
    ...ascii("GPS behind the end"),
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

const blocks = (data: number[]): number[] => [data.length, ...data, 0];
const application = (name: string, data: number[]): number[] => [0x21, 0xff, 11, ...ascii(name), ...data];

/** A GIF that runs for ever, with comments, XMP as it is put in there, and IPTC. */
export function gif({ width = 5, height = 4, more = [] as number[] } = {}): Uint8Array {
  // A reader that parses XMP as blocks lands somewhere in these bytes, which lead it to their end.
  const trailer = [1, ...Array.from({ length: 256 }, (_, n) => 255 - n), 0];
  const described = [
    0x21,
    0xfe,
    ...blocks(ascii("GPS 46.5197")),
    ...application("XMP DataXMP", [...ascii("<x:xmpmeta GPS 46.5197/>"), ...trailer]),
    ...application("MGKIPTC0000", blocks(ascii("GPS 46.5197"))),
  ];
  return Uint8Array.from([
    ...ascii("GIF89a"),
    width,
    0,
    height,
    0,
    0x80,
    0,
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    ...gifShown(more, described),
    0x3b,
    ...ascii("GPS behind the end"),
  ]);
}

/** Visible parts of the GIF: loop count, color profile, a picture with its own palette, and drawn text. */
export const gifShown = (more: number[] = [], between: number[] = []): number[] => [
  ...application("NETSCAPE2.0", blocks([1, 0, 0])),
  ...application("ICCRGBG1012", blocks(ascii("colours"))),
  ...between,
  0x21,
  0xf9,
  ...blocks([4, 10, 0, 0]),
  0x2c,
  0,
  0,
  0,
  0,
  1,
  0,
  1,
  0,
  0x80,
  9,
  9,
  9,
  8,
  8,
  8,
  2,
  3,
  0x21,
  0xfe,
  0x2c,
  1,
  0x3b,
  0,
  ...between,
  0x21,
  0x01,
  ...blocks(ascii("shown")),
  ...more,
];

const box = (type: string, data: number[]): number[] => [...be32(data.length + 8), ...ascii(type), ...data];
const full = (type: string, version: number, data: number[]): number[] =>
  box(type, [version, 0, 0, 0, ...data]);
const PICTURE = "the picture";

interface AvifForm {
  /** of `infe`; `iinf` and the width of ids follow it */
  readonly infe?: 2 | 3;
  readonly iloc?: 0 | 1 | 2;
  /** EXIF data in `idat` instead of the file; with `iloc` 1 and 2 */
  readonly method?: 0 | 1 | 2;
  /** the EXIF data in two pieces */
  readonly inPieces?: boolean;
  readonly wide?: boolean;
  /** boxes behind `mdat` */
  readonly behind?: number[];
}

/** An AVIF with EXIF data, XMP as an item and as a box, and the place in a film behind it. */
export function avif(form: AvifForm = {}): Uint8Array {
  const { infe = 2, iloc = 0, method = 0, inPieces = false, wide = false, behind = [] } = form;
  const id = (n: number): number[] => (infe === 3 ? be32(n) : be16(n));
  const entry = (n: number, type: string, more: number[] = []): number[] =>
    full("infe", infe, [...id(n), 0, 0, ...ascii(type), 0, ...more]);
  const exifItem = [0, 0, 0, 0, ...exif(6)];
  const xmp = ascii("<x:xmpmeta GPS 46.5197/>");
  const number = (n: number): number[] => (wide ? [...be32(0), ...be32(n)] : be32(n));
  /** where `mdat` begins is known once all before it is there */
  const whole = (mdatAt: number): number[] => {
    const picture = mdatAt;
    const exifAt = method === 1 ? 2 : picture + PICTURE.length;
    const xmpAt = picture + PICTURE.length + (method === 1 ? 0 : exifItem.length);
    const half = 20;
    const exifPlaces = inPieces
      ? [
          [exifAt, half],
          [exifAt + half, exifItem.length - half],
        ]
      : [[exifAt, exifItem.length]];
    const place = (n: number, how: number, extents: number[][]): number[] => [
      ...(iloc === 2 ? be32(n) : be16(n)),
      ...(iloc === 0 ? [] : be16(how)),
      0,
      0,
      ...be32(0),
      ...be16(extents.length),
      ...extents.flatMap(([from = 0, length = 0]) => [...number(from), ...number(length)]),
    ];
    const size = wide ? 0x88 : 0x44;
    return [
      ...box("ftyp", [...ascii("avif"), 0, 0, 0, 0, ...ascii("avifmif1")]),
      ...full("meta", 0, [
        ...full("iinf", infe === 3 ? 1 : 0, [
          ...(infe === 3 ? be32(3) : be16(3)),
          ...entry(1, "av01"),
          ...entry(2, "Exif"),
          ...entry(3, "mime", [...ascii("application/rdf+xml"), 0]),
        ]),
        ...full("iloc", iloc, [
          size,
          0x40,
          ...(iloc === 2 ? be32(3) : be16(3)),
          ...place(1, 0, [[picture, PICTURE.length]]),
          ...place(2, method, exifPlaces),
          ...place(3, 0, [[xmpAt, xmp.length]]),
        ]),
        ...box("iprp", box("ipco", full("ispe", 0, [...be32(64), ...be32(48)]))),
        ...box("idat", [1, 2, ...(method === 1 ? exifItem : []), 3, 4]),
        ...box("uuid", ascii("GPS in the list.")),
      ]),
      ...box("uuid", [...ascii("1234567890123456"), ...ascii("GPS 46.5197")]),
      ...box("mdat", [...ascii(PICTURE), ...(method === 1 ? [] : exifItem), ...xmp, ...ascii("the rest")]),
      ...box("mpvd", ascii("a film: GPS 46.5197")),
      ...behind,
    ];
  };
  const at = textIn(Uint8Array.from(whole(0))).indexOf(PICTURE);
  return Uint8Array.from(whole(at));
}

export const avifBox = box;

export const textIn = (bytes: Uint8Array): string => String.fromCharCode(...bytes);
