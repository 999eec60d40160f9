import { isObject, type Json, type JsonObject } from "../../core/log/json.ts";
import type { PromptPart } from "../../core/log/model.ts";

/** The chunks of a UI message stream that Cairn sends: a part of `uiMessageChunkSchema` of `ai` 7. */
export type UiChunk =
  | { readonly type: "start"; readonly messageId: string; readonly messageMetadata?: JsonObject }
  | { readonly type: "start-step" | "finish-step" | "reset-step" }
  | { readonly type: "text-start" | "text-end" | "reasoning-start" | "reasoning-end"; readonly id: string }
  | { readonly type: "text-delta" | "reasoning-delta"; readonly id: string; readonly delta: string }
  | {
      readonly type: "tool-input-available";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: Json;
      readonly title: string;
    }
  | {
      readonly type: "tool-input-error";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: Json;
      readonly errorText: string;
      readonly title: string;
    }
  | {
      readonly type: "tool-approval-request";
      readonly approvalId: string;
      readonly toolCallId: string;
      readonly reason: string;
      readonly approvalDescriptor: {
        readonly digest: string;
        readonly expiresAt: string;
        readonly needed: number;
      };
    }
  | {
      readonly type: "tool-approval-response";
      readonly approvalId: string;
      readonly approved: boolean;
      readonly reason?: string;
    }
  | { readonly type: "tool-output-available"; readonly toolCallId: string; readonly output: Json }
  | { readonly type: "tool-output-error"; readonly toolCallId: string; readonly errorText: string }
  | { readonly type: "tool-output-denied"; readonly toolCallId: string }
  | { readonly type: "source-url"; readonly sourceId: string; readonly url: string; readonly title: string }
  | { readonly type: "steering-message"; readonly id: string; readonly parts: readonly JsonObject[] }
  | DataChunk
  | { readonly type: "message-metadata"; readonly messageMetadata: JsonObject }
  | {
      readonly type: "finish";
      readonly finishReason: "stop" | "tool-calls";
      readonly messageMetadata?: JsonObject;
    }
  | { readonly type: "abort"; readonly reason?: string }
  | { readonly type: "error"; readonly errorText: string };

/** A data part: the same type and id replaces in place; a transient one is not stored and has no place. */
export interface DataChunk {
  readonly type: `data-${string}`;
  readonly id: string;
  readonly data: Json;
  readonly transient?: true;
}

/** A chunk with its place in the run's stream; null when it is transient. */
export interface PlacedChunk {
  readonly pos: number | null;
  readonly chunk: UiChunk;
}

/** A message as `ai` 7 has it, in JSON. */
export interface UiMessage {
  readonly id: string;
  readonly role: "user" | "assistant";
  readonly parts: readonly JsonObject[];
  readonly metadata?: JsonObject;
}

/** Milliseconds since the epoch as ISO 8601 UTC. */
export const isoTime = (at: number): string => new Date(at).toISOString();

/**
 * Returns a part of a person's message for clients. A file stored outside the log is shown without its bytes: an empty
 * `data:` URL, and its size in `providerMetadata.cairn.bytes`. Callers that list messages may insert the URL.
 */
export function shownPart(part: PromptPart): JsonObject {
  if (part.type === "text") return { type: "text", text: part.text };
  const { mediaType, url, bytes, image, file } = part;
  if (file !== undefined) {
    const cairn = { file: file.id, size: file.bytes };
    return { type: "file", mediaType, url, filename: file.name, providerMetadata: { cairn } };
  }
  if (image !== undefined)
    return {
      type: "file",
      mediaType,
      url,
      filename: image.name,
      providerMetadata: { cairn: { image: image.id } },
    };
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
