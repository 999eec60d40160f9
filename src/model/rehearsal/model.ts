import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import { readConversation } from "./conversation.ts";
import type { Decision } from "./decide.ts";
import { decide } from "./decide.ts";

export interface RehearsalOptions {
  /** milliseconds to wait before a piece of text is sent, so that it reads like typing; default: none */
  readonly delayMs?: (text: string) => number;
  /** waits; rejects when the signal aborts. Default: a timer */
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/**
 * The rehearsal model: rules, not a language model, behind the provider interface of the AI SDK. It needs no account and
 * no network, and the same prompt always gets the same reply. Its answers say what it is.
 */
export function createRehearsalModel(options: RehearsalOptions = {}): LanguageModelV4 {
  const sleep = options.sleep ?? sleepByTimer;
  const delayMs = options.delayMs ?? (() => 0);
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
      return { stream: toStream(streamReply(reply, { sleep, delayMs, signal: call.abortSignal })) };
    },
  };
}

interface Reply {
  readonly content: LanguageModelV4Content[];
  readonly finishReason: LanguageModelV4FinishReason;
  readonly usage: LanguageModelV4Usage;
  readonly waitMs: number;
}

function replyTo(call: LanguageModelV4CallOptions): Reply {
  const conversation = readConversation(call);
  const decision = decide(conversation);
  const content = contentOf(decision, conversation.callsBefore);
  const calls = decision.calls.length > 0;
  return {
    content,
    finishReason: calls ? { unified: "tool-calls", raw: "tool_calls" } : { unified: "stop", raw: "stop" },
    usage: estimateUsage(call, decision, content),
    waitMs: decision.waitMs,
  };
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
  const tokens = (value: unknown): number =>
    Math.ceil(
      (typeof value === "string" ? value.length : (JSON.stringify(value) ?? "").length) /
        CHARACTERS_PER_TOKEN,
    );
  const input = tokens(call.prompt) + tokens(call.tools ?? []);
  const reasoning = tokens(decision.thought);
  const text = content.reduce(
    (sum, part) =>
      sum + (part.type === "text" ? tokens(part.text) : part.type === "tool-call" ? tokens(part.input) : 0),
    0,
  );
  return {
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: text + reasoning, text, reasoning },
  };
}

interface Pace {
  readonly sleep: NonNullable<RehearsalOptions["sleep"]>;
  readonly delayMs: NonNullable<RehearsalOptions["delayMs"]>;
  readonly signal: AbortSignal | undefined;
}

async function* streamReply(reply: Reply, pace: Pace): AsyncGenerator<LanguageModelV4StreamPart> {
  yield { type: "stream-start", warnings: [] };
  await pause(reply.waitMs, pace.sleep, pace.signal);
  yield { type: "response-metadata", modelId: "rehearsal" };
  for (const [index, part] of reply.content.entries()) {
    const id = `part_${index}`;
    if (part.type === "reasoning" || part.type === "text") {
      yield { type: `${part.type}-start`, id };
      for (const delta of pieces(part.text)) {
        await pause(pace.delayMs(delta), pace.sleep, pace.signal);
        yield { type: `${part.type}-delta`, id, delta };
      }
      yield { type: `${part.type}-end`, id, ...metadataOf(part) };
    } else if (part.type === "tool-call") {
      yield { type: "tool-input-start", id: part.toolCallId, toolName: part.toolName };
      yield { type: "tool-input-delta", id: part.toolCallId, delta: part.input };
      yield { type: "tool-input-end", id: part.toolCallId };
      yield part;
    }
  }
  yield { type: "finish", finishReason: reply.finishReason, usage: reply.usage };
}

/** What a part carries beside its text; a tool call is yielded with it as it is. */
function metadataOf({ providerMetadata }: LanguageModelV4Content): {
  providerMetadata?: SharedV4ProviderMetadata;
} {
  return providerMetadata === undefined ? {} : { providerMetadata };
}

/** Words with the space behind them; joined they are the text. */
function pieces(text: string): string[] {
  return text.match(/\s*\S+\s*/gu) ?? [];
}

function toStream(
  parts: AsyncGenerator<LanguageModelV4StreamPart>,
): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream({
    pull: async (controller) => {
      try {
        const next = await parts.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      } catch (error) {
        controller.error(error);
      }
    },
    cancel: async () => {
      await parts.return(undefined);
    },
  });
}

async function pause(ms: number, sleep: Pace["sleep"], signal: AbortSignal | undefined): Promise<void> {
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
