import { concatBytes } from "../core/bytes.ts";
import { hasTooManyValues } from "../core/log/json-values.ts";
import { endless } from "./evidence.ts";
import { joinEvents } from "./join-events.ts";

/** Response bodies of model providers, with a bound on each part that a later reader buffers. */

/** bytes of one event, which may be one line: an unstreamed answer, and more than any model emits at once */
export const EVENT_BYTES_MAX = 2 * 1_048_576;
/** bytes of one answer: 400 for each token of the longest thoughts and words that are taken */
const ANSWER_BYTES_MAX = 128 * 1_048_576;
/** lines of one answer: an event for each token is two */
const LINES_MAX = 160_000;
/** pieces of a line that has not ended: a piece costs more memory than its bytes */
const PIECES_MAX = 1_024;
const NEWLINE = 0x0a;

/**
 * The same bytes in whole lines, so that no reader behind this one searches the same beginning of a line again with each chunk,
 * and with the events of a piece joined that only add text to each other.
 * `readLine` gives each line back, as it is or repaired, or throws: then the stream breaks with what it threw. It breaks with a
 * StreamEventError where an event (the lines up to an empty one) or the whole is too large.
 */
export function inWholeLines(
  source: ReadableStream<Uint8Array>,
  readLine: (line: string) => string,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let begun: Uint8Array[] = [];
  let begunBytes = 0;
  let eventChars = 0;
  let allBytes = 0;
  let linesRead = 0;
  /** The lines as they go on: the same bytes where no line was joined or repaired. */
  const read = (lines: Uint8Array): Uint8Array => {
    const texts = decoder.decode(lines).split("\n");
    // Behind the last line break no line begins.
    const end = texts.at(-1) === "" ? texts.pop() : undefined;
    linesRead += texts.length;
    if (linesRead > LINES_MAX) throw endless("the answer");
    const joined = joinEvents(texts, eventChars === 0);
    const repaired = joined.map((line) => {
      eventChars = line === "" || line === "\r" ? 0 : eventChars + line.length;
      if (eventChars > EVENT_BYTES_MAX || hasTooManyValues(line)) throw endless("an event of the stream");
      return readLine(line);
    });
    if (repaired.length === texts.length && repaired.every((line, at) => line === texts[at])) return lines;
    return encoder.encode([...repaired, ...(end === undefined ? [] : [end])].join("\n"));
  };
  const breakWith = async (controller: ReadableStreamDefaultController, error: unknown): Promise<void> => {
    controller.error(error);
    // The source is not needed any more, and a failed cancel changes nothing.
    await reader.cancel(error).catch(() => undefined);
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await reader.read();
          allBytes += value?.length ?? 0;
          if (allBytes > ANSWER_BYTES_MAX) return breakWith(controller, endless("the answer"));
          const end = done ? 0 : value.lastIndexOf(NEWLINE) + 1;
          if (!done && end === 0) {
            if (begun.length >= PIECES_MAX) begun = [concatBytes(begun)];
            begun.push(value);
            begunBytes += value.length;
            if (begunBytes <= EVENT_BYTES_MAX) continue;
            return breakWith(controller, endless("a line of the stream"));
          }
          const lines = concatBytes(done ? begun : [...begun, value.subarray(0, end)]);
          begun = done || end === value.length ? [] : [value.subarray(end)];
          begunBytes = begun[0]?.length ?? 0;
          try {
            if (lines.length > 0) controller.enqueue(read(lines));
          } catch (error) {
            return breakWith(controller, error);
          }
          if (done) controller.close();
          return;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
