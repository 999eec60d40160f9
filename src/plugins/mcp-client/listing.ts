import { shortened } from "../../cairn/core/text/cut.ts";
import * as z from "zod";
import { isObject, isTooDeep, ownValue, type Json, type JsonObject } from "../../cairn/core/log/json.ts";
import { mcpToolDigest, type McpListing, type McpTool } from "./listed-tool.ts";
import { isReserved } from "../../cairn/core/log/names.ts";
import { removeHidden } from "../../cairn/core/text/untrusted.ts";
import { inputOf } from "../../cairn/tools/input/schema-input.ts";
import { typesIn } from "../../cairn/tools/input/loosened.ts";
import { namesOf } from "./names.ts";
import { offeredSchema } from "../../cairn/tools/input/offer.ts";
import { Oddities } from "./oddities.ts";
import type { McpServer } from "./server.ts";

/** Turns a server's list of tools into tools for a run. All of it is text from outside. */

/** tools that are offered of one server: each is sent to the model with every call of it */
export const TOOLS_MAX = 64;
const NAME_CHARS_MAX = 128;
const NAME = /^[A-Za-z0-9_./:-]+$/;
const TITLE_CHARS_MAX = 80;
const DESCRIPTION_CHARS_MAX = 1_024;
/** of a description within a schema */
const FIELD_CHARS_MAX = 300;
const SCHEMA_CHARS_MAX = 16_000;
/** of all schemas of a server together, for the same reason */
export const SCHEMAS_CHARS_MAX = 200_000;
/** schemas of one list that are read, unreadable ones too */
const SCHEMA_READS_MAX = 2 * TOOLS_MAX;
const LEFT_MAX = 100;

/** A tool as it came, with nothing taken away. */
export interface ListedTool {
  readonly name: string;
  readonly title: string | null;
  readonly description: string;
  readonly inputSchema: Json;
  readonly outputSchema: Json;
}

const toolSchema = z.looseObject({
  name: z.string().min(1),
  title: z.unknown().optional(),
  description: z.unknown().optional(),
  inputSchema: z.unknown().optional(),
  outputSchema: z.unknown().optional(),
});

const textOr = <Other>(value: unknown, other: Other): string | Other =>
  typeof value === "string" ? value : other;

/** One item of a list; null for what is no tool at all. A title or description that is no text is none. */
export function readTool(item: unknown): ListedTool | null {
  const parsed = toolSchema.safeParse(item);
  if (!parsed.success || isTooDeep(parsed.data)) return null;
  const { name, title, description, inputSchema, outputSchema = null } = parsed.data;
  return {
    name,
    title: textOr(title, null),
    description: textOr(description, ""),
    // Lists come as JSON and are bounded in depth above: a copy of every schema would take a second.
    inputSchema: (inputSchema ?? null) as Json,
    outputSchema: outputSchema as Json,
  };
}

/** Fields of a tool that the protocol has, and that may be left out. */
const OPTIONAL = [
  "title",
  "description",
  "outputSchema",
  "annotations",
  "icons",
  "execution",
  "_meta",
] as const;
const TEXTS: ReadonlySet<string> = new Set(["title", "description"]);

function noteTool(item: unknown, odd: Oddities): void {
  const parsed = anything.safeParse(item);
  for (const field of parsed.success ? OPTIONAL : []) {
    const value = ownValue(parsed.data, field);
    if (value === null) odd.note(`A tool has \`${field}: null\``);
    else if (TEXTS.has(field) && value !== undefined && typeof value !== "string")
      odd.note(`A tool has a \`${field}\` that is no text`);
    else if (field === "annotations" && Object.values(value ?? {}).includes(null))
      odd.note("A tool has nulls in its `annotations`");
  }
}

const anything = z.record(z.string(), z.unknown());

export const digestOfTool = ({ name, title, description, inputSchema, outputSchema }: ListedTool): string =>
  mcpToolDigest({ name, title, description, inputSchema, outputSchema });

/**
 * The tools of a list that are offered, and why the others are not. `more`: what prevented the list from being read to its end.
 * `odd`: collects what is in a wrong form.
 */
export function offeredOf(
  server: McpServer,
  items: readonly unknown[],
  more: string | null,
  odd = new Oddities(),
): Pick<McpListing, "tools" | "left"> {
  const left: { tool: string; why: string }[] = [];
  const found = new Map<string, ListedTool>();
  for (const item of items) {
    const tool = readTool(item);
    if (tool !== null) noteTool(item, odd);
    if (tool === null) left.push({ tool: "(unnamed)", why: "The server lists something that is no tool." });
    else if (found.has(tool.name)) left.push({ tool: label(tool.name), why: "The server lists it twice." });
    else found.set(tool.name, tool);
  }
  const allow = server.allow === undefined ? null : new Set(server.allow);
  const wanted = [...found.values()].filter(({ name }) => allow?.has(name) ?? true);
  const sound: ListedTool[] = [];
  const offered: ListedTool[] = [];
  let chars = 0;
  let reads = 0;
  for (const tool of wanted) {
    const length = JSON.stringify(tool.inputSchema).length;
    const fault = faultOf(tool);
    // Only schemas of tools that may be offered are read: those of a whole list would take many seconds.
    const isFirst = fault === null && sound.length < TOOLS_MAX && reads < SCHEMA_READS_MAX;
    if (isFirst) chars += length;
    const isOffered = isFirst && chars <= SCHEMAS_CHARS_MAX;
    if (isOffered) reads += 1;
    const why = fault ?? (isOffered ? schemaFaultOf(tool) : null);
    if (why !== null) {
      left.push({ tool: label(tool.name), why });
      continue;
    }
    sound.push(tool);
    if (isOffered) offered.push(tool);
  }
  const first = sound.slice(0, TOOLS_MAX);
  if (first.length > offered.length)
    left.unshift({
      tool: "*",
      why: `The schemas of its tools are longer than ${SCHEMAS_CHARS_MAX} characters together, and ${offered.length} are offered: name those that are wanted in \`allow\`.`,
    });
  if (sound.length > first.length)
    left.unshift({
      tool: "*",
      why: `The server lists ${sound.length} tools, and ${TOOLS_MAX} are offered: name those that are wanted in \`allow\`.`,
    });
  if (more !== null) left.unshift({ tool: "*", why: more });
  for (const [field, names] of namedIn(server))
    for (const name of names)
      if (!found.has(name))
        left.push({ tool: label(name), why: `\`${field}\` names it, and the server does not list it.` });
  const names = namesOf(
    server.name,
    offered.map(({ name }) => name),
  );
  const taken = new Set<string>();
  const tools = offered.flatMap((tool): McpTool[] => {
    const as = names.get(tool.name) ?? "";
    // Their marks are short: a server can choose two names that have the same one.
    if (taken.has(as)) {
      left.push({ tool: label(tool.name), why: "Another tool would have its name here." });
      return [];
    }
    taken.add(as);
    return [
      {
        name: tool.name,
        as,
        title: tool.title === null ? null : line(tool.title, TITLE_CHARS_MAX),
        description: cut(removeHidden(tool.description), DESCRIPTION_CHARS_MAX),
        inputSchema: cleaned(tool.inputSchema as JsonObject),
        digest: digestOfTool(tool),
      },
    ];
  });
  return { tools, left: left.slice(0, LEFT_MAX) };
}

const namedIn = ({ allow = [], effects, tiers, approval }: McpServer) =>
  [
    ["allow", allow],
    ["effects", Object.keys(effects)],
    ["tiers", Object.keys(tiers)],
    ["approval", Object.keys(approval)],
  ] as const;

/** Why a tool cannot be offered, or null. */
function faultOf({ name, inputSchema }: ListedTool): string | null {
  if (name.length > NAME_CHARS_MAX) return `Its name is longer than ${NAME_CHARS_MAX} characters.`;
  // The name is in the tool's description for the model, outside the fence.
  if (!NAME.test(name)) return "Its name has other signs than letters, digits and _ . / : -.";
  if (isReserved(name)) return "Its name is that of a tool which Cairn has itself.";
  if (!isObject(inputSchema) || !mayBeObject(inputSchema)) return NO_OBJECT;
  if (JSON.stringify(inputSchema).length > SCHEMA_CHARS_MAX)
    return `The schema of what it takes is longer than ${SCHEMA_CHARS_MAX} characters.`;
  return null;
}

const NO_OBJECT = "Its input schema does not describe an object.";

const mayBeObject = ({ type }: JsonObject): boolean =>
  type === undefined || type === null || typesIn(type).includes("object");

function schemaFaultOf({ inputSchema }: ListedTool): string | null {
  try {
    inputOf(inputSchema as JsonObject);
  } catch {
    return "The schema of what it takes cannot be read.";
  }
  return offeredSchema(inputSchema) === null ? NO_OBJECT : null;
}

/** The schema with its descriptions cut and cleaned. The parts that validate an input stay as they are. */
function cleaned(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (typeof value === "string" && WORDS.has(key))
        return [key, cut(removeHidden(value), FIELD_CHARS_MAX).replaceAll("<", "‹")];
      if (VALUES.has(key)) return [key, value];
      // The keys below are names of fields, not keywords.
      if (NAMED.has(key) && isObject(value))
        return [
          key,
          Object.fromEntries(
            Object.entries(value).map(([field, of]) => [field, isObject(of) ? cleaned(of) : of]),
          ),
        ];
      if (Array.isArray(value)) return [key, value.map((one: Json) => (isObject(one) ? cleaned(one) : one))];
      return [key, isObject(value) ? cleaned(value) : value];
    }),
  );
}

const WORDS: ReadonlySet<string> = new Set(["description", "title", "$comment"]);
const VALUES: ReadonlySet<string> = new Set(["default", "const", "enum", "examples"]);
const NAMED: ReadonlySet<string> = new Set(["properties", "$defs", "definitions", "patternProperties"]);

const cut = (text: string, most: number): string => shortened(text, most);

/** On one line, as a name of something is shown. */
const line = (text: string, most: number): string =>
  cut(removeHidden(text).replace(/\s+/g, " ").trim(), most);
const label = (name: string): string => line(name, 80);
