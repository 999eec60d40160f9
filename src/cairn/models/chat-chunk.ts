import { ownValue } from "../core/log/json.ts";

/**
 * Chunks of an answer as servers of "the format of OpenAI" really send them, in the form that the adapter reads. A chunk that is
 * right already stays the same object.
 */

type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The fields with some replaced: the same object where every one is as it was. An undefined one is left out. */
function withFields(fields: Fields, changed: Fields): Fields {
  for (const [key, value] of Object.entries(changed)) {
    const isSame = Object.hasOwn(fields, key)
      ? value !== undefined && ownValue(fields, key) === value
      : value === undefined;
    if (!isSame) return { ...fields, ...changed };
  }
  return fields;
}

/** The list with each item repaired: the same object where every one is as it was. */
function each(list: readonly unknown[], repair: (item: unknown, at: number) => unknown): readonly unknown[] {
  const repaired = list.map(repair);
  return repaired.every((item, at) => item === list[at]) ? list : repaired;
}

const textOrNothing = (value: unknown): unknown =>
  value === null || typeof value === "string" ? value : undefined;

/** A content of parts as its text and its thoughts (Mistral writes both as parts). */
function contentTexts(content: unknown): { readonly text: unknown; readonly thought?: string } {
  if (!Array.isArray(content) && !isFields(content)) return { text: textOrNothing(content) };
  const parts = (Array.isArray(content) ? content : [content]).filter(isFields);
  const thought = textsIn(
    parts.flatMap((part) => (Array.isArray(part["thinking"]) ? (part["thinking"] as unknown[]) : [])),
  );
  return { text: textsIn(parts), ...(thought === "" ? {} : { thought }) };
}
const textsIn = (parts: readonly unknown[]): string =>
  parts.map((part) => (isFields(part) && typeof part["text"] === "string" ? part["text"] : "")).join("");

/** Arguments as the text that the format prescribes. */
const argumentsText = (value: unknown): unknown =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : textOrNothing(value);

/** A call, or a part of one. Whole calls of a message have no index: then their place in the list is it. */
function repairCall(call: unknown, at: number, isWhole: boolean): unknown {
  if (!isFields(call)) return call;
  const { function: named, index, id, type, name, arguments: given } = call;
  // Some servers put the name and the arguments next to the id.
  const target = isFields(named) ? named : { name, arguments: given };
  const position = typeof index === "string" && /^\d{1,4}$/.test(index) ? Number(index) : index;
  return withFields(call, {
    index: typeof position === "number" || !isWhole ? position : at,
    id: typeof id === "number" ? String(id) : textOrNothing(id),
    // Others than functions are not offered: a server that names the type otherwise means a function.
    type: type === undefined || type === null ? type : "function",
    function: withFields(target, {
      name: textOrNothing(target["name"]),
      arguments: argumentsText(target["arguments"]),
    }),
  });
}

function repairDelta(delta: unknown, isWhole: boolean): unknown {
  if (!isFields(delta)) return isWhole ? undefined : delta;
  const { role, content, tool_calls: calls, function_call: old } = delta;
  const listed = isFields(calls) ? [calls] : Array.isArray(calls) ? (calls as readonly unknown[]) : [];
  // The form before `tool_calls` has one call without an id.
  const all = listed.length === 0 && isFields(old) ? [{ index: 0, function: old }] : listed;
  const repaired = each(all, (call, at) => repairCall(call, at, isWhole));
  const { text, thought } = contentTexts(content);
  return withFields(delta, {
    role: role === "assistant" || role === undefined || role === null ? role : "assistant",
    content: text,
    reasoning_content: textOrNothing(delta["reasoning_content"]) ?? thought,
    reasoning: textOrNothing(delta["reasoning"]),
    tool_calls: repaired.length === 0 && !Array.isArray(calls) ? undefined : repaired,
  });
}

function repairChoice(choice: unknown): unknown {
  if (!isFields(choice)) return { delta: null };
  const { delta, message, finish_reason: finish } = choice;
  // A server that does not stream answers with a message where a delta belongs.
  const isWhole = !isFields(delta) && isFields(message);
  return withFields(choice, {
    delta: repairDelta(isWhole ? message : delta, isWhole),
    finish_reason: textOrNothing(finish),
  });
}

const numberOrNothing = (value: unknown): number | undefined =>
  typeof value === "number" ? value : undefined;
const COUNTS = ["prompt_tokens", "completion_tokens", "total_tokens"];
const DETAILS = ["prompt_tokens_details", "completion_tokens_details"];

/** Counts that are no numbers are left out. */
function repairUsage(usage: Fields): Fields {
  const numbers = (fields: Fields, keys: readonly string[]): Fields =>
    Object.fromEntries(keys.map((key) => [key, numberOrNothing(ownValue(fields, key))]));
  const details = DETAILS.map((key): [string, unknown] => {
    const found = usage[key];
    return [key, isFields(found) ? withFields(found, numbers(found, Object.keys(found))) : undefined];
  });
  return withFields(usage, { ...numbers(usage, COUNTS), ...Object.fromEntries(details) });
}

/** The chunk in the form that the adapter reads; what is no chunk of an answer is returned as it came. */
export function repairChunk(event: unknown): unknown {
  if (!isFields(event)) return event;
  const { choices, usage } = event;
  const isLast = isFields(usage) && (choices === undefined || choices === null);
  if (!Array.isArray(choices) && !isLast) return event;
  return withFields(event, {
    id: typeof event["id"] === "number" ? String(event["id"]) : textOrNothing(event["id"]),
    created: typeof event["created"] === "number" ? event["created"] : undefined,
    model: textOrNothing(event["model"]),
    // The adapter takes the key alone for a failure.
    error: undefined,
    choices: isLast ? [] : each(choices as readonly unknown[], repairChoice),
    usage: isFields(usage) ? repairUsage(usage) : undefined,
  });
}
