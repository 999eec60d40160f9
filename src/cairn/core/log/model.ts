import type { Json, JsonObject } from "./json.ts";

/** Requests to a model and its replies. Plain data: the shell turns it into a provider's call. */

/** In which form a model is asked and answers. */
export type Dialect = "native" | "json" | "tags";

export type PromptPart =
  | {
      readonly type: "text";
      readonly text: string;
      /** words of the deployment, in a message whose other words are a stranger's (webhooks) */
      readonly trusted?: true;
      /** forwarded or quoted text of somebody else: from outside, whoever sends it */
      readonly foreign?: true;
    }
  | {
      readonly type: "file";
      readonly mediaType: string;
      readonly url: string;
      /** size of the URL that is stored separately; `url` is then its name */
      readonly bytes?: number;
      /** image data for tools; set by the server, never by the sender */
      readonly image?: SentImage;
      /** the same of a file that is none of the library */
      readonly file?: SentFile;
    };

/** An image of the library that a person sent along. */
export interface SentImage {
  readonly id: string;
  readonly name: string;
  /** pixels; null if unknown */
  readonly width: number | null;
  readonly height: number | null;
}

/** A file that a person sent along for reading. */
export interface SentFile {
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
}

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

/** One part of a reply, stored verbatim for the next prompt: `options` are the provider's (reasoning signatures). */
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
  /** one of `MODEL_FORMS`, or the name of a project's model */
  readonly model: string;
  readonly session: string;
  readonly step: string;
  readonly attempt: number;
  /** static, cacheable */
  readonly instructions: string;
  readonly messages: readonly PromptMessage[];
  /** dialect of request and reply: the messages above are already rendered in it */
  readonly dialect: Dialect;
  /** a native reply that is nothing but one call as text is that call */
  readonly takesWritten: boolean;
  /** tools that it may call: sent next to the messages in `native`, within them elsewhere. Empty: tool choice none */
  readonly tools: readonly ToolOffer[];
  readonly maxOutputTokens: number;
  readonly temperature: number | null;
  /** every answer in the history carries a field of thoughts, empty where there were none; absent is false */
  readonly reasoningAlways?: boolean;
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

/** Tokens of a call. Zero with output means unknown: the estimate applies and `estimated` is set. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  readonly estimated: boolean;
  /** millionths of a US dollar, reported by a trusted provider */
  readonly reportedCost?: number;
}

/** Tokens with their cost, as they are stored. */
export interface Usage extends Omit<TokenUsage, "reportedCost"> {
  /** millionths of a US dollar; null where no call has been counted */
  readonly cost: number | null;
  /** no price is configured for the model: the cost uses the fallback */
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

/** A repair that made a reply readable. */
export type Repair =
  | "prose"
  | "loose_json"
  | "field_names"
  | "input_as_text"
  | "input_types"
  | "tool_name"
  | "unclosed_tag"
  | "untagged"
  | "rescued";

/** A fault in a reply. */
export type Fault =
  | "empty"
  | "no_json"
  | "no_tag"
  | "bad_json"
  | "truncated"
  | "missing_field"
  | "unclosed_tag"
  | "leaked_observation"
  | "call_and_answer"
  | "no_thought";

/** How a reply was read; absent for a native one in which there was nothing to read. */
export interface Parse {
  readonly dialect: Dialect;
  readonly repairs: readonly Repair[];
  readonly faults: readonly Fault[];
  /** what it gives as its answer, where its dialect marks one */
  readonly answer?: string;
}

/** Faults that leave a reply without calls unusable. */
const BROKEN: ReadonlySet<Fault> = new Set([
  "empty",
  "no_json",
  "no_tag",
  "bad_json",
  "truncated",
  "missing_field",
  "unclosed_tag",
]);

export const brokenBy = (parse: Parse | undefined): readonly Fault[] =>
  parse === undefined || parse.answer !== undefined ? [] : parse.faults.filter((fault) => BROKEN.has(fault));

/** The whole reply of one model call, in the order in which it came. With `Usage` it has been charged. */
export interface ModelReply<Counted extends TokenUsage = TokenUsage> {
  readonly parts: readonly (Exclude<ReplyPart, { type: "call" }> | ({ readonly type: "call" } & RawCall))[];
  readonly finish: FinishReason;
  readonly parse?: Parse;
  readonly usage: Counted;
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
  /** it takes no tools in the request */
  | "no_tools"
  /** it refuses a history in which an answer of a model has no thoughts */
  | "no_reasoning"
  | "internal";

/** With `Usage` it has been charged. */
export interface ModelFailure<Counted extends TokenUsage = TokenUsage> {
  readonly class: ModelErrorClass;
  /** safe for people: no key, no URL with credentials, no stack */
  readonly message: string;
  readonly retryAfterMs: number | null;
  readonly usage: Counted | null;
}

/** `aborted`: the signal fired; `partial` is what had come. */
export type ModelOutcome =
  | { readonly kind: "replied"; readonly reply: ModelReply }
  | { readonly kind: "failed"; readonly failure: ModelFailure }
  | { readonly kind: "aborted"; readonly partial: ModelReply };

/** A model as configuration, requests and entries name it. */
export interface ModelName {
  /** `own`: an entry of `models` in `createCairn`; `rules`: a model of a plugin that is no language model */
  readonly provider: Provider | "rules" | "own";
  /** the provider's own name of the model; that of `rules` ends in a colon */
  readonly id: string;
}

const PROVIDERS = ["workers-ai", "openai-compatible", "openrouter", "gateway"] as const;
type Provider = (typeof PROVIDERS)[number];

export const MODEL_FORMS = `${PROVIDERS.slice(0, -1)
  .map((name) => `${name}:<id>`)
  .join(", ")} or ${PROVIDERS.at(-1)}:<id>`;

const MODEL_ID = /^[\x21-\x2b\x2d-\x7e]{1,200}$/;

/** The name of a project's model. It has no colon, so it is never a name with a provider. */
const OWN_MODEL = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;

export const isOwnModelName = (text: string): boolean => OWN_MODEL.test(text);

/** The name of rules that a plugin brings. It ends in its colon, so it is never a name with a provider and an id. */
const RULES = /^[a-z][a-z0-9-]{0,31}:$/;

/**
 * True for rules that answer in the place of a language model, such as `rehearsal:`. They cost nothing, read no summary and no
 * dialect, and are asked for no title.
 */
export const isRulesName = (text: string): boolean =>
  RULES.test(text) && !PROVIDERS.some((name) => text === `${name}:`);

/** Names of the project's models, and of its plugins' rules. null: they cannot be seen from here, so any name of their form may be one. */
export type OwnNames = readonly string[] | null;

/** The names that a model may have, for a sentence. */
export const modelForms = (own: OwnNames): string =>
  [...(own ?? ["a name in models"]), MODEL_FORMS].join(", ");

/**
 * `<provider>:<id>`, the name of a project's model, or that of a plugin's rules; null when the text is none of them. The id is
 * visible ASCII without a comma.
 */
export function parseModelName(text: string, own: OwnNames = []): ModelName | null {
  const isHere = own === null ? isOwnModelName(text) || isRulesName(text) : own.includes(text);
  if (isHere) return { provider: isRulesName(text) ? "rules" : "own", id: text };
  const provider = PROVIDERS.find((name) => text.startsWith(`${name}:`));
  if (provider === undefined) return null;
  const id = text.slice(provider.length + 1);
  return MODEL_ID.test(id) ? { provider, id } : null;
}

/** True for the beginning of model names and a `*`: a provider, perhaps with the beginning of an id, or the beginning of an own name. */
export function isModelHead(text: string, own: OwnNames = []): boolean {
  if (!/^[^\s*]+\*$/.test(text)) return false;
  const head = text.slice(0, -1);
  return (
    PROVIDERS.some((name) => head.startsWith(`${name}:`)) ||
    (own === null ? isOwnModelName(head) || isRulesName(head) : own.some((name) => name.startsWith(head)))
  );
}

export const modelText = ({ provider, id }: ModelName): string =>
  provider === "own" || provider === "rules" ? id : `${provider}:${id}`;

/** An API in the format of OpenAI, as configuration names it. */
export interface Endpoint {
  /** such as `http://127.0.0.1:11434/v1` */
  readonly baseUrl: string;
  readonly apiKey: string | null;
  /** sent in addition to those of the format */
  readonly headers: Readonly<Record<string, string>>;
  /** `usage.cost` of its answers, in US dollars, is what a call cost */
  readonly reportsCost: boolean;
}

/** Where the tokens of a request come from, by its text alone. Part of the entry that opens its step. */
export interface PromptSize {
  readonly instructions: number;
  readonly tools: number;
  /** tokens of messages of earlier runs */
  readonly earlier: number;
  readonly run: number;
  /** the block that changes every step: memory, plan, budget, notes */
  readonly tail: number;
  /** messages before the tail */
  readonly messages: number;
}

/** A reservation as usage, estimated. `cost`: in millionths of a dollar, where it was counted. */
export function reservedUsage(tokens: number, cost: number | null): Usage {
  const usage = { inputTokens: tokens, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0 };
  return { ...usage, estimated: true, cost };
}

export const NO_USAGE: Usage = {
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  estimated: false,
  cost: null,
};

export function addUsage(sum: Usage, more: Usage | null): Usage {
  if (more === null) return sum;
  return {
    inputTokens: sum.inputTokens + more.inputTokens,
    cachedInputTokens: sum.cachedInputTokens + more.cachedInputTokens,
    outputTokens: sum.outputTokens + more.outputTokens,
    reasoningTokens: sum.reasoningTokens + more.reasoningTokens,
    estimated: sum.estimated || more.estimated,
    cost: sum.cost === null && more.cost === null ? null : (sum.cost ?? 0) + (more.cost ?? 0),
    ...(sum.priceEstimated === true || more.priceEstimated === true ? { priceEstimated: true } : {}),
  };
}

/** A piece of a reply while it streams. Pieces of one part follow one another; `part` counts from 0 in a reply. */
export interface DraftPiece {
  readonly type: "text" | "reasoning";
  readonly part: number;
  readonly text: string;
}

/** Provider failures that do not depend on the request. */
const OF_MODEL: ReadonlySet<ModelErrorClass> = new Set([
  "rate_limit",
  "overloaded",
  "network",
  "timeout",
  "cut_off",
]);

export const isPassing = (failed: ModelErrorClass): boolean => OF_MODEL.has(failed);

/** One model call. Never throws: a failure is an outcome with its class. */
export interface Model {
  call(request: ModelRequest, draft: (piece: DraftPiece) => void, signal: AbortSignal): Promise<ModelOutcome>;
}
