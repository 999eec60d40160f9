import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import { CHARS_PER_TOKEN } from "../core/limits.ts";
import type { ModelReply, ModelRequest, PromptMessage, TokenUsage } from "../core/log/model.ts";

/** What a call cost, as reported; and by characters where the report is silent. */

/** characters that one inline file counts as: its base64 says nothing about its tokens */
const FILE_CHARS = 4_000;

const tokens = (characters: number): number => Math.ceil(characters / CHARS_PER_TOKEN);
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

function messageChars(message: PromptMessage): number {
  switch (message.role) {
    case "user":
      return sum(message.parts.map((part) => (part.type === "text" ? part.text.length : FILE_CHARS)));
    case "assistant":
      return sum(
        message.parts.map((part) =>
          part.type === "call" ? part.tool.length + JSON.stringify(part.input).length : part.text.length,
        ),
      );
    case "tool":
      return sum(message.results.map((result) => result.observation.length));
  }
}

/** Characters that a request sends: instructions, messages and tool schemas. */
function requestChars(request: ModelRequest): number {
  return (
    request.instructions.length +
    sum(request.messages.map(messageChars)) +
    sum(request.tools.map((offer) => JSON.stringify(offer).length))
  );
}

function replyChars(parts: ModelReply["parts"]): number {
  return sum(
    parts.map((part) =>
      part.type === "call"
        ? part.tool.length + (part.malformed ?? JSON.stringify(part.input)).length
        : part.text.length,
    ),
  );
}

/** A reported number of tokens; 0 when there is none that can be meant. */
const known = (count: number | undefined): number =>
  count !== undefined && Number.isFinite(count) && count > 0 ? Math.round(count) : 0;

/** True when the provider said anything: adapters turn a missing report into zeros. */
export function isReported(usage: LanguageModelV4Usage): boolean {
  return known(usage.inputTokens.total) > 0 || known(usage.outputTokens.total) > 0;
}

/**
 * Tokens of one call. A number that is absent, or zero where it cannot be (a prompt is never empty, nor is the output
 * behind a part), is replaced by ceil(characters / 4) and the whole is marked `estimated`.
 */
export function toUsage(
  reported: LanguageModelV4Usage | null,
  request: ModelRequest,
  parts: ModelReply["parts"],
): TokenUsage {
  const input = known(reported?.inputTokens.total);
  const output = known(reported?.outputTokens.total);
  const spoken = replyChars(parts);
  return {
    inputTokens: input === 0 ? tokens(requestChars(request)) : input,
    cachedInputTokens: known(reported?.inputTokens.cacheRead),
    outputTokens: output === 0 ? tokens(spoken) : output,
    reasoningTokens: known(reported?.outputTokens.reasoning),
    estimated: input === 0 || (output === 0 && spoken > 0),
  };
}
