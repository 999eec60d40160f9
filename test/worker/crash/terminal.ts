import { vi } from "vitest";
import { Connection, type ConnectionEvent, type Socket } from "../../../src/cli/chat/connection.ts";
import type { PlacedChunk } from "../../../src/cairn/protocol/stream/ui-chunk.ts";
import { ask } from "../doors/bad-input-doors.ts";

/** A socket as the terminal's connection wants it, opened through the worker instead of the network. */
function openSocket(session: string): Socket {
  const socket: Socket & { wire: WebSocket | null } = {
    wire: null,
    onopen: null,
    onmessage: null,
    onclose: null,
    send: (text) => socket.wire?.send(text),
    close: () => socket.wire?.close(1000, "done"),
  };
  void ask(`/agents/session/${session}`, { headers: { upgrade: "websocket" } }).then(
    ({ webSocket, status }) => {
      if (webSocket === null) throw new Error(`not upgraded: ${status}`);
      webSocket.addEventListener("message", ({ data }) => socket.onmessage?.({ data }));
      webSocket.addEventListener("close", ({ code, reason }) => socket.onclose?.({ code, reason }));
      socket.wire = webSocket;
      webSocket.accept();
    },
  );
  return socket;
}

/** A client that follows the log and the first run of a session, and what it was told, in order. */
export class Terminal {
  readonly connection: Connection;
  readonly heard: ConnectionEvent[] = [];
  readonly session: string;

  constructor(session: string) {
    this.session = session;
    this.connection = new Connection({
      open: () => openSocket(session),
      later: (ms, callback) => {
        const timer = setTimeout(callback, ms);
        return () => clearTimeout(timer);
      },
      id: () => crypto.randomUUID(),
      onEvent: (event) => this.heard.push(event),
    });
    this.connection.connect();
  }

  get seqs(): number[] {
    return this.heard.flatMap((event) => (event.kind === "entry" ? [event.entry.seq] : []));
  }

  /** kind of the newest entry */
  get last(): string | null {
    return this.heard.flatMap((event) => (event.kind === "entry" ? [event.entry.kind] : [])).at(-1) ?? null;
  }

  get chunks(): PlacedChunk[] {
    const run = `${this.session}.r1`;
    return this.heard.flatMap((event) =>
      event.kind === "chunk" && event.runId === run && event.pos !== null
        ? [{ pos: event.pos, chunk: event.chunk } as unknown as PlacedChunk]
        : [],
    );
  }

  told(kind: ConnectionEvent["kind"]): number {
    return this.heard.filter((event) => event.kind === kind).length;
  }

  async until(holds: (terminal: this) => boolean): Promise<void> {
    await vi.waitUntil(() => holds(this), { timeout: 20_000, interval: 5 });
  }
}
