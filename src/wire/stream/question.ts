import type { Entry } from "../../core/log/entry.ts";
import type { Json, JsonObject } from "../../core/log/json.ts";
import { isoTime, type DataChunk } from "./ui-chunk.ts";

/** `data-question` of interface 4.1; `context` and what a guard has seen beside it, where there is such a thing. */
export function questionChunk(
  { body }: Entry<"human_asked">,
  end: Entry<"human_answered"> | "run_ended" | null,
): DataChunk {
  const answered = end === null || end === "run_ended" || end.body.expired ? null : end.body;
  const { question, call, text, form, options, context, about } = body;
  const data: JsonObject = {
    questionId: question,
    callId: call,
    question: text,
    kind: form,
    options,
    expiresAt: isoTime(body.expiresAt),
    default: body.default,
    state: end === null ? "open" : answered === null ? "expired" : "answered",
    by: answered?.actor ?? null,
    ...(context === null ? {} : { context }),
    ...(about === undefined ? {} : { about: { ...about } }),
  };
  return { type: "data-question", id: question, data };
}

/** The value of an answer as it may come in: a text of at most so many bytes. */
export function isAnswerText(value: Json, bytesMax: number): value is string {
  return typeof value === "string" && new TextEncoder().encode(value).length <= bytesMax;
}
