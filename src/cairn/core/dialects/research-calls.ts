import { isObject, ownValue, type Json, type JsonObject } from "../log/json.ts";
import type { RawCall, ToolOffer } from "../log/model.ts";
import { coerce } from "./coerce.ts";
import { readValue } from "./read-value.ts";

/**
 * Calls, written or on the wire, of a model that was trained on the five tools of Tongyi DeepResearch: `search`, `visit`,
 * `google_scholar`, `PythonInterpreter` and `parse_file`. Each becomes a call of Cairn's own tool for it. A tool that is offered under such a name
 * is itself.
 */

/** tools by which each is done, the first that is offered; the names are compared without case and separators */
const TOOLS: Readonly<Record<string, readonly string[]>> = {
  search: ["web_search"],
  googlesearch: ["web_search"],
  googlescholar: ["scholar_search", "web_search"],
  scholar: ["scholar_search", "web_search"],
  visit: ["visit"],
  // Where the sandbox may reach the network, it is the only one that runs Python.
  pythoninterpreter: ["run_networked_code", "run_code"],
  python: ["run_networked_code", "run_code"],
  codeinterpreter: ["run_networked_code", "run_code"],
  parsefile: ["read_file"],
  fileparser: ["read_file"],
};

/** of each of Cairn's tools that takes a list: its field, and what others call it */
const LISTS: Readonly<Record<string, { readonly field: string; readonly others: readonly string[] }>> = {
  web_search: { field: "queries", others: ["query"] },
  scholar_search: { field: "queries", others: ["query"] },
  visit: { field: "urls", others: ["url"] },
  read_file: { field: "files", others: ["file"] },
};

const CODE_TOOLS: readonly string[] = ["run_code", "run_networked_code"];

const key = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");

/** The offered tool by which a tool of DeepResearch is done, or null. */
export function researchTool(name: string, offers: readonly ToolOffer[]): string | null {
  const known = key(name);
  const tools = Object.hasOwn(TOOLS, known) ? (TOOLS[known] ?? []) : [];
  return tools.find((tool) => offers.some((offer) => offer.name === tool)) ?? null;
}

export const isCodeTool = (tool: string): boolean => CODE_TOOLS.includes(tool);

/** A name of DeepResearch's interpreter, which runs Python and nothing else. */
const isPython = (name: string): boolean => key(name).includes("python");

/**
 * A call on the wire of a model that knows DeepResearch's tools, as calls of Cairn's own; any other call as it is. `text`: its
 * arguments as the provider sent them.
 */
export function researchCalls(call: RawCall, text: string, offers: readonly ToolOffer[]): readonly RawCall[] {
  const { malformed, ...sound } = call;
  const isOffered = offers.some((offer) => key(offer.name) === key(call.tool));
  const tool = isOffered ? call.tool : researchTool(call.tool, offers);
  if (tool === null) return [call];
  const given = malformed === undefined ? call.input : isPython(call.tool) ? programIn(text) : null;
  if (given === null) return [{ ...call, tool }];
  const input = researchInput(call.tool, tool, given, offers);
  if (isOffered && input === call.input) return [call];
  const schema = offers.find(({ name }) => name === tool)?.inputSchema ?? {};
  return splitLists({ ...sound, tool, input: coerce(input, schema).input }, offers);
}

/** The program in arguments that are no JSON; null where they only tried to be. */
function programIn(text: string): string | null {
  const tagged = codeBehind(text, 0);
  if (tagged !== undefined) return tagged;
  return /^\s*[[{"]/u.test(text) ? null : text;
}

/** The input under the names that the tool has. `written`: the name by which the tool was called. */
export function researchInput(
  written: string,
  tool: string,
  input: Json,
  offers: readonly ToolOffer[],
): Json {
  const offer = offers.find(({ name }) => name === tool);
  if (offer === undefined) return input;
  if (isCodeTool(tool)) return codeInput(written, input, offer);
  const list = Object.hasOwn(LISTS, tool) ? LISTS[tool] : undefined;
  if (list === undefined || !hasField(offer, list.field)) return input;
  const { field, others } = list;
  // A text or a list replaces an object with only one field.
  if (typeof input === "string" || Array.isArray(input))
    return written === tool || input === "" ? input : { [field]: listOf(input) };
  if (!isObject(input)) return input;
  const other = others.find((name) => ownValue(input, name) !== undefined && !hasField(offer, name));
  const named = ownValue(input, field);
  if (named !== undefined) {
    const whole = listOf(named);
    return whole === named ? input : { ...input, [field]: whole };
  }
  if (other === undefined) return input;
  const { [other]: given = null, ...rest } = input;
  return { ...rest, [field]: listOf(given) };
}

/** One text is a list of it; a text that is a list in JSON is that list, as models write it. */
function listOf(value: Json): Json {
  if (typeof value !== "string") return value;
  const text = value.trim();
  const read = text.startsWith("[") ? readValue(text, 0) : null;
  if (read?.ok !== true || read.end !== text.length) return [value];
  const { value: list } = read;
  return Array.isArray(list) ? (list as readonly Json[]) : [value];
}

function codeInput(written: string, input: Json, offer: ToolOffer): Json {
  if (!isPython(written)) return input;
  const language: JsonObject = hasField(offer, "language") ? { language: "python" } : {};
  if (typeof input === "string")
    return input.trim() === "" ? language : { ...language, code: bareCode(input) };
  if (!isObject(input)) return input;
  const { code } = input;
  return { ...language, ...input, ...(typeof code === "string" ? { code: bareCode(code) } : {}) };
}

const hasField = ({ inputSchema }: ToolOffer, name: string): boolean =>
  isObject(inputSchema["properties"]) && Object.hasOwn(inputSchema["properties"], name);

/** Several calls where a list is longer than the tool takes: a model that knows no such limit loses none of it. */
export function splitLists(call: RawCall, offers: readonly ToolOffer[]): readonly RawCall[] {
  const { tool, input } = call;
  const list = Object.hasOwn(LISTS, tool) ? LISTS[tool] : undefined;
  const offer = offers.find(({ name }) => name === tool);
  if (list === undefined || offer === undefined || !isObject(input)) return [call];
  const items = ownValue(input, list.field);
  const most = itemsMax(offer.inputSchema, list.field);
  if (!Array.isArray(items) || most === null || items.length <= most || items.length > most * SPLIT_MAX)
    return [call];
  const given = items as readonly Json[];
  // A provider's own data of a call is sent back once.
  const { options: _options, ...others } = call;
  return Array.from({ length: Math.ceil(given.length / most) }, (_, at) => ({
    ...(at === 0 ? call : others),
    input: { ...input, [list.field]: given.slice(at * most, (at + 1) * most) },
  }));
}

/** calls that one may become; a longer list is refused by the tool, with its limit */
const SPLIT_MAX = 4;

function itemsMax(schema: JsonObject, field: string): number | null {
  const fields = schema["properties"];
  const list = isObject(fields) ? ownValue(fields, field) : undefined;
  const most = isObject(list) ? list["maxItems"] : undefined;
  return typeof most === "number" && most > 0 ? most : null;
}

const OPEN = "<code>";
const CLOSE = "</code>";

/** The program in a tag behind the arguments; undefined where there is none. One that nothing closed goes on to the end. */
export function codeBehind(text: string, from: number): string | undefined {
  const open = text.indexOf(OPEN, from);
  if (open < 0) return undefined;
  const close = text.lastIndexOf(CLOSE);
  const code = text.slice(open + OPEN.length, close < open ? text.length : close).trimEnd();
  return bareCode(code.startsWith("\n") ? code.slice(1) : code);
}

/** A program is open at the end of the text: whatever tag comes next is a line of it. */
export const isCodeOpen = (text: string, from: number): boolean =>
  text.lastIndexOf(OPEN) >= from && text.lastIndexOf(CLOSE) < text.lastIndexOf(OPEN);

/** DeepResearch runs the code of a call that names Python anywhere before it, even if its JSON is unreadable. */
export function pythonCall(text: string): { readonly name: string; readonly code: string } | null {
  const open = text.indexOf(OPEN);
  const code = open < 0 ? undefined : codeBehind(text, open);
  if (code === undefined || !/python/iu.test(text.slice(0, open))) return null;
  return { name: "PythonInterpreter", code };
}

/** A program without the fence of Markdown around it. */
function bareCode(code: string): string {
  const trimmed = code.trim();
  const open = /^```\w{0,20}[ \t]*\n/u.exec(trimmed)?.[0].length;
  return open !== undefined && trimmed.length >= open + 3 && trimmed.endsWith("```")
    ? trimmed.slice(open, -3).trimEnd()
    : code;
}
