import type { PromptMessage, PromptPart } from "../../core/log/model.ts";
import type { Store } from "./ports.ts";

/**
 * Files in messages. An entry of the log contains small ones whole; a larger one is stored in `blobs`, and its part in
 * the entry has the name of the blob as `url` and its size as `bytes`.
 */

/** of all files in one entry; with the text of a message a body stays below 256 KiB */
const ROW_FILES_BYTES_MAX = 65_536;
/** bytes of stored files in one prompt, the newest first; others are only mentioned */
const PROMPT_FILES_BYTES_MAX = 4_194_304;

const encoder = new TextEncoder();

/**
 * Name of part number `index` (from 0) of a message. No call has such a name; results of calls are stored in the same
 * table.
 */
export function fileRef(message: string, index: number): string {
  return `blob:${message}/${index}`;
}

/** Splits the parts into those for the entry of the message, and the URLs to store separately. */
export function splitFiles(
  message: string,
  parts: readonly PromptPart[],
): { readonly parts: readonly PromptPart[]; readonly split: readonly { ref: string; url: string }[] } {
  const split: { ref: string; url: string }[] = [];
  let space = ROW_FILES_BYTES_MAX;
  const stored = parts.map((part, index): PromptPart => {
    // A path is short, and the data of its file is part of it.
    if (part.type === "text" || part.image !== undefined || part.file !== undefined) return part;
    const bytes = encoder.encode(part.url).length;
    if (bytes <= space) {
      space -= bytes;
      return part;
    }
    const ref = fileRef(message, index);
    split.push({ ref, url: part.url });
    return { type: "file", mediaType: part.mediaType, url: ref, bytes };
  });
  return { parts: stored, split };
}

/** Returns the messages of a prompt with their stored files, as far as they fit. */
export function loadFiles(
  store: Pick<Store, "loadBlob">,
  messages: readonly PromptMessage[],
): readonly PromptMessage[] {
  let space = PROMPT_FILES_BYTES_MAX;
  const load = (part: PromptPart): PromptPart => {
    if (part.type === "text" || part.bytes === undefined || part.bytes > space) return part;
    const url = store.loadBlob(part.url);
    if (url === null) return part;
    space -= part.bytes;
    return { type: "file", mediaType: part.mediaType, url };
  };
  return messages
    .toReversed()
    .map((message) => (message.role === "user" ? { ...message, parts: message.parts.map(load) } : message))
    .toReversed();
}
