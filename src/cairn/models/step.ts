import type {
  LanguageModelV4,
  LanguageModelV4FunctionTool,
  LanguageModelV4StreamPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import { CHUNK_MS, FIRST_CHUNK_MS, REPLY_CHARS_MAX } from "../core/limits.ts";
import type {
  FinishReason,
  Model,
  ModelFailure,
  ModelOutcome,
  ModelReply,
  ModelRequest,
  ToolOffer,
} from "../core/log/model.ts";
import { stopStrings } from "../core/dialects/offer.ts";
import { coalesceDeltas } from "./coalesce.ts";
import { classifyModelError, cutOff } from "./errors.ts";
import { StreamEventError } from "./evidence.ts";
import { joinTurns, toPrompt } from "./messages.ts";
import { createPatience } from "./patience.ts";
import { showPictures, type Pictures } from "./pictures.ts";
import type { Providers } from "./providers.ts";
import { createReplyTape, toOptions, type ReplyTape } from "./reply.ts";
import { isReported, reportedCostIn, toUsage } from "./usage.ts";

/**
 * One model call. Tools carry a schema and nothing to run; no layer below retries; what the
 * model asked for comes back as it was asked, and the loop judges it. Every failure is a value.
 */

export interface ModelSettings {
  readonly providers: Providers;
  /** pictures of the library for models that see; if absent, all are described in text */
  readonly pictures?: Pictures;
  /** milliseconds since the epoch */
  readonly clock?: () => number;
  /** until the first content, from the moment of the call */
  readonly firstChunkMs?: number;
  /** between pieces of content */
  readonly chunkMs?: number;
}

type CallEnd = Extract<LanguageModelV4StreamPart, { type: "finish" }>;
/** End of a stream: the finish part, which may be missing, or the error that broke the stream. */
type Ended =
  | { readonly kind: "finished"; readonly end: CallEnd | null; readonly model: string }
  | { readonly kind: "broken"; readonly error: unknown };

const failed = (failure: ModelFailure): ModelOutcome => ({ kind: "failed", failure });

const toTool = ({ name, description, inputSchema }: ToolOffer): LanguageModelV4FunctionTool => ({
  type: "function",
  name,
  description,
  inputSchema: { ...inputSchema },
});

/** The finish as the loop knows it, or null when the answer was cut off and its content cannot be trusted. */
function toFinish(end: CallEnd): FinishReason | null {
  // `workers-ai-provider` has no such finish reason and reports `stop`.
  const { unified, raw } = end.finishReason;
  if (/^content.?filter/i.test(raw ?? "")) return "content-filter";
  switch (unified) {
    case "error":
      return null;
    case "other":
      // OpenRouter ends an answer with the word when the model's own provider failed in the middle of it.
      return raw === undefined || raw === "error" ? null : "other";
    case "stop":
    case "length":
    case "content-filter":
    case "tool-calls":
      return unified;
    default:
      return null;
  }
}

/** The port `Model` over the provider interface of the AI SDK (`LanguageModelV4`). `call` never throws. */
export function createModel(settings: ModelSettings): Model {
  const {
    providers,
    pictures,
    clock = Date.now,
    firstChunkMs = FIRST_CHUNK_MS,
    chunkMs = CHUNK_MS,
  } = settings;

  return {
    async call(request, draft, signal): Promise<ModelOutcome> {
      const startedAt = clock();
      let firstAt: number | null = null;
      const { dialect, tools: offers, takesWritten } = request;
      const tape = createReplyTape({ dialect, offers, takesWritten }, draft);
      const toReply = (finish: FinishReason, end: CallEnd | null, model: string): ModelReply => {
        const parse = tape.end();
        const parts = tape.parts();
        return {
          parts,
          // Some models report `stop` although they call tools, and a call in text always ends so.
          finish: finish === "stop" && tape.hasCalls() ? "tool-calls" : finish,
          ...(parse === undefined ? {} : { parse }),
          usage: toUsage(end?.usage ?? null, request, parts, reportedCostIn(end?.providerMetadata)),
          model,
          ms: clock() - startedAt,
          firstTokenMs: firstAt === null ? null : firstAt - startedAt,
        };
      };
      const toPartial = (): ModelOutcome => ({
        kind: "aborted",
        partial: toReply("aborted", null, request.model),
      });

      try {
        if (signal.aborted) return toPartial();
        const model = await providers(request.model, request.session);
        if ("problem" in model) {
          return failed({ class: "unknown_model", message: model.problem, retryAfterMs: null, usage: null });
        }
        const seen = pictures?.sees(request.model) === true ? pictures.read : null;
        const messages = seen === null ? request.messages : await showPictures(request.messages, seen);
        const ended = await readStream(
          model,
          { ...request, messages },
          tape,
          signal,
          { firstChunkMs, chunkMs },
          () => {
            firstAt ??= clock();
          },
        );
        // A cancel may reach us as any error at all; that it was asked for is what counts.
        if (signal.aborted) return toPartial();
        if (ended.kind === "broken") {
          const failure = classifyModelError(ended.error, clock());
          // A connection that breaks once the answer has begun is a broken answer.
          return failed(failure.class === "network" && firstAt !== null ? cutOff(null) : failure);
        }
        const { end, model: answered } = ended;
        const finish = end === null ? null : toFinish(end);
        if (finish !== null) return { kind: "replied", reply: toReply(finish, end, answered) };
        if (end === null || !isReported(end.usage)) return failed(cutOff(null));
        const cost = reportedCostIn(end.providerMetadata);
        return failed(cutOff(toUsage(end.usage, request, tape.parts(), cost)));
      } catch (error) {
        return failed(classifyModelError(error, clock()));
      }
    },
  };
}

/** characters of one stream that are read, thoughts included: beyond them it is no answer, and only fills the memory */
const STREAM_CHARS_MAX = 4 * REPLY_CHARS_MAX;
/** a call with its name and its place in the list, in characters of a stream: 130 calls are no answer either */
const CALL_CHARS = 4_000;

/**
 * A part with few characters or none counts as so many, because every part costs time: that makes 131,072 parts, a token each. A
 * source in memory can send empty ones without an end, and leaves no timer its turn.
 */
const PART_CHARS_MIN = 8;

/** Characters that a part adds to a reply, with what its provider wants back. */
function charsOf(part: LanguageModelV4StreamPart): number {
  const metadata = "providerMetadata" in part ? part.providerMetadata : undefined;
  const options = metadata === undefined ? 0 : JSON.stringify(toOptions(metadata)).length;
  if (part.type === "tool-input-start") return CALL_CHARS + options;
  if (part.type === "tool-call") return CALL_CHARS + part.input.length + options;
  return Math.max(PART_CHARS_MIN, ("delta" in part ? part.delta.length : 0) + options);
}

/** Counts the parts of one stream, and finds the error of one that has no end. */
function boundStream(): (part: LanguageModelV4StreamPart) => Error | null {
  let chars = 0;
  return (part) => {
    chars += charsOf(part);
    return chars > STREAM_CHARS_MAX ? new StreamEventError({ error: "the answer has no end" }) : null;
  };
}

/** Runs one stream to its end, an abort or an error, and leaves nothing of it running. Never throws. */
async function readStream(
  model: LanguageModelV4,
  request: ModelRequest,
  tape: ReplyTape,
  signal: AbortSignal,
  silence: { readonly firstChunkMs: number; readonly chunkMs: number },
  onContent: () => void,
): Promise<Ended> {
  const patience = createPatience({ ...silence, timeoutMs: request.timeoutMs });
  const over = AbortSignal.any([signal, patience.signal]);
  // A provider need not listen to the signal: nothing of it is waited for past this.
  const gone = new Promise<never>((_, reject) => {
    over.addEventListener("abort", () => reject(new Error("the call was left")), { once: true });
  });
  gone.catch(() => undefined);
  let end: CallEnd | null = null;
  let ended = false;
  let answered = model.modelId;
  let parts: ReadableStreamDefaultReader<LanguageModelV4StreamPart> | null = null;
  try {
    const stream = await Promise.race([startCall(model, request, over), gone]);
    parts = stream.getReader();
    for (;;) {
      const { done, value: part } = await Promise.race([parts.read(), gone]);
      if (done) {
        ended = true;
        break;
      }
      switch (part.type) {
        case "text-start":
        case "text-delta":
        case "text-end":
        case "reasoning-start":
        case "reasoning-delta":
        case "reasoning-end":
          patience.received();
          onContent();
          tape.speak(part);
          break;
        case "tool-input-start":
        case "tool-input-delta":
          patience.received();
          onContent();
          break;
        case "tool-call":
          patience.received();
          onContent();
          tape.call(part);
          break;
        case "response-metadata":
          answered = part.modelId ?? answered;
          break;
        case "finish":
          patience.finished();
          end = part;
          break;
        case "error":
          return {
            kind: "broken",
            error: part.error instanceof Error ? part.error : new StreamEventError(part.error),
          };
        default:
      }
    }
    return { kind: "finished", end, model: answered };
  } catch (error) {
    return { kind: "broken", error: patience.signal.aborted ? patience.signal.reason : error };
  } finally {
    patience.leave(ended);
    // Whatever of the call is still under way has no reader any more.
    if (!ended) parts?.cancel().catch(() => undefined);
  }
}

/** Asks the model. Throws for a history that is not settled, before anyone is asked. */
async function startCall(
  model: LanguageModelV4,
  request: ModelRequest,
  abortSignal: AbortSignal,
): Promise<ReadableStream<LanguageModelV4StreamPart>> {
  const { dialect, tools } = request;
  const isNative = dialect === "native";
  const stopSequences = stopStrings(dialect);
  const { stream } = await model.doStream({
    prompt: toPrompt(
      request.instructions,
      isNative ? request.messages : joinTurns(request.messages),
      request.reasoningAlways,
    ),
    // Without tools there is no choice to state either: a call that comes all the same is refused by the loop.
    ...(isNative && tools.length > 0 ? { tools: tools.map(toTool), toolChoice: { type: "auto" } } : {}),
    ...(stopSequences.length === 0 ? {} : { stopSequences: [...stopSequences] }),
    maxOutputTokens: request.maxOutputTokens,
    ...(request.temperature === null ? {} : { temperature: request.temperature }),
    abortSignal,
    ...(model.provider.endsWith(".responses") ? { providerOptions: statelessOptions(model.provider) } : {}),
  });
  return coalesceDeltas(stream, { judge: boundStream() });
}

/**
 * The Responses API of OpenAI, Azure and xAI can answer from items that it stored. The log is the history here: it is redacted and
 * shortened, and lives longer than their items, so every item is sent whole, with its reasoning encrypted.
 * Source: https://platform.openai.com/docs/guides/conversation-state
 */
function statelessOptions(provider: string): SharedV4ProviderOptions {
  const [namespace = ""] = provider.split(".");
  return { openai: { store: false }, [namespace]: { store: false } };
}
