import { isObject, type JsonObject } from "../core/log/json.ts";
import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { PromptMessage, PromptPart, ReplyPart } from "../core/log/model.ts";
import { quoteLine } from "../core/text/untrusted.ts";
import { hasVisible } from "../core/text/unseen.ts";
import { wireCallId } from "./call-id.ts";
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
    toolCallId: wireCallId(part.call),
    toolName: part.tool,
    // Chat templates and several APIs accept only an object as arguments; other input of a model is wrapped in one.
    input: isObject(part.input) ? part.input : part.input === null ? {} : { input: part.input },
    ...toProviderOptions(part.options),
  };
}

/** False for a text or a thought without a visible character, because providers refuse such content. */
const isSendable = (part: UserPart | AssistantPart): boolean =>
  (part.type !== "text" && part.type !== "reasoning") || hasVisible(part.text) || isSigned(part);

/** An empty thought that carries what its provider wants back (a signature, encrypted reasoning) has nothing else to show. */
const isSigned = (part: {
  readonly type: string;
  readonly text: string;
  readonly providerOptions?: object;
}): boolean => part.type === "reasoning" && part.providerOptions !== undefined && part.text === "";

/** Replaces a result without visible characters. */
const NOTHING = "(nothing)";

/**
 * For providers that refuse an answer without thoughts: an empty field of them. The adapter spreads this namespace into the message.
 * Source: https://api-docs.deepseek.com/guides/thinking_mode
 */
const EMPTY_REASONING = { openaiCompatible: { reasoning_content: "" } };

function toAssistant(parts: readonly ReplyPart[], reasoningAlways: boolean): MessageOf<"assistant"> {
  const content = parts
    .map(toAssistantPart)
    .map((part) => (part.type === "reasoning" && !hasVisible(part.text) ? { ...part, text: "" } : part))
    .filter(isSendable);
  const thinks = content.some((part) => part.type === "reasoning" && part.text !== "");
  if (!reasoningAlways || thinks) return { role: "assistant", content };
  return { role: "assistant", content, providerOptions: EMPTY_REASONING };
}

function toMessage(message: PromptMessage, reasoningAlways: boolean): LanguageModelV4Message {
  switch (message.role) {
    case "user":
      return { role: "user", content: message.parts.map(toUserPart).filter(isSendable) };
    case "assistant":
      return toAssistant(message.parts, reasoningAlways);
    case "tool":
      return {
        role: "tool",
        content: message.results.map(({ call, tool, failed, observation }) => ({
          type: "tool-result",
          toolCallId: wireCallId(call),
          toolName: tool,
          output: {
            type: failed ? "error-text" : "text",
            value: hasVisible(observation) ? observation : NOTHING,
          },
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
function assertSettled(messages: readonly PromptMessage[]): void {
  const open = new Set<string>();
  for (const message of [...messages, { role: "user", parts: [] } as const]) {
    if (message.role === "user" && open.size > 0)
      throw new Error(`calls without a result: ${[...open].join(", ")}`);
    if (message.role === "tool") for (const result of message.results) open.delete(result.call);
    if (message.role !== "assistant") continue;
    for (const part of message.parts) if (part.type === "call") open.add(part.call);
  }
}

/** False for a message without content, and for an answer that is nothing but thoughts. */
const saysSomething = ({ role, content }: LanguageModelV4Message): boolean =>
  role === "assistant" ? content.some((part) => part.type !== "reasoning") : content.length > 0;

/**
 * The prompt of one model call: the instructions, unless they are empty, then the messages in order. Messages without
 * content are left out, because providers refuse them. `reasoningAlways` gives each answer a field of thoughts. Throws when a
 * call has no result.
 */
export function toPrompt(
  instructions: string,
  messages: readonly PromptMessage[],
  reasoningAlways = false,
): LanguageModelV4Prompt {
  assertSettled(messages);
  const prompt = messages.map((message) => toMessage(message, reasoningAlways)).filter(saysSomething);
  return hasVisible(instructions) ? [{ role: "system", content: instructions }, ...prompt] : prompt;
}
