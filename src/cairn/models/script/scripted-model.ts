import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { NOTE_KEY, readConversation, type Conversation } from "./conversation.ts";
import type { NextReply } from "./reply.ts";

/** Waits; rejects when the signal aborts. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

/**
 * A model that computes its replies from the conversation alone, behind the provider interface of the AI SDK: no network,
 * no clock, no randomness, so the same prompt always gets the same reply. `name` is the name of provider and model.
 */
export function createScriptedModel(
  name: string,
  replyTo: (conversation: Conversation) => NextReply,
  sleep: Sleep = sleepByTimer,
): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: name,
    modelId: name,
    supportedUrls: {},
    doGenerate: async (call) => {
      const reply = encodeReply(call, replyTo);
      await pause(reply.waitMs, sleep, call.abortSignal);
      return { content: reply.content, finishReason: reply.finishReason, usage: reply.usage, warnings: [] };
    },
    doStream: async (call) => {
      call.abortSignal?.throwIfAborted();
      const reply = encodeReply(call, replyTo);
      const stream = new ReadableStream<LanguageModelV4StreamPart>({
        start: async (controller) => {
          controller.enqueue({ type: "stream-start", warnings: [] });
          await pause(reply.waitMs, sleep, call.abortSignal);
          controller.enqueue({ type: "response-metadata", modelId: name });
          for (const part of partsOf(reply)) controller.enqueue(part);
          controller.close();
        },
      });
      return { stream };
    },
  };
}

type EncodedReply = ReturnType<typeof encodeReply>;

function encodeReply(call: LanguageModelV4CallOptions, replyTo: (conversation: Conversation) => NextReply) {
  const conversation = readConversation(call);
  const reply = replyTo(conversation);
  const reason: LanguageModelV4FinishReason =
    (reply.calls?.length ?? 0) > 0
      ? { unified: "tool-calls", raw: "tool_calls" }
      : { unified: "stop", raw: "stop" };
  return {
    content: contentOf(reply, conversation.callsBefore),
    finishReason: reason,
    usage: estimateUsage(call, reply),
    waitMs: reply.waitMs ?? 0,
  };
}

function contentOf(
  { thought = "", text = "", calls = [], note }: NextReply,
  callsBefore: number,
): LanguageModelV4Content[] {
  const content: LanguageModelV4Content[] = [];
  if (thought !== "") content.push({ type: "reasoning", text: thought });
  if (text !== "") content.push({ type: "text", text });
  for (const [index, [toolName, input]] of calls.entries()) {
    const toolCallId = `call_${callsBefore + index}`;
    content.push({ type: "tool-call", toolCallId, toolName, input: JSON.stringify(input) });
  }
  const [first] = content;
  if (note !== undefined && first !== undefined) first.providerMetadata = { [NOTE_KEY]: { note } };
  return content;
}

/** The usual estimate for English text. */
const CHARACTERS_PER_TOKEN = 4;

function estimateUsage(
  call: LanguageModelV4CallOptions,
  { thought = "", text = "", calls = [] }: NextReply,
): LanguageModelV4Usage {
  const tokens = (value: string): number => Math.ceil(value.length / CHARACTERS_PER_TOKEN);
  const input = tokens(JSON.stringify(call.prompt)) + tokens(JSON.stringify(call.tools ?? []));
  const reasoning = tokens(thought);
  const output = calls.reduce((sum, [, each]) => sum + tokens(JSON.stringify(each)), tokens(text));
  return {
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: output + reasoning, text: output, reasoning },
  };
}

function* partsOf(reply: EncodedReply): Generator<LanguageModelV4StreamPart> {
  for (const [index, part] of reply.content.entries()) {
    const id = `part_${index}`;
    if (part.type === "reasoning" || part.type === "text") {
      yield { type: `${part.type}-start`, id };
      // Words with the space after them; joined they are the text.
      for (const delta of part.text.match(/\s*\S+\s*/gu) ?? [])
        yield { type: `${part.type}-delta`, id, delta };
      const { providerMetadata } = part;
      yield { type: `${part.type}-end`, id, ...(providerMetadata === undefined ? {} : { providerMetadata }) };
    } else if (part.type === "tool-call") {
      yield { type: "tool-input-start", id: part.toolCallId, toolName: part.toolName };
      yield { type: "tool-input-delta", id: part.toolCallId, delta: part.input };
      yield { type: "tool-input-end", id: part.toolCallId };
      yield part;
    }
  }
  yield { type: "finish", finishReason: reply.finishReason, usage: reply.usage };
}

async function pause(ms: number, sleep: Sleep, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  if (ms > 0) await sleep(ms, signal);
  signal?.throwIfAborted();
}

function sleepByTimer(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason instanceof Error ? signal.reason : new DOMException("stopped", "AbortError"));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
