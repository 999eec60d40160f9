import type { LanguageModelV4 } from "@ai-sdk/provider";
import {
  experimental_streamLanguageModelCall as streamModelCall,
  jsonSchema,
  tool,
  wrapLanguageModel,
  type LanguageModelStreamPart,
  type ToolSet,
} from "ai";
import { CHUNK_MS, FIRST_CHUNK_MS } from "../core/limits.ts";
import type {
  FinishReason,
  ModelFailure,
  ModelOutcome,
  ModelReply,
  ModelRequest,
  ToolOffer,
} from "../core/model.ts";
import type { Model } from "../session/ports.ts";
import { coalescing } from "./coalesce.ts";
import { classifyModelError, cutOff } from "./errors.ts";
import { toModelMessages } from "./messages.ts";
import { createPatience } from "./patience.ts";
import type { Providers } from "./providers.ts";
import { createReplyTape, type ReplyTape } from "./reply.ts";
import { isReported, toUsage } from "./usage.ts";

/**
 * One model call (loop 1.4, platform 4.1). Tools carry a schema and nothing to run; no layer below retries; what the
 * model asked for comes back as it was asked, and the loop judges it. Every failure is a value.
 */

// The SDK prints warnings about settings that a model does not know; they are no news to anyone who reads the log.
globalThis.AI_SDK_LOG_WARNINGS = false;

export interface ModelSettings {
  readonly providers: Providers;
  /** milliseconds since the epoch */
  readonly clock?: () => number;
  /** until the first content, from the moment of the call */
  readonly firstChunkMs?: number;
  /** between pieces of content */
  readonly chunkMs?: number;
}

type CallEnd = Extract<LanguageModelStreamPart, { type: "model-call-end" }>;
/** What a stream came to: an end that may be missing, or the error that broke it. */
type Ended =
  | { readonly kind: "finished"; readonly end: CallEnd | null; readonly model: string }
  | { readonly kind: "broken"; readonly error: unknown };

const failed = (failure: ModelFailure): ModelOutcome => ({ kind: "failed", failure });

function toTools(offers: readonly ToolOffer[]): ToolSet {
  return Object.fromEntries(
    offers.map((offer) => [
      offer.name,
      tool({ description: offer.description, inputSchema: jsonSchema({ ...offer.inputSchema }) }),
    ]),
  );
}

/** The SDK asks even when there is nothing to download; anything else would be a fetch of whatever a message names. */
async function refuseDownloads(files: readonly unknown[]): Promise<[]> {
  if (files.length > 0) throw new Error("files are sent inline or not at all");
  return [];
}

/** The finish as the loop knows it, or null when the answer was cut off and its content cannot be trusted. */
function toFinish(end: CallEnd, hasCalls: boolean): FinishReason | null {
  // `workers-ai-provider` has no word for it and says `stop`.
  if (/^content.?filter/i.test(end.rawFinishReason ?? "")) return "content-filter";
  switch (end.finishReason) {
    case "error":
      return null;
    case "other":
      return end.rawFinishReason === undefined ? null : "other";
    case "stop":
      // Some models say `stop` beside calls: the calls are what they meant.
      return hasCalls ? "tool-calls" : "stop";
    case "length":
    case "content-filter":
    case "tool-calls":
      return end.finishReason;
    default:
      return null;
  }
}

/** The port `Model` over the AI SDK. `call` never throws. */
export function createModel(settings: ModelSettings): Model {
  const { providers, clock = Date.now, firstChunkMs = FIRST_CHUNK_MS, chunkMs = CHUNK_MS } = settings;

  return {
    async call(request, draft, signal): Promise<ModelOutcome> {
      const startedAt = clock();
      let firstAt: number | null = null;
      const tape = createReplyTape(draft);
      const toReply = (finish: FinishReason, end: CallEnd | null, model: string): ModelReply => {
        const parts = tape.parts();
        return {
          parts,
          finish,
          usage: toUsage(end?.usage ?? null, request, parts),
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
        const model = providers(request.model, request.session);
        if ("problem" in model) {
          return failed({ class: "unknown_model", message: model.problem, retryAfterMs: null, usage: null });
        }
        const ended = await readStream(model, request, tape, signal, { firstChunkMs, chunkMs }, () => {
          firstAt ??= clock();
        });
        // A cancel may reach us as any error at all; that it was asked for is what counts.
        if (signal.aborted) return toPartial();
        if (ended.kind === "broken") {
          const failure = classifyModelError(ended.error, clock());
          // A connection that breaks once the answer has begun is a broken answer.
          return failed(failure.class === "network" && firstAt !== null ? cutOff(null) : failure);
        }
        const { end, model: answered } = ended;
        const finish = end === null ? null : toFinish(end, tape.hasCalls());
        if (finish !== null) return { kind: "replied", reply: toReply(finish, end, answered) };
        const reported = end !== null && isReported(end.usage);
        return failed(cutOff(reported ? toUsage(end.usage, request, tape.parts()) : null));
      } catch (error) {
        return failed(classifyModelError(error, clock()));
      }
    },
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
  let answered = model.modelId;
  let parts: ReadableStreamDefaultReader<LanguageModelStreamPart> | null = null;
  try {
    const { stream } = await Promise.race([startCall(model, request, over), gone]);
    parts = stream.getReader();
    for (;;) {
      const { done, value: part } = await Promise.race([parts.read(), gone]);
      if (done) break;
      switch (part.type) {
        case "text-start":
        case "text-delta":
        case "text-end":
        case "reasoning-start":
        case "reasoning-delta":
        case "reasoning-end":
          patience.heard();
          onContent();
          tape.speak(part);
          break;
        case "tool-input-start":
        case "tool-input-delta":
          patience.heard();
          onContent();
          break;
        case "tool-call":
          patience.heard();
          onContent();
          tape.call(part);
          break;
        case "model-call-response-metadata":
          answered = part.modelId ?? answered;
          break;
        case "model-call-end":
          patience.finished();
          end = part;
          break;
        case "error":
          return { kind: "broken", error: part.error };
        default:
      }
    }
    return { kind: "finished", end, model: answered };
  } catch (error) {
    return { kind: "broken", error: patience.signal.aborted ? patience.signal.reason : error };
  } finally {
    // Whatever of the call is still under way has no reader any more.
    patience.leave();
    parts?.cancel().catch(() => undefined);
  }
}

/** Asks the model, by the SDK's function for one call: it checks the history, and makes one shape of every provider's parts. */
function startCall(model: LanguageModelV4, request: ModelRequest, abortSignal: AbortSignal) {
  return streamModelCall({
    model: wrapLanguageModel({ model, middleware: coalescing }),
    ...(request.instructions === "" ? {} : { instructions: request.instructions }),
    messages: toModelMessages(request.messages),
    // Without tools there is no choice to state either: a call that comes all the same is refused by the loop, while
    // the SDK's choice "none" would throw the text beside it away.
    ...(request.tools.length === 0 ? {} : { tools: toTools(request.tools) }),
    maxOutputTokens: request.maxOutputTokens,
    ...(request.temperature === null ? {} : { temperature: request.temperature }),
    abortSignal,
    download: refuseDownloads,
  });
}
