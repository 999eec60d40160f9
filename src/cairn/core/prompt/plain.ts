import type { PromptMessage, PromptPart, ReplyPart } from "../log/model.ts";
import { hasVisible, withoutUnwritten } from "../text/unseen.ts";

/**
 * A request without the parts that providers are known to refuse: thoughts, a provider's own options (signatures), files, and
 * characters that no reader sees. Calls, results and visible words stay, so the model knows what it has done.
 */

/** The messages in their plain form. A message that is plain already is returned as the same object. */
export function plainMessages(messages: readonly PromptMessage[]): readonly PromptMessage[] {
  const plain = messages.map(plainMessage);
  return plain.every((message, at) => message === messages[at]) ? messages : plain;
}

/** Messages are composed anew for each request of a step, from entries that never change. */
const known = new WeakMap<PromptMessage, PromptMessage>();

function plainMessage(message: PromptMessage): PromptMessage {
  const found = known.get(message);
  if (found !== undefined) return found;
  const made = makePlain(message);
  known.set(message, made);
  return made;
}

function makePlain(message: PromptMessage): PromptMessage {
  switch (message.role) {
    case "user": {
      const parts = message.parts.map(plainPart);
      return parts.every((part, at) => part === message.parts[at]) ? message : { role: "user", parts };
    }
    case "assistant": {
      const parts = message.parts.flatMap(plainReply);
      const isPlain =
        parts.length === message.parts.length && parts.every((part, at) => part === message.parts[at]);
      return isPlain ? message : { role: "assistant", parts };
    }
    case "tool": {
      const results = message.results.map((result) => {
        const observation = withoutUnwritten(result.observation);
        return observation === result.observation ? result : { ...result, observation };
      });
      return results.every((result, at) => result === message.results[at])
        ? message
        : { role: "tool", results };
    }
  }
}

function plainPart(part: PromptPart): PromptPart {
  if (part.type !== "text")
    return {
      type: "text",
      text: `[file, left out because the provider refused the request: ${part.mediaType}]`,
    };
  const text = withoutUnwritten(part.text);
  return text === part.text ? part : { ...part, text };
}

function plainReply(part: ReplyPart): readonly ReplyPart[] {
  if (part.type === "reasoning") return [];
  if (part.type === "call") {
    const { options, ...call } = part;
    return [options === undefined ? part : call];
  }
  const text = withoutUnwritten(part.text);
  if (!hasVisible(text)) return [];
  return [text === part.text && part.options === undefined ? part : { type: "text", text }];
}
