import { describe, expect, test } from "vitest";
import { cleanImage } from "../../../../src/plugins/cms/media/bytes/clean.ts";
import { cleanFilename } from "../../../../src/plugins/cms/media/library.ts";
import { readImage } from "../../../../src/plugins/cms/media/bytes/read-image.ts";
import { orientationIn, tiffOf } from "../../../../src/plugins/cms/media/bytes/tiff.ts";
import { refusal } from "../fixture.ts";
import { avif, avifBox, gif, gifShown, jpeg, png, textIn, webp } from "./image-bytes.ts";

/** Stored images: pixels and orientation, and nothing that reveals where they were taken. */

const codeOf = async (bytes: Uint8Array): Promise<string> =>
  (await refusal(Promise.resolve().then(() => readImage(bytes)))).code;
/** Text in the cleaned image; empty if the image is refused as expected. */
function cleaned(...image: Parameters<typeof cleanImage>): string {
  try {
    return textIn(cleanImage(...image).bytes);
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) return "";
    throw error;
  }
}
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("the removal of metadata", () => {
  test("keeps colours, pixels and orientation of a JPEG", () => {
    const { bytes, orientation } = cleanImage("image/jpeg", jpeg({ orientation: 6 }));
    expect(orientation).toBe(6);
    const text = textIn(bytes);
    expect(text).not.toContain("GPS");
    expect(text).not.toContain("Camera");
    expect(text).toContain("ICC_PROFILE");
    expect(text).toContain("JFIF");
    expect(text.endsWith("\x01\x02\xff\x00\x03\xff\xd0\x04\x00\x00\x00\x00\xff\xd9")).toBe(true);
    expect(cleanImage("image/jpeg", bytes)).toEqual({ bytes, orientation: 6 });
  });

  test("leaves no EXIF block in a JPEG without rotation", () => {
    expect(textIn(cleanImage("image/jpeg", jpeg({ orientation: 1 })).bytes)).not.toContain("Exif");
  });

  test("also applies to PNG and WebP", () => {
    const fromPng = cleanImage("image/png", png());
    expect(textIn(fromPng.bytes)).not.toContain("GPS");
    expect(fromPng.orientation).toBe(8);
    expect(cleanImage("image/png", fromPng.bytes)).toEqual(fromPng);
    const fromWebp = cleanImage("image/webp", webp()).bytes;
    expect(textIn(fromWebp)).not.toMatch(/GPS|EXIF|XMP/);
    // The header says that there is neither, and how long the file is.
    expect(fromWebp[20]).toBe(0);
    expect(new DataView(fromWebp.buffer).getUint32(4, true)).toBe(fromWebp.length - 8);
  });

  test("keeps loop, colours and pictures of a GIF to the byte, and nothing else", () => {
    const { bytes, orientation } = cleanImage("image/gif", gif());
    expect(orientation).toBe(1);
    expect([...bytes]).toEqual([...gif().subarray(0, 19), ...gifShown(), 0x3b]);
    expect(cleanImage("image/gif", bytes).bytes).toEqual(bytes);
    // Unknown blocks show nothing and may contain anything, so they are removed.
    const unknown = gif({ more: [0x21, 0x77, 3, 0x47, 0x50, 0x53, 0] });
    expect(cleanImage("image/gif", unknown).bytes).toEqual(bytes);
  });

  test("clears EXIF and XMP of an AVIF in place, in every form of its lists", () => {
    for (const infe of [2, 3] as const)
      for (const iloc of [0, 1, 2] as const)
        for (const method of iloc === 0 ? ([0] as const) : ([0, 1] as const))
          for (const inPieces of [false, true])
            for (const wide of [false, true]) {
              const form = { infe, iloc, method, inPieces, wide };
              const given = avif(form);
              const before = given.slice();
              const { bytes } = cleanImage("image/avif", given);
              const text = textIn(bytes);
              expect([form, text.length]).toEqual([form, given.length]);
              expect(text, JSON.stringify(form)).not.toMatch(/GPS|Camera|xmpmeta/);
              // Visible data stays at its offset; the EXIF data that is left is valid and empty.
              for (const kept of ["the picture", "the rest"])
                expect(text.indexOf(kept)).toBe(textIn(given).indexOf(kept));
              const empty = text.indexOf("\0\0\0\0MM\0*\0\0\0\x08\0\0\0\0\0\0");
              expect(empty).toBe(textIn(given).indexOf("\0\0\0\0II"));
              expect(orientationIn(bytes.subarray(empty + 4))).toBe(1);
              expect(given).toEqual(before);
              expect(cleanImage("image/avif", bytes).bytes).toEqual(bytes);
            }
  });

  test("refuses an AVIF that it cannot parse", async () => {
    const swapped = (from: string, to: string): Uint8Array => {
      const text = textIn(avif());
      expect(text).toContain(from);
      return Uint8Array.from([...text.replace(from, to)].map((char) => char.charCodeAt(0)));
    };
    for (const [why, bytes] of [
      ["its place is told by another item", avif({ iloc: 1, method: 2 })],
      ["it is a film", avif({ behind: avifBox("moov", [1, 2, 3]) })],
      ["something stands behind it", avif({ behind: [1, 2, 3] })],
      ["no list of places", swapped("iloc", "ilox")],
      ["an entry that is none", swapped("infe", "infx")],
      ["its bytes are not in mdat", swapped("mdat", "mdxt")],
      ["a list of an unknown version", swapped("iloc\0", "iloc\x03")],
    ] as const)
      expect([why, await codeOf(bytes)]).toEqual([why, "unsupported_media"]);
    expect(readImage(avif()).ext).toBe("avif");
  });

  test("cleans or refuses every truncated image, and never loops", () => {
    for (const [type, whole] of [
      ["image/jpeg", jpeg()],
      ["image/png", png()],
      ["image/webp", webp()],
      ["image/gif", gif()],
      ["image/avif", avif()],
      ["image/avif", avif({ infe: 3, iloc: 2, method: 1, inPieces: true, wide: true })],
    ] as const) {
      for (let length = 12; length < whole.length; length++) {
        expect(cleaned(type, whole.slice(0, length)), `${type} of ${length} bytes`).not.toContain("GPS");
      }
    }
  });

  test("writes an orientation as it was read", () => {
    for (const turned of [1, 2, 3, 4, 5, 6, 7, 8]) expect(orientationIn(tiffOf(turned))).toBe(turned);
    expect(orientationIn(tiffOf(9))).toBe(1);
    expect(orientationIn(new Uint8Array(4))).toBe(1);
  });
});

describe("the type of an image", () => {
  test("is read from its bytes, with the displayed size", () => {
    expect(readImage(jpeg({ width: 40, height: 30, orientation: 6 }))).toMatchObject({
      mediaType: "image/jpeg",
      ext: "jpg",
      width: 30,
      height: 40,
    });
    expect(readImage(png({ width: 20, height: 10 }))).toMatchObject({ ext: "png", width: 10, height: 20 });
    expect(readImage(webp())).toMatchObject({ ext: "webp", width: 50, height: 25 });
    expect(readImage(gif())).toMatchObject({ ext: "gif", width: 5, height: 4 });
    expect(readImage(avif())).toMatchObject({ ext: "avif", width: 64, height: 48 });
  });

  test("is refused if unknown, or if the image is too large", async () => {
    expect(await codeOf(bytesOf("<html><script>alert(1)</script>"))).toBe("unsupported_media");
    expect(await codeOf(bytesOf('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'))).toBe(
      "unsupported_media",
    );
    expect(await codeOf(new Uint8Array())).toBe("unsupported_media");
    expect(await codeOf(png().slice(0, 20))).toBe("unsupported_media");
    expect(await codeOf(png({ width: 41_000, height: 1_000 }))).toBe("too_large");
    expect(await codeOf(png({ width: 0xffffffff, height: 0xffffffff }))).toBe("too_large");
    expect(await codeOf(new Uint8Array(11 * 1024 * 1024))).toBe("too_large");
  });

  test("sets the ending of its file name", () => {
    expect(cleanFilename("C:\\photos\\New path.JPEG", "jpg")).toBe("New path.jpg");
    expect(cleanFilename("../../etc/passwd", "png")).toBe("passwd.png");
    expect(cleanFilename("\u202Egnp.exe\u0000", "png")).toBe("gnp.png");
    expect(cleanFilename("", "webp")).toBe("image.webp");
    expect(cleanFilename("x".repeat(300), "gif")).toHaveLength(100);
  });
});
