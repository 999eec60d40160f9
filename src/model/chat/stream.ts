import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { toJson, type Json, type JsonObject } from "../../core/json.ts";
import { StreamEventError, UnreadableAnswerError } from "../evidence.ts";
import { isObject, listAt, numberAt, objectAt, textAt } from "../reading.ts";
import { createCallTape } from "./calls.ts";

/**
 * An answer of the chat-completions format, as it streams, as the parts that the AI SDK's provider interface knows.
 * Understood beside it: the older format of Workers AI (`response` and `tool_calls` at the top), and an answer that
 * comes whole. What always holds: calls come after everything that was said, the finish comes last, and an error that the
 * server puts into the stream breaks it.
 */

type Part = LanguageModelV4StreamPart;

const FINISH: Readonly<Record<string, LanguageModelV4FinishReason["unified"]>> = {
  stop: "stop",
  length: "length",
  model_length: "length",
  content_filter: "content-filter",
  tool_calls: "tool-calls",
  function_call: "tool-calls",
  error: "error",
};

function toUsage(usage: JsonObject | null): LanguageModelV4Usage {
  const input = usage === null ? null : numberAt(usage, "prompt_tokens");
  const output = usage === null ? null : numberAt(usage, "completion_tokens");
  const cached = numberAt(objectAt(usage ?? {}, "prompt_tokens_details") ?? {}, "cached_tokens");
  const reasoned = numberAt(objectAt(usage ?? {}, "completion_tokens_details") ?? {}, "reasoning_tokens");
  return {
    inputTokens: {
      total: input ?? undefined,
      noCache: input === null ? undefined : Math.max(0, input - (cached ?? 0)),
      cacheRead: cached ?? undefined,
      cacheWrite: undefined,
    },
    outputTokens: {
      total: output ?? undefined,
      text: output === null ? undefined : Math.max(0, output - (reasoned ?? 0)),
      reasoning: reasoned ?? undefined,
    },
  };
}

/** Text under a key, of a text, of a list of parts with texts, or of the bare number or object that old models send. */
function spokenAt(value: Json, key: string): string {
  const found = isObject(value) ? value[key] : undefined;
  if (found === undefined || found === null || found === false) return "";
  if (Array.isArray(found)) return found.map((part: Json) => spokenAt(part, "text")).join("");
  return typeof found === "string" ? found : JSON.stringify(found);
}

/** In what a server of the format differs when it answers. */
export interface AnswerDialect {
  /** `[DONE]` without a finish reason ends an answer well */
  readonly endsByDone: boolean;
  /** the name of a model in an answer is the one that answered, not another name of the one that was asked */
  readonly namesModel: boolean;
}

/** Reads the events of one answer; `end` is told whether `[DONE]` came. */
function createAnswerReader({ endsByDone, namesModel }: AnswerDialect) {
  const calls = createCallTape();
  let open: { readonly type: "text" | "reasoning"; readonly id: string } | null = null;
  let opened = 0;
  let named = !namesModel;
  let refused = false;
  let finish: string | null = null;
  let usage: JsonObject | null = null;

  const close = (): Part[] => {
    const parts: Part[] = open === null ? [] : [{ type: `${open.type}-end`, id: open.id }];
    open = null;
    return parts;
  };
  const speak = (type: "text" | "reasoning", delta: string): Part[] => {
    if (delta === "") return [];
    const parts = open?.type === type ? [] : close();
    if (open === null) {
      open = { type, id: String(opened++) };
      parts.push({ type: `${type}-start`, id: open.id });
    }
    return [...parts, { type: `${type}-delta`, id: open.id, delta }];
  };

  return {
    /** Throws StreamEventError when the event is an error. */
    read(event: Json): Part[] {
      const error = isObject(event) ? event["error"] : undefined;
      const broken = error !== undefined && error !== null && error !== "" && error !== false;
      if (broken || (isObject(event) && event["success"] === false)) throw new StreamEventError(event);
      const parts: Part[] = [];
      const model = textAt(event, "model");
      if (model !== null && !named) {
        named = true;
        parts.push({ type: "response-metadata", modelId: model });
      }
      usage = objectAt(event, "usage") ?? usage;
      const choice = listAt(event, "choices")[0] ?? null;
      finish = textAt(choice, "finish_reason") ?? textAt(event, "finish_reason") ?? finish;
      const said = objectAt(choice, "delta") ?? objectAt(choice, "message") ?? {};
      refused ||= textAt(said, "refusal") !== null;
      parts.push(
        ...speak("reasoning", textAt(said, "reasoning_content") ?? textAt(said, "reasoning") ?? ""),
        ...speak("text", spokenAt(said, "content") + (textAt(said, "refusal") ?? "")),
        ...speak("text", spokenAt(event, "response")),
      );
      for (const piece of [...listAt(said, "tool_calls"), ...listAt(event, "tool_calls")]) {
        const taken = calls.take(piece);
        if (taken !== null) parts.push({ type: "tool-input-delta", ...taken });
      }
      return parts;
    },
    end(done: boolean): Part[] {
      const raw = finish ?? (done && endsByDone ? "stop" : undefined);
      const unified = raw === undefined ? "other" : (FINISH[raw] ?? "other");
      return [
        ...close(),
        ...calls.calls(),
        {
          type: "finish",
          finishReason: { unified: refused && unified === "stop" ? "content-filter" : unified, raw },
          usage: toUsage(usage),
        },
      ];
    },
  };
}

/** One line of a server-sent stream: its JSON, "done", or null when it carries no data. Throws UnreadableAnswerError. */
function readLine(line: string): { readonly event: Json } | "done" | null {
  const text = line.startsWith("data:") ? line.slice(5).trim() : "";
  if (text === "" || text === "[DONE]") return text === "" ? null : "done";
  try {
    const event: unknown = JSON.parse(text);
    return { event: toJson(event) };
  } catch {
    throw new UnreadableAnswerError();
  }
}

/**
 * The parts of an answer that streams as server-sent events with one line of JSON each. The stream breaks with what the
 * source breaks with, StreamEventError or UnreadableAnswerError; cancelling it cancels the source.
 */
export function readEvents(source: ReadableStream<Uint8Array>, dialect: AnswerDialect): ReadableStream<Part> {
  const bytes = source.getReader();
  const decoder = new TextDecoder();
  const answer = createAnswerReader(dialect);
  let rest = "";
  let ended = false;

  const readLines = (text: string, last: boolean): Part[] => {
    const lines = (rest + text).split(/\r\n|\n|\r/);
    rest = last ? "" : (lines.pop() ?? "");
    return lines.flatMap((line) => {
      const read = readLine(line);
      if (read === "done") ended = true;
      return read === null || read === "done" ? [] : answer.read(read.event);
    });
  };
  return new ReadableStream<Part>(
    {
      async pull(controller) {
        try {
          for (;;) {
            const { done, value } = await bytes.read();
            const parts = readLines(done ? decoder.decode() : decoder.decode(value, { stream: true }), done);
            for (const part of done ? [...parts, ...answer.end(ended)] : parts) controller.enqueue(part);
            if (done) return controller.close();
            if (parts.length > 0) return;
          }
        } catch (error) {
          controller.error(error);
          // The source is of no more use, and whether it can be told so changes nothing.
          await bytes.cancel(error).catch(() => undefined);
        }
      },
      cancel: (reason) => bytes.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** The parts of an answer that came whole. Throws StreamEventError when it is an error. */
export function readWhole(answer: Json, dialect: AnswerDialect): ReadableStream<Part> {
  const reader = createAnswerReader(dialect);
  const parts = [...reader.read(answer), ...reader.end(true)];
  return new ReadableStream<Part>({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}
