import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { createRehearsalModel } from "../../../src/plugins/rehearsal/model.ts";

/** A text, or a call as providers know it. */
export type Reply = string | { readonly tool: string; readonly input: object };

/** A model for the stand-in of a provider that says what a test has written; `next` is asked once for each request. */
export function scriptedModel(next: () => Reply): LanguageModelV4 {
  let requests = 0;
  return {
    ...createRehearsalModel(),
    doStream: async () => {
      requests += 1;
      const reply = next();
      const isText = typeof reply === "string";
      const said: LanguageModelV4StreamPart[] = isText
        ? [
            { type: "text-start", id: "t" },
            { type: "text-delta", id: "t", delta: reply },
            { type: "text-end", id: "t" },
          ]
        : [
            {
              type: "tool-call",
              toolCallId: `c${requests}`,
              toolName: reply.tool,
              input: JSON.stringify(reply.input),
            },
          ];
      const unified = isText ? "stop" : "tool-calls";
      const parts: LanguageModelV4StreamPart[] = [
        ...said,
        { type: "finish", finishReason: { unified, raw: unified }, usage: USAGE },
      ];
      return {
        stream: new ReadableStream({
          start: (to) => {
            for (const part of parts) to.enqueue(part);
            to.close();
          },
        }),
      };
    },
  };
}

const USAGE = {
  inputTokens: { total: 100, noCache: 100, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 20, text: 20, reasoning: 0 },
};
