import type { DraftPiece, FinishReason, ModelOutcome, ModelReply, Usage } from "../core/log/model.ts";
import type { ScriptedReply } from "../models/script/reply.ts";

/** A reply of a scripted model to one call, with the counts of its provider. */
interface SuccessLine extends ScriptedReply {
  readonly finish?: FinishReason;
  /** tokens of the request, as the provider counts them; 100 when left out */
  readonly inputTokens?: number;
  readonly usage?: Partial<Usage>;
}

interface FailureLine {
  readonly fail: Extract<ModelOutcome, { kind: "failed" }>["failure"];
  /** streamed before it fails */
  readonly text?: string;
}

/** A reply of a scripted model to one call, or its failure. */
export type Line = SuccessLine | FailureLine;

/** Streams a line, a few letters at a time, and returns it as a reply. */
export function replyOf(line: Line, draft: (piece: DraftPiece) => void): ModelReply {
  const parts: ModelReply["parts"][number][] = [];
  const stream = (type: "text" | "reasoning", text: string): void => {
    const part = parts.length;
    parts.push({ type, text });
    for (const piece of text.match(/[\s\S]{1,7}/g) ?? []) draft({ type, part, text: piece });
  };
  const reply: SuccessLine = "fail" in line ? (line.text === undefined ? {} : { text: line.text }) : line;
  if (reply.thought !== undefined) stream("reasoning", reply.thought);
  if (reply.text !== undefined) stream("text", reply.text);
  for (const [tool, input] of reply.calls ?? []) parts.push({ type: "call", tool, input });
  const usage = {
    inputTokens: reply.inputTokens ?? 100,
    cachedInputTokens: 0,
    outputTokens: 10,
    reasoningTokens: 0,
    estimated: false,
    ...reply.usage,
  };
  const finish = reply.finish ?? ((reply.calls?.length ?? 0) > 0 ? "tool-calls" : "stop");
  return { parts, finish, usage, model: "scripted", ms: 5, firstTokenMs: 1 };
}
