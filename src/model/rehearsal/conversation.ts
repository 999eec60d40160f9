import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4ToolResultOutput,
} from "@ai-sdk/provider";
import type { Json, JsonObject } from "../../core/log/json.ts";
import { toJson } from "../../core/log/json.ts";
import { readKept, readMemory, type MemoryEntry } from "./memory.ts";
import { isObject, listAt, objectAt, parseJson, textAt } from "./reading.ts";

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
