import type { Json } from "../../../src/core/log/json.ts";
import type {
  DraftPiece,
  FinishReason,
  Model,
  ModelOutcome,
  ModelReply,
  ModelRequest,
  Usage,
} from "../../../src/core/log/model.ts";
import type { FakePlatform } from "./platform.ts";

/** What the scripted model says in one call, or how it fails. */
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

/** An answer that says something of what was read: shorter ones that share no word with it are sent back. */
export const REPORT =
  "I have looked at everything that was asked for, one thing after the other, and read it from its beginning to its end. " +
  "There is nothing in it that would have to be changed, and nothing that would be worth a longer report than this one is.";

/** Answers by the number of the step, so that a repeated call says the same. */
export const byStep =
  (...lines: readonly Line[]) =>
  (request: ModelRequest): Line =>
    lines[Number(/s(\d+)$/.exec(request.step)?.[1] ?? 1) - 1] ?? { text: "The end." };

/** Streams what the line says, a few letters at a time, and returns what it has said. */
export function replyOf(line: Line, draft: (piece: DraftPiece) => void): ModelReply {
  const parts: ModelReply["parts"][number][] = [];
  const stream = (type: "text" | "reasoning", text: string): void => {
    const part = parts.length;
    parts.push({ type, text });
    for (const piece of text.match(/[\s\S]{1,7}/g) ?? []) draft({ type, part, text: piece });
  };
  const said = "fail" in line ? { text: line.text } : line;
  if (said.thought !== undefined) stream("reasoning", said.thought);
  if (said.text !== undefined) stream("text", said.text);
  for (const [tool, input] of said.calls ?? []) parts.push({ type: "call", tool, input });
  const usage = {
    inputTokens: ("fail" in line ? undefined : line.inputTokens) ?? 100,
    cachedInputTokens: 0,
    outputTokens: 10,
    reasoningTokens: 0,
    estimated: false,
    ...said.usage,
  };
  const finish = said.finish ?? ((said.calls?.length ?? 0) > 0 ? "tool-calls" : "stop");
  return { parts, finish, usage, model: "scripted", ms: 5, firstTokenMs: 1 };
}

function note(platform: FakePlatform, request: ModelRequest): void {
  platform.cross("model: before");
  platform.observer.asked(request);
  platform.requests.push(request);
}

/** A real model, each request to it written down. */
export const watchedModel = (platform: FakePlatform, model: Model): Model => ({
  call: async (request, draft, signal) => {
    note(platform, request);
    const outcome = await model.call(request, draft, signal);
    platform.cross("model: after");
    return outcome;
  },
});

/** Says what the script of the platform says. */
export const scriptedModel = (platform: FakePlatform): Model => ({
  call: async (request, draft, signal) => {
    const line = platform.script(request, platform.requests.length);
    note(platform, request);
    if ("fail" in line && line.text === undefined) return { kind: "failed", failure: line.fail };
    const reply = replyOf(line, (piece) => {
      platform.onPiece?.();
      draft(piece);
    });
    await platform.onModel?.(request);
    platform.cross("model: after");
    if ("fail" in line) return { kind: "failed", failure: line.fail };
    return signal.aborted ? { kind: "aborted", partial: reply } : { kind: "replied", reply };
  },
});
