import { inWholeLines } from "./bounded-body.ts";
import { StreamEventError } from "./evidence.ts";

/**
 * The AI binding, watched. `workers-ai-provider` drops an `{"error": …}` event inside a stream: with `[DONE]` after it a
 * broken answer looks finished. Here such an event breaks the stream, so that the call fails.
 */

/** The error that a line of the stream carries, or null. */
function errorOfLine(line: string): StreamEventError | null {
  const text = line.trim();
  if (!text.startsWith("data:") || !text.includes('"error')) return null;
  try {
    const event: unknown = JSON.parse(text.slice(5));
    if (typeof event !== "object" || event === null) return null;
    const single = "error" in event && event.error !== null && event.error !== "" && event.error !== false;
    const envelope = "success" in event && event.success === false;
    return single || envelope ? new StreamEventError(event) : null;
  } catch {
    return null;
  }
}

/** The same bytes in whole lines, until a line carries an error or is too long: then the stream breaks with a StreamEventError. */
export const breakAtErrorEvent = (source: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> =>
  inWholeLines(source, errorOfLine);

/** The binding with `run` watched and everything else as it is. Never spread it: its methods live on its prototype. */
export function watchBinding(ai: Ai): Ai {
  const run = async (...args: unknown[]): Promise<unknown> => {
    const answer: unknown = await Reflect.apply(ai.run, ai, args);
    return answer instanceof ReadableStream ? breakAtErrorEvent(answer) : answer;
  };
  return new Proxy(ai, {
    get(target, key): unknown {
      if (key === "run") return run;
      if (key === "gateway") return (id: string) => target.gateway(id);
      return Reflect.get(target, key, target);
    },
  });
}
