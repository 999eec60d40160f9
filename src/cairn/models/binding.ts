import { inWholeLines } from "./bounded-body.ts";
import { createLineReader } from "./event-line.ts";

/**
 * The AI binding, watched. `workers-ai-provider` drops an `{"error": …}` event inside a stream: with `[DONE]` after it a
 * broken answer looks finished. Here such an event breaks the stream, so that the call fails.
 */

/** The binding with `run` watched and everything else as it is. Never spread it: its methods live on its prototype. */
export function watchBinding(ai: Ai): Ai {
  const run = async (...args: unknown[]): Promise<unknown> => {
    const answer: unknown = await Reflect.apply(ai.run, ai, args);
    return answer instanceof ReadableStream ? inWholeLines(answer, createLineReader()) : answer;
  };
  return new Proxy(ai, {
    get(target, key): unknown {
      if (key === "run") return run;
      if (key === "gateway") return (id: string) => target.gateway(id);
      return Reflect.get(target, key, target);
    },
  });
}
