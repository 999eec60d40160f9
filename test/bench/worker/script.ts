import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { journalOf } from "./journal.ts";

/**
 * The model of every contender: it does what the person's message says, so that all of them get the same deltas and the
 * same calls. It remembers nothing: where it stands follows from the prompt, also after a crash.
 */
export interface Script {
  /** names the turn; unlike that of any other turn in the isolate */
  readonly key: string;
  /** model calls; all but the last one ask for tools */
  readonly calls: number;
  /** tool calls that each of them asks for */
  readonly toolsPerCall: number;
  /** text deltas of each model call */
  readonly deltas: number;
  /** milliseconds that the model thinks before its first delta */
  readonly thinkMs: number;
  /** the first request of the turn is never answered: whoever makes it has to die */
  readonly hangs: boolean;
  /** milliseconds between two deltas, each of which then says when it left; 0: all at once */
  readonly paceMs: number;
}

const MARK = "bench-script:";

/** The message that makes the model follow the script. */
export function scriptText(script: Script): string {
  return `${MARK}${JSON.stringify(script)}`;
}

/** One delta: seven to nine characters, about two tokens. */
export function deltaText(index: number): string {
  return `word ${index} `;
}

/** A delta that says when it left. */
export const stampText = (at: number): string => `[${at}] `;

/** The script of the turn that the prompt is about, and the tool calls that it has asked for so far. */
function readPrompt(prompt: LanguageModelV4Prompt): { readonly script: Script; readonly called: number } {
  let script: Script | null = null;
  let called = 0;
  for (const message of prompt) {
    if (message.role === "user") {
      for (const part of message.content) {
        if (part.type !== "text" || !part.text.startsWith(MARK)) continue;
        script = JSON.parse(part.text.slice(MARK.length)) as Script;
        called = 0;
      }
    }
    if (message.role === "assistant") {
      called += message.content.filter((part) => part.type === "tool-call").length;
    }
  }
  if (script === null) throw new Error("the prompt holds no script");
  return { script, called };
}

/** Everything that one model call streams. */
function* reply(script: Script, called: number): Generator<LanguageModelV4StreamPart> {
  const step = script.toolsPerCall === 0 ? 0 : called / script.toolsPerCall;
  yield { type: "stream-start", warnings: [] };
  yield { type: "text-start", id: "t" };
  for (let index = 0; index < script.deltas; index++) {
    yield { type: "text-delta", id: "t", delta: deltaText(index) };
  }
  yield { type: "text-end", id: "t" };
  const asks = step < script.calls - 1 ? script.toolsPerCall : 0;
  for (let index = 0; index < asks; index++) {
    const toolCallId = `${script.key}-${called + index}`;
    const input = JSON.stringify({ turn: script.key, n: called + index });
    yield { type: "tool-input-start", id: toolCallId, toolName: "put" };
    yield { type: "tool-input-delta", id: toolCallId, delta: input };
    yield { type: "tool-input-end", id: toolCallId };
    yield { type: "tool-call", toolCallId, toolName: "put", input };
  }
  const unified = asks > 0 ? "tool-calls" : "stop";
  yield {
    type: "finish",
    finishReason: { unified, raw: unified },
    usage: {
      inputTokens: { total: 100, noCache: 100, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: script.deltas, text: script.deltas, reasoning: 0 },
    },
  };
}

async function stream(call: LanguageModelV4CallOptions): Promise<ReadableStream<LanguageModelV4StreamPart>> {
  const { script, called } = readPrompt(call.prompt);
  const journal = journalOf(script.key);
  const request = journal.request(call.prompt.length);
  if (script.hangs && request === 0) await new Promise(() => {});
  if (script.thinkMs > 0) await new Promise((resolve) => setTimeout(resolve, script.thinkMs));
  const parts = reply(script, called);
  return new ReadableStream<LanguageModelV4StreamPart>({
    async pull(controller) {
      const next = parts.next();
      if (next.done !== true) return controller.enqueue(await paced(script, next.value));
      journal.replied(request);
      controller.close();
    },
  });
}

async function paced(
  { paceMs }: Script,
  part: LanguageModelV4StreamPart,
): Promise<LanguageModelV4StreamPart> {
  if (paceMs === 0 || part.type !== "text-delta") return part;
  await new Promise((resolve) => setTimeout(resolve, paceMs));
  return { ...part, delta: stampText(Date.now()) };
}

/** A model that follows the script in the last message of the person that holds one. Streams only. */
export function createScriptedModel(): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: "bench",
    modelId: "scripted",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("the bench streams")),
    doStream: async (call) => ({ stream: await stream(call) }),
  };
}
