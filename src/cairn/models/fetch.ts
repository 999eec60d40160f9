import { concatBytes } from "../core/bytes.ts";
import { readJson } from "../core/log/json.ts";
import { EVENT_BYTES_MAX, inWholeLines } from "./bounded-body.ts";
import { isFields } from "./chat-chunk.ts";
import { createLineReader, failureIn } from "./event-line.ts";
import { StreamEventError } from "./evidence.ts";
import { PageError } from "./page-error.ts";

/**
 * `fetch` for adapters of chat models. Some gateways answer 200 with a page, or with an error as JSON: such an answer becomes a
 * failure that `classifyModelError` reads. An answer in one piece, from a server that does not stream, becomes a stream of one
 * event. A stream of events is watched, and every answer is bounded.
 */

/** bytes of an answer that reports an error, or is a page: as far as it is looked at (evidence.ts) */
const HEAD_BYTES_MAX = 65_536;
/** bytes in which an answer shows what it is */
const START_BYTES = 512;

/** The same function with watched answers. It rejects with a PageError or a StreamEventError for a 200 that is a page or a failure. */
export function watchAnswers(ask: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await ask(input, init);
    if (response.body === null) return response;
    const head = await readHead(response.body, response.ok);
    if (response.ok && head.form === "events")
      return withBody(response, inWholeLines(joined(head.bytes, head.rest), createLineReader()));
    // The rest is not needed any more, and a failed cancel changes nothing.
    await head.rest?.cancel().catch(() => undefined);
    const text = new TextDecoder().decode(head.bytes);
    if (!response.ok || text.trim() === "") return withBody(response, head.bytes);
    const value = readJson(text);
    if (value === undefined) throw new PageError(text);
    const isAnswer = isFields(value) && Array.isArray(value["choices"]);
    const failure = failureIn(value) ?? (isAnswer ? null : value);
    if (failure !== null) throw new StreamEventError(failure);
    const events = new TextEncoder().encode(`data: ${JSON.stringify(value)}\n\ndata: [DONE]\n\n`);
    return withBody(response, inWholeLines(joined(events, null), createLineReader()));
  };
}

function withBody(response: Response, body: BodyInit): Response {
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  return new Response(body, { status: response.status, statusText: response.statusText, headers });
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

type Form = "events" | "json" | "page";

interface Head {
  /** what has come so far: all of it, where no events come */
  readonly bytes: Uint8Array;
  /** the reader of the others; null at the end of the body */
  readonly rest: Reader | null;
  readonly form: Form;
}

/** Reads until the body shows what it is: at once where it begins as a stream of events does, else to its end or its bound. */
async function readHead(body: ReadableStream<Uint8Array>, isOk: boolean): Promise<Head> {
  const reader = body.getReader();
  const pieces: Uint8Array[] = [];
  let length = 0;
  let form: Form = "page";
  for (;;) {
    const { done, value } = await reader.read();
    const isUndecided = length < START_BYTES;
    if (!done) {
      pieces.push(value);
      length += value.length;
    }
    if (isUndecided) form = formOf(concatBytes(pieces));
    const most = isOk && form === "json" ? EVENT_BYTES_MAX : HEAD_BYTES_MAX;
    if (done || (isOk && form === "events") || length >= most)
      return { bytes: bytesUpTo(pieces, form, most), rest: done ? null : reader, form };
  }
}

const bytesUpTo = (pieces: readonly Uint8Array[], form: Form, most: number): Uint8Array =>
  form === "events" ? concatBytes(pieces) : concatBytes(pieces).subarray(0, most);

/** A field of an event or a comment, behind a byte order mark and empty lines. Source: HTML Standard, "Parsing an event stream". */
function formOf(bytes: Uint8Array): Form {
  const start = new TextDecoder().decode(bytes.subarray(0, START_BYTES));
  if (/^\s*(?:data|event|id|retry)?:/.test(start)) return "events";
  return /^\s*[[{]/.test(start) ? "json" : "page";
}

/** A body of these bytes, and of what the reader still has. */
function joined(bytes: Uint8Array, rest: Reader | null): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(bytes),
      async pull(controller) {
        const next = await rest?.read();
        if (next === undefined || next.done) controller.close();
        else controller.enqueue(next.value);
      },
      cancel: (reason) => rest?.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
