import type { LanguageModelV4 } from "@ai-sdk/provider";
import {
  jsonSchema,
  NoOutputGeneratedError,
  streamText,
  tool,
  wrapLanguageModel,
  type TextStreamPart,
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

type StepEnd = Extract<TextStreamPart<ToolSet>, { type: "finish-step" }>;
type Ended =
  | { readonly kind: "finished"; readonly end: StepEnd }
  | { readonly kind: "aborted" }
  | { readonly kind: "broken"; readonly error: unknown };

const failed = (failure: ModelFailure): ModelOutcome => ({ kind: "failed", failure });
const timeoutError = (text: string): DOMException => new DOMException(text, "TimeoutError");

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
function toFinish(end: StepEnd, hasCalls: boolean): FinishReason | null {
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
      const toReply = (finish: FinishReason, end: StepEnd | null): ModelReply => {
        const parts = tape.parts();
        return {
          parts,
          finish,
          usage: toUsage(end?.usage ?? null, request, parts),
          model: end?.response.modelId ?? request.model,
          ms: clock() - startedAt,
          firstTokenMs: firstAt === null ? null : firstAt - startedAt,
        };
      };

      try {
        if (signal.aborted) return { kind: "aborted", partial: toReply("aborted", null) };
        const model = providers(request.model, request.session);
        if ("problem" in model) {
          return failed({ class: "unknown_model", message: model.problem, retryAfterMs: null, usage: null });
        }
        const ended = await readStream(model, request, tape, signal, { firstChunkMs, chunkMs }, () => {
          firstAt ??= clock();
        });
        // A cancel may reach us as any error at all; that it was asked for is what counts.
        if (signal.aborted || ended.kind === "aborted") {
          return { kind: "aborted", partial: toReply("aborted", null) };
        }
        if (ended.kind === "broken") {
          const failure = classifyModelError(ended.error, clock());
          // A connection that breaks once the answer has begun is a broken answer.
          return failed(failure.class === "network" && firstAt !== null ? cutOff(null) : failure);
        }
        const finish = toFinish(ended.end, tape.hasCalls());
        if (finish !== null) return { kind: "replied", reply: toReply(finish, ended.end) };
        const { usage } = ended.end;
        return failed(cutOff(isReported(usage) ? toUsage(usage, request, tape.parts()) : null));
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
  // The SDK's own limit for the first chunk begins when the response does; a server that never answers needs one too.
  const leave = new AbortController();
  const first = setTimeout(() => leave.abort(timeoutError("no content in time")), silence.firstChunkMs);
  const reported: unknown[] = [];
  let end: StepEnd | null = null;
  try {
    const result = streamText({
      model: wrapLanguageModel({ model, middleware: coalescing }),
      ...(request.instructions === "" ? {} : { instructions: request.instructions }),
      messages: toModelMessages(request.messages),
      // Without tools there is no choice to state either: a call that comes all the same is refused by the loop, while
      // the SDK's choice "none" would throw the text beside it away.
      ...(request.tools.length === 0 ? {} : { tools: toTools(request.tools) }),
      maxOutputTokens: request.maxOutputTokens,
      ...(request.temperature === null ? {} : { temperature: request.temperature }),
      maxRetries: 0,
      abortSignal: AbortSignal.any([signal, leave.signal]),
      timeout: { chunkMs: silence.chunkMs, stepMs: request.timeoutMs },
      experimental_download: refuseDownloads,
      onError: ({ error }) => {
        reported.push(error);
      },
    });
    for await (const part of result.stream) {
      switch (part.type) {
        case "text-start":
        case "text-delta":
        case "text-end":
        case "reasoning-start":
        case "reasoning-delta":
        case "reasoning-end":
          clearTimeout(first);
          onContent();
          tape.speak(part);
          break;
        case "tool-input-start":
          clearTimeout(first);
          onContent();
          break;
        case "tool-call":
          clearTimeout(first);
          onContent();
          tape.call(part);
          break;
        case "finish-step":
          end = part;
          break;
        case "abort":
          return signal.aborted
            ? { kind: "aborted" }
            : { kind: "broken", error: timeoutError(part.reason ?? "") };
        case "error":
          return { kind: "broken", error: part.error };
        default:
      }
    }
    if (end !== null) return { kind: "finished", end };
    return { kind: "broken", error: reported[0] ?? new NoOutputGeneratedError() };
  } catch (error) {
    return { kind: "broken", error: leave.signal.aborted ? leave.signal.reason : error };
  } finally {
    clearTimeout(first);
    // Whatever of the call is still under way has no reader any more.
    leave.abort();
  }
}
