import { isTooDeep } from "../core/log/json.ts";
import { isFields, repairChunk } from "./chat-chunk.ts";
import { endless, StreamEventError } from "./evidence.ts";
import { opensValue } from "./join-events.ts";

/**
 * Event streams of chat models, line by line. An event that is a failure breaks the stream, because adapters drop it or
 * read the end as an answer. A chunk in a nonstandard form is converted to one that the adapter reads.
 */

/** The JSON of the data of a line, or undefined. */
function parsed(data: string): unknown {
  try {
    const event: unknown = JSON.parse(data);
    return event;
  } catch {
    return undefined;
  }
}

/** Returns the failure in a body or an event: it has an error, is named one, or reports no success. Else null. */
export function failureIn(value: unknown): unknown {
  // A list of failures, as Google sends it. Lists within it are no failures, however deep they are.
  if (Array.isArray(value)) return value.filter(isFields).map(failureIn).find(isFields) ?? null;
  if (!isFields(value)) return null;
  const { error, choices } = value;
  const carriesError = error !== undefined && error !== null && error !== "" && error !== false;
  if (carriesError || value["success"] === false) return value;
  if (value["object"] === "error" || value["type"] === "error") return value;
  // OpenRouter puts the failure of the model's own provider into the choice.
  if (Array.isArray(choices))
    return choices.find((choice) => isFields(choice) && isFields(choice["error"])) ?? null;
  const saysSo =
    NUMBERS.some((key) => isStatus(value[key])) && WORDS.some((key) => typeof value[key] === "string");
  return saysSo ? value : null;
}
const NUMBERS = ["code", "status", "status_code", "statusCode", "error_code"];
const WORDS = ["message", "msg", "detail", "error_msg", "status_msg"];
/** A status of HTTP, or a code of a provider's own: no code that means success has three digits or more and begins so. */
const isStatus = (value: unknown): boolean =>
  /^[1-9]\d{2,}$/.test(String(value)) && !/^2\d\d$/.test(String(value));

/**
 * Parts of one answer that can each begin a call: they name it and open its arguments. 130 calls are no answer (step.ts), but some
 * servers repeat the name in each part of a call, and a part may also open a value within the arguments.
 */
const CALL_BEGINNINGS_MAX = 8_192;

/** The number of parts of an event that can begin a call. */
function callBeginningsIn(event: unknown): number {
  const { choices } = isFields(event) ? event : {};
  if (!Array.isArray(choices)) return 0;
  const parts = choices.flatMap((choice) =>
    isFields(choice) && isFields(choice["delta"]) ? choice["delta"]["tool_calls"] : [],
  );
  return parts.filter((part) => {
    const called = isFields(part) && isFields(part["function"]) ? part["function"] : {};
    return Boolean(called["name"]) && opensValue(called["arguments"]);
  }).length;
}

/**
 * A reader for the lines of one stream: it gives each line as the adapter may read it, and throws a StreamEventError for an event
 * that is a failure, and where the stream names more calls than an answer may have.
 */
export function createLineReader(): (line: string) => string {
  let isErrorEvent = false;
  let callBeginnings = 0;
  return (line) => {
    const text = line.trim();
    if (text === "") isErrorEvent = false;
    if (/^event:\s*error$/i.test(text)) isErrorEvent = true;
    if (!text.startsWith("data:")) return line;
    const data = text.slice(5);
    const event = parsed(data);
    if (isErrorEvent) throw new StreamEventError(event ?? { error: data });
    if (!isFields(event) && !Array.isArray(event)) return line;
    const failure = failureIn(event);
    if (failure !== null) throw new StreamEventError(failure);
    if (isTooDeep(event)) return line;
    const repaired = repairChunk(event);
    callBeginnings += callBeginningsIn(repaired);
    if (callBeginnings > CALL_BEGINNINGS_MAX) throw endless("the answer");
    return repaired === event ? line : `data: ${JSON.stringify(repaired)}`;
  };
}
