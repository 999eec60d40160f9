import { readJson } from "../core/log/json.ts";
import { isFields } from "./chat-chunk.ts";

/**
 * Joins consecutive events of a chat stream that arrived in one piece and differ only in the text that they add: an adapter
 * validates each event against a schema, which costs far more than the text is worth where an event carries one character.
 * Invariants: the joined event equals the first one except for its text, which is the text of all; every other line stays as it is.
 */

/** characters after which a joined event takes no further text */
const JOINED_CHARS_MAX = 4_096;
/** keys whose text grows from event to event, with the text as JSON between its quotes */
const GROWING = /"(content|reasoning_content|reasoning|arguments)":\s?"((?:[^"\\]|\\.)+)"/g;
const TEXT = /^(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))+$/u;
/** True for arguments that, in an event that names its call, may begin another call. */
export const opensValue = (text: unknown): boolean => typeof text === "string" && /^\s*[[{]/.test(text);

const CHOICE_KEYS = new Set(["index", "delta", "finish_reason", "logprobs"]);
const DELTA_KEYS = new Set(["role", "content", "reasoning_content", "reasoning", "refusal", "tool_calls"]);
const CALL_KEYS = new Set(["index", "id", "type", "function"]);
const FUNCTION_KEYS = new Set(["name", "arguments"]);

type Fields = Readonly<Record<string, unknown>>;

/** An event whose text can grow: the line before and after the text. */
interface Growing {
  readonly before: string;
  readonly text: string;
  readonly after: string;
  /** the call of the text is named in every event */
  readonly isNamed: boolean;
}

const isBlank = (line: string | undefined): boolean => line === "" || line === "\r";
const isNothing = (value: unknown): boolean => value === undefined || value === null || value === "";
const hasOnly = (fields: Fields, keys: ReadonlySet<string>): boolean =>
  Object.keys(fields).every((key) => keys.has(key));

/** The only element of a list if it is an object, or null. */
const onlyOf = (list: unknown): Fields | null =>
  Array.isArray(list) && list.length === 1 && isFields(list[0]) ? list[0] : null;

/** The call that an event consists of, if the event holds no more than a part of one call with its place in the list. */
function callOf(delta: Fields): Fields | null {
  const call = onlyOf(delta["tool_calls"]);
  if (call === null || !hasOnly(call, CALL_KEYS) || typeof call["index"] !== "number") return null;
  const called = call["function"];
  return isFields(called) && hasOnly(called, FUNCTION_KEYS) ? called : null;
}

/** The event in a line if `next` continues it: both hold the same and end with neither an answer nor a choice. */
function growingEvent(line: string, next: string): Growing | null {
  if (!line.startsWith("data:")) return null;
  const [found, more] = line.matchAll(GROWING);
  const [whole, key = "", text = ""] = found ?? [];
  if (whole === undefined || more !== undefined || found === undefined) return null;
  const from = found.index + whole.length - 1 - text.length;
  const before = line.slice(0, from);
  const after = line.slice(from + text.length);
  if (!next.startsWith(before) || !next.endsWith(after)) return null;
  const event = readJson(line.slice(5));
  if (!isFields(event) || !isNothing(event["usage"])) return null;
  const choice = onlyOf(event["choices"]);
  if (choice === null || !hasOnly(choice, CHOICE_KEYS)) return null;
  const { delta, finish_reason: finish, logprobs } = choice;
  if (!isFields(delta) || !hasOnly(delta, DELTA_KEYS)) return null;
  if (!isNothing(finish) || !isNothing(logprobs) || !isNothing(delta["refusal"])) return null;
  const called = key === "arguments" ? callOf(delta) : null;
  const holder = key === "arguments" ? called : isNothing(delta["tool_calls"]) ? delta : null;
  if (holder === null || holder[key] !== readJson(`"${text}"`)) return null;
  return { before, text, after, isNamed: called !== null && !isNothing(called["name"]) };
}

/** The text that a line adds to the event, or null where the line differs in anything else. */
function textIn(line: string | undefined, { before, after, isNamed }: Growing): string | null {
  if (line === undefined || line.length <= before.length + after.length) return null;
  if (!line.startsWith(before) || !line.endsWith(after)) return null;
  const text = line.slice(before.length, line.length - after.length);
  if (!TEXT.test(text) || (isNamed && opensValue(text))) return null;
  return text;
}

/** The lines with their events joined. `isStart`: an event begins with the first of them. */
export function joinEvents(lines: readonly string[], isStart: boolean): readonly string[] {
  const joined: string[] = [];
  let isAtStart = isStart;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const next = lines[at + 2];
    const event = isAtStart && isBlank(lines[at + 1]) && next !== undefined ? growingEvent(line, next) : null;
    isAtStart = isBlank(line);
    if (event === null) {
      joined.push(line);
      continue;
    }
    let { text } = event;
    let last = at;
    while (text.length < JOINED_CHARS_MAX && isBlank(lines[last + 3])) {
      const added = textIn(lines[last + 2], event);
      if (added === null) break;
      text += added;
      last += 2;
    }
    joined.push(last === at ? line : event.before + text + event.after);
    at = last;
  }
  return joined;
}
