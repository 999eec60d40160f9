import type { Json, JsonObject } from "./json.ts";

/** What core asks of a model, and what comes back. Plain data: the shell turns it into a provider's call. */

export type PromptPart =
  | {
      readonly type: "text";
      readonly text: string;
      /** words of the deployment, in a message whose other words are a stranger's (webhooks) */
      readonly house?: true;
    }
  | {
      readonly type: "file";
      readonly mediaType: string;
      readonly url: string;
      /** size of the URL that is kept apart; `url` is then the name under which it is */
      readonly bytes?: number;
    };

export type PromptMessage =
  | { readonly role: "user"; readonly parts: readonly PromptPart[] }
  | { readonly role: "assistant"; readonly parts: readonly ReplyPart[] }
  | { readonly role: "tool"; readonly results: readonly PromptResult[] };

/** The observation of one call, in call order; `failed` when its status is not ok. */
export interface PromptResult {
  readonly call: string;
  readonly tool: string;
  readonly observation: string;
  readonly failed: boolean;
}

/** One part of a reply, kept verbatim for the next prompt: `options` are the provider's own (reasoning signatures). */
export type ReplyPart =
  | { readonly type: "text"; readonly text: string; readonly options?: JsonObject }
  | { readonly type: "reasoning"; readonly text: string; readonly options?: JsonObject }
  /** `call` is Cairn's name of it, never the provider's id */
  | {
      readonly type: "call";
      readonly call: string;
      readonly tool: string;
      readonly input: Json;
      readonly options?: JsonObject;
    };

export interface ToolOffer {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

export interface ModelRequest {
  /** `workers-ai:<id>`, `openai-compatible:<id>`, `gateway:<id>` or `rehearsal:` */
  readonly model: string;
  readonly session: string;
  readonly step: string;
  readonly attempt: number;
  /** static, cacheable */
  readonly instructions: string;
  readonly messages: readonly PromptMessage[];
  /** empty: tool choice none */
  readonly tools: readonly ToolOffer[];
  readonly maxOutputTokens: number;
  readonly temperature: number | null;
  /** the whole call is given up after this */
  readonly timeoutMs: number;
}

/** Changes to one step's model call. Everything left out stays as it is. */
export interface StepPatch {
  readonly model?: string;
  readonly temperature?: number;
  /** at most the run's own limit */
  readonly maxOutputTokens?: number;
  /** names of the tools to offer: those of the grant that are named */
  readonly tools?: readonly string[];
  readonly toolChoice?: "auto" | "none";
  /** added to the last block of the prompt, never to the static prefix */
  readonly instructions?: string;
}

/** Zero beside output means unknown: the estimate stands and `estimated` says so. */
export interface Usage {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  readonly estimated: boolean;
  /** millionths of a US dollar; absent where nobody has counted it: in rows of before schema 3, and before it is committed */
  readonly cost?: number;
  /** nobody has stated the model's price: the cost is by the fallback */
  readonly priceEstimated?: true;
}

export type FinishReason = "stop" | "length" | "tool-calls" | "content-filter" | "aborted" | "other";

/** A call as the model asked for it. `malformed` is the raw text of an input that was no JSON. */
export interface RawCall {
  readonly tool: string;
  readonly input: Json;
  readonly malformed?: string;
  readonly options?: JsonObject;
}

/** The whole reply of one model call, in the order in which it came. */
export interface ModelReply {
  readonly parts: readonly (Exclude<ReplyPart, { type: "call" }> | ({ readonly type: "call" } & RawCall))[];
  readonly finish: FinishReason;
  readonly usage: Usage;
  /** the model that answered, as the provider names it */
  readonly model: string;
  readonly ms: number;
  readonly firstTokenMs: number | null;
}

export type ModelErrorClass =
  | "rate_limit"
  | "overloaded"
  | "network"
  | "timeout"
  | "cut_off"
  | "context_overflow"
  | "content_filter"
  | "auth"
  | "bad_request"
  | "unknown_model"
  | "internal";

export interface ModelFailure {
  readonly class: ModelErrorClass;
  /** safe for people: no key, no URL with credentials, no stack */
  readonly message: string;
  readonly retryAfterMs: number | null;
  readonly usage: Usage | null;
}

/** `aborted`: the signal fired; `partial` is what had come. */
export type ModelOutcome =
  | { readonly kind: "replied"; readonly reply: ModelReply }
  | { readonly kind: "failed"; readonly failure: ModelFailure }
  | { readonly kind: "aborted"; readonly partial: ModelReply };

/** A piece of a reply while it streams. Pieces of one part follow one another; `part` counts from 0 in a reply. */
export interface DraftPiece {
  readonly type: "text" | "reasoning";
  readonly part: number;
  readonly text: string;
}
