import { concatBytes, readFirstBytes } from "../core/bytes.ts";
import { hasTooManyValues } from "../core/log/json-values.ts";
import { StreamEventError } from "./evidence.ts";

/** Bodies of answers of model providers, with a bound on each part that a reader behind keeps in memory. */

/** bytes of one event, which may be one line: an answer in one piece, and more than any model says at once */
const EVENT_BYTES_MAX = 2 * 1_048_576;
/** bytes of one answer: 400 for each token of the longest thoughts and words that are taken */
const ANSWER_BYTES_MAX = 128 * 1_048_576;
/** lines of one answer: an event for each token is two */
const LINES_MAX = 160_000;
/** pieces of a line that has not ended: a piece costs more memory than its bytes */
const PIECES_MAX = 1_024;
/** bytes of an answer that reports an error: as far as it is looked at (evidence.ts) */
const ERROR_BYTES_MAX = 65_536;
const NEWLINE = 0x0a;

/**
 * The same bytes in whole lines, so that no reader behind this one searches the same beginning of a line again with each chunk.
 * The stream breaks with the fault of the first line that has one, and with a StreamEventError where an event (the lines up to an
 * empty one) or the whole is too large.
 */
export function inWholeLines(
  source: ReadableStream<Uint8Array>,
  faultOf: (line: string) => Error | null,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  const decoder = new TextDecoder();
  let begun: Uint8Array[] = [];
  let begunBytes = 0;
  let eventChars = 0;
  let allBytes = 0;
  let linesRead = 0;
  const faultIn = (lines: Uint8Array): Error | null => {
    const texts = decoder.decode(lines).split("\n");
    // Behind the last line break no line begins.
    if (texts.at(-1) === "") texts.pop();
    linesRead += texts.length;
    if (linesRead > LINES_MAX) return endless("the answer");
    for (const line of texts) {
      eventChars = line === "" || line === "\r" ? 0 : eventChars + line.length;
      if (eventChars > EVENT_BYTES_MAX || hasTooManyValues(line)) return endless("an event of the stream");
      const fault = faultOf(line);
      if (fault !== null) return fault;
    }
    return null;
  };
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
          const fault = faultIn(lines);
          if (fault !== null) return breakWith(controller, fault);
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

const endless = (part: string): StreamEventError => new StreamEventError({ error: `${part} has no end` });

/** `fetch` for answers that are a stream of events. An answer that reports an error is cut after ERROR_BYTES_MAX. */
export function boundAnswers(ask: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await ask(input, init);
    if (response.body === null) return response;
    const headers = new Headers(response.headers);
    headers.delete("content-length");
    const body = response.ok
      ? inWholeLines(response.body, () => null)
      : await readFirstBytes(response.body, ERROR_BYTES_MAX);
    return new Response(body, { status: response.status, statusText: response.statusText, headers });
  };
}
