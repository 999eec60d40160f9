import { isObject, type Json, type JsonObject } from "../log/json.ts";
import type { Fault, RawCall, Repair, ToolOffer } from "../log/model.ts";
import { coerce } from "./coerce.ts";
import { readValue } from "./read-value.ts";
import { researchInput, researchTool, splitLists } from "./research-calls.ts";

/** An object in a reply that contains a thought and tool calls. */
export interface Decision {
  readonly thought: string;
  readonly calls: readonly RawCall[];
  readonly repairs: readonly Repair[];
  readonly faults: readonly Fault[];
}

const THOUGHTS = ["thought", "thoughts", "reasoning", "thinking"];
const NAMES = ["action", "tool", "name", "tool_name", "function"];
const INPUTS = ["action_input", "arguments", "args", "parameters", "params", "input", "tool_input"];
const IGNORED_FIELDS = ["id", "type", "call_id", "index", "actions", "tool_calls", "observation"];
const KNOWN = new Set([...THOUGHTS, ...NAMES, ...INPUTS, ...IGNORED_FIELDS]);

/** True if an object is a decision and nothing else. */
export function isDecision(value: Json): value is JsonObject {
  return (
    isObject(value) &&
    Object.keys(value).every((key) => KNOWN.has(key)) &&
    [...NAMES, "actions", "tool_calls"].some((key) => value[key] !== undefined)
  );
}

/** True if an object has any field of a decision. */
export const isLikeDecision = (value: Json): value is JsonObject =>
  isObject(value) && Object.keys(value).some((key) => KNOWN.has(key));

/** Other names of tools, in what is not native. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  __complete__: ["complete"],
  final_answer: ["complete"],
  finish: ["complete"],
  __pause_for_human__: ["pause_for_human", "ask_human"],
  __store_memory__: ["store_memory"],
  __retrieve_memory__: ["retrieve_memory"],
  __log_progress__: ["log_progress"],
  __run_workflow__: ["run_agent"],
};

/** A name as it is compared: without case and separators. */
const bare = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");

/** The tool that is meant, where only one can be; else the name as it was written, which the loop refuses. */
export function resolveName(name: string, offers: readonly ToolOffer[]): string {
  const has = (tool: string): boolean => offers.some((offer) => offer.name === tool);
  if (has(name)) return name;
  const key = name
    .toLowerCase()
    .trim()
    .replace(/[\s-]+/gu, "_");
  const alias = Object.hasOwn(ALIASES, key) ? ALIASES[key]?.find(has) : undefined;
  if (alias !== undefined) return alias;
  const short = name.split(/[.:/]/u).at(-1) ?? name;
  const near = offers.filter((offer) => bare(offer.name) === bare(name) || offer.name === short);
  if (near.length === 1) return near[0]?.name ?? name;
  return researchTool(name, offers) ?? name;
}

/** True if a name means `complete`, even where it is not offered. */
export const isComplete = (name: string): boolean =>
  ["complete", "finalanswer", "finish"].includes(bare(name));

/** The thought and the calls of an object. Nothing that is missing is made up. */
export function readDecision(object: JsonObject, offers: readonly ToolOffer[]): Decision {
  const repairs = new Set<Repair>();
  const faults = new Set<Fault>();
  const calls: RawCall[] = [];
  const thought = first(object, THOUGHTS);
  const many = object["actions"] ?? object["tool_calls"];
  for (const one of Array.isArray(many) ? (many as readonly Json[]) : [object]) {
    const call = isObject(one) ? readCall(one, offers, repairs) : null;
    if (call === null) faults.add("missing_field");
    else calls.push(...splitLists(call, offers));
  }
  return {
    thought: typeof thought === "string" ? thought : "",
    calls,
    repairs: [...repairs],
    faults: [...faults],
  };
}

function readCall(object: JsonObject, offers: readonly ToolOffer[], repairs: Set<Repair>): RawCall | null {
  const field = NAMES.find((key) => object[key] !== undefined && object[key] !== null);
  const named = field === undefined ? null : (object[field] ?? null);
  // OpenAI's form: {"function": {"name", "arguments"}}; and {"action": {"name", …}}.
  if (isObject(named)) return readCall(named, offers, repairs.add("field_names"));
  if (typeof named !== "string" || named.trim() === "") return null;
  const tool = resolveName(named, offers);
  if (tool !== named) repairs.add("tool_name");
  const inputField = INPUTS.find((key) => object[key] !== undefined);
  if (field !== "action" || (inputField !== undefined && inputField !== "action_input"))
    repairs.add("field_names");
  const input = inputField === undefined ? {} : (object[inputField] ?? {});
  return readInput(tool, input, offers, repairs, named);
}

/** The input as its schema wants it. A text that holds JSON is read once more. `written`: the name that the model gave. */
export function readInput(
  tool: string,
  given: Json,
  offers: readonly ToolOffer[],
  repairs: Set<Repair>,
  written: string = tool,
): RawCall {
  let input = given;
  if (typeof given === "string") {
    const inner = given.trim();
    const read = /^[[{]/u.test(inner) ? readValue(inner, 0) : null;
    if (read?.ok === true && read.end === inner.length) {
      input = read.value;
      repairs.add("input_as_text");
    } else if (inner === "") input = {};
  }
  const offer = offers.find(({ name }) => name === tool);
  if (offer === undefined) return { tool, input };
  const own = researchInput(written, tool, input, offers);
  const coerced = coerce(own, offer.inputSchema);
  if (coerced.changed || own !== input) repairs.add("input_types");
  const text = coerced.input;
  return typeof text === "string" ? { tool, input: null, malformed: text } : { tool, input: text };
}

function first(object: JsonObject, keys: readonly string[]): Json | undefined {
  const key = keys.find((one) => object[one] !== undefined);
  return key === undefined ? undefined : object[key];
}

/** The one decision that a text is, in a fence or a tag or without, if it names an offered tool; else null. */
export function wholeDecision(text: string, offers: readonly ToolOffer[]): Decision | null {
  const bareText = withoutTag(withoutFence(text.trim()));
  if (!bareText.startsWith("{")) return null;
  const read = readValue(bareText, 0);
  if (!read.ok || read.end !== bareText.length || !isDecision(read.value)) return null;
  const decision = readDecision(read.value, offers);
  const [call, more] = decision.calls;
  if (call === undefined || more !== undefined) return null;
  return offers.some(({ name }) => name === call.tool) ? decision : null;
}

function withoutFence(text: string): string {
  const open = /^```[\w-]*\s*\n/u.exec(text)?.[0].length;
  const isClosed = open !== undefined && text.length >= open + 3 && text.endsWith("```");
  return isClosed ? text.slice(open, -3).trim() : text;
}

function withoutTag(text: string): string {
  const open = /^<tool_call\s*>/iu.exec(text)?.[0].length;
  if (open === undefined) return text;
  const close = text.lastIndexOf("</");
  const isClosed = close >= open && /^<\/tool_call\s*>$/iu.test(text.slice(close));
  return text.slice(open, isClosed ? close : text.length).trim();
}
