import type { MetadataExtractor } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4Usage, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import { dollars } from "../core/guards/budget/amounts.ts";
import { CHARS_PER_TOKEN } from "../core/limits.ts";
import type { ModelReply, ModelRequest, PromptMessage, TokenUsage } from "../core/log/model.ts";
import { isRecord } from "./evidence.ts";

/** Cost of a call, as reported; estimated by characters if the report lacks it. */

/** characters that one inline file counts as: its base64 does not predict its tokens */
const FILE_CHARS = 4_000;
/** US dollars that one call can have cost; a provider that reports more has made a mistake */
const REPORTED_COST_USD_MAX = 1_000;

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

/** True if the provider reported usage: adapters turn a missing report into zeros. */
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
  reportedCost: number | null = null,
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
    ...(reportedCost === null ? {} : { reportedCost }),
  };
}

/** Key of the extracted cost in the provider metadata. */
const REPORTED = "reported-cost";

/** Reads the cost out of a stream, for providers whose word on it counts. */
export const costExtractor: MetadataExtractor = {
  // Nothing is asked without streaming.
  extractMetadata: () => Promise.resolve(undefined),
  createStreamExtractor: () => {
    let cost: number | null = null;
    return {
      processChunk(chunk) {
        const usage = isRecord(chunk) ? chunk["usage"] : null;
        if (isRecord(usage)) cost = costIn(usage);
      },
      buildMetadata: () => (cost === null ? undefined : { [REPORTED]: { cost } }),
    };
  },
};

/**
 * Returns millionths of a US dollar; null without a plausible value. OpenRouter charges credits, which are dollars.
 * `is_byok` means that the model's own provider is paid in addition, with a key of the operator
 * (https://openrouter.ai/docs/use-cases/usage-accounting).
 */
function costIn(usage: Readonly<Record<string, unknown>>): number | null {
  const charged = amount(usage["cost"]);
  if (charged === null || usage["is_byok"] !== true) return charged === null ? null : dollars(charged);
  const details = usage["cost_details"];
  const upstream = isRecord(details) ? amount(details["upstream_inference_cost"]) : null;
  return upstream === null ? null : dollars(charged + upstream);
}

const amount = (value: unknown): number | null =>
  typeof value === "number" && value >= 0 && value <= REPORTED_COST_USD_MAX ? value : null;

/** Returns the cost found by the extractor, in millionths of a US dollar. */
export function reportedCostIn(metadata: SharedV4ProviderMetadata | undefined): number | null {
  const cost = metadata?.[REPORTED]?.["cost"];
  return typeof cost === "number" ? cost : null;
}
