import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4ToolResultOutput,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import { type Json, type JsonObject, toJson, isObject } from "../../cairn/core/log/json.ts";
import { namesInFinder } from "../../cairn/core/loop/find-tools.ts";
import { unfence } from "../../cairn/core/text/untrusted.ts";
import { ownToolsIn, type OwnTool } from "./own-tools.ts";
import { listAt, objectAt, parseJson, textAt } from "./reading.ts";

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

interface PastCall {
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
  /** working memory as it was when this run began, as the prompt lists it, and read */
  readonly memoryLines: string;
  readonly memory: readonly MemoryEntry[];
  /** the day that the prompt tells, `2026-11-21`; null where it tells none */
  readonly today: string | null;
  /** names of the tools that may be called now; empty when the answer must come at once */
  readonly tools: ReadonlySet<string>;
  /** tools of a project without a site; null where there is one */
  readonly own: readonly OwnTool[] | null;
  /** tool calls in the whole prompt, for ids that do not repeat */
  readonly callsBefore: number;
}

type OfferedTools = NonNullable<LanguageModelV4CallOptions["tools"]>;

/** Reads a prompt of the AI SDK. Never fails: what it cannot read, it leaves out. */
export function readConversation(
  options: Pick<LanguageModelV4CallOptions, "prompt" | "tools" | "toolChoice">,
): Conversation {
  const messages = options.prompt.filter((message) => message.role !== "system");
  const start = startOfRun(messages);
  const run = messages.slice(start);
  const calls = readCalls(run);
  const memoryLines = keptLines(run) ?? shownLines(messages);
  const offered = options.toolChoice?.type === "none" ? [] : (options.tools ?? []);
  return {
    message: run.map(personText).filter(Boolean).join("\n"),
    earlier: messages.slice(0, start).flatMap((message) => {
      const role = message.role === "user" ? "user" : "assistant";
      const text = message.role === "assistant" ? textOf(message).trim() : personText(message);
      return text === "" ? [] : [{ role, text }];
    }),
    calls,
    steps: run.filter(hasCalls).length,
    memoryLines,
    memory: readMemory(memoryLines),
    today: todayOf(situationOf(messages)),
    // A tool that find_tool names may be called as it is.
    tools: new Set(
      offered.flatMap((tool) => (tool.type === "function" ? [tool.name, ...namesInFinder(tool)] : [])),
    ),
    own: hasSite(options.tools ?? []) ? null : ownToolsIn(functionsOf(options.tools ?? [])),
    callsBefore: messages.reduce((sum, message) => sum + callsIn(message), 0),
  };
}

const functionsOf = (tools: OfferedTools) => tools.filter((tool) => tool.type === "function");
const hasSite = (tools: OfferedTools): boolean => tools.some(({ name }) => name === "site_overview");

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
 * What the person said in a message: its text without the runtime's blocks and without fenced foreign text. An image or a
 * file that comes without a word is shown.
 */
function personText(message: LanguageModelV4Message): string {
  if (message.role !== "user") return "";
  const text = textOf(message);
  const said = withoutBlocks(withoutBlocks(text, "cairn-[a-z]+"), "untrusted").trim();
  if (said !== "") return said;
  return text.includes("<cairn-image ")
    ? "Here is an image"
    : text.includes("<cairn-file ")
      ? "Here is a file"
      : "";
}

function withoutBlocks(text: string, tag: string): string {
  return text.replace(new RegExp(`<(${tag})\\b[^>]*>[\\s\\S]*?(?:</\\1>|$)`, "giu"), "");
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

/** What a tool answered. Of a text that is not JSON, or that was cut, nothing is known. */
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
  const [code, message, hint] = [textAt(value, "code"), textAt(value, "message"), textAt(value, "hint")];
  const more = { suggestions: listAt(value, "suggestions"), details: value["details"] ?? null };
  return { ok: false, error: { code: code ?? "failed", message: message ?? "", hint: hint ?? "", ...more } };
}

/** A thing of working memory, as the situation block lists it. */
export interface MemoryEntry {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  readonly slug: string | null;
  readonly parent: { readonly type: string; readonly id: string } | null;
  readonly focus: boolean;
}

const KEPT_BY = "rehearsal";

/**
 * The situation block shows what is so now; "it" and "that page" were said before the run changed anything. So the first
 * reply of a run carries the memory that it was decided by, as other providers let theirs carry signatures.
 */
export const keepMemory = (lines: string): SharedV4ProviderMetadata => ({ [KEPT_BY]: { memory: lines } });

/** What the first reply of this run kept; null when there is none yet. */
function keptLines(run: readonly LanguageModelV4Message[]): string | null {
  const replies = run.flatMap((message) => (message.role === "assistant" ? message.content : []));
  const kept = replies.map(({ providerOptions }) => providerOptions?.[KEPT_BY]?.["memory"]);
  return kept.find((lines) => typeof lines === "string") ?? null;
}

const MEMORY_LINE = /^\s*- (\w+) (\S+) "(.*)"((?: [^"]*)?)$/u;

/** The block of the runtime that says how things stand; empty where there is none. */
function situationOf(messages: readonly LanguageModelV4Message[]): string {
  const last = messages.findLast((message) => message.role === "user");
  const text = last?.role === "user" ? textOf(last) : "";
  return /<cairn-situation\b[^>]*>([\s\S]*?)<\/cairn-situation>/u.exec(text)?.[1] ?? "";
}

/** The lines of memory that the prompt shows now. */
function shownLines(messages: readonly LanguageModelV4Message[]): string {
  return situationOf(messages)
    .split("\n")
    .filter((line) => MEMORY_LINE.test(line))
    .join("\n");
}

function readMemory(block: string): MemoryEntry[] {
  return block.split("\n").flatMap((line): MemoryEntry[] => {
    const found = MEMORY_LINE.exec(line);
    if (found === null) return [];
    const [, type = "", id = "", name = "", rest = ""] = found;
    const parent = / of (\w+) (\S+)/u.exec(rest);
    return [
      {
        type,
        id,
        // as it stands in the line: JSON without its outer quotes
        name: textAt({ name: parseJson(`"${name}"`) }, "name") ?? name,
        slug: / slug=(\S+)/u.exec(rest)?.[1] ?? null,
        parent: parent === null ? null : { type: parent[1] ?? "", id: parent[2] ?? "" },
        focus: /(?:^| )focus\b/u.test(rest),
      },
    ];
  });
}

export interface ListedPages {
  /** in their order */
  readonly slugs: readonly string[];
  /** the list was in the very last answer */
  readonly fresh: boolean;
}

/** A line of the list of pages (tell.ts). */
const PAGE_LINE = /^- "(.+)" \(([^()\s]+)\), (?:published|draft|unpublished|status unknown)/u;

/** The newest list of pages among our answers, or null. */
export function listedPages(earlier: Conversation["earlier"]): ListedPages | null {
  const answers = earlier.filter((one) => one.role === "assistant").reverse();
  for (const [age, { text }] of answers.entries()) {
    const slugs = text.split("\n").flatMap((line) => PAGE_LINE.exec(line)?.[2] ?? []);
    if (slugs.length > 0) return { slugs, fresh: age === 0 };
  }
  return null;
}

/** The day of the question: by the person's clock, where that is known. */
const todayOf = (situation: string): string | null =>
  (/^local: (\d{4}-\d\d-\d\d)/mu.exec(situation) ?? /^date: (\d{4}-\d\d-\d\d)T/mu.exec(situation))?.[1] ??
  null;
