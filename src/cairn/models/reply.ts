import type { LanguageModelV4StreamPart, LanguageModelV4ToolCall } from "@ai-sdk/provider";
import { readJson, type JsonObject, toJson, isTooDeep, JSON_DEPTH_MAX } from "../core/log/json.ts";
import { createReader } from "../core/dialects/create-reader.ts";
import { researchCalls } from "../core/dialects/research-calls.ts";
import type { ReplyForm } from "../core/dialects/reader.ts";
import type { DraftPiece, ModelReply, Parse, RawCall } from "../core/log/model.ts";

/**
 * The reply of one model call while it streams. Its text goes through the reader of its dialect, which yields text,
 * thoughts and calls. Invariants: the pieces drafted for part `n`, joined, are the text of part `n`; pieces of one part
 * are consecutive; parts are in order of arrival.
 */

type Part = ModelReply["parts"][number];
type Spoken = { type: "text" | "reasoning"; text: string; options?: JsonObject };
type Piece = Extract<
  LanguageModelV4StreamPart,
  { type: "text-start" | "text-delta" | "text-end" | "reasoning-start" | "reasoning-delta" | "reasoning-end" }
>;
type Metadata = Piece["providerMetadata"];

/** The metadata that a provider wants back, by its namespace. Metadata that nests too deeply is left out. */
export function toOptions(metadata: NonNullable<Metadata>): JsonObject {
  const options: Record<string, JsonObject[string]> = {};
  for (const [namespace, value] of Object.entries(metadata))
    if (!isTooDeep(value)) options[namespace] = toJson(value);
  return options;
}

/** True if any nested key would set a prototype instead of a field. No argument has such a key. */
function setsPrototype(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.hasOwn(value, "__proto__") || Object.values(value).some(setsPrototype);
}

/**
 * The arguments in a text. Some servers send them twice (a text, then an object) or begin with an empty object, so the text is
 * several JSON values: it is read where those that are not empty are the same. Throws where it is not.
 */
function argumentsIn(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    // Some servers encode the arguments twice.
    return typeof value === "string" && /^\s*\{/u.test(value) ? (readJson(value) ?? value) : value;
  } catch (error) {
    const values = text.length <= REPEATED_CHARS_MAX ? objectsIn(text) : null;
    const given = values?.filter((value) => value !== "{}") ?? [];
    const [first = "{}"] = given;
    if (values === null || given.some((value) => value !== first)) throw error;
    const value: unknown = JSON.parse(first);
    return value;
  }
}

const REPEATED_CHARS_MAX = 65_536;

/** The objects that a text consists of, each as JSON without white space; null where it holds anything else. */
function objectsIn(text: string): readonly string[] | null {
  const found: string[] = [];
  let depth = 0;
  let from = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (isQuoted) {
      if (character === "\\") at++;
      else if (character === '"') isQuoted = false;
    } else if (character === '"') isQuoted = depth > 0;
    else if (character === "{") depth++;
    else if (character === "}" && --depth === 0) {
      try {
        found.push(JSON.stringify(JSON.parse(text.slice(from, at + 1))));
      } catch {
        return null;
      }
      from = at + 1;
    }
  }
  return text.slice(from).trim() === "" ? found : null;
}

/** A call as the model asked for it; the provider's id is dropped, because it need not be unique. */
function toRawCall(part: LanguageModelV4ToolCall): RawCall {
  const options = part.providerMetadata === undefined ? {} : { options: toOptions(part.providerMetadata) };
  const refused = (malformed: string): RawCall => ({
    tool: part.toolName,
    input: null,
    malformed,
    ...options,
  });
  if (part.input.trim() === "") return { tool: part.toolName, input: {}, ...options };
  try {
    const input = argumentsIn(part.input);
    if (isTooDeep(input)) return refused(`(nested more than ${JSON_DEPTH_MAX} levels deep)`);
    if (setsPrototype(input)) return refused(part.input);
    return { tool: part.toolName, input: toJson(input), ...options };
  } catch {
    return refused(part.input);
  }
}

export interface ReplyTape {
  /** takes a piece of text or reasoning; drafts it */
  speak(piece: Piece): void;
  call(part: LanguageModelV4ToolCall): void;
  /** The reply has ended: what was held back comes out. How it was read; nothing where there was nothing to read. */
  end(): Parse | undefined;
  parts(): ModelReply["parts"];
  hasCalls(): boolean;
}

export function createReplyTape(form: ReplyForm, draft: (piece: DraftPiece) => void): ReplyTape {
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

  const append = (type: Spoken["type"], id: string, text: string): void => {
    partOf(type, id).text += text;
    draft({ type, part: parts.length - 1, text });
  };
  /** stream id of the text that the reader reads */
  let reading = "text";
  const reader = createReader(form, {
    say: (type, text) => append(type, type === "text" ? reading : "thought in text", text),
    split: () => void (open = null),
    call: (call) => {
      parts.push({ type: "call", ...call });
      open = null;
    },
  });

  return {
    speak(piece) {
      const type = piece.type.startsWith("text") ? "text" : "reasoning";
      const id = `${type} ${piece.id}`;
      const ending = piece.type === "text-end" || piece.type === "reasoning-end";
      const text = piece.type === "text-delta" || piece.type === "reasoning-delta" ? piece.delta : "";
      const { providerMetadata } = piece;
      if (providerMetadata !== undefined) {
        // A part may be nothing but metadata (encrypted reasoning), and it must be sent back all the same.
        const part = ending ? (byId.get(id) ?? partOf(type, id)) : partOf(type, id);
        part.options = toOptions(providerMetadata);
      }
      if (type === "text") reading = id;
      if (text !== "" && type === "text") reader.push(text);
      else if (text !== "") append(type, id, text);
      if (ending && type === "text") reader.pause();
      if (ending) {
        byId.delete(id);
        if (open === id) open = null;
      }
    },
    call(part) {
      if (part.providerExecuted === true) return;
      reader.called();
      for (const call of researchCalls(toRawCall(part), part.input, form.offers))
        parts.push({ type: "call", ...call });
      open = null;
    },
    end() {
      const parse = reader.end();
      const thinks = parts.some((part) => part.type === "reasoning" && part.text.trim() !== "");
      if (parse === undefined || parse.dialect === "native" || thinks || form.offers.length === 0)
        return parse;
      return { ...parse, faults: [...parse.faults, "no_thought"] };
    },
    parts: () => parts.map((part) => ({ ...part })),
    hasCalls: () => parts.some((part) => part.type === "call"),
  };
}

/** Returns the JSON object in a reply, whatever surrounds it. Throws if there is none. */
export function objectIn({ parts }: Pick<ModelReply, "parts">): unknown {
  const wholeText = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  const [from, to] = [wholeText.indexOf("{"), wholeText.lastIndexOf("}")];
  if (from < 0 || to < from) throw new Error("the model answered no JSON object");
  const value = readJson(wholeText.slice(from, to + 1));
  if (value === undefined) throw new Error("the model answered no JSON object");
  return value;
}
