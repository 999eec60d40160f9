import type { JsonObject } from "../../core/log/json.ts";
import type { PromptPart } from "../../core/log/model.ts";

/**
 * A part of a person's message as clients see it. A file that is kept apart from the log is shown without its bytes: an
 * empty `data:` URL, and its size in `providerMetadata.cairn.bytes`. Who lists messages may put the URL in its place.
 */
export function shownPart(part: PromptPart): JsonObject {
  if (part.type === "text") return { type: "text", text: part.text };
  const { mediaType, url, bytes } = part;
  if (bytes === undefined) return { type: "file", mediaType, url };
  return { type: "file", mediaType, url: `data:${mediaType},`, providerMetadata: { cairn: { bytes } } };
}

/** Size of the file that a part is shown without, or null when nothing is missing. */
export function missingBytes(part: JsonObject): number | null {
  const { providerMetadata: metadata } = part;
  if (part["type"] !== "file" || !isObject(metadata) || !isObject(metadata["cairn"])) return null;
  const { bytes } = metadata["cairn"];
  return typeof bytes === "number" ? bytes : null;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
