import { ownValue } from "../core/log/json.ts";
import { APICallError, JSONParseError, TypeValidationError } from "@ai-sdk/provider";

/**
 * Facts about an error of a model call, collected wherever the provider put them: the error, its causes, the response
 * body, the event in the stream. Outside content: compared, never shown.
 */
export interface Evidence {
  /** HTTP status, or its equivalent inside a stream; null if there is none */
  readonly status: number | null;
  /** provider codes and types in lower case, outermost first */
  readonly codes: readonly string[];
  /** every text found, cut, joined by lines */
  readonly text: string;
  /** names of the error and its causes */
  readonly names: readonly string[];
  /** response headers, names in lower case */
  readonly headers: Readonly<Record<string, string>>;
  /** the path of a field at fault, when the provider names one */
  readonly param: string | null;
  /** the adapter's own opinion, where it has one */
  readonly retryable: boolean;
}

/** An `{"error": …}` event inside a stream that had begun well. */
export class StreamEventError extends Error {
  override readonly name = "StreamEventError";
  readonly data: unknown;

  constructor(data: unknown) {
    super("the stream carried an error event");
    this.data = data;
  }
}

/** The error for an answer, or a part of one, that would fill the memory of a reader. */
export const endless = (part: string): StreamEventError =>
  new StreamEventError({ error: `${part} has no end` });

const DEPTH_MAX = 6;
const TEXT_CHARS_MAX = 2_000;
const BODY_CHARS_MAX = 65_536;
/** fields where providers nest the informative part of an error */
const NESTED = [
  "error",
  "errors",
  "data",
  "value",
  "detail",
  "metadata",
  "raw",
  "cause",
  "lastError",
  "base_resp",
];

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

function parseBody(body: string | undefined): unknown {
  if (body === undefined || body.length > BODY_CHARS_MAX) return body?.slice(0, TEXT_CHARS_MAX);
  try {
    const value: unknown = JSON.parse(body);
    return value;
  } catch {
    return body;
  }
}

const isStatus = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 100 && value <= 599;

/** Gathers the evidence of any thrown or streamed value. Never throws; bounded in depth and text. */
export function gatherEvidence(error: unknown): Evidence {
  const codes: string[] = [];
  const texts: string[] = [];
  const names: string[] = [];
  const headers: Record<string, string> = {};
  const seen = new Set<unknown>();
  let status: number | null = null;
  /** of a response that began well: it counts where nothing names a failure */
  let began: number | null = null;
  let param: string | null = null;
  let retryable = false;

  const addCode = (value: unknown): void => {
    if (typeof value === "string" && /^\d{3}$/.test(value)) return addCode(Number(value));
    if (isStatus(value)) {
      if (value >= 400) status ??= value;
    } else if (typeof value === "number" || typeof value === "string") {
      codes.push(String(value).slice(0, 100).toLowerCase());
    }
  };
  const visit = (value: unknown, depth: number): void => {
    if (depth > DEPTH_MAX || seen.has(value)) return;
    seen.add(value);
    if (typeof value === "string") {
      texts.push(value.slice(0, TEXT_CHARS_MAX));
      return;
    }
    if (Array.isArray(value)) {
      for (const item of value.slice(0, 4)) visit(item, depth + 1);
      return;
    }
    if (!isRecord(value)) return;
    if (value instanceof Error || typeof value["name"] === "string") names.push(String(value["name"]));
    // These two quote what they could not read: the model's words are no evidence.
    const quotes = TypeValidationError.isInstance(value) || JSONParseError.isInstance(value);
    if (typeof value["message"] === "string" && !quotes) visit(value["message"], depth);
    if (isStatus(value["statusCode"])) {
      if (value["statusCode"] >= 400) status ??= value["statusCode"];
      else began ??= value["statusCode"];
    }
    // Names of the same elsewhere: Zhipu, Baidu, MiniMax and Mistral.
    for (const key of ["msg", "error_msg", "status_msg"])
      if (typeof value[key] === "string") visit(value[key], depth);
    for (const key of ["status", "status_code", "raw_status_code", "http_code", "error_code"])
      addCode(value[key]);
    // The AI binding names the status so.
    if (isStatus(value["httpCode"])) addCode(value["httpCode"]);
    addCode(value["code"]);
    addCode(value["type"]);
    // OpenRouter's metadata.
    addCode(value["error_type"]);
    addCode(value["workersAIErrorCode"]);
    if (typeof value["param"] === "string") param ??= value["param"];
    if (value["isRetryable"] === true) retryable = true;
    if (APICallError.isInstance(value)) {
      for (const [name, text] of Object.entries(value.responseHeaders ?? {}))
        headers[name.toLowerCase()] = ownValue(headers, name.toLowerCase()) ?? text;
      visit(parseBody(value.responseBody), depth + 1);
    }
    for (const key of NESTED) visit(value[key], depth + 1);
  };
  visit(error, 0);
  return { status: status ?? began, codes, text: texts.join("\n"), names, headers, param, retryable };
}

/** True when the stream itself was at fault: it ended early, or carried what no parser takes. */
export function isBrokenStream(error: unknown): boolean {
  return error instanceof StreamEventError || TypeValidationError.isInstance(error);
}
