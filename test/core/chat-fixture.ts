import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import type { StreamingModel } from "../../src/model/chat/models.ts";

/**
 * What our two chat models and the packages of the AI SDK for the same servers are both asked, and both answered: they
 * must send and understand the same.
 */

export const text = (said: string) => ({ type: "text" as const, text: said });
export const user = (...content: Extract<LanguageModelV4Prompt[number], { role: "user" }>["content"]) => ({
  role: "user" as const,
  content,
});
export const file = (mediaType: string, data = "iVBORw==") => ({
  type: "file" as const,
  mediaType,
  data: { type: "data" as const, data },
});
export const HISTORY: LanguageModelV4Prompt = [
  { role: "system", content: "Be brief." },
  user(text("go")),
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "Hm." },
      text("I "),
      text("look."),
      {
        type: "tool-call",
        toolCallId: "r1s1c0",
        toolName: "look",
        input: { slug: "a" },
      },
      { type: "tool-call", toolCallId: "r1s1c1", toolName: "look", input: {} },
    ],
  },
  {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: "r1s1c0",
        toolName: "look",
        output: { type: "text", value: "seen" },
      },
      {
        type: "tool-result",
        toolCallId: "r1s1c1",
        toolName: "look",
        output: { type: "error-text", value: "not there" },
      },
    ],
  },
  { role: "assistant", content: [text("Done.")] },
  user(text("and"), text("now?")),
];
export const CALL: LanguageModelV4CallOptions = {
  prompt: HISTORY,
  tools: [
    {
      type: "function",
      name: "look",
      description: "Looks",
      inputSchema: { type: "object", properties: { slug: { type: "string" } } },
    },
  ],
  toolChoice: { type: "auto" },
  maxOutputTokens: 100,
  temperature: 0.2,
};
export const asked = (...content: Parameters<typeof user>): LanguageModelV4CallOptions => ({
  prompt: [user(...content)],
});

/** What came of it: text, calls, metadata and the end, without the names that each stream makes up. */
export async function collect(model: StreamingModel, call: LanguageModelV4CallOptions): Promise<unknown> {
  const { stream } = await model.doStream(call);
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  const spoken = (type: "text-delta" | "reasoning-delta"): string =>
    parts.map((part) => (part.type === type ? part.delta : "")).join("");
  const end = parts.find((part) => part.type === "finish");
  return {
    kinds: parts
      .filter(
        (part) => part.type === "text-start" || part.type === "reasoning-start" || part.type === "tool-call",
      )
      .map((part) => part.type),
    text: spoken("text-delta"),
    reasoning: spoken("reasoning-delta"),
    calls: parts.flatMap((part) =>
      part.type === "tool-call" ? [[part.toolName, part.input, part.providerMetadata]] : [],
    ),
    model: parts.find((part) => part.type === "response-metadata")?.modelId,
    broken: parts.some((part) => part.type === "error"),
    finish: end?.finishReason.unified,
    tokens: [
      end?.usage.inputTokens.total ?? 0,
      end?.usage.inputTokens.cacheRead ?? 0,
      end?.usage.outputTokens.total ?? 0,
    ],
  };
}

const line = (data: unknown): string => `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
export const chunk = (delta: unknown, finish: string | null = null): unknown => ({
  id: "c1",
  model: "m-2026",
  choices: [{ index: 0, delta, finish_reason: finish }],
});
export const called = (piece: object): unknown => chunk({ tool_calls: [piece] });
export const look = (args: string) => ({ name: "look", arguments: args });
export const USAGE = {
  choices: [],
  usage: { prompt_tokens: 40, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 32 } },
};
export const body = (events: readonly unknown[]): ReadableStream<Uint8Array> =>
  new Blob([events.map(line).join("")]).stream();

export const ANSWERS: Record<string, readonly unknown[]> = {
  "text, and usage behind it": [
    chunk({ content: "Hel" }),
    chunk({ content: "lo" }),
    chunk({}, "stop"),
    USAGE,
    "[DONE]",
  ],
  "reasoning, text and calls": [
    chunk({ role: "assistant", content: "" }),
    chunk({ reasoning_content: "H" }),
    chunk({ reasoning: "m." }),
    chunk({ content: "I look." }),
    called({ index: 0, id: "a", type: "function", function: look("") }),
    called({ index: 0, function: { arguments: '{"slug":' } }),
    called({ index: 0, function: { arguments: '"a"}' } }),
    called({ index: 1, id: "b", type: "function", function: look('{"slug":"b"}') }),
    chunk({}, "tool_calls"),
    "[DONE]",
  ],
  "two calls in one event": [
    chunk({
      tool_calls: [
        { index: 0, id: "a", function: look("{}") },
        { index: 1, id: "b", function: look("{}") },
      ],
    }),
    chunk({}, "tool_calls"),
    "[DONE]",
  ],
  "an answer that its limit cut": [chunk({ content: "Hal" }, "length"), "[DONE]"],
  "nothing said": [chunk({}, "stop"), "[DONE]"],
};
