import type { TextStreamPart, ToolSet } from "ai";
import type { JsonObject } from "../core/json.ts";
import { toJson } from "../core/json.ts";
import { isTooDeep, JSON_DEPTH_MAX } from "../core/json-depth.ts";
import type { DraftPiece, ModelReply, RawCall } from "../core/model.ts";

/**
 * The reply of one model call while it streams. What always holds: the pieces that were drafted for part `n`, joined,
 * are the text of part `n`; pieces of one part follow one another; parts stand in the order in which they came.
 */

type Part = ModelReply["parts"][number];
type Spoken = { type: "text" | "reasoning"; text: string; options?: JsonObject };
type Piece = Extract<
  TextStreamPart<ToolSet>,
  { type: "text-start" | "text-delta" | "text-end" | "reasoning-start" | "reasoning-delta" | "reasoning-end" }
>;
type Call = Extract<TextStreamPart<ToolSet>, { type: "tool-call" }>;
type Metadata = Piece["providerMetadata"];

const toOptions = (metadata: NonNullable<Metadata>): JsonObject => {
  const options: Record<string, JsonObject[string]> = {};
  for (const [namespace, value] of Object.entries(metadata)) options[namespace] = toJson(value);
  return options;
};

/** A call as the model asked for it; the provider's id is dropped, because it need not be unique. */
function toRawCall(part: Call): RawCall {
  const options = part.providerMetadata === undefined ? {} : { options: toOptions(part.providerMetadata) };
  const input: unknown = part.input;
  if (isTooDeep(input)) {
    const malformed = `(nested more than ${JSON_DEPTH_MAX} levels deep)`;
    return { tool: part.toolName, input: null, malformed, ...options };
  }
  // Without a validator only unparsable text and an unknown name are invalid, and text stays text only when unparsable.
  if (part.invalid !== true || typeof input !== "string")
    return { tool: part.toolName, input: toJson(input), ...options };
  if (input.trim() === "") return { tool: part.toolName, input: {}, ...options };
  return { tool: part.toolName, input: null, malformed: input, ...options };
}

export interface ReplyTape {
  /** takes a piece of text or reasoning; drafts it */
  speak(piece: Piece): void;
  call(part: Call): void;
  parts(): ModelReply["parts"];
  hasCalls(): boolean;
}

export function createReplyTape(draft: (piece: DraftPiece) => void): ReplyTape {
  const parts: (Spoken | Extract<Part, { type: "call" }>)[] = [];
  /** the newest part of each stream id, for metadata that comes at its end */
  const byId = new Map<string, Spoken>();
  /** id of the part that a delta may still extend: always the last one */
  let open: string | null = null;

  const partOf = (type: Spoken["type"], id: string): Spoken => {
    const known = byId.get(id);
    if (open === id && known !== undefined) return known;
    const part: Spoken = { type, text: "" };
    parts.push(part);
    byId.set(id, part);
    open = id;
    return part;
  };

  return {
    speak(piece) {
      const type = piece.type.startsWith("text") ? "text" : "reasoning";
      const id = `${type} ${piece.id}`;
      const ending = piece.type === "text-end" || piece.type === "reasoning-end";
      const text = piece.type === "text-delta" || piece.type === "reasoning-delta" ? piece.text : "";
      const { providerMetadata } = piece;
      if (providerMetadata !== undefined) {
        // A part may be nothing but metadata (encrypted reasoning), and it must be sent back all the same.
        const part = ending ? (byId.get(id) ?? partOf(type, id)) : partOf(type, id);
        part.options = toOptions(providerMetadata);
      }
      if (text !== "") {
        partOf(type, id).text += text;
        draft({ type, part: parts.length - 1, text });
      }
      if (ending) {
        byId.delete(id);
        if (open === id) open = null;
      }
    },
    call(part) {
      if (part.providerExecuted === true) return;
      parts.push({ type: "call", ...toRawCall(part) });
      open = null;
    },
    parts: () => parts.map((part) => ({ ...part })),
    hasCalls: () => parts.some((part) => part.type === "call"),
  };
}
