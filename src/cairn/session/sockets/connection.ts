import * as z from "zod";
import type { ServerFrame, FrameError } from "../../protocol/frames.ts";
import type { Callers } from "../commands/callers.ts";
import type { Actor, Scope, ApiError } from "../api/session-api.ts";

/** A socket, as far as the session talks to it. `Connection` of `agents` is one. */
export interface Wire {
  readonly id: string;
  readonly state: unknown;
  setState(state: PeerState): unknown;
  send(text: string): void;
  close(code: number, reason: string): void;
}

const actorSchema = z.object({
  subject: z.string(),
  scopes: z.array(z.enum(["read", "send", "approve", "admin"])),
  via: z.enum(["http", "socket", "link", "chat"]),
  /** milliseconds; after it the grant is over */
  expiresAt: z.number().optional(),
  grant: z.string().optional(),
  version: z.number().optional(),
  /** used up when the socket was opened */
  ticket: z.string().optional(),
  ticketAt: z.number().optional(),
});

const stateSchema = z.object({
  actor: actorSchema,
  /** native connections get `cairn:chunk` instead of the stock chat frames */
  mode: z.enum(["stock", "native"]),
  /** the segment that was offered and whose ack has not come */
  awaiting: z.object({ id: z.string(), run: z.string() }).nullable(),
  /** a probe that was answered `pending` */
  pending: z.object({ probeId: z.string().nullable() }).nullable(),
  /** gets every entry as `cairn:event` */
  events: z.boolean(),
  /** milliseconds since the epoch */
  openedAt: z.number(),
  /** the list of grants that did not know the actor's grant when it was opened (Callers.edition) */
  stranger: z.string().optional(),
  /** `x-request-id` of the upgrade: the trace id of each message that brings none itself */
  traceId: z.string().optional(),
});
/** All that a connection needs after hibernation; lives in its attachment. */
export type PeerState = z.output<typeof stateSchema>;

/** Parses the actor from the header that only the worker can set; null if it is missing or malformed. */
export function parseActor(header: string | null): PeerState["actor"] | null {
  if (header === null) return null;
  try {
    return actorSchema.parse(JSON.parse(header));
  } catch {
    return null;
  }
}

/** One connection with what the session knows of it. The attachment is written with every change. */
export class Peer {
  readonly wire: Wire;
  #state: PeerState;
  /** that its grant gives now */
  #scopes: readonly Scope[];
  /** times of the frames of the last minute, milliseconds */
  readonly #frames: number[] = [];
  #turn: Promise<void> = Promise.resolve();

  private constructor(wire: Wire, state: PeerState) {
    this.wire = wire;
    this.#state = state;
    this.#scopes = state.actor.scopes;
  }

  /** The peer of a connection that was introduced, also before hibernation; null for any other. */
  static restore(wire: Wire): Peer | null {
    const parsed = stateSchema.safeParse(wire.state);
    return parsed.success ? new Peer(wire, parsed.data) : null;
  }

  static introduce(
    wire: Wire,
    actor: PeerState["actor"],
    {
      openedAt,
      stranger = null,
      traceId = null,
    }: { readonly openedAt: number; readonly stranger?: string | null; readonly traceId?: string | null },
  ): Peer {
    const state = {
      actor,
      mode: "stock",
      awaiting: null,
      pending: null,
      events: false,
      openedAt,
      ...(stranger === null ? {} : { stranger }),
      ...(traceId === null ? {} : { traceId }),
    } as const;
    const peer = new Peer(wire, state);
    wire.setState(peer.#state);
    return peer;
  }

  get state(): PeerState {
    return this.#state;
  }

  get traceId(): string | null {
    return this.#state.traceId ?? null;
  }

  get actor(): Actor {
    const { subject, grant } = this.#state.actor;
    const actor = { subject, scopes: this.#scopes, via: "socket" } as const;
    return grant === undefined ? actor : { ...actor, grant };
  }

  change(change: Partial<PeerState>): void {
    this.#state = { ...this.#state, ...change };
    this.wire.setState(this.#state);
  }

  may(scope: Scope): boolean {
    return this.#scopes.includes(scope) || this.#scopes.includes("admin");
  }

  /** True when its grant has ended or is none of the deployment's any more. What the grant gives now holds until asked again. */
  expired(at: number, callers: Callers): boolean {
    const { actor, stranger = null } = this.#state;
    const now = callers.ofConnection(actor, stranger, at);
    this.#scopes = now?.scopes ?? [];
    return now === null;
  }

  /** milliseconds since it was opened */
  age(at: number): number {
    return at - this.#state.openedAt;
  }

  /** Counts a frame; false when more than `most` came in 60 s. */
  admit(at: number, most: number): boolean {
    while (this.#frames.length > 0 && (this.#frames[0] ?? at) <= at - MINUTE_MS) this.#frames.shift();
    this.#frames.push(at);
    return this.#frames.length <= most;
  }

  /** Handles the frames of a connection one after the other, in the order in which they came. */
  inTurn(act: () => Promise<void> | void): Promise<void> {
    const turn = this.#turn.then(act);
    // The caller handles its own failure; later turns proceed regardless.
    this.#turn = turn.catch(() => {});
    return turn;
  }

  /** A peer that has gone is no failure of the sender. */
  send(frame: ServerFrame): void {
    this.sendText(JSON.stringify(frame));
  }

  sendText(text: string): void {
    try {
      this.wire.send(text);
    } catch {
      // The close event reports the result.
    }
  }

  close(code: number, reason: string): void {
    try {
      this.wire.close(code, reason);
    } catch {
      // The socket is closed already.
    }
  }
}

const MINUTE_MS = 60_000;

export const MISSING_SCOPE: ApiError = {
  status: 403,
  code: "missing_scope",
  message: "This connection may not do that.",
  hint: "Use a token that has the scope.",
};

/** How a frame is refused: with a code, words, and an id to ask about. */
export class FrameErrors {
  readonly #newId: () => string;

  constructor(newId: () => string) {
    this.#newId = newId;
  }

  /** The error of an ack. */
  error({ code, message, hint, issues }: ApiError): FrameError {
    return {
      code,
      message,
      ...(hint === undefined ? {} : { hint }),
      ...(issues === undefined ? {} : { issues }),
      requestId: this.#newId(),
    };
  }

  /** `cairn:error`, for frames that have no ack. */
  send(peer: Peer, about: string, error: ApiError): void {
    peer.send({ type: "cairn:error", about, error: this.error(error) });
  }

  /** True if the connection has the scope; otherwise sends it an error. */
  allowed(peer: Peer, scope: Scope, about: string): boolean {
    if (peer.may(scope)) return true;
    this.send(peer, about, MISSING_SCOPE);
    return false;
  }
}
