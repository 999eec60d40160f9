import type { Entry } from "../../core/log/entry.ts";
import { nextQueued } from "../../core/state/queue.ts";
import { type State } from "../../core/state/state.ts";
import { waitsForPerson } from "../../core/state/run/phase.ts";
import { budgetChunk, memoryChunk } from "../../protocol/stream/data-parts.ts";
import type { ServerFrame } from "../../protocol/frames.ts";
import type { RunStream, Segment } from "../../protocol/stream/stream.ts";
import type { DataChunk, PlacedChunk, UiMessage } from "../../protocol/stream/ui-chunk.ts";
import type { LiveRuns, LiveUpdate } from "./live-runs.ts";
import { loadMessages, MESSAGES_SHOWN, readableBy, type Log } from "../api/log-reader.ts";
import type { Peer } from "./connection.ts";

type Response = Extract<ServerFrame, { type: "cf_agent_use_chat_response" }>;

export interface ChatDeps {
  readonly session: string;
  readonly store: Log;
  readonly state: () => State;
  readonly live: LiveRuns;
  /** everyone who may read */
  readonly readers: () => Iterable<Peer>;
}

/**
 * The chat as sockets see it: the live frames of every segment, and the handshake that gives a late or returning client
 * an open segment from its start. Invariants: from an offer to its ack a connection gets no frame of that segment;
 * collecting a replay and joining live is one synchronous act; a final message precedes the done frame, and the list of
 * messages follows it, because a stock client assembles its own from what it sent and saw.
 */
export class ChatBroadcast {
  readonly #deps: ChatDeps;
  /** who sent the message or the decision whose entry is about to be published */
  readonly senders = new Map<string, Peer>();
  readonly deciders = new Map<string, Peer>();
  /** the segment whose model call was interrupted */
  #recovering: string | null = null;

  constructor(deps: ChatDeps) {
    this.#deps = deps;
  }

  messages(peer: Peer): readonly UiMessage[] {
    const { store, session, state } = this.#deps;
    const log = readableBy(peer.actor, store, state());
    return loadMessages(log, session, state().cleared, MESSAGES_SHOWN).items;
  }

  /** Announces an accepted message to everyone but its sender. */
  accepted(entry: Entry<"user_message">): void {
    const sender = this.senders.get(entry.body.id);
    this.relist([...this.#agentsProtocol()].filter((peer) => peer !== sender));
  }

  /**
   * Sends the list that a new connection would get. A client replaces its own list with it, unless its own stream is
   * open.
   */
  relist(to: Iterable<Peer> = this.#agentsProtocol()): void {
    let [whole, shown]: (readonly UiMessage[] | null)[] = [null, null];
    for (const peer of to) {
      const messages = peer.may("admin") ? (whole ??= this.messages(peer)) : (shown ??= this.messages(peer));
      peer.send({ type: "cf_agent_chat_messages", messages });
    }
  }

  deliver(update: LiveUpdate, entry: Entry | null): void {
    const { segment, stream, run, chunks, to } = update;
    if (entry?.kind === "approval_decided" || entry?.kind === "approval_cancelled") {
      this.#messageUpdated(stream, to);
    }
    if (update.opened) this.#offer(segment, run, entry, to);
    this.#recover(update, entry);
    const written = (placed: PlacedChunk) => ({ placed, text: JSON.stringify(placed.chunk) });
    const live = chunks.map(written);
    // The client that answered has begun an empty message for it, so it gets the whole.
    const message = entry?.kind === "human_answered" ? entry.body.message : null;
    const replied = message === null ? undefined : this.senders.get(message);
    for (const peer of this.#readers(to)) {
      const frames = peer === replied ? stream.whole().map(written) : live;
      if (peer.state.mode === "native") {
        for (const { placed } of frames) peer.send(nativeFrame(stream.id, placed));
      } else if (peer.state.awaiting?.id !== segment.id) {
        for (const { placed, text } of frames) {
          // Only the done frame reports a failure.
          if (placed.chunk.type !== "error") peer.send(chunkFrame(segment, placed.pos, text));
        }
      }
    }
    if (update.end !== null) this.#done(segment, stream, to);
  }

  /** The present values of what is not stored, to everyone or to one who has just caught up. */
  transients(chunks: readonly DataChunk[], to: Iterable<Peer> = this.#deps.readers()): void {
    const stream = this.#deps.live.live(false);
    const segment = stream?.open ?? null;
    if (stream === null || segment === null) return;
    for (const peer of to) {
      for (const chunk of chunks) {
        if (peer.state.mode === "native") peer.send(nativeFrame(stream.id, { pos: null, chunk }));
        else if (peer.state.awaiting?.id !== segment.id)
          peer.send(chunkFrame(segment, null, JSON.stringify(chunk)));
      }
    }
  }

  currentTransients(): DataChunk[] {
    const state = this.#deps.state();
    const budget = budgetChunk(state);
    const { live } = this.#deps;
    const progress = live.progress === null ? null : (live.live(true)?.progress(live.progress) ?? null);
    return [memoryChunk(state.memory, []), ...[budget, progress].filter((chunk) => chunk !== null)];
  }

  /** On connect: an open segment is offered. */
  greet(peer: Peer): void {
    const open = this.#open();
    if (open !== null) this.#resuming(peer, open.segment, open.run, null);
  }

  /** Exactly one answer to a probe; `pending` is followed by `resuming` or `none`. */
  probe(peer: Peer, probeId: string | null): void {
    const state = this.#deps.state();
    const open = this.#open();
    if (open !== null) return this.#resuming(peer, open.segment, open.run, probeId);
    const next = state.run === null && !state.held ? nextQueued(state) : undefined;
    const starting = state.run !== null && !waitsForPerson(state.run.phase);
    if (next === undefined && !starting) return this.#none(peer, probeId);
    peer.change({ pending: { probeId } });
    const newest = next ?? state.run;
    const id = newest?.request.request ?? `${this.#deps.session}.${newest?.run ?? ""}`;
    peer.send({ type: "cf_agent_stream_pending", id, ...named(probeId) });
  }

  /** Replays the segment that was offered, and joins the connection to its live frames. */
  ack(peer: Peer, id: string): void {
    const { awaiting } = peer.state;
    if (awaiting === null || awaiting.id !== id) return;
    peer.change({ awaiting: null });
    const stream = this.#deps.live.stream(awaiting.run, peer.may("admin"));
    const segment = stream?.segments.find((item) => item.id === id);
    if (stream === null || segment === undefined) return;
    // A segment that ended before the ack is sent as a message if its beginning is known: stock clients ignore updates
    // to messages that they do not have, and they may lack the first segment.
    if (segment.end === null || segment.index === 0) {
      for (const { pos, chunk } of segment.chunks)
        peer.send({ ...chunkFrame(segment, pos, JSON.stringify(chunk)), replay: true });
    }
    if (segment.end !== null) {
      const message = stream.toMessage();
      if (message !== null) peer.send({ type: "cf_agent_message_updated", message });
      peer.send({ ...doneFrame(segment, stream), replay: true });
      this.relist([peer]);
      this.#deps.live.release(awaiting.run);
      return;
    }
    peer.send({ ...chunkFrame(segment, null, ""), replay: true, replayComplete: true });
    this.transients(this.currentTransients(), [peer]);
  }

  /** `cairn:resume`: the chunks of a run after `pos`; from now on the connection gets `cairn:chunk`. */
  resume(peer: Peer, run: string | null, pos: number): void {
    peer.change({ mode: "native", awaiting: null, pending: null });
    const stream = run === null ? null : this.#deps.live.stream(run, peer.may("admin"));
    for (const placed of stream?.after(pos) ?? []) peer.send(nativeFrame(stream?.id ?? "", placed));
    const reached = Math.max(pos, stream?.pos ?? 0);
    const seq = this.#deps.state().head;
    peer.send({ type: "cairn:caught-up", runId: stream?.id ?? null, pos: reached, seq });
    this.transients(this.currentTransients(), [peer]);
  }

  /** A queue that empties without a start leaves no probe unanswered. */
  settleProbes(): void {
    const { run, held, queue } = this.#deps.state();
    if ((queue.length > 0 && !held) || (run !== null && !waitsForPerson(run.phase))) return;
    for (const peer of this.#agentsProtocol()) {
      if (peer.state.pending === null) continue;
      const { probeId } = peer.state.pending;
      peer.change({ pending: null });
      this.#none(peer, probeId);
    }
  }

  /** Ends a request that starts no run. */
  finished(peer: Peer, id: string, outcome: "completed" | "skipped", stream: RunStream | null): void {
    const message = stream?.toMessage() ?? null;
    if (message !== null) peer.send({ type: "cf_agent_message_updated", message });
    peer.send({ type: "cf_agent_use_chat_response", id, body: "", done: true, outcome });
    this.correct(peer);
  }

  failed(peer: Peer, id: string, message: string): void {
    peer.send({
      type: "cf_agent_use_chat_response",
      id,
      body: message,
      done: true,
      error: true,
      outcome: "error",
    });
    this.correct(peer);
  }

  /** Resends the messages to a client that may already show a command which was refused or changed. */
  correct(peer: Peer): void {
    if (peer.may("read")) this.relist([peer]);
  }

  #open(): { segment: Segment; run: string } | null {
    const { run } = this.#deps.state();
    const segment = this.#deps.live.live(false)?.open ?? null;
    return segment === null || run === null ? null : { segment, run: run.run };
  }

  /** A new segment: to those who asked for it, and to the one whose decision it follows. */
  #offer(segment: Segment, run: string, entry: Entry | null, to: LiveUpdate["to"]): void {
    const decider = entry?.kind === "approval_decided" ? this.deciders.get(entry.body.approval) : undefined;
    for (const peer of this.#agentsProtocol(to)) {
      const { pending } = peer.state;
      if (pending !== null) this.#resuming(peer, segment, run, pending.probeId);
      else if (peer === decider) this.#resuming(peer, segment, run, null);
    }
  }

  #resuming(peer: Peer, { id }: Segment, run: string, probeId: string | null): void {
    peer.change({ awaiting: { id, run }, pending: null });
    peer.send({ type: "cf_agent_stream_resuming", id, ...named(probeId) });
  }

  #none(peer: Peer, probeId: string | null): void {
    peer.send({ type: "cf_agent_stream_resume_none", reason: "idle", ...named(probeId) });
  }

  /** Equal for all clients, so the first of two updates sends it. */
  #recover({ segment, chunks, to }: LiveUpdate, entry: Entry | null): void {
    if (to === "others") return;
    const lost = entry?.kind === "attempt_lost";
    if (!lost && (this.#recovering !== segment.id || chunks.length === 0)) return;
    this.#recovering = lost ? segment.id : null;
    for (const peer of this.#agentsProtocol())
      peer.send({ type: "cf_agent_chat_recovering", recovering: lost, id: segment.id });
  }

  #done(segment: Segment, stream: RunStream, to: LiveUpdate["to"]): void {
    this.#messageUpdated(stream, to);
    const frame = doneFrame(segment, stream);
    const ended = [...this.#agentsProtocol(to)].filter((peer) => peer.state.awaiting?.id !== segment.id);
    for (const peer of ended) peer.send(frame);
    this.relist(ended);
  }

  #messageUpdated(stream: RunStream, to: LiveUpdate["to"]): void {
    const message = stream.toMessage();
    if (message === null || (stream.queuedSeq ?? 0) <= this.#deps.state().cleared) return;
    for (const peer of this.#agentsProtocol(to)) peer.send({ type: "cf_agent_message_updated", message });
  }

  *#agentsProtocol(to: LiveUpdate["to"] = "all"): Iterable<Peer> {
    for (const peer of this.#readers(to)) if (peer.state.mode === "stock") yield peer;
  }

  *#readers(to: LiveUpdate["to"]): Iterable<Peer> {
    for (const peer of this.#deps.readers())
      if (to === "all" || peer.may("admin") === (to === "admins")) yield peer;
  }
}

function chunkFrame(segment: Segment, pos: number | null, body: string): Response {
  return {
    type: "cf_agent_use_chat_response",
    id: segment.id,
    body,
    done: false,
    ...(pos === null ? {} : { seq: pos }),
    ...(segment.index > 0 ? { continuation: true } : {}),
  };
}

function doneFrame(segment: Segment, stream: RunStream): Response {
  const { outcome = "completed", errorText = null } = segment.end ?? {};
  return {
    type: "cf_agent_use_chat_response",
    id: segment.id,
    body: outcome === "error" ? (errorText ?? "") : "",
    done: true,
    outcome,
    ...(outcome === "error" ? { error: true } : {}),
    ...(segment.index > 0 ? { continuation: true } : {}),
    messageIds: stream.message === null ? [] : [stream.message],
  };
}

function nativeFrame(runId: string, { pos, chunk }: PlacedChunk): ServerFrame {
  return { type: "cairn:chunk", runId, pos, chunk };
}

const named = (probeId: string | null): { probeId?: string } => (probeId === null ? {} : { probeId });
