import { localRun } from "../../core/log/names.ts";
import { complaintOf, type Redact } from "../../core/text/redact.ts";
import type { State } from "../../core/state/state.ts";
import { eventOf } from "../../wire/event.ts";
import type { NativeFrame, ServerFrame } from "../../wire/frames.ts";
import type { LiveRuns } from "./live-runs.ts";
import { loadEvents } from "../api/log-reader.ts";
import type { Answer, SessionDoor } from "../api/session-api.ts";
import type { Store } from "../engine/ports.ts";
import type { SocketChat } from "./chat.ts";
import { isCommand, performCommand, refuse, SCOPES, type Acked, type Command } from "./socket-commands.ts";
import type { Peer } from "./connection.ts";
import { MISSING_SCOPE, type Refusals } from "./socket-refusal.ts";

export interface NativeParts {
  readonly session: string;
  readonly store: Pick<Store, "entriesAfter" | "seen" | "remember" | "transaction">;
  readonly state: () => State;
  readonly door: SessionDoor;
  readonly clock: () => number;
  readonly live: LiveRuns;
  readonly chat: SocketChat;
  readonly refusals: Refusals;
  readonly messageBytesMax: number;
  readonly redact: Redact;
}

/** Cairn's own frames (interface 4.2): each gets one ack, sent after what it did is on disk. */
export class NativeDesk {
  readonly #parts: NativeParts;
  /** frames that are at work, so that a repeat waits for the first */
  readonly #working = new Map<string, Promise<Answer<Acked>>>();

  constructor(parts: NativeParts) {
    this.#parts = parts;
  }

  async handle(peer: Peer, frame: NativeFrame): Promise<void> {
    const { eventId } = frame;
    const { session, state, store, live, chat } = this.#parts;
    const ack = (answer: Answer<Acked>, duplicate = false): void =>
      peer.send(this.#ack(eventId, answer, duplicate));
    if (!peer.may(SCOPES[frame.type])) return ack({ ok: false, error: MISSING_SCOPE });
    if (isCommand(frame)) return this.#command(peer, frame, ack);
    if (frame.type === "cairn:unsubscribe") {
      peer.change({ events: false });
      return ack({ ok: true, value: { result: {}, seq: null } });
    }
    if (frame.type === "cairn:subscribe") {
      ack({ ok: true, value: { result: {}, seq: null } });
      let after = frame.after;
      for (;;) {
        const page = loadEvents(store, after, EVENTS_PAGE);
        for (const entry of page) peer.send({ type: "cairn:event", event: eventOf(entry) });
        after = page.at(-1)?.seq ?? after;
        if (page.length === 0) break;
      }
      return peer.change({ events: true });
    }
    const named = frame.runId === undefined ? newestRun(state()) : localRun(session, frame.runId);
    const known = named === null ? null : live.stream(named);
    if (frame.runId !== undefined && known === null) return ack(refuse(404, "not_found", "No such run."));
    const pos = frame.pos ?? 0;
    ack({ ok: true, value: { result: { runId: known?.id ?? null, pos }, seq: null } });
    chat.resume(peer, named, pos);
    if (named !== null && state().run?.run !== named) live.release(named);
  }

  /** A command is applied once per subject and eventId; a repeat gets the first answer. */
  async #command(
    peer: Peer,
    frame: Command,
    ack: (answer: Answer<Acked>, duplicate?: boolean) => void,
  ): Promise<void> {
    const { store, door, clock, messageBytesMax, redact } = this.#parts;
    const source = `frame:${peer.actor.subject}`;
    const known = store.seen(source, frame.eventId);
    if (known !== null) return ack(JSON.parse(known) as Answer<Acked>, true);
    const key = `${source} ${frame.eventId}`;
    const working = this.#working.get(key);
    if (working !== undefined) return ack(await working, true);
    const work = performCommand(door, peer.actor, frame, messageBytesMax).catch(
      (error: unknown): Answer<Acked> => {
        console.error("cairn: a command failed", complaintOf(error, redact));
        return refuse(500, "internal", "Something went wrong on our side.");
      },
    );
    this.#working.set(key, work);
    try {
      const answer = await work;
      if (answer.ok || !PASSING.has(answer.error.status)) {
        store.transaction(() => store.remember(source, frame.eventId, JSON.stringify(answer), clock()));
      }
      ack(answer);
    } finally {
      this.#working.delete(key);
    }
  }

  #ack(eventId: string, answer: Answer<Acked>, duplicate: boolean): ServerFrame {
    const more = duplicate ? ({ duplicate: true } as const) : {};
    if (!answer.ok)
      return {
        type: "cairn:ack",
        eventId,
        ok: false,
        error: this.#parts.refusals.error(answer.error),
        ...more,
      };
    const { result, seq } = answer.value;
    return { type: "cairn:ack", eventId, ok: true, seq: seq ?? this.#parts.state().head, result, ...more };
  }
}

const EVENTS_PAGE = 200;
/** a refusal that may be another a moment later is not kept */
const PASSING: ReadonlySet<number> = new Set([429, 500, 503]);

/** The run that a client without a name for one follows: the live one, the next, or the last. */
function newestRun(state: State): string | null {
  return state.run?.run ?? state.queue[0]?.run ?? state.ended.at(-1)?.run ?? null;
}
