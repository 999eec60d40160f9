import {
  parseServerFrame,
  type Fault,
  type Hello,
  type Logged,
  type RawChunk,
  type ServerFrame,
} from "./frames.ts";

/**
 * One session over a WebSocket, by Cairn's own frames (docs/protocol.md), without a terminal. Makes a lost connection
 * harmless: requests wait in an outbox until they are acknowledged and are sent again under the same event ID; a run
 * resumes after the last `pos` received, the log after the last `seq`. Invariant: each entry, and each chunk with a
 * `pos`, is handed on once and in order.
 */

/** The used part of a WebSocket; tests have their own. */
export interface Socket {
  send(text: string): void;
  close(): void;
  onopen: (() => void) | null;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onclose: ((event: { readonly code: number; readonly reason: string }) => void) | null;
}

export interface ConnectionPorts {
  open(): Socket;
  /** calls back once after so many milliseconds; the answer takes it back */
  later(ms: number, callback: () => void): () => void;
  /** a new id, `[A-Za-z0-9_-]{1,64}` */
  id(): string;
  onEvent(event: ConnectionEvent): void;
}

export type ConnectionEvent =
  | { readonly kind: "hello"; readonly hello: Hello; readonly again: boolean }
  | { readonly kind: "chunk"; readonly runId: string; readonly pos: number | null; readonly chunk: RawChunk }
  | { readonly kind: "caught_up"; readonly runId: string }
  | { readonly kind: "entry"; readonly entry: Logged }
  | { readonly kind: "lost"; readonly retryMs: number }
  | { readonly kind: "complaint"; readonly error: Fault }
  /** no further attempt is made; `code` is that of the close frame, 1006 where there was none; `silent`: nothing answered */
  | { readonly kind: "over"; readonly code: number; readonly reason: string; readonly silent: boolean };

export type Acknowledged =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly error: Fault };

const RETRY_MS_FIRST = 250;
const RETRY_MS_MAX = 5_000;
/** about two minutes without a connection, then the person is informed */
const RETRIES_MAX = 28;
/** twice this, and a line that died without a word is noticed */
const PING_MS = 5_000;
/** from opening a socket to the hello on it */
const HELLO_MS_MAX = 10_000;
/** the socket is older than the server allows; a new one is welcome at once */
const TOO_OLD = 4408;

interface Waiting {
  readonly frame: string;
  readonly resolve: (answer: Acknowledged) => void;
}

export class Connection {
  private readonly ports: ConnectionPorts;
  private readonly outbox = new Map<string, Waiting>();
  private readonly positions = new Map<string, number>();
  private socket: Socket | null = null;
  private ready = false;
  private greeted = false;
  private failures = 0;
  private seen = 0;
  private following: string | null = null;
  /** the open resume: until its ack, live chunks are left out, because the replay that follows holds them in order */
  private resuming: string | null = null;
  /** the open subscribe: its replay follows its ack */
  private subscribing: string | null = null;
  private forgetTimer: () => void = () => {};
  private closed = false;

  constructor(ports: ConnectionPorts) {
    this.ports = ports;
  }

  connect(): void {
    const socket = this.ports.open();
    this.socket = socket;
    this.ready = false;
    socket.onmessage = ({ data }) => {
      if (this.socket !== socket) return;
      if (data === "pong") return this.expectPing();
      const frame = typeof data === "string" ? parseServerFrame(data) : null;
      if (frame !== null) this.receive(frame);
    };
    socket.onclose = ({ code, reason }) => {
      if (this.socket === socket) this.lose(code, reason);
    };
    this.forgetTimer = this.ports.later(HELLO_MS_MAX, () => {
      socket.close();
      this.lose(1006, "", true);
    });
  }

  /** Sends a frame and answers with its ack, across as many cuts as it takes. */
  request(type: string, fields: { readonly [name: string]: unknown }): Promise<Acknowledged> {
    const eventId = this.ports.id();
    const frame = JSON.stringify({ type, eventId, ...fields });
    return new Promise((resolve) => {
      this.outbox.set(eventId, { frame, resolve });
      if (this.ready) this.socket?.send(frame);
    });
  }

  /**
   * From now on this run's chunks come, from its first one or after the last that came; also after a cut. Those of
   * other runs are left out. Asked again, it proves by `caught_up` that nothing of what exists is missing.
   */
  follow(runId: string): void {
    this.following = runId;
    if (this.ready) this.resume();
  }

  /** Ends it; no event follows. */
  close(): void {
    this.closed = true;
    this.forgetTimer();
    this.socket?.close();
    this.socket = null;
  }

  private receive(frame: ServerFrame): void {
    switch (frame.type) {
      case "cairn:hello":
        return this.greet(frame);
      case "cairn:ack": {
        const waiting = this.outbox.get(frame.eventId);
        this.outbox.delete(frame.eventId);
        if (frame.eventId === this.resuming) this.resuming = null;
        if (frame.eventId === this.subscribing) this.subscribing = null;
        const error = frame.error ?? { code: "internal", message: "The server refused without a reason." };
        const answer: Acknowledged = frame.ok ? { ok: true, result: frame.result } : { ok: false, error };
        if (waiting !== undefined) waiting.resolve(answer);
        else if (!answer.ok) this.ports.onEvent({ kind: "complaint", error: answer.error });
        return;
      }
      case "cairn:chunk": {
        const { runId, chunk } = frame;
        if (runId !== this.following || this.resuming !== null) return;
        const pos = frame.pos ?? null;
        if (pos !== null) {
          if (pos <= (this.positions.get(runId) ?? -1)) return;
          this.positions.set(runId, pos);
        }
        return this.ports.onEvent({ kind: "chunk", runId, pos, chunk });
      }
      case "cairn:caught-up":
        // The end of an earlier resume says nothing about the pending replay.
        if (frame.runId !== this.following || this.resuming !== null) return;
        return this.ports.onEvent({ kind: "caught_up", runId: frame.runId });
      case "cairn:event":
        if (frame.event.seq <= this.seen) return;
        // One before it was never shown: asked for, it comes first, and this one again after it.
        if (frame.event.seq > this.seen + 1) return this.catchUp();
        this.seen = frame.event.seq;
        return this.ports.onEvent({ kind: "entry", entry: frame.event });
      case "cairn:head":
        // Entries may have been written before the stop that no client has seen.
        if (frame.lastSeq > this.seen) this.catchUp();
        return;
      case "cairn:error":
        return this.ports.onEvent({ kind: "complaint", error: frame.error });
    }
  }

  private greet(hello: Hello): void {
    const again = this.greeted;
    this.greeted = true;
    this.ready = true;
    this.failures = 0;
    if (!again) this.seen = hello.lastSeq;
    this.subscribe();
    for (const { frame } of this.outbox.values()) this.socket?.send(frame);
    this.resume();
    this.expectPing();
    this.ports.onEvent({ kind: "hello", hello, again });
  }

  private catchUp(): void {
    if (this.subscribing !== null) return;
    this.subscribe();
    this.resume();
  }

  private subscribe(): void {
    this.subscribing = this.sendUnqueued("cairn:subscribe", { after: this.seen });
  }

  private resume(): void {
    const runId = this.following;
    if (runId === null) return;
    const pos = this.positions.get(runId);
    this.resuming = this.sendUnqueued("cairn:resume", pos === undefined ? { runId } : { runId, pos });
  }

  // Frames of one connection are not in the outbox: after a reconnect they are built anew from the current
  // position.
  private sendUnqueued(type: string, fields: { readonly [name: string]: unknown }): string {
    const eventId = this.ports.id();
    this.socket?.send(JSON.stringify({ type, eventId, ...fields }));
    return eventId;
  }

  /** A silently lost connection is detected by an unanswered ping. */
  private expectPing(): void {
    this.forgetTimer();
    this.forgetTimer = this.ports.later(PING_MS, () => {
      this.socket?.send("ping");
      this.forgetTimer = this.ports.later(PING_MS, () => {
        this.socket?.close();
        this.lose(1006, "no answer to a ping");
      });
    });
  }

  private lose(code: number, reason: string, silent = false): void {
    this.socket = null;
    this.ready = false;
    this.forgetTimer();
    if (this.closed) return;
    const final = code >= 4000 && code !== TOO_OLD;
    if (final || !this.greeted || this.failures >= RETRIES_MAX)
      return this.ports.onEvent({ kind: "over", code, reason, silent });
    const retryMs = code === TOO_OLD ? 0 : Math.min(RETRY_MS_MAX, RETRY_MS_FIRST * 2 ** this.failures);
    this.failures += 1;
    this.ports.onEvent({ kind: "lost", retryMs });
    this.forgetTimer = this.ports.later(retryMs, () => this.connect());
  }
}
