import type { Entry } from "../../core/log/entry.ts";
import { runId } from "../../core/log/names.ts";
import { waitingRuns } from "../../core/state/queue.ts";
import { type State } from "../../core/state/state.ts";
import type { CallProgress } from "../../core/log/tool.ts";
import { waitsForPerson } from "../../core/state/run/phase.ts";
import { complaintOf, type Redact } from "../../core/text/redact.ts";
import { MESSAGE_BYTES_MAX } from "../../protocol/chat-body.ts";
import { parseFrame, type ClientFrame, type QueueItem, type ServerFrame } from "../../protocol/frames.ts";
import type { Models } from "../../config/config.ts";
import { isTraceId } from "../../protocol/trace-id.ts";
import { budgetChunk, memoryChunk } from "../../protocol/stream/data-parts.ts";
import type { DataChunk } from "../../protocol/stream/ui-chunk.ts";
import { eventOf } from "../../protocol/views.ts";
import { publicEntry } from "../api/log-reader.ts";
import { Callers } from "../commands/callers.ts";
import type { ApiError } from "../api/session-api.ts";
import type { Audience, PlacedDraft, Store } from "../engine/ports.ts";
import { AgentsProtocol, type AgentsProtocolDeps } from "./agents-protocol.ts";
import { CairnProtocol } from "./cairn-protocol.ts";
import { ChatBroadcast } from "./chat-broadcast.ts";
import { Peer, parseActor, type Wire, FrameErrors } from "./connection.ts";
import { LiveRuns } from "./live-runs.ts";
import { SessionStreams } from "./sse.ts";
import { logError } from "../../operator-log.ts";

export interface SocketLimits {
  readonly frameBytes: number;
  /** frames in any 60 s window */
  readonly framesPerMinute: number;
  readonly socketsPerSession: number;
  /** an older socket is closed at its next frame or the next wake; none is when left out */
  readonly socketMaxAgeMs?: number;
  /** UTF-8 bytes of the text of a message; 64 KiB when left out */
  readonly messageBytes?: number;
}

export interface SocketsDeps {
  readonly session: string;
  readonly store: Pick<
    Store,
    "entriesAfter" | "entriesBefore" | "entriesBetween" | "loadBlob" | "seen" | "remember" | "transaction"
  >;
  readonly state: () => State;
  readonly api: AgentsProtocolDeps["api"];
  readonly clock: () => number;
  /** gives due work its alarm back, if the platform has lost it (Engine.touch) */
  readonly touch: () => Promise<void>;
  readonly limits: SocketLimits;
  /** looks up the callers' present rights; when left out, rights end only by time */
  readonly callers?: Callers;
  /** models that a message may name; every one where left out, since the caller has checked them */
  readonly models?: Models | null;
  readonly newId: () => string;
  /** scrubs what is logged */
  readonly redact: Redact;
}

/**
 * Everything between the log and the clients of one session, without the platform: connections, their frames, and what
 * each client receives. Owns no truth: entries are published here after they are on disk. Nothing in here throws.
 */
export class SocketHub implements Audience {
  readonly streams: SessionStreams;
  readonly #deps: SocketsDeps;
  readonly #live: LiveRuns;
  readonly #chat: ChatBroadcast;
  readonly #wires: () => Iterable<Wire>;
  readonly #known = new WeakMap<Wire, Peer>();
  readonly #frameErrors: FrameErrors;
  readonly #agentsProtocol: AgentsProtocol;
  readonly #cairnProtocol: CairnProtocol;
  readonly #callers: Callers;

  constructor(deps: SocketsDeps, wires: () => Iterable<Wire>) {
    this.#deps = deps;
    this.#wires = wires;
    this.#callers = deps.callers ?? new Callers(null);
    const { session, store, state, api, newId } = deps;
    this.#live = new LiveRuns(session, store, state);
    const readers = (): Iterable<Peer> => this.#readers();
    this.#chat = new ChatBroadcast({ session, store, state, live: this.#live, readers });
    this.#frameErrors = new FrameErrors(newId);
    const messageBytesMax = deps.limits.messageBytes ?? MESSAGE_BYTES_MAX;
    const shared = {
      ...deps,
      messageBytesMax,
      models: deps.models ?? null,
      live: this.#live,
      chat: this.#chat,
      frameErrors: this.#frameErrors,
    };
    this.#agentsProtocol = new AgentsProtocol(shared);
    this.#cairnProtocol = new CairnProtocol(shared);
    this.streams = new SessionStreams({
      session,
      store,
      state,
      api,
      live: this.#live,
      clock: deps.clock,
      callers: this.#callers,
    });
  }

  /** The object restarted: commits may be unpublished, so every client gets the end of the log. */
  boot(): void {
    const at = this.#deps.clock();
    for (const wire of this.#wires()) {
      const peer = this.#peer(wire);
      if (peer !== null && this.#tooOld(peer, at)) peer.close(...TOO_OLD);
    }
    const frame: ServerFrame = { type: "cairn:head", lastSeq: this.#deps.state().head };
    for (const peer of this.#readers()) peer.send(frame);
  }

  /** The session is gone: sockets are closed 4403, streams end, and nothing of it is remembered. */
  dismiss(): void {
    for (const wire of this.#wires()) wire.close(4403, "not_found");
    this.streams.dismiss();
    this.#live.forget();
  }

  /** The connect sequence after the identity frame; a stranger's socket is closed 4401 or 4403. */
  async connect(wire: Wire, header: string | null, traceId: string | null = null): Promise<void> {
    const actor = parseActor(header);
    if (actor === null) return wire.close(4401, "unauthenticated");
    if ([...this.#wires()].length > this.#deps.limits.socketsPerSession) {
      return wire.close(4429, "too_many_sockets");
    }
    const { subject, scopes } = actor;
    const refused = this.#deps.api.admit({ subject, scopes, via: "socket" }, "read");
    if (refused !== null && refused.code !== "missing_scope") return wire.close(4403, refused.code);
    const { clock } = this.#deps;
    const callers = this.#callers;
    const peer = Peer.introduce(wire, actor, {
      openedAt: clock(),
      stranger: callers.knows(actor) ? null : callers.edition,
      traceId: traceId !== null && isTraceId(traceId) ? traceId : null,
    });
    if (peer.expired(clock(), callers)) return peer.close(4401, "unauthenticated");
    this.#known.set(wire, peer);
    peer.send(this.#hello(peer));
    if (!peer.may("read")) return;
    peer.send({ type: "cf_agent_chat_messages", messages: this.#chat.messages(peer), connect: true });
    this.#chat.greet(peer);
  }

  async receive(wire: Wire, data: string | ArrayBuffer | ArrayBufferView): Promise<void> {
    const peer = this.#peer(wire);
    if (peer === null) return wire.close(4401, "unauthenticated");
    const { clock, limits } = this.#deps;
    const at = clock();
    if (this.#expired(peer, at)) return peer.close(4401, "unauthenticated");
    if (this.#tooOld(peer, at)) return peer.close(...TOO_OLD);
    if (typeof data !== "string") return peer.close(1003, "unsupported_frame");
    // A UTF-16 unit is at least one byte and at most three.
    if (data.length > limits.frameBytes || bytes(data) > limits.frameBytes) {
      return peer.close(1009, "frame_too_large");
    }
    if (!peer.admit(at, limits.framesPerMinute)) {
      this.#frameErrors.send(peer, "frame", TOO_MANY);
      return peer.close(4429, TOO_MANY.code);
    }
    if (data === "ping") return peer.sendText("pong");
    await peer.inTurn(() => this.#handle(peer, data));
  }

  async #handle(peer: Peer, data: string): Promise<void> {
    try {
      // The frame may have waited for its turn.
      if (this.#expired(peer, this.#deps.clock())) return peer.close(4401, "unauthenticated");
      // Whatever the frame asks, and also when it only reads.
      await this.#deps.touch();
      const parsed = parseFrame(data);
      if (parsed.kind === "stock") return await this.#agentsProtocol.handle(peer, parsed.frame);
      if (parsed.kind === "native") return await this.#cairnProtocol.handle(peer, parsed.frame);
      this.#refuse(peer, parsed);
    } catch (error) {
      logError("a frame failed", complaintOf(error, this.#deps.redact));
      const message = "Something went wrong on our side.";
      this.#frameErrors.send(peer, "frame", { status: 500, code: "internal", message });
    }
  }

  #refuse(peer: Peer, parsed: Extract<ClientFrame, { kind: "bad" }>): void {
    const { about, eventId, code, message, issues } = parsed;
    const error = { status: 400, code, message, ...(issues.length > 0 ? { issues } : {}) };
    if (eventId === null) this.#frameErrors.send(peer, about, error);
    else peer.send({ type: "cairn:ack", eventId, ok: false, error: this.#frameErrors.error(error) });
  }

  committed(entries: readonly Entry[], state: State): void {
    if (!this.watched()) return this.#live.unwatched(entries);
    for (const entry of entries) this.#publish(entry);
    if (entries.some((entry) => CHANGES_QUEUE.has(entry.kind))) {
      const frame: ServerFrame = { type: "cairn:queue", ...this.#queue() };
      for (const peer of this.#readers()) peer.send(frame);
      this.#chat.settleProbes();
    }
    const transients = changedTransients(entries, state);
    if (transients.length > 0) this.#chat.transients(transients);
    this.streams.published(transients);
  }

  draft(piece: PlacedDraft): void {
    const update = this.#live.draft(piece, this.watched());
    if (update === null) return;
    this.#chat.deliver(update, null);
    this.streams.published([]);
  }

  progress(progress: CallProgress | null): void {
    this.#live.progress = progress;
    const chunk = this.watched() ? (this.#live.live(true)?.progress(progress) ?? null) : null;
    if (chunk === null) return;
    this.#chat.transients([chunk]);
    this.streams.published([chunk]);
  }

  #publish(entry: Entry): void {
    const { store, state } = this.#deps;
    const frame = (of: Entry): ServerFrame => ({ type: "cairn:event", event: eventOf(of) });
    let [whole, shown]: (ServerFrame | null)[] = [null, null];
    for (const peer of this.#readers()) {
      if (!peer.state.events) continue;
      if (peer.may("admin")) peer.send((whole ??= frame(entry)));
      else peer.send((shown ??= frame(publicEntry(store, state(), entry))));
    }
    if (entry.kind === "user_message") this.#chat.accepted(entry);
    if (entry.kind === "answer_hidden") this.#chat.relist();
    if (entry.kind === "session_cleared") {
      for (const peer of this.#readers()) {
        if (peer !== this.#agentsProtocol.clearing && peer.state.mode === "stock")
          peer.send({ type: "cf_agent_chat_clear" });
      }
    }
    for (const update of this.#live.accept(entry)) this.#chat.deliver(update, entry);
    if (entry.kind === "run_ended" && entry.run !== null) {
      this.streams.published([]);
      this.#live.release(entry.run);
    }
  }

  #hello(peer: Peer): ServerFrame {
    const { session, state, limits } = this.#deps;
    const now = state();
    const { run } = now;
    const waits = run !== null && waitsForPerson(run.phase);
    const works = run !== null || (now.queue.length > 0 && !now.held);
    const status = waits ? "waiting" : works ? "running" : "idle";
    return {
      type: "cairn:hello",
      protocol: 1,
      sessionId: session,
      subject: peer.actor.subject,
      scopes: peer.actor.scopes,
      // A caller without the read scope learns nothing about the session, not even its status.
      ...(peer.may("read") ? { status, lastSeq: now.head, ...this.#queue() } : {}),
      limits: {
        frameBytes: limits.frameBytes,
        framesPerMinute: limits.framesPerMinute,
        messageBytes: limits.messageBytes ?? MESSAGE_BYTES_MAX,
      },
    };
  }

  #queue(): { activeRunId: string | null; held: boolean; queue: QueueItem[] } {
    const { session, state, store } = this.#deps;
    const now = state();
    const { run, held } = now;
    return {
      held,
      activeRunId: run === null ? null : runId(session, run.run),
      queue: waitingRuns(now).map((item) => {
        const { inputSeq, message, source } = item.request;
        const [input] = store.entriesBetween(inputSeq, inputSeq);
        const parts = input?.kind === "user_message" ? input.body.parts : [];
        const text = parts.map((part) => (part.type === "text" ? part.text : "")).join(" ");
        return { runId: runId(session, item.run), messageId: message, text, source };
      }),
    };
  }

  #peer(wire: Wire): Peer | null {
    const known = this.#known.get(wire) ?? Peer.restore(wire);
    if (known !== null) this.#known.set(wire, known);
    return known;
  }

  /** Everyone who may read and whose grant has not ended. */
  *#readers(): Iterable<Peer> {
    const at = this.#deps.clock();
    for (const wire of this.#wires()) {
      const peer = this.#peer(wire);
      if (peer !== null && !this.#expired(peer, at) && peer.may("read")) yield peer;
    }
  }

  #expired(peer: Peer, at: number): boolean {
    return peer.expired(at, this.#callers);
  }

  #tooOld(peer: Peer, at: number): boolean {
    return peer.age(at) >= (this.#deps.limits.socketMaxAgeMs ?? Infinity);
  }

  watched(): boolean {
    if (this.streams.watched) return true;
    for (const _peer of this.#readers()) return true;
    return false;
  }
}

const TOO_MANY: ApiError = {
  status: 429,
  code: "rate_limited",
  message: "Too many frames in a minute.",
  hint: "Open the socket again in a minute, and send fewer.",
};
const TOO_OLD = [4408, "socket_too_old"] as const;
const CHANGES_QUEUE: ReadonlySet<Entry["kind"]> = new Set([
  "run_queued",
  "run_started",
  "run_ended",
  "queue_held",
]);
const CHANGES_BUDGET: ReadonlySet<Entry["kind"]> = new Set(["step_started", "model_replied", "call_settled"]);
const bytes = (text: string): number => new TextEncoder().encode(text).length;

function changedTransients(entries: readonly Entry[], state: State): DataChunk[] {
  const changes = entries.flatMap((entry) =>
    entry.kind === "memory_changed" || entry.kind === "call_settled" ? (entry.body.changes ?? []) : [],
  );
  const budget = entries.some((entry) => CHANGES_BUDGET.has(entry.kind)) ? budgetChunk(state) : null;
  return [
    ...(changes.length > 0 ? [memoryChunk(state.memory, changes)] : []),
    ...(budget === null ? [] : [budget]),
  ];
}
