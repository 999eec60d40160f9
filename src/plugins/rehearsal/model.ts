import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { readConversation } from "./conversation.ts";
import type { Decision } from "./decide.ts";
import { decide } from "./decide.ts";

/** Waits; rejects when the signal aborts. */
type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

/**
 * The rehearsal model: rules, not a language model, behind the provider interface of the AI SDK. It needs no account and
 * no network, and the same prompt always gets the same reply. Its answers say what it is.
 */
export function createRehearsalModel(sleep: Sleep = sleepByTimer): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: "rehearsal",
    modelId: "rehearsal",
    supportedUrls: {},
    doGenerate: async (call) => {
      const reply = replyTo(call);
      await pause(reply.waitMs, sleep, call.abortSignal);
      return { content: reply.content, finishReason: reply.finishReason, usage: reply.usage, warnings: [] };
    },
    doStream: async (call) => {
      call.abortSignal?.throwIfAborted();
      const reply = replyTo(call);
      const stream = new ReadableStream<LanguageModelV4StreamPart>({
        start: async (controller) => {
          controller.enqueue({ type: "stream-start", warnings: [] });
          await pause(reply.waitMs, sleep, call.abortSignal);
          for (const part of partsOf(reply)) controller.enqueue(part);
          controller.close();
        },
      });
      return { stream };
    },
  };
}

type Reply = ReturnType<typeof replyTo>;

function replyTo(call: LanguageModelV4CallOptions) {
  const conversation = readConversation(call);
  const decision = decide(conversation);
  const content = contentOf(decision, conversation.callsBefore);
  const reason: LanguageModelV4FinishReason =
    decision.calls.length > 0
      ? { unified: "tool-calls", raw: "tool_calls" }
      : { unified: "stop", raw: "stop" };
  const usage = estimateUsage(call, decision, content);
  return { content, finishReason: reason, usage, waitMs: decision.waitMs };
}

function contentOf(decision: Decision, callsBefore: number): LanguageModelV4Content[] {
  const content: LanguageModelV4Content[] = [];
  if (decision.thought !== "") content.push({ type: "reasoning", text: decision.thought });
  if (decision.text !== "") content.push({ type: "text", text: decision.text });
  for (const [index, { name, input }] of decision.calls.entries()) {
    content.push({
      type: "tool-call",
      toolCallId: `call_${callsBefore + index}`,
      toolName: name,
      input: JSON.stringify(input),
    });
  }
  const [first] = content;
  if (decision.keep !== null && first !== undefined) first.providerMetadata = decision.keep;
  return content;
}

/** A token is taken to be four characters, as is usual for English text. */
const CHARACTERS_PER_TOKEN = 4;

function estimateUsage(
  call: LanguageModelV4CallOptions,
  decision: Decision,
  content: readonly LanguageModelV4Content[],
): LanguageModelV4Usage {
  const tokens = (text: string): number => Math.ceil(text.length / CHARACTERS_PER_TOKEN);
  const input = tokens(JSON.stringify(call.prompt)) + tokens(JSON.stringify(call.tools ?? []));
  const reasoning = tokens(decision.thought);
  const said = content.flatMap((part) => (part.type === "tool-call" ? part.input : []));
  const text = [decision.text, ...said].reduce((sum, one) => sum + tokens(one), 0);
  return {
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: text + reasoning, text, reasoning },
  };
}

function* partsOf(reply: Reply): Generator<LanguageModelV4StreamPart> {
  yield { type: "response-metadata", modelId: "rehearsal" };
  for (const [index, part] of reply.content.entries()) {
    const id = `part_${index}`;
    if (part.type === "reasoning" || part.type === "text") {
      yield { type: `${part.type}-start`, id };
      // Words with the space behind them; joined they are the text.
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
