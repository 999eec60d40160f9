// Draws the images of the seed site into the static files and writes manifest.ts. Run by hand (`node scripts/seed/draw.ts`); the worker
// never imports it. The bytes are committed, so that their hashes do not depend on the version of a compressor.
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { crc32, deflateSync } from "node:zlib";
import { SCENES, type Scene } from "./scenes.ts";
import { VECTORS } from "./vectors.ts";

const ASSETS = path.join(import.meta.dirname, "../../src/page/public/seed");
const WIDTHS = [1600, 960, 480] as const;
const SAMPLES = 3; // per axis and pixel; edges are then snapped to the palette, which keeps 16 colours

/** One index into the palette for each pixel, row by row; the picture is 16:9. */
function paint(scene: Scene, width: number, height: number): Uint8Array {
  const columns = width * SAMPLES;
  const at = scene.prepare(Array.from({ length: columns }, (_, x) => (x + 0.5) / (height * SAMPLES)));
  const pixels = new Uint8Array(width * height);
  const seen = new Map<string, number>();
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const indices: number[] = [];
      for (let sy = 0; sy < SAMPLES; sy++) {
        const v = (y * SAMPLES + sy + 0.5) / (height * SAMPLES);
        for (let sx = 0; sx < SAMPLES; sx++) indices.push(at(x * SAMPLES + sx, v));
      }
      const first = indices[0] ?? 0;
      if (indices.every((index) => index === first)) {
        pixels[y * width + x] = first;
        continue;
      }
      const key = indices.sort((a, b) => a - b).join();
      const known = seen.get(key) ?? nearest(scene.palette, average(scene.palette, indices));
      seen.set(key, known);
      pixels[y * width + x] = known;
    }
  }
  return pixels;
}

type Rgb = readonly [number, number, number];

function average(palette: readonly Rgb[], indices: readonly number[]): Rgb {
  const sum = [0, 0, 0];
  for (const index of indices) palette[index]?.forEach((channel, i) => (sum[i] = (sum[i] ?? 0) + channel));
  return [(sum[0] ?? 0) / indices.length, (sum[1] ?? 0) / indices.length, (sum[2] ?? 0) / indices.length];
}

function nearest(palette: readonly Rgb[], color: Rgb): number {
  const distances = palette.map((rgb) =>
    rgb.reduce((sum, channel, i) => sum + (channel - (color[i] ?? 0)) ** 2, 0),
  );
  return distances.indexOf(Math.min(...distances));
}

/** A PNG with a palette of at most 16 colours, four bits a pixel (PNG specification, third edition, sections 5 and 11). */
function encodePng(pixels: Uint8Array, width: number, height: number, palette: readonly Rgb[]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([4, 3, 0, 0, 0], 8); // four bits, palette, deflate, adaptive filters, not interlaced
  const bytesPerRow = Math.ceil(width / 2);
  const packed = Array.from({ length: height }, (_, y) => {
    const row = Buffer.alloc(bytesPerRow);
    for (let x = 0; x < width; x++) row[x >> 1]! |= pixels[y * width + x]! << (x % 2 === 0 ? 4 : 0);
    return row;
  });
  // Filter 2 (Up) turns equal rows into zeros; filter 0 is better for noisy rows. The smaller whole wins.
  const plain = Buffer.concat(packed.flatMap((row) => [Buffer.of(0), row]));
  const up = Buffer.concat(
    packed.flatMap((row, y) => [
      Buffer.of(2),
      row.map((byte, i) => (byte - (packed[y - 1]?.[i] ?? 0)) & 255),
    ]),
  );
  const data = [plain, up].map((raw) => deflateSync(raw, { level: 9, memLevel: 9 }));
  const smallest = data.sort((a, b) => a.length - b.length)[0]!;
  return Buffer.concat([
    Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(palette.flat())),
    chunk("IDAT", smallest),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body) >>> 0);
  return Buffer.concat([length, body, sum]);
}

const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

function drawAll(): string[] {
  const pictures = Object.entries(SCENES).map(([name, scene]) => {
    const sizes = WIDTHS.map((width) => {
      const height = Math.round((width * 9) / 16);
      return { width, height, bytes: encodePng(paint(scene, width, height), width, height, scene.palette) };
    });
    const original = sizes[0]!;
    return file(name, "png", "image/png", original, sizes.slice(1));
  });
  const drawings = Object.entries(VECTORS).map(([name, vector]) =>
    file(name, "svg", "image/svg+xml", { ...vector, bytes: Buffer.from(vector.svg) }, []),
  );
  return [...pictures, ...drawings];
}

interface Sized {
  width: number;
  height: number;
  bytes: Buffer;
}

function file(name: string, ext: string, mediaType: string, original: Sized, variants: Sized[]) {
  const fields = (sized: Sized, asset: string) => {
    writeFileSync(path.join(ASSETS, asset), sized.bytes);
    const { width, height, bytes } = sized;
    return `asset: "/seed/${asset}", sha256: "${sha256(bytes)}", width: ${width}, height: ${height}, byteSize: ${bytes.length}`;
  };
  const sized = variants
    .map((one) => `{ format: "${ext}", ${fields(one, `${name}-w${one.width}.${ext}`)} }`)
    .join(", ");
  return (
    `  ${name}: { filename: "${name}.${ext}", ext: "${ext}", mediaType: "${mediaType}", ` +
    `${fields(original, `${name}.${ext}`)}, variants: [${sized}] },\n`
  );
}

mkdirSync(ASSETS, { recursive: true });
const drawn = drawAll();
writeFileSync(
  path.join(import.meta.dirname, "manifest.ts"),
  `// Written by draw.ts. Do not edit.\nimport type { SeedFile } from "../../src/plugins/cms/seed/sample.ts";\n\n// oxfmt-ignore\n` +
    `export const SEED_FILES = {\n${drawn.join("")}} as const satisfies Record<string, SeedFile>;\n`,
);
