import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { UnsupportedFileError } from "../evidence.ts";

/**
 * A prompt as messages of the chat-completions format (https://platform.openai.com/docs/api-reference/chat/create).
 * Compared with the packages of the AI SDK in test/core/chat-*.test.ts.
 */

/** In what a server of the format differs when it is asked. */
export interface Dialect {
  /** the field in which a model is sent what it reasoned before */
  readonly reasoning: "reasoning_content" | "reasoning";
  /** content of a reply that only called tools */
  readonly noText: null | "";
  /** false: texts of one message are joined by lines, and only images are taken beside them */
  readonly textParts: boolean;
  /** a result carries the name of its tool */
  readonly namedResults: boolean;
}

type UserPart = Extract<LanguageModelV4Message, { role: "user" }>["content"][number];
type AssistantPart = Extract<LanguageModelV4Message, { role: "assistant" }>["content"][number];
type File = Extract<UserPart, { type: "file" }>;

const AUDIO: Readonly<Record<string, string>> = {
  "audio/wav": "wav",
  "audio/mp3": "mp3",
  "audio/mpeg": "mp3",
};

/** A file as a part of a message. Throws UnsupportedFileError for a kind that the format or the server does not take. */
function toFilePart({ data: file, mediaType, filename }: File, dialect: Dialect): object {
  if (file.type !== "data" || typeof file.data !== "string") throw new UnsupportedFileError(mediaType);
  const base64 = file.data;
  const url = `data:${mediaType};base64,${base64}`;
  const [kind] = mediaType.toLowerCase().split("/");
  if (kind === "image") return { type: "image_url", image_url: { url } };
  if (!dialect.textParts) throw new UnsupportedFileError(mediaType);
  const format = AUDIO[mediaType];
  if (format !== undefined) return { type: "input_audio", input_audio: { data: base64, format } };
  if (kind === "video") return { type: "video_url", video_url: { url } };
  if (mediaType === "application/pdf")
    return { type: "file", file: { filename: filename ?? "document.pdf", file_data: url } };
  if (kind !== "text") throw new UnsupportedFileError(mediaType);
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return { type: "text", text: new TextDecoder().decode(bytes) };
}

function toUserContent(parts: readonly UserPart[], dialect: Dialect): string | object[] {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const onlyText = texts.length === parts.length;
  if (onlyText && (!dialect.textParts || parts.length === 1)) return texts.join("\n");
  if (dialect.textParts)
    return parts.map((part) =>
      part.type === "text" ? { type: "text", text: part.text } : toFilePart(part, dialect),
    );
  return [
    ...(texts.length === 0 ? [] : [{ type: "text", text: texts.join("\n") }]),
    ...parts.flatMap((part) => (part.type === "file" ? [toFilePart(part, dialect)] : [])),
  ];
}

/** What Gemini wants back with a call that it made; it came under the name of the provider (chat/stream.ts). */
function signatureOf({ providerOptions }: AssistantPart): object {
  const signature =
    providerOptions?.["compatible"]?.["thoughtSignature"] ??
    providerOptions?.["google"]?.["thoughtSignature"];
  return typeof signature === "string" ? { extra_content: { google: { thought_signature: signature } } } : {};
}

function toAssistantMessage(parts: readonly AssistantPart[], dialect: Dialect): object {
  const join = (type: "text" | "reasoning"): string =>
    parts.map((part) => (part.type === type ? part.text : "")).join("");
  const calls = parts.flatMap((part) =>
    part.type === "tool-call"
      ? [
          {
            id: part.toolCallId,
            type: "function",
            function: { name: part.toolName, arguments: JSON.stringify(part.input) },
            ...signatureOf(part),
          },
        ]
      : [],
  );
  const text = join("text");
  const reasoning = join("reasoning");
  return {
    role: "assistant",
    content: text === "" && calls.length > 0 ? dialect.noText : text,
    ...(reasoning === "" ? {} : { [dialect.reasoning]: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

/** Messages in order. A result of a tool is text, as core sends it. Throws UnsupportedFileError. */
export function toChatMessages(prompt: LanguageModelV4Prompt, dialect: Dialect): object[] {
  return prompt.flatMap((message): object[] => {
    switch (message.role) {
      case "system":
        return [{ role: "system", content: message.content }];
      case "user":
        return [{ role: "user", content: toUserContent(message.content, dialect) }];
      case "assistant":
        return [toAssistantMessage(message.content, dialect)];
      case "tool":
        return message.content.flatMap((part) =>
          part.type === "tool-result"
            ? [
                {
                  role: "tool",
                  tool_call_id: part.toolCallId,
                  content: "value" in part.output ? textOf(part.output.value) : "",
                  ...(dialect.namedResults ? { name: part.toolName } : {}),
                },
              ]
            : [],
        );
    }
  });
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
