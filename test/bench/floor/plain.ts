import type { LanguageModelV4 } from "@ai-sdk/provider";
import { isStepCount, streamText, tool } from "ai";
import * as z from "zod";
import { answer, measureTurn, type BenchObject } from "../worker/bench.ts";
import { journalOf } from "../worker/journal.ts";
import { scriptText, type Script } from "../worker/script.ts";
import { INSTRUCTIONS } from "../worker/words.ts";

/** `streamText` in a worker: nothing is kept, nothing survives. The floor of anything that calls a model through `ai`. */

const STEPS_MAX = 20;

const tools = {
  put: tool({
    description: "Puts a number.",
    inputSchema: z.strictObject({ turn: z.string(), n: z.number() }),
    execute: async ({ turn }) => {
      journalOf(turn).ranTool();
      return { ok: true };
    },
  }),
};

const nothingKept = (): Promise<never> => Promise.reject(new Error("a plain worker keeps nothing"));

const ask = (model: LanguageModelV4, script: Script) =>
  streamText({
    model,
    instructions: INSTRUCTIONS,
    messages: [{ role: "user", content: scriptText(script) }],
    tools,
    stopWhen: isStepCount(STEPS_MAX),
    maxRetries: 0,
  });

/** A worker that asks this model and keeps nothing. */
export function plainWorker(model: LanguageModelV4): { fetch(request: Request): Promise<Response> } {
  const contender = plain(model);
  return {
    fetch: (request) =>
      answer(
        request,
        async () => contender,
        async (_session, script) => ask(model, script).toUIMessageStreamResponse(),
      ),
  };
}

/** A contender without an object. */
function plain(model: LanguageModelV4): BenchObject {
  return {
    turn: (script, metered) =>
      measureTurn(script, metered, async () => {
        const result = ask(model, script);
        let failure: unknown = null;
        await result.consumeStream({ onError: (error) => void (failure = error) });
        if (failure !== null) throw failure;
      }),
    begin: nothingKept,
    seed: nothingKept,
    die: nothingKept,
    ping: nothingKept,
  };
}
