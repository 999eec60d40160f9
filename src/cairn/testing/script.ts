import type { Json } from "../core/log/json.ts";
import type { DraftPiece, FinishReason, ModelOutcome, ModelReply, Usage } from "../core/log/model.ts";

/** A reply of a scripted model to one call, or its failure. */
export type Line =
  | {
      readonly text?: string;
      readonly thought?: string;
      readonly calls?: readonly [tool: string, input: Json][];
      readonly finish?: FinishReason;
      /** tokens of the request, as the provider counts them; 100 when left out */
      readonly inputTokens?: number;
      readonly usage?: Partial<Usage>;
    }
  | {
      readonly fail: Extract<ModelOutcome, { kind: "failed" }>["failure"];
      /** streamed before it fails */
      readonly text?: string;
    };

/** Streams a line, a few letters at a time, and returns it as a reply. */
export function replyOf(line: Line, draft: (piece: DraftPiece) => void): ModelReply {
  const parts: ModelReply["parts"][number][] = [];
  const stream = (type: "text" | "reasoning", text: string): void => {
    const part = parts.length;
    parts.push({ type, text });
    for (const piece of text.match(/[\s\S]{1,7}/g) ?? []) draft({ type, part, text: piece });
  };
  const fields = "fail" in line ? { text: line.text } : line;
  if (fields.thought !== undefined) stream("reasoning", fields.thought);
  if (fields.text !== undefined) stream("text", fields.text);
  for (const [tool, input] of fields.calls ?? []) parts.push({ type: "call", tool, input });
  const usage = {
    inputTokens: ("fail" in line ? undefined : line.inputTokens) ?? 100,
    cachedInputTokens: 0,
    outputTokens: 10,
    reasoningTokens: 0,
    estimated: false,
    ...fields.usage,
  };
  const finish = fields.finish ?? ((fields.calls?.length ?? 0) > 0 ? "tool-calls" : "stop");
  return { parts, finish, usage, model: "scripted", ms: 5, firstTokenMs: 1 };
}
