import { quoteLine } from "../core/text/untrusted.ts";
import type { PromptMessage, PromptPart, SentFile } from "../core/log/model.ts";

/** Pictures that people sent along and that lie in the library: their bytes, for a model that can see. */

type FilePart = Extract<PromptPart, { type: "file" }>;

export interface Pictures {
  /** whether the model of this name can see */
  readonly sees: (model: string) => boolean;
  /** An image of the library in a form that models take; null for one that is not there or too large. Throws what the bucket throws. */
  readonly read: (
    imageId: string,
  ) => Promise<{ readonly mediaType: string; readonly bytes: ArrayBuffer } | null>;
}

/** as many arguments as a call safely takes */
const CHUNK = 8_192;

export function base64Of(buffer: ArrayBuffer): string {
  const bytes = new Uint8Array(buffer);
  let latin = "";
  for (let at = 0; at < bytes.length; at += CHUNK)
    latin += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(latin);
}

/** characters of base64 in one prompt, the newest pictures first; the others are only mentioned */
const PROMPT_PICTURES_CHARS_MAX = 4_194_304;

/** Returns the text about a library image for the model, whether it sees the image or not: tools take its ID. */
export function imageWords({ image, mediaType }: FilePart): string {
  if (image === undefined) return "";
  const { id, name, width, height } = image;
  const size = width === null || height === null ? "" : ` size="${width}x${height}"`;
  return `<cairn-image id="${id}" name=${quoteLine(name)} type="${mediaType}"${size}>in the image library</cairn-image>`;
}

/** The same of a file that was sent for reading. */
export function fileWords({ id, name, bytes }: SentFile, mediaType: string): string {
  return `<cairn-file id="${id}" name=${quoteLine(name)} type="${mediaType}" bytes="${bytes}">sent in this session</cairn-file>`;
}

/** The messages with the pictures in them behind the words that name them, as far as a prompt has room. */
export async function showPictures(
  messages: readonly PromptMessage[],
  read: Pictures["read"],
): Promise<readonly PromptMessage[]> {
  let space = PROMPT_PICTURES_CHARS_MAX;
  const shown = new Map<PromptPart, PromptPart>();
  const sent = messages.flatMap((message) => (message.role === "user" ? message.parts : []));
  for (const part of sent.toReversed()) {
    if (part.type !== "file" || part.image === undefined || space <= 0) continue;
    const picture = await read(part.image.id);
    const base64 = picture === null ? "" : base64Of(picture.bytes);
    if (picture === null || base64.length > space) continue;
    space -= base64.length;
    const { mediaType } = picture;
    shown.set(part, { type: "file", mediaType, url: `data:${mediaType};base64,${base64}` });
  }
  if (shown.size === 0) return messages;
  return messages.map((message) =>
    message.role === "user"
      ? { ...message, parts: message.parts.flatMap((part) => [part, ...both(shown.get(part))]) }
      : message,
  );
}

const both = (part: PromptPart | undefined): PromptPart[] => (part === undefined ? [] : [part]);
