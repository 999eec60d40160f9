import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4ToolResultOutput,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import type { Json, JsonObject } from "../../core/json.ts";
import { toJson } from "../../core/json.ts";
import { isAt, isObject, listAt, objectAt, objectsAt, textAt } from "./reading.ts";

/** A thing of working memory, as the situation block lists it. */
export interface MemoryEntry {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  readonly slug: string | null;
  readonly parent: { readonly type: string; readonly id: string } | null;
  readonly focus: boolean;
}

export interface Failure {
  readonly code: string;
  readonly class: string;
  readonly message: string;
  readonly hint: string;
  readonly at: string | null;
  readonly suggestions: readonly Json[];
  readonly details: Json;
}
export type Outcome =
  { readonly ok: true; readonly value: JsonObject } | { readonly ok: false; readonly error: Failure };

export interface PastCall {
  readonly name: string;
  readonly input: JsonObject;
  /** null while it has no result */
  readonly outcome: Outcome | null;
}

/** Everything that the rules look at. The same conversation always gives the same decision. */
export interface Conversation {
  /** what the person says in this run, verbatim, without the runtime's own blocks and without untrusted text */
  readonly message: string;
  readonly earlier: readonly { readonly role: "user" | "assistant"; readonly text: string }[];
  /** calls of this run, in order */
  readonly calls: readonly PastCall[];
  /** replies with calls in this run */
  readonly steps: number;
  /** working memory as it was when this run began */
  readonly memory: readonly MemoryEntry[];
  /** names of the tools that may be called now; empty when the answer must come at once */
  readonly tools: ReadonlySet<string>;
  /** tool calls in the whole prompt, for ids that do not repeat */
  readonly callsBefore: number;
}

/** Reads a prompt of the AI SDK. Never fails: what it cannot read, it leaves out. */
export function readConversation(
  options: Pick<LanguageModelV4CallOptions, "prompt" | "tools" | "toolChoice">,
): Conversation {
  const messages = options.prompt.filter((message) => message.role !== "system");
  const start = startOfRun(messages);
  const run = messages.slice(start);
  const calls = readCalls(run);
  const choice = options.toolChoice;
  const offered =
    choice?.type === "none"
      ? []
      : (options.tools ?? []).filter((tool) => tool.type === "function").map((tool) => tool.name);
  return {
    message: run
      .map(personText)
      .filter((text) => text !== "")
      .join("\n"),
    earlier: messages.slice(0, start).flatMap((message) => {
      const text =
        message.role === "user"
          ? personText(message)
          : message.role === "assistant"
            ? replyText(message)
            : "";
      return text === ""
        ? []
        : [{ role: message.role === "user" ? ("user" as const) : ("assistant" as const), text }];
    }),
    calls,
    steps: run.filter(hasCalls).length,
    memory: readKept(run) ?? readMemory(messages),
    tools: new Set(offered),
    callsBefore: messages.reduce(
      (sum, message) =>
        sum +
        (message.role === "assistant"
          ? message.content.filter((part) => part.type === "tool-call").length
          : 0),
      0,
    ),
  };
}

function hasCalls(message: LanguageModelV4Message): boolean {
  return message.role === "assistant" && message.content.some((part) => part.type === "tool-call");
}

/** The run begins at the person's last message that no call precedes since the last plain reply. */
function startOfRun(messages: readonly LanguageModelV4Message[]): number {
  let start = 0;
  let working = false;
  let answered = false;
  for (const [at, message] of messages.entries()) {
    if (message.role === "assistant") {
      working ||= hasCalls(message);
      answered = !hasCalls(message);
    } else if (personText(message) !== "" && (!working || answered)) {
      start = at;
      working = false;
      answered = false;
    }
  }
  return start;
}

/** What the person said in a message: its text without the runtime's blocks and without fenced foreign text. */
function personText(message: LanguageModelV4Message): string {
  if (message.role !== "user") return "";
  const text = message.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  return withoutBlocks(withoutBlocks(text, "cairn-[a-z]+"), "untrusted").trim();
}

function withoutBlocks(text: string, tag: string): string {
  return text.replace(new RegExp(`<(${tag})\\b[^>]*>[\\s\\S]*?(?:</\\1>|$)`, "giu"), "");
}

function replyText(message: LanguageModelV4Message): string {
  if (message.role !== "assistant") return "";
  return message.content
    .map((part) => (part.type === "text" ? part.text : ""))
    .join("")
    .trim();
}

function readCalls(run: readonly LanguageModelV4Message[]): PastCall[] {
  const results = new Map<string, Outcome[]>();
  const calls: { id: string; name: string; input: JsonObject }[] = [];
  for (const message of run) {
    if (message.role !== "assistant" && message.role !== "tool") continue;
    for (const part of message.content) {
      if (part.type === "tool-call")
        calls.push({ id: part.toolCallId, name: part.toolName, input: readInput(part.input) });
      if (part.type === "tool-result")
        results.set(part.toolCallId, [...(results.get(part.toolCallId) ?? []), readOutcome(part.output)]);
    }
  }
  // Ids may repeat from step to step, so results are taken in order.
  return calls.map(({ id, name, input }) => ({ name, input, outcome: results.get(id)?.shift() ?? null }));
}

function readInput(input: unknown): JsonObject {
  const value = typeof input === "string" ? parseJson(input) : toJson(input);
  return isObject(value) ? value : {};
}

/** What a tool answered. A text that is not JSON, or that was cut, is kept as `{ text }`. */
function readOutcome(output: LanguageModelV4ToolResultOutput): Outcome {
  if (output.type === "execution-denied") return failed({ code: "denied", message: output.reason ?? "" });
  const raw =
    output.type === "content"
      ? output.value.map((part) => (part.type === "text" ? part.text : "")).join("")
      : output.value;
  const value = typeof raw === "string" ? parseJson(raw) : toJson(raw);
  const isError = output.type === "error-text" || output.type === "error-json";
  if (!isObject(value)) {
    const text = typeof value === "string" ? value : typeof raw === "string" ? raw : "";
    return isError ? failed({ code: "failed", message: text }) : { ok: true, value: { text } };
  }
  const error = objectAt(value, "error");
  if (isError || value["ok"] === false || (error !== null && value["ok"] !== true))
    return failed(error ?? value);
  return { ok: true, value };
}

function failed(error: JsonObject): Outcome {
  return {
    ok: false,
    error: {
      code: textAt(error, "code") ?? "failed",
      class: textAt(error, "class") ?? "internal",
      message: textAt(error, "message") ?? "",
      hint: textAt(error, "hint") ?? "",
      at: textAt(error, "at"),
      suggestions: listAt(error, "suggestions"),
      details: error["details"] ?? null,
    },
  };
}

/** JSON, also when something stands before or behind it; null when there is none. */
function parseJson(text: string): Json {
  for (const candidate of [text, text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)]) {
    try {
      return toJson(JSON.parse(candidate));
    } catch {
      // Cut or plain text: the next candidate, or none.
    }
  }
  return null;
}

/** The name as it stands in the line: JSON without its outer quotes. */
function readName(text: string): string {
  const value = parseJson(`"${text}"`);
  return typeof value === "string" ? value : text;
}

/**
 * The situation block shows what is so now; "it" and "that page" were said before the run changed anything. So the first
 * reply of a run carries the memory that it was decided by, as other providers let theirs carry signatures.
 */
export function keepMemory(memory: readonly MemoryEntry[]): SharedV4ProviderMetadata {
  const kept = memory.filter((entry) => entry.focus || entry.type === "page" || entry.type === "section");
  return {
    [KEPT_BY]: {
      memory: kept.map((entry) => ({ ...entry, parent: entry.parent === null ? null : { ...entry.parent } })),
    },
  };
}
const KEPT_BY = "rehearsal";

function readKept(run: readonly LanguageModelV4Message[]): MemoryEntry[] | null {
  for (const message of run) {
    if (message.role !== "assistant") continue;
    for (const { providerOptions } of message.content) {
      const kept = toJson(providerOptions?.[KEPT_BY]);
      if (isObject(kept) && kept["memory"] !== undefined) return objectsAt(kept, "memory").flatMap(readEntry);
    }
  }
  return null;
}

function readEntry(value: JsonObject): MemoryEntry[] {
  const [type, id, name] = ["type", "id", "name"].map((key) => textAt(value, key));
  const above = objectAt(value, "parent");
  const [of, parent] = [textAt(above, "type"), textAt(above, "id")];
  if (type == null || id == null || name == null) return [];
  return [
    {
      ...{ type, id, name, slug: textAt(value, "slug"), focus: isAt(value, "focus") },
      parent: of === null || parent === null ? null : { type: of, id: parent },
    },
  ];
}

const MEMORY_LINE = /^\s*- (\w+) (\S+) "(.*)"((?: [^"]*)?)$/u;

function readMemory(messages: readonly LanguageModelV4Message[]): MemoryEntry[] {
  const last = messages.findLast((message) => message.role === "user");
  if (last?.role !== "user") return [];
  const text = last.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  const block = /<cairn-situation\b[^>]*>([\s\S]*?)<\/cairn-situation>/u.exec(text)?.[1] ?? "";
  return block.split("\n").flatMap((line): MemoryEntry[] => {
    const found = MEMORY_LINE.exec(line);
    if (found === null) return [];
    const [, type = "", id = "", name = "", rest = ""] = found;
    const parent = / of (\w+) (\S+)/u.exec(rest);
    return [
      {
        type,
        id,
        name: readName(name),
        slug: / slug=(\S+)/u.exec(rest)?.[1] ?? null,
        parent: parent === null ? null : { type: parent[1] ?? "", id: parent[2] ?? "" },
        focus: /(?:^| )focus\b/u.test(rest),
      },
    ];
  });
}
