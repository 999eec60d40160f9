import type { ModelErrorClass, ModelFailure, TokenUsage } from "../core/log/model.ts";
import { gatherEvidence, isBrokenStream, type Evidence } from "./evidence.ts";

/**
 * From any error of a model call to its class: the status first, then the provider's code,
 * then patterns of text. The message is made here from the class and a few plain words; nothing that a provider wrote
 * in prose is passed on, because it may quote the prompt or the key.
 */

const BY_STATUS: Readonly<Record<number, ModelErrorClass>> = {
  401: "auth",
  402: "auth",
  403: "auth",
  404: "unknown_model",
  408: "overloaded",
  409: "overloaded",
  410: "unknown_model",
  413: "context_overflow",
  425: "overloaded",
  429: "rate_limit",
};

const BY_CODE: ReadonlyMap<string, ModelErrorClass> = new Map([
  // OpenAI and those who speak its format
  ["context_length_exceeded", "context_overflow"],
  ["context_window_exceeded", "context_overflow"],
  ["exceed_context_size_error", "context_overflow"],
  ["string_above_max_length", "context_overflow"],
  ["request_too_large", "context_overflow"],
  ["content_filter", "content_filter"],
  ["content_policy_violation", "content_filter"],
  ["responsibleaipolicyviolation", "content_filter"],
  ["moderation_blocked", "content_filter"],
  ["model_not_found", "unknown_model"],
  ["model_not_available", "unknown_model"],
  ["invalid_api_key", "auth"],
  ["authentication_error", "auth"],
  ["permission_error", "auth"],
  ["insufficient_quota", "auth"],
  ["billing_hard_limit_reached", "auth"],
  ["rate_limit_exceeded", "rate_limit"],
  ["rate_limit_error", "rate_limit"],
  ["overloaded_error", "overloaded"],
  ["server_error", "overloaded"],
  ["invalid_request_error", "bad_request"],
  // Workers AI (https://developers.cloudflare.com/workers-ai/platform/errors/)
  ["3003", "bad_request"],
  ["3006", "context_overflow"],
  ["3007", "timeout"],
  ["3008", "overloaded"],
  ["3023", "auth"],
  ["3036", "rate_limit"],
  ["3039", "bad_request"],
  ["3040", "overloaded"],
  ["3041", "auth"],
  ["3042", "unknown_model"],
  ["5004", "bad_request"],
  ["5005", "bad_request"],
  ["5007", "unknown_model"],
  ["5016", "auth"],
  ["5018", "auth"],
  ["5019", "bad_request"],
  ["5021", "context_overflow"],
  // Cloudflare's API, in front of Workers AI
  ["10000", "auth"],
  // sockets and resolvers
  ["econnrefused", "network"],
  ["econnreset", "network"],
  ["enotfound", "network"],
  ["eai_again", "network"],
  ["epipe", "network"],
  ["etimedout", "timeout"],
  ["und_err_socket", "network"],
  ["und_err_connect_timeout", "timeout"],
  ["und_err_headers_timeout", "timeout"],
  ["und_err_body_timeout", "timeout"],
]);

const BY_NAME: ReadonlyMap<string, ModelErrorClass> = new Map([
  ["TimeoutError", "timeout"],
  ["AbortError", "network"],
  ["ResponseAborted", "network"],
  ["AI_LoadAPIKeyError", "auth"],
  ["AI_NoSuchModelError", "unknown_model"],
  ["AI_UnsupportedFunctionalityError", "bad_request"],
  ["AI_InvalidArgumentError", "bad_request"],
  ["AI_InvalidResponseDataError", "cut_off"],
  ["AI_EmptyResponseBodyError", "cut_off"],
  ["AI_JSONParseError", "cut_off"],
]);

const OVERFLOW =
  /context.?(length|window|size)[^.]{0,80}(exceed|limit|only|too)|exceed[^.]{0,80}context|maximum context|(prompt|input) is too (long|large)|too many (input |prompt )?tokens|token count[^.]{0,80} exceeds|reduce the length/i;
const FILTERED = /content.?(policy|filter|management)|flagged|moderation/i;
/** Google, which answers 400 for a wrong key. */
const WRONG_KEY = /\bapi key (not valid|expired)/i;
/** OpenRouter, Ollama and vLLM, of a model or a place of it that takes no tools. */
const NO_TOOLS =
  /no endpoints found that support (tool use|the provided 'tool_choice')|does not support (tools|tool use|tool calling|function calling)|tool choice requires --enable/i;
/** DeepSeek, Kimi and those who host them, where an earlier answer comes back without its thoughts. */
const NO_REASONING =
  /(missing|requires?)[^.]{0,40}\breasoning(_content)?\b|\breasoning(_content)?\b[^.]{0,60}(must be (passed|sent|provided|included)|is (missing|required)|必须)/i;
const NO_MODEL =
  /model[^.]{0,80}(not found|does not exist|not exist|not a valid)|not a valid model|no such model/i;
const BY_TEXT: readonly (readonly [RegExp, ModelErrorClass])[] = [
  [OVERFLOW, "context_overflow"],
  [/binding \w+ needs to be run remotely/i, "auth"],
  [
    /network connection lost|fetch failed|failed to fetch|cannot connect|connection (refused|reset|closed)|\b(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EPIPE)\b|other side closed|socket hang up|^terminated$/im,
    "network",
  ],
  [/timed? ?out/i, "timeout"],
  [
    /authentication (error|failed|required)|\bunauthori[sz]ed\b|not authenticated|login fail|insufficient (balance|credits|funds)|(invalid|incorrect|missing|no) (api[ _-]?key|access token|credentials)/i,
    "auth",
  ],
  [
    /rate.?limit|too many requests|(request|daily|usage|token) (rate )?limit (was |has been |is )?(reached|exceeded)/i,
    "rate_limit",
  ],
  [/overloaded|capacity|internal (server )?error|service unavailable/i, "overloaded"],
  [NO_MODEL, "unknown_model"],
  [FILTERED, "content_filter"],
];

const firstOf = (
  keys: readonly string[],
  table: ReadonlyMap<string, ModelErrorClass>,
): ModelErrorClass | null => {
  for (const key of keys) {
    const found = table.get(key);
    if (found !== undefined) return found;
  }
  return null;
};

/** Workers AI writes its code into the text: "3040: No more data centers …" */
const codesIn = (text: string): string[] =>
  Array.from(text.matchAll(/\b(\d{4,5})\s*:/g), ([, code]) => code ?? "");

/** A status is broad: the provider's code and, for a bad request, its text may be more specific. */
function classifyStatus(status: number, evidence: Evidence): ModelErrorClass {
  const byStatus = BY_STATUS[status] ?? (status >= 500 ? "overloaded" : "bad_request");
  const byCode = firstOf(evidence.codes, BY_CODE);
  if (byCode === "context_overflow" || byCode === "content_filter") return byCode;
  // A spent account answers 429 as well, and no waiting helps it.
  if (byStatus === "rate_limit") return byCode === "auth" ? "auth" : "rate_limit";
  // OpenRouter limits concurrent calls by credit, and states when the next is allowed.
  if (status === 402 && evidence.headers["retry-after"] !== undefined) return "rate_limit";
  if (byStatus === "auth") return FILTERED.test(evidence.text) ? "content_filter" : "auth";
  if ((byStatus === "unknown_model" || byStatus === "bad_request") && NO_TOOLS.test(evidence.text))
    return "no_tools";
  if (byStatus === "bad_request" && NO_REASONING.test(evidence.text)) return "no_reasoning";
  if (byStatus !== "bad_request") return byStatus;
  if (OVERFLOW.test(evidence.text)) return "context_overflow";
  if (FILTERED.test(evidence.text)) return "content_filter";
  if (WRONG_KEY.test(evidence.text)) return "auth";
  if (byCode === "unknown_model" || NO_MODEL.test(evidence.text)) return "unknown_model";
  return byCode === "auth" ? "auth" : "bad_request";
}

function classify(error: unknown, evidence: Evidence): ModelErrorClass {
  const { status, codes, names, text } = evidence;
  if (status !== null && status >= 400) return classifyStatus(status, evidence);
  // The answer had begun well (2xx): what failed is the stream, for a reason that an event may have named.
  if (status !== null && status < 400) return firstOf(codes, BY_CODE) ?? "cut_off";
  const byCode = firstOf(codes, BY_CODE);
  if (byCode !== null) return byCode;
  const byWrittenCode = firstOf(codesIn(text), BY_CODE);
  if (byWrittenCode !== null) return byWrittenCode;
  const byName = firstOf(names, BY_NAME);
  if (byName !== null) return byName;
  for (const [pattern, found] of BY_TEXT) if (pattern.test(text)) return found;
  if (isBrokenStream(error)) return "cut_off";
  return evidence.retryable ? "network" : "internal";
}

/** Milliseconds to wait, from `retry-after-ms`, or `Retry-After` as seconds or as a date (RFC 9110 10.2.3). */
function parseRetryAfter(headers: Evidence["headers"], now: number): number | null {
  const milliseconds = headers["retry-after-ms"]?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(milliseconds)) return Math.ceil(Number(milliseconds));
  const after = headers["retry-after"]?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(after)) return Math.ceil(Number(after) * 1_000);
  const date = after === "" ? Number.NaN : Date.parse(after);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

const SENTENCE: Readonly<Record<ModelErrorClass, string>> = {
  rate_limit: "The model's provider is limiting requests.",
  overloaded: "The model's provider failed or is overloaded.",
  network: "The model could not be reached.",
  timeout: "The model did not answer in time.",
  cut_off: "The model's answer broke off.",
  context_overflow: "The conversation is too long for the model.",
  content_filter: "The model's provider refused the content.",
  auth: "The model's provider refused access: check the key, the account and its quota.",
  bad_request: "The model's provider refused the request as invalid.",
  unknown_model: "The model's provider does not know the model.",
  no_tools: "The model cannot be given tools there.",
  no_reasoning: "The model's provider wants the thoughts of its earlier answers back.",
  internal: "The model call failed inside Cairn.",
};
const REMOTE_ONLY =
  "Workers AI cannot be called from a local start: set MODEL to another provider, or deploy.";

/** Codes and field paths only: short, of plain words, without a run of characters that could be a key. */
const isShowable = (word: string): boolean =>
  /^[a-z][a-z0-9_.[\]-]{1,59}$/i.test(word) &&
  !/^(sk|pk|key)[-_]/i.test(word) &&
  !/\d[a-z0-9-]{11}|[a-z0-9-]{25}/i.test(word);

function wordMessage(failed: ModelErrorClass, evidence: Evidence): string {
  if (/needs to be run remotely/i.test(evidence.text)) return REMOTE_ONLY;
  const code = [...evidence.codes, ...codesIn(evidence.text)].find(
    (word) => isShowable(word) || (/^\d{4,5}$/.test(word) && BY_CODE.has(word)),
  );
  const details = [
    evidence.status !== null && evidence.status >= 400 ? `status ${evidence.status}` : null,
    code === undefined ? null : `code ${code}`,
    evidence.param !== null && isShowable(evidence.param) ? `field ${evidence.param}` : null,
    evidence.names.includes("PageError") ? "it answered with a web page" : null,
  ].filter((detail) => detail !== null);
  return details.length === 0 ? SENTENCE[failed] : `${SENTENCE[failed]} (${details.join(", ")})`;
}

/** An answer that began and did not end: its content is not to be used. */
export function cutOff(usage: TokenUsage | null): ModelFailure {
  return { class: "cut_off", message: SENTENCE.cut_off, retryAfterMs: null, usage };
}

/**
 * The class, a message that is safe for people, and how long the provider asks to wait. `now` is milliseconds since the
 * epoch, for a Retry-After that is a date. Usage is null: a failed call settles by its reservation.
 */
export function classifyModelError(error: unknown, now: number = Date.now()): ModelFailure {
  const evidence = gatherEvidence(error);
  const failed = classify(error, evidence);
  return {
    class: failed,
    message: wordMessage(failed, evidence),
    retryAfterMs: parseRetryAfter(evidence.headers, now),
    usage: null,
  };
}
