import type { DataChunk } from "../wire/ui-chunk.ts";

/** Where a stream's text comes from: a cursor that gives as much as is asked for, and says when it is over. */
export interface Source {
  /** sent first, so that the response has begun */
  readonly greeting: string;
  /** at most `room` events after the last ones read */
  read(room: number): string[];
  transient(chunk: DataChunk): string | null;
  /** the closing text once everything was read and nothing more can come, else null */
  ended(): string | null;
}

const KEEP_ALIVE_MS = 15_000;
const EVENTS_BUFFERED = 64;
/** a reader that has read nothing for so many keep-alives is dropped */
const SILENCES_MAX = 8;

/** One response body of server-sent events. Reads its source only while its reader has room. */
export class EventStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly #source: Source;
  readonly #left: (stream: EventStream) => void;
  readonly #encoder = new TextEncoder();
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  #silence: ReturnType<typeof setTimeout> | null = null;
  #unread = 0;
  #pumping = false;

  constructor(source: Source, left: (stream: EventStream) => void) {
    this.#source = source;
    this.#left = left;
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
      new CountQueuingStrategy({ highWaterMark: EVENTS_BUFFERED }),
    );
  }

  /** Sends what is there, as far as there is room. Called when something was published and when the reader has read. */
  pump(transients: readonly DataChunk[]): void {
    // A reader that waits makes the platform ask for more in the middle of a send: the send goes on by itself.
    if (this.#pumping) return;
    this.#pumping = true;
    this.#pump(transients);
    this.#pumping = false;
  }

  #pump(transients: readonly DataChunk[]): void {
    for (;;) {
      const room = Math.max(0, Math.floor(this.#controller?.desiredSize ?? 0));
      const texts = room === 0 ? [] : this.#source.read(room);
      for (const text of texts) this.#send(text);
      if (texts.length === 0) break;
    }
    for (const chunk of transients) {
      const text = (this.#controller?.desiredSize ?? 0) > 0 ? this.#source.transient(chunk) : null;
      if (text !== null) this.#send(text);
    }
    const closing = this.#controller === null ? null : this.#source.ended();
    if (closing === null) return;
    if (closing !== "") this.#send(closing);
    this.#controller?.close();
    this.#leave();
  }

  #send(text: string): void {
    this.#controller?.enqueue(this.#encoder.encode(text));
    this.#listen();
  }

  #listen(): void {
    if (this.#silence !== null) clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#keepAlive(), KEEP_ALIVE_MS);
  }

  #keepAlive(): void {
    if ((this.#controller?.desiredSize ?? 0) > 0) return this.#send(": keep-alive\n\n");
    this.#unread += 1;
    if (this.#unread < SILENCES_MAX) return this.#listen();
    this.#controller?.error(new Error("the reader does not read"));
    this.#leave();
  }

  #leave(): void {
    if (this.#silence !== null) clearTimeout(this.#silence);
    this.#silence = null;
    this.#controller = null;
    this.#left(this);
  }
}
