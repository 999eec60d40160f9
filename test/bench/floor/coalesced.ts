import { wrapLanguageModel } from "ai";
import { coalesceDeltas } from "../../../src/model/coalesce.ts";
import { createScriptedModel } from "../worker/script.ts";
import { plainWorker } from "./plain.ts";

/** The same with Cairn's own joining of small deltas, which is most of what can be saved. */
export default plainWorker(
  wrapLanguageModel({
    model: createScriptedModel(),
    middleware: {
      specificationVersion: "v4",
      wrapStream: async ({ doStream }) => {
        const { stream, ...rest } = await doStream();
        return { ...rest, stream: coalesceDeltas(stream) };
      },
    },
  }),
);
