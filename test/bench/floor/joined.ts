import type { LanguageModelV4 } from "@ai-sdk/provider";
import { wrapLanguageModel } from "ai";
import { coalesceDeltas } from "../../../src/cairn/models/coalesce.ts";

/** A model behind Cairn's own joining of small deltas, which is most of what can be saved. */
export function joined(model: LanguageModelV4): LanguageModelV4 {
  return wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: "v4",
      wrapStream: async ({ doStream }) => {
        const { stream, ...rest } = await doStream();
        return { ...rest, stream: coalesceDeltas(stream) };
      },
    },
  });
}
