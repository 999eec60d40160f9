import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4ToolResultOutput,
} from "@ai-sdk/provider";
import { type Json, type JsonObject, toJson, isObject } from "../../core/log/json.ts";
import { namesInFinder } from "../../core/loop/find-tools.ts";
import { unfence } from "../../core/text/untrusted.ts";
import { listAt, objectAt, parseJson, textAt } from "./fields.ts";

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly suggestions: readonly Json[];
  readonly details: Json;
}
export type Outcome =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly error: Failure };

export interface PastCall {
  readonly name: string;
  readonly input: JsonObject;
  /** null while it has no result */
  readonly outcome: Outcome | null;
}

/** Everything that a scripted model reads. The same conversation always gets the same reply. */
export interface Conversation {
  /** the person's words in this run, verbatim, without the runtime's own blocks and without untrusted text */
  readonly message: string;
  readonly earlier: readonly { readonly role: "user" | "assistant"; readonly text: string }[];
  /** calls of this run, in order */
  readonly calls: readonly PastCall[];
  /** replies with calls in this run */
  readonly steps: number;
  /** the runtime's block about the situation (date, memory, budget); empty where there is none */
  readonly situation: string;
  /** the note of this run's first reply (`NextReply.note`); null before it, and where it had none */
  readonly note: string | null;
  /** names of the tools that may be called now; empty when the answer must come at once */
  readonly tools: ReadonlySet<string>;
  /** the tools of the request, also when none may be called now */
  readonly offered: readonly LanguageModelV4FunctionTool[];
  /** tool calls in the whole prompt, so that new IDs do not repeat */
  readonly callsBefore: number;
}

/** Where the note of a reply travels: in the metadata that a provider gets back. */
export const NOTE_KEY = "script";

/** Reads a prompt of the AI SDK. Never fails: unreadable parts are left out. */
export function readConversation(
  options: Pick<LanguageModelV4CallOptions, "prompt" | "tools" | "toolChoice">,
): Conversation {
  const messages = options.prompt.filter((message) => message.role !== "system");
  const start = startOfRun(messages);
  const run = messages.slice(start);
  const offered = (options.tools ?? []).filter((tool) => tool.type === "function");
  const callable = options.toolChoice?.type === "none" ? [] : offered;
  return {
    message: run.map(personText).filter(Boolean).join("\n"),
    earlier: messages.slice(0, start).flatMap((message) => {
      const role = message.role === "user" ? "user" : "assistant";
      const text = message.role === "assistant" ? textOf(message).trim() : personText(message);
      return text === "" ? [] : [{ role, text }];
    }),
    calls: readCalls(run),
    steps: run.filter(hasCalls).length,
    situation: situationOf(messages),
    note: noteOf(run),
    // A tool that find_tool names may be called as it is.
    tools: new Set(callable.flatMap((tool) => [tool.name, ...namesInFinder(tool)])),
    offered,
    callsBefore: messages.reduce((sum, message) => sum + callsIn(message), 0),
  };
}

const callsIn = (message: LanguageModelV4Message): number =>
  message.role === "assistant" ? message.content.filter((part) => part.type === "tool-call").length : 0;
const hasCalls = (message: LanguageModelV4Message): boolean => callsIn(message) > 0;

/** The run begins at the person's last message before the first call since the last plain reply. */
function startOfRun(messages: readonly LanguageModelV4Message[]): number {
  const plain = messages.findLastIndex((message) => message.role === "assistant" && !hasCalls(message));
  const acting = messages.findIndex((message, at) => at > plain && hasCalls(message));
  const before = messages.slice(0, acting < 0 ? undefined : acting);
  return Math.max(
    0,
    before.findLastIndex((message) => personText(message) !== ""),
  );
}

function textOf({ content }: Extract<LanguageModelV4Message, { role: "user" | "assistant" }>): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

/**
 * The person's words in a message: its text without the runtime's blocks and without fenced foreign text. An image or a
 * file without words counts as shown.
 */
function personText(message: LanguageModelV4Message): string {
  if (message.role !== "user") return "";
  const text = textOf(message);
  const words = withoutBlocks(withoutBlocks(text, "cairn-[a-z]+"), "untrusted").trim();
  if (words !== "") return words;
  return text.includes("<cairn-image ")
    ? "Here is an image"
    : text.includes("<cairn-file ")
      ? "Here is a file"
      : "";
}

function withoutBlocks(text: string, tag: string): string {
  return text.replace(new RegExp(`<(${tag})\\b[^>]*>[\\s\\S]*?(?:</\\1>|$)`, "giu"), "");
}

function situationOf(messages: readonly LanguageModelV4Message[]): string {
  const last = messages.findLast((message) => message.role === "user");
  const text = last?.role === "user" ? textOf(last) : "";
  return /<cairn-situation\b[^>]*>([\s\S]*?)<\/cairn-situation>/u.exec(text)?.[1] ?? "";
}

function noteOf(run: readonly LanguageModelV4Message[]): string | null {
  const replies = run.flatMap((message) => (message.role === "assistant" ? message.content : []));
  const notes = replies.map(({ providerOptions }) => providerOptions?.[NOTE_KEY]?.["note"]);
  return notes.find((note) => typeof note === "string") ?? null;
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
  // IDs may repeat from step to step, so results are taken in order.
  return calls.map(({ id, name, input }) => ({ name, input, outcome: results.get(id)?.shift() ?? null }));
}

function readInput(input: unknown): JsonObject {
  const value = typeof input === "string" ? parseJson(input) : toJson(input);
  return isObject(value) ? value : {};
}

/** The result of a tool. Text that is not JSON, or was cut, counts as an empty result. */
function readOutcome(output: LanguageModelV4ToolResultOutput): Outcome {
  if (output.type === "execution-denied") return failed({ code: "denied", message: output.reason ?? "" });
  const given =
    output.type === "content"
      ? output.value.map((part) => (part.type === "text" ? part.text : "")).join("")
      : output.value;
  const raw = typeof given === "string" ? unfence(given) : given;
  const value = typeof raw === "string" ? parseJson(raw) : toJson(raw);
  const isError = output.type === "error-text" || output.type === "error-json";
  const message = typeof raw === "string" ? raw : "";
  if (!isObject(value)) return isError ? failed({ message }) : { ok: true, value: {} };
  const error = objectAt(value, "error");
  if (isError || value["ok"] === false || (error !== null && value["ok"] !== true))
    return failed(error ?? value);
  return { ok: true, value };
}

function failed(value: JsonObject): Outcome {
  return {
    ok: false,
    error: {
      code: textAt(value, "code") ?? "failed",
      message: textAt(value, "message") ?? "",
      hint: textAt(value, "hint") ?? "",
      suggestions: listAt(value, "suggestions"),
      details: value["details"] ?? null,
    },
  };
}
