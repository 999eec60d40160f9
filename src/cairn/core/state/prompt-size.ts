import {
  CHARS_PER_ASCII_TOKEN,
  CHARS_PER_NARROW_TOKEN,
  FACTORS_STORED,
  FACTOR_MAX,
  FACTOR_MIN,
  FACTOR_WEIGHT,
  FILE_TOKENS,
  MESSAGE_TOKENS,
} from "../limits.ts";
import type { PromptSize, PromptMessage, PromptPart, ReplyPart, ToolOffer } from "../log/model.ts";

/** How many tokens a request has, without a tokenizer. */

/** Code points that models spend about a token on: East Asian scripts and their full-width forms, and emoji. */
const WIDE =
  /[\u1100-\u11ff\u2e80-\u303f\u3040-\u30ff\u3100-\u31ff\u3200-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\u{1b000}-\u{1b2ff}\u{1f000}-\u{1faff}\u{20000}-\u{3ffff}]|\p{Extended_Pictographic}/gu;

/** ceil(ascii / 4 + other narrow ones / 2 + wide ones), by code points. */
export function estimateText(text: string): number {
  const other = text.replace(/\p{ASCII}+/gu, "");
  const ascii = text.length - other.length;
  if (other === "") return Math.ceil(ascii / CHARS_PER_ASCII_TOKEN);
  const wide = other.match(WIDE)?.length ?? 0;
  const narrow = [...other].length - wide;
  return Math.ceil(ascii / CHARS_PER_ASCII_TOKEN + narrow / CHARS_PER_NARROW_TOKEN + wide);
}

/** The message of an entry is the same object in every request, so that it is counted once. */
const tokensOfMessages = new WeakMap<PromptMessage, number>();

export function estimateMessage(message: PromptMessage): number {
  const known = tokensOfMessages.get(message);
  if (known !== undefined) return known;
  const tokens = countMessage(message);
  tokensOfMessages.set(message, tokens);
  return tokens;
}

function countMessage(message: PromptMessage): number {
  switch (message.role) {
    case "user":
      return MESSAGE_TOKENS + sum(message.parts.map(promptPart));
    case "assistant":
      return MESSAGE_TOKENS + sum(message.parts.map(replyPart));
    case "tool":
      // For most providers, each result is a separate message.
      return sum(
        message.results.map((result) => MESSAGE_TOKENS + estimateText(result.tool + result.observation)),
      );
  }
}

const promptPart = (part: PromptPart): number =>
  part.type === "text" ? estimateText(part.text) : FILE_TOKENS;

const replyPart = (part: ReplyPart): number =>
  part.type === "call" ? estimateText(part.tool + JSON.stringify(part.input)) : estimateText(part.text);

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** The parts of a request that count. `messages` are all of it, the block that changes every step (the tail) last. */
export interface Estimated {
  readonly model: string;
  readonly instructions: string;
  readonly messages: readonly PromptMessage[];
  readonly tools: readonly ToolOffer[];
}

/** Tokens of a request, by its text alone. */
export function estimateRaw(request: Estimated): number {
  return instructionTokens(request) + toolTokens(request) + sum(request.messages.map(estimateMessage));
}

/** The instructions counted last: they are long, and those of one agent are the same for all its steps. */
let counted = { instructions: "", tokens: 0 };

function instructionTokens({ instructions }: Estimated): number {
  if (counted.instructions !== instructions)
    counted = { instructions, tokens: MESSAGE_TOKENS + estimateText(instructions) };
  return counted.tokens;
}

const toolTokens = ({ tools }: Estimated): number => sum(tools.map(offerTokens));

/** Offers are made once for an isolate and never changed. */
const tokensOfOffers = new WeakMap<ToolOffer, number>();

function offerTokens(offer: ToolOffer): number {
  const known = tokensOfOffers.get(offer);
  if (known !== undefined) return known;
  const tokens = estimateText(JSON.stringify(offer));
  tokensOfOffers.set(offer, tokens);
  return tokens;
}

/** `earlier`: the messages of earlier runs. */
export function sizeOf(request: Estimated, earlier: readonly PromptMessage[]): PromptSize {
  const before = sum(earlier.map(estimateMessage));
  const messages = Math.max(0, request.messages.length - 1);
  return {
    instructions: instructionTokens(request),
    tools: toolTokens(request),
    earlier: before,
    run: sum(request.messages.slice(0, messages).map(estimateMessage)) - before,
    tail: sum(request.messages.slice(messages).map(estimateMessage)),
    messages,
  };
}

/** Measurements of the last request, so that the next estimate uses the provider's count. */
export interface Measured {
  readonly model: string;
  /** messages before its tail */
  readonly messages: number;
  /** tokens of those messages with the instructions and tools, by their text */
  readonly before: number;
  /** tokens of its tail, by its text */
  readonly tail: number;
  /** tokens of input that the provider reported */
  readonly reported: number;
}

/** Returns the measurement of a request, once its usage is known; null if the provider reported none. */
export function measureRequest(
  model: string,
  { instructions, tools, earlier, run, tail, messages }: PromptSize,
  reported: { readonly inputTokens: number; readonly estimated: boolean },
): Measured | null {
  if (reported.estimated || reported.inputTokens <= 0) return null;
  const before = instructions + tools + earlier + run;
  const raw = before + tail;
  // A report that is far off its text counts something else, such as only what no cache had.
  const counted = Math.min(FACTOR_MAX * raw, Math.max(FACTOR_MIN * raw, reported.inputTokens));
  return { model, messages, before, tail, reported: Math.round(counted) };
}

/** Tokens of all sections together. */
export const rawTokens = ({ instructions, tools, earlier, run, tail }: PromptSize): number =>
  instructions + tools + earlier + run + tail;

/**
 * Tokens of a request. Where the last request of this model, without its tail, is how this one begins, that is what the
 * provider reported and only the rest is estimated; else all of it is, corrected by what this model's estimates have been off.
 */
export function estimateRequest(request: Estimated, factors: Factors, last: Measured | null): number {
  const factor = factorOf(factors, request.model);
  const whole = Math.ceil(estimateRaw(request) * factor);
  if (last === null || last.model !== request.model || last.messages > request.messages.length) return whole;
  // Entries are never changed, so that what weighs the same and is as long begins the same.
  const begun = { ...request, messages: request.messages.slice(0, last.messages) };
  if (estimateRaw(begun) !== last.before) return whole;
  const added = sum(request.messages.slice(last.messages).map(estimateMessage));
  return Math.max(1, Math.ceil(last.reported + (added - last.tail) * factor));
}

/** Ratios of measured to estimated input, by model; the most recently used come last. */
export type Factors = readonly { readonly model: string; readonly factor: number }[];

export function factorOf(factors: Factors, model: string): number {
  return factors.find((one) => one.model === model)?.factor ?? 1;
}

/**
 * Returns the factors after a call: `raw` is the estimate by `estimateRaw`. An estimated report is ignored. Rounded to
 * thousandths, so that a snapshot stays small.
 */
export function learnFactor(
  factors: Factors,
  call: {
    readonly model: string;
    readonly raw: number;
    readonly inputTokens: number;
    readonly estimated: boolean;
  },
): Factors {
  const { model, raw, inputTokens, estimated } = call;
  if (estimated || raw <= 0 || inputTokens <= 0) return factors;
  const before = factorOf(factors, model);
  const moved = before + FACTOR_WEIGHT * (inputTokens / raw - before);
  const factor = Math.round(Math.min(FACTOR_MAX, Math.max(FACTOR_MIN, moved)) * 1_000) / 1_000;
  return [...factors.filter((one) => one.model !== model), { model, factor }].slice(-FACTORS_STORED);
}
