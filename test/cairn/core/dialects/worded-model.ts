import { MockLanguageModelV4 } from "ai/test";
import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { Model } from "../../../../src/cairn/core/log/model.ts";
import { createModel } from "../../../../src/cairn/models/step.ts";

/** A model that says these texts, one in each call, a few characters at a time; or throws what it is given. */
export function wordedModel(...lines: readonly (string | Error)[]): {
  readonly model: Model;
  readonly asked: LanguageModelV4CallOptions[];
} {
  const asked: LanguageModelV4CallOptions[] = [];
  const said = new MockLanguageModelV4({
    doStream: (options) => {
      const line = lines[asked.length] ?? "The end.";
      asked.push(options);
      return line instanceof Error ? Promise.reject(line) : Promise.resolve({ stream: streamOf(line) });
    },
  });
  return { model: createModel({ providers: async () => said }), asked };
}

function streamOf(text: string): ReadableStream<LanguageModelV4StreamPart> {
  const usage = {
    inputTokens: { total: 100, noCache: 100, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 10, text: 10, reasoning: 0 },
  };
  return new ReadableStream({
    start(controller) {
      controller.enqueue({ type: "text-start", id: "0" });
      for (const delta of text.match(/[\s\S]{1,7}/gu) ?? [])
        controller.enqueue({ type: "text-delta", id: "0", delta });
      controller.enqueue({ type: "text-end", id: "0" });
      controller.enqueue({ type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage });
      controller.close();
    },
  });
}
