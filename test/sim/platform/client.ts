import { isDeepStrictEqual } from "node:util";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import { accumulate } from "../../../src/cairn/protocol/stream/accumulate.ts";
import type { UiMessage, PlacedChunk } from "../../../src/cairn/protocol/stream/ui-chunk.ts";
import { eventOf, type Event } from "../../../src/cairn/protocol/views.ts";
import type { FakePlatform } from "./platform.ts";
import { ServerSocket } from "./socket.ts";

export const ACTOR = { subject: "ada", scopes: ["read", "send", "approve"], via: "socket" } as const;

type Frame =
  | { readonly type: "cairn:event"; readonly event: Event }
  | {
      readonly type: "cairn:chunk";
      readonly runId: string;
      readonly pos: number | null;
      readonly chunk: PlacedChunk["chunk"];
    }
  | { readonly type: "cairn:head"; readonly lastSeq: number }
  | { readonly type: string };

/** State of a client that survives its connection. */
export interface KeptClient {
  readonly events: readonly Event[];
  readonly chunks: ReadonlyMap<string, readonly PlacedChunk[]>;
  readonly broken: readonly string[];
  readonly frames: number;
}

/**
 * Someone who watches over a socket: keeps every entry and every chunk, and after a loss of the connection or a word from
 * the session asks for what it has not seen. Notes what it was told that it should not have been.
 */
export class Client {
  readonly events: Event[];
  readonly chunks: Map<string, PlacedChunk[]>;
  /** names of the rules of the protocol that were broken towards this client */
  readonly broken: string[];
  readonly #platform: FakePlatform;
  #socket: ServerSocket | null = null;
  #frames: number;

  constructor(
    platform: FakePlatform,
    known: KeptClient = { events: [], chunks: new Map(), broken: [], frames: 0 },
  ) {
    this.#platform = platform;
    this.events = [...known.events];
    this.chunks = new Map([...known.chunks].map(([runId, chunks]) => [runId, [...chunks]]));
    this.broken = [...known.broken];
    this.#frames = known.frames;
  }

  /** Snapshot for another client that continues from here. */
  keep(): KeptClient {
    const chunks = new Map([...this.chunks].map(([runId, all]) => [runId, [...all]]));
    return { events: [...this.events], chunks, broken: [...this.broken], frames: this.#frames };
  }

  get connected(): boolean {
    return this.#socket?.open === true;
  }

  get lastSeq(): number {
    return this.events.at(-1)?.seq ?? 0;
  }

  /** Connects if it is not, and follows on from what it has. */
  async follow(): Promise<void> {
    if (this.connected) return;
    const socket = new ServerSocket(
      "client",
      (text) => this.#receive(JSON.parse(text) as Frame),
      () => this.lose(),
    );
    this.#socket = socket;
    this.#platform.sockets.add(socket);
    await this.#platform.hub.connect(socket, JSON.stringify(ACTOR));
    if (this.connected) await this.#send({ type: "cairn:subscribe", after: this.lastSeq });
    const last = [...this.chunks.keys()].at(-1);
    const { run } = this.#platform.state;
    const live = run === null ? undefined : `ses.${run.run}`;
    await this.#resume(last);
    if (live !== undefined && live !== last) await this.#resume(live);
  }

  /** The network drops the connection without a word. */
  lose(): void {
    if (this.#socket === null) return;
    this.#socket.open = false;
    this.#platform.sockets.delete(this.#socket);
    this.#socket = null;
  }

  /** Asks for what it lacks of the log, and of the streams of the runs that it has heard of. */
  async catchUp(): Promise<void> {
    await this.follow();
    if (this.lastSeq < this.#platform.state.head)
      await this.#send({ type: "cairn:subscribe", after: this.lastSeq });
    for (const event of this.events) {
      if (event.kind === "run_started" && event.run !== null) await this.#resume(`ses.${event.run}`);
    }
  }

  /** Message that the client shows for a run. */
  message(runId: string): UiMessage | null {
    const chunks = this.chunks.get(runId);
    return chunks === undefined ? null : accumulate(runId, whole(chunks));
  }

  /** Broken rules by name, such as content that the log does not have. */
  faults(log: readonly Entry[]): readonly string[] {
    const same = isDeepStrictEqual(this.events, log.map(eventOf));
    return same ? this.broken : [...this.broken, "a caught-up client has the log of the disk"];
  }

  async #resume(runId: string | undefined): Promise<void> {
    if (!this.connected) return;
    const pos = runId === undefined ? undefined : this.#pos(runId);
    await this.#send({
      type: "cairn:resume",
      ...(runId === undefined ? {} : { runId }),
      ...(pos === undefined ? {} : { pos }),
    });
  }

  #pos(runId: string): number {
    return this.chunks.get(runId)?.findLast(({ pos }) => pos !== null)?.pos ?? 0;
  }

  async #send(frame: object): Promise<void> {
    const socket = this.#socket;
    if (socket === null) return;
    await this.#platform.hub.receive(socket, JSON.stringify({ eventId: `e${++this.#frames}`, ...frame }));
  }

  #receive(frame: Frame): void {
    if (isEvent(frame)) {
      const { seq } = frame.event;
      if (seq !== this.lastSeq + 1)
        this.#note(seq <= this.lastSeq ? "no entry comes twice" : "no entry is left out");
      if (this.#platform.disk.exec("SELECT 1 FROM entries WHERE seq = ?", seq).length === 0)
        this.#note("what a client has seen is on disk");
      this.events.push(frame.event);
    } else if (isChunk(frame)) {
      const { runId, pos, chunk } = frame;
      const chunks = this.chunks.get(runId) ?? [];
      if (pos !== null && pos <= this.#pos(runId)) this.#note("no chunk comes twice");
      chunks.push({ pos, chunk });
      this.chunks.set(runId, chunks);
    } else if (isHead(frame) && frame.lastSeq > this.lastSeq) {
      void this.catchUp();
    }
  }

  #note(rule: string): void {
    if (!this.broken.includes(rule)) this.broken.push(rule);
  }
}

const isEvent = (frame: Frame): frame is Extract<Frame, { event: Event }> => frame.type === "cairn:event";
const isChunk = (frame: Frame): frame is Extract<Frame, { runId: string }> => frame.type === "cairn:chunk";
const isHead = (frame: Frame): frame is Extract<Frame, { lastSeq: number }> => frame.type === "cairn:head";

/** The chunks as one message: without the ends and starts of the segments between. */
function whole(chunks: readonly PlacedChunk[]): PlacedChunk[] {
  const starts = chunks.flatMap(({ chunk }, index) => (chunk.type === "start" ? [index] : []));
  const ends = chunks.flatMap(({ chunk }, index) => (chunk.type === "finish" ? [index] : []));
  return chunks.filter((_, index) => !starts.slice(1).includes(index) && !ends.slice(0, -1).includes(index));
}
