import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { toJson } from "../../core/json.ts";
import { ProviderError } from "../evidence.ts";
import { toChatMessages, type Dialect } from "./messages.ts";
import { readEvents, readWhole, type AnswerDialect } from "./stream.ts";

/** Models that are spoken to in the chat-completions format: over HTTP, and through the AI binding. */

/** What Cairn calls of a model: one answer, as a stream. Every `LanguageModelV4` is one. */
export type StreamingModel = Pick<LanguageModelV4, "modelId" | "doStream">;

const OPENAI: Dialect & AnswerDialect = {
  reasoning: "reasoning_content",
  noText: null,
  textParts: true,
  namedResults: false,
  endsByDone: false,
  namesModel: true,
};
/** The binding refuses a content of null; `reasoning` is the name that vLLM reads. */
const WORKERS_AI: Dialect & AnswerDialect = {
  reasoning: "reasoning",
  noText: "",
  textParts: false,
  namedResults: true,
  endsByDone: true,
  namesModel: false,
};

const ERROR_BODY_BYTES_MAX = 65_536;

/** The request of both: messages, tools and limits. */
function toRequest(options: LanguageModelV4CallOptions, dialect: Dialect): Record<string, unknown> {
  const { prompt, tools = [], toolChoice, maxOutputTokens, temperature } = options;
  const offered = tools.flatMap((tool) => {
    if (tool.type !== "function") return [];
    const { name, description } = tool;
    const parameters: unknown = tool.inputSchema;
    return [{ type: "function", function: { name, description, parameters } }];
  });
  return {
    messages: toChatMessages(prompt, dialect),
    ...(offered.length === 0 ? {} : { tools: offered, tool_choice: toolChoice?.type ?? "auto" }),
    ...(maxOutputTokens === undefined ? {} : { max_tokens: maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    stream: true,
  };
}

/** The beginning of a body, which may be of any size. */
async function readBeginning(body: ReadableStream<Uint8Array> | null): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const piece of body ?? []) {
    text += decoder.decode(piece, { stream: true });
    bytes += piece.byteLength;
    if (bytes > ERROR_BODY_BYTES_MAX) break;
  }
  return text;
}

export interface CompatibleSettings {
  /** such as `https://openrouter.ai/api/v1` */
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly fetch: typeof fetch;
}

/** A model behind an OpenAI-compatible API. A status that is no success throws a ProviderError. */
export function createCompatibleModel(modelId: string, settings: CompatibleSettings): StreamingModel {
  const { baseUrl, apiKey, fetch } = settings;
  return {
    modelId,
    async doStream(options) {
      const response = await fetch(`${baseUrl.replace(/\/+$/, "")}/chat/completions`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
        },
        body: JSON.stringify({
          model: modelId,
          ...toRequest(options, OPENAI),
          stream_options: { include_usage: true },
        }),
        ...(options.abortSignal === undefined ? {} : { signal: options.abortSignal }),
      });
      if (!response.ok || response.body === null) {
        const headers = Object.fromEntries(response.headers);
        throw new ProviderError(response.status, headers, await readBeginning(response.body));
      }
      return { stream: readEvents(response.body, OPENAI) };
    },
  };
}

export interface BindingSettings {
  readonly ai: Ai;
  /** id of the AI Gateway that calls go through; null: none */
  readonly gatewayId: string | null;
  /** calls of one session are sent to one place, where its prefix is cached */
  readonly session: string;
}

/** A model behind the AI binding: one of Workers AI, or of a vendor through AI Gateway. Throws what the binding throws. */
export function createBindingModel(modelId: string, settings: BindingSettings): StreamingModel {
  const { ai, gatewayId, session } = settings;
  // Models of vendors are reached through a gateway only; each account has the one named so.
  const gateway = gatewayId ?? (modelId.startsWith("@") ? null : "default");
  return {
    modelId,
    async doStream(options) {
      // The binding is typed by the list of models of one day. Its methods need their own `this`.
      const answer: unknown = await Reflect.apply(ai.run, ai, [
        modelId,
        toRequest(options, WORKERS_AI),
        {
          ...(gateway === null ? {} : { gateway: { id: gateway } }),
          extraHeaders: { "x-session-affinity": session },
          signal: options.abortSignal,
        },
      ]);
      // Some models answer whole although they were asked for a stream.
      return {
        stream:
          answer instanceof ReadableStream
            ? readEvents(answer, WORKERS_AI)
            : readWhole(toJson(answer), WORKERS_AI),
      };
    },
  };
}
