import { concatBytes } from "../core/bytes.ts";
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

/** bytes of one line: an answer of one event, and more than any model says at once */
const LINE_BYTES_MAX = 2 * 1_048_576;
const NEWLINE = 0x0a;

/**
 * The same bytes, until a line carries an error: then the stream breaks with a StreamEventError. Bytes pass in whole lines, so
 * that no reader behind this one searches the same beginning of a line again with each chunk. A line longer than LINE_BYTES_MAX
 * breaks the stream too.
 */
export function breakAtErrorEvent(source: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  const decoder = new TextDecoder();
  let begun: Uint8Array[] = [];
  let begunBytes = 0;
  const breakWith = async (controller: ReadableStreamDefaultController, error: Error): Promise<void> => {
    controller.error(error);
    // The source is not needed any more, and a failed cancel changes nothing.
    await reader.cancel(error).catch(() => undefined);
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await reader.read();
          const end = done ? 0 : value.lastIndexOf(NEWLINE) + 1;
          if (!done && end === 0) {
            begun.push(value);
            begunBytes += value.length;
            if (begunBytes <= LINE_BYTES_MAX) continue;
            await breakWith(controller, new StreamEventError({ error: "a line of the stream has no end" }));
            return;
          }
          const lines = concatBytes(done ? begun : [...begun, value.subarray(0, end)]);
          begun = done || end === value.length ? [] : [value.subarray(end)];
          begunBytes = begun[0]?.length ?? 0;
          for (const line of decoder.decode(lines).split("\n")) {
            const error = errorOfLine(line);
            if (error === null) continue;
            await breakWith(controller, error);
            return;
          }
          if (lines.length > 0) controller.enqueue(lines);
          if (done) controller.close();
          return;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

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
