import type { DataChunk } from "../../protocol/stream/ui-chunk.ts";

/** Source of a stream's text: a cursor that returns as much as requested, and reports its end. */
export interface Source {
  /** sent first, so that the response has begun */
  readonly greeting: string;
  /** at most `room` events after the last ones read, and after the first no more than `room * UNIT_BYTES` of them */
  read(units: number): string[];
  transient(chunk: DataChunk): string | null;
  /** the closing text once everything was read and nothing more can come, else null */
  ended(): string | null;
}

/** Methods of the session that a stream uses. */
export interface StreamHost {
  /** it has ended, by either side */
  left(stream: EventStream): void;
  /** milliseconds that its reader's grant still lasts */
  leftMs(): number;
}

const KEEP_ALIVE_MS = 15_000;
/** a buffer holds so many events, or fewer when they are larger than this */
const UNITS_BUFFERED = 64;
export const UNIT_BYTES = 4_096;
/** a reader that has not read during this many keep-alives is dropped */
const SILENCES_MAX = 8;
/**
 * a stream ends after 10 minutes without data: an open one keeps the object in memory, which is billed. Its client
 * reconnects and continues where it stopped (`Last-Event-ID`, which EventSource sends by itself)
 */
const KEEP_ALIVES_MAX = 40;

/** One response body of server-sent events. Reads its source only while its reader has room and its grant lasts. */
export class EventStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly #source: Source;
  readonly #host: StreamHost;
  readonly #encoder = new TextEncoder();
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #unread = 0;
  /** keep-alives since the last data */
  #quiet = 0;
  #pumping = false;

  constructor(source: Source, host: StreamHost) {
    this.#source = source;
    this.#host = host;
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
          this.#send(source.greeting);
        },
        pull: () => {
          this.#unread = 0;
          this.pump([]);
        },
        cancel: () => this.#leave(),
      },
      { highWaterMark: UNITS_BUFFERED, size: (event) => Math.max(1, event.byteLength / UNIT_BYTES) },
    );
  }

  /** Sends what is there, as far as there is room. Called when something was published and when the reader has read. */
  pump(transients: readonly DataChunk[]): void {
    // A reader that waits makes the platform ask for more in the middle of a send: the send goes on by itself.
    if (this.#pumping) return;
    this.#pumping = true;
    if (this.#host.leftMs() > 0) this.#pump(transients);
    else this.#close("");
    this.#pumping = false;
  }

  /** There is nothing left to read. */
  end(): void {
    this.#close("");
  }

  #pump(transients: readonly DataChunk[]): void {
    for (;;) {
      const units = Math.max(0, Math.floor(this.#controller?.desiredSize ?? 0));
      const texts = units === 0 ? [] : this.#source.read(units);
      for (const text of texts) this.#send(text);
      if (texts.length === 0) break;
    }
    for (const chunk of transients) {
      const text = (this.#controller?.desiredSize ?? 0) > 0 ? this.#source.transient(chunk) : null;
      if (text !== null) this.#send(text);
    }
    const closing = this.#controller === null ? null : this.#source.ended();
    if (closing !== null) this.#close(closing);
  }

  #send(text: string): void {
    this.#quiet = 0;
    // First: what is sent may be the last that the reader waited for, and so end the stream here and now.
    this.#listen();
    this.#controller?.enqueue(this.#encoder.encode(text));
  }

  #listen(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    const ms = Math.min(KEEP_ALIVE_MS, Math.max(0, this.#host.leftMs()));
    this.#timer = setTimeout(() => this.#keepAlive(), ms);
  }

  #keepAlive(): void {
    this.#quiet += 1;
    if (this.#host.leftMs() <= 0 || this.#quiet >= KEEP_ALIVES_MAX) return this.#close("");
    if ((this.#controller?.desiredSize ?? 0) > 0) {
      this.#listen();
      this.#controller?.enqueue(this.#encoder.encode(": keep-alive\n\n"));
      return;
    }
    this.#unread += 1;
    if (this.#unread < SILENCES_MAX) return this.#listen();
    this.#controller?.error(new Error("the reader does not read"));
    this.#leave();
  }

  #close(closing: string): void {
    if (closing !== "") this.#send(closing);
    this.#controller?.close();
    this.#leave();
  }

  #leave(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#controller = null;
    this.#host.left(this);
  }
}
