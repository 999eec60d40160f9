import { isObject, type JsonObject } from "../core/log/json.ts";
import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { PromptMessage, PromptPart, ReplyPart } from "../core/log/model.ts";
import { quoteLine } from "../core/text/untrusted.ts";
import { fileWords, imageWords } from "./pictures.ts";

/**
 * The window that core composed, as the provider interface of the AI SDK takes it. Nothing is fetched here: a file is sent when it is inline,
 * and named when it is not (pictures.ts puts those of the library in line).
 */

type MessageOf<Role> = Extract<LanguageModelV4Message, { role: Role }>;
type UserPart = MessageOf<"user">["content"][number];
type AssistantPart = MessageOf<"assistant">["content"][number];

const URL_CHARS_MAX = 500;

/** Options come back exactly as the provider gave them; a namespace that is no object was never one of theirs. */
function toProviderOptions(options: JsonObject | undefined): { providerOptions?: SharedV4ProviderOptions } {
  if (options === undefined) return {};
  const providerOptions: SharedV4ProviderOptions = {};
  for (const [namespace, value] of Object.entries(options)) {
    if (isObject(value)) providerOptions[namespace] = value;
  }
  return { providerOptions };
}

/** The base64 of a `data:` URL (RFC 2397), or null when the URL is not one or cannot be decoded. */
function parseDataUrl(url: string): string | null {
  const comma = url.indexOf(",");
  if (!/^data:/i.test(url) || comma < 0) return null;
  const data = url.slice(comma + 1);
  if (/;base64$/i.test(url.slice(0, comma))) return data;
  try {
    const bytes = new TextEncoder().encode(decodeURIComponent(data));
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  } catch {
    return null;
  }
}

function toUserPart(part: PromptPart): UserPart {
  if (part.type === "text") return { type: "text", text: part.text };
  const data = parseDataUrl(part.url);
  if (data !== null) return { type: "file", mediaType: part.mediaType, data: { type: "data", data } };
  if (part.image !== undefined) return { type: "text", text: imageWords(part) };
  if (part.file !== undefined) return { type: "text", text: fileWords(part.file, part.mediaType) };
  const address = /^data:/i.test(part.url) ? "data:" : part.url.slice(0, URL_CHARS_MAX);
  return { type: "text", text: `[file, not included: ${part.mediaType} ${quoteLine(address).slice(1, -1)}]` };
}

function toAssistantPart(part: ReplyPart): AssistantPart {
  if (part.type !== "call") return { type: part.type, text: part.text, ...toProviderOptions(part.options) };
  return {
    type: "tool-call",
    toolCallId: part.call,
    toolName: part.tool,
    // Chat templates and several APIs take only an object as arguments; what a model wrote instead is kept inside one.
    input: isObject(part.input) ? part.input : part.input === null ? {} : { input: part.input },
    ...toProviderOptions(part.options),
  };
}

/** A text that is empty says nothing, and providers refuse it; one that carries options of its provider is kept. */
const isSaid = (part: UserPart | AssistantPart): boolean =>
  part.type !== "text" || part.text !== "" || part.providerOptions !== undefined;

function toMessage(message: PromptMessage): LanguageModelV4Message {
  switch (message.role) {
    case "user":
      return { role: "user", content: message.parts.map(toUserPart).filter(isSaid) };
    case "assistant":
      return { role: "assistant", content: message.parts.map(toAssistantPart).filter(isSaid) };
    case "tool":
      return {
        role: "tool",
        content: message.results.map((result) => ({
          type: "tool-result",
          toolCallId: result.call,
          toolName: result.tool,
          output: { type: result.failed ? "error-text" : "text", value: result.observation },
        })),
      };
  }
}

/** Messages with those of one role that follow one another as one: templates of models without tools want turns. */
export function joinTurns(messages: readonly PromptMessage[]): PromptMessage[] {
  const turns: PromptMessage[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (last?.role === "user" && message.role === "user")
      turns.splice(-1, 1, { role: "user", parts: [...last.parts, ...message.parts] });
    else turns.push(message);
  }
  return turns;
}

/** Throws when a call has no result before the next word of a person, or at all: providers refuse such a history. */
function assertSettled(messages: LanguageModelV4Prompt): void {
  const open = new Set<string>();
  for (const message of [...messages, { role: "user", content: [] } as const]) {
    if (message.role === "user" && open.size > 0)
      throw new Error(`calls without a result: ${[...open].join(", ")}`);
    if (message.role !== "assistant" && message.role !== "tool") continue;
    for (const part of message.content) {
      if (part.type === "tool-call") open.add(part.toolCallId);
      else if (part.type === "tool-result") open.delete(part.toolCallId);
    }
  }
}

/**
 * The prompt of one model call: the instructions, unless they are empty, then the messages in order. Messages without
 * content are left out, because providers refuse them. Throws when a call has no result.
 */
export function toPrompt(instructions: string, messages: readonly PromptMessage[]): LanguageModelV4Prompt {
  const prompt = messages.map(toMessage).filter((message) => message.content.length > 0);
  assertSettled(prompt);
  return instructions === "" ? prompt : [{ role: "system", content: instructions }, ...prompt];
}
