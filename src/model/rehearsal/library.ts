import type { JsonObject } from "../../core/log/json.ts";
import { listAt, numberAt, objectsAt, textAt } from "./reading.ts";
import { foldWords } from "./tokens.ts";

/** An image of the library, as `image_search` shows it. */
export interface LibraryImage {
  readonly id: string;
  readonly name: string;
  readonly words: readonly string[];
  readonly width: number;
  readonly height: number;
  readonly isDrawing: boolean;
  readonly hasAlt: boolean;
}

/** The images that `image_search` found. */
export function readImages(value: JsonObject): LibraryImage[] {
  return objectsAt(value, "items").flatMap((item) => {
    const id = textAt(item, "id");
    if (id === null) return [];
    const filename = textAt(item, "filename") ?? "";
    const alt = textAt(item, "alt") ?? "";
    const tags = listAt(item, "tags").filter((tag): tag is string => typeof tag === "string");
    return [
      {
        id,
        name: filename === "" ? alt : filename,
        words: foldWords(`${filename} ${alt} ${tags.join(" ")}`),
        width: numberAt(item, "width") ?? 0,
        height: numberAt(item, "height") ?? 0,
        isDrawing: /\.svg$/iu.test(filename) || tags.includes("logo"),
        hasAlt: alt !== "",
      },
    ];
  });
}

/** The image that suits the words best: one that shares words, else a wide photograph rather than a drawing. */
export function pickImage(images: readonly LibraryImage[], about: string, skip: number): LibraryImage | null {
  const words = foldWords(about);
  const ranked = images
    .map((image, index) => ({ image, index, score: scoreOf(image, words) }))
    .sort((a, b) => b.score - a.score || a.index - b.index);
  const matched = (ranked[0]?.score ?? 0) >= 10;
  return (ranked[matched ? 0 : Math.min(skip, ranked.length - 1)] ?? ranked[0])?.image ?? null;
}

function scoreOf(image: LibraryImage, words: readonly string[]): number {
  const shared = words.filter((word) => word.length > 2 && image.words.includes(word)).length;
  const wide = image.width >= image.height * 1.2 && image.width >= 600;
  return shared * 10 + (image.isDrawing ? 0 : 4) + (wide ? 2 : 0) + (image.hasAlt ? 1 : 0);
}

/** Up to `count` images for a gallery: photographs before drawings. */
export function pickImages(images: readonly LibraryImage[], count: number): LibraryImage[] {
  const photographs = images.filter((image) => !image.isDrawing);
  return (photographs.length > 0 ? photographs : [...images]).slice(0, count);
}
