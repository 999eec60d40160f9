import type { AssistantModelMessage, ModelMessage, UserModelMessage } from "ai";
import type { Json, JsonObject } from "../core/json.ts";
import type { PromptMessage, PromptPart, ReplyPart } from "../core/model.ts";

/**
 * The window that core composed, in the shape of the AI SDK. Nothing is fetched here: a file is sent when it is inline,
 * and named when it is not.
 */

type UserPart = Exclude<UserModelMessage["content"], string>[number];
type AssistantPart = Exclude<AssistantModelMessage["content"], string>[number];
type ProviderOptions = NonNullable<AssistantModelMessage["providerOptions"]>;

const URL_CHARS_MAX = 500;

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Options come back exactly as the provider gave them; a namespace that is no object was never one of theirs. */
function toProviderOptions(options: JsonObject | undefined): { providerOptions?: ProviderOptions } {
  if (options === undefined) return {};
  const providerOptions: ProviderOptions = {};
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
  const address = /^data:/i.test(part.url) ? "data:" : part.url.slice(0, URL_CHARS_MAX);
  return { type: "text", text: `[file, not included: ${part.mediaType} ${address}]` };
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

/** Messages of one model call, in order; messages without content are left out, because providers refuse them. */
export function toModelMessages(messages: readonly PromptMessage[]): ModelMessage[] {
  return messages.flatMap((message): ModelMessage[] => {
    switch (message.role) {
      case "user":
        return message.parts.length === 0 ? [] : [{ role: "user", content: message.parts.map(toUserPart) }];
      case "assistant":
        return message.parts.length === 0
          ? []
          : [{ role: "assistant", content: message.parts.map(toAssistantPart) }];
      case "tool":
        return message.results.length === 0
          ? []
          : [
              {
                role: "tool",
                content: message.results.map((result) => ({
                  type: "tool-result",
                  toolCallId: result.call,
                  toolName: result.tool,
                  output: { type: result.failed ? "error-text" : "text", value: result.observation },
                })),
              },
            ];
    }
  });
}
