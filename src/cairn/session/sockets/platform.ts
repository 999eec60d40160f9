import type { WebSocketHandlers } from "agents/websockets";
import { ACTOR_HEADER } from "../api/session-api.ts";
import type { Actor } from "../api/session-api.ts";
import type { Entry } from "../../core/log/entry.ts";
import type { CallProgress } from "../../core/log/tool.ts";
import type { State } from "../../core/state/state.ts";
import type { Audience, PlacedDraft } from "../engine/ports.ts";
import { SocketHub, type SocketsDeps } from "./hub.ts";
import { LazyWebSockets } from "./lazy-web-sockets.ts";

/** The sockets of a session on the platform: hibernating connections of `agents`, and the hub that speaks with them. */
export class SessionSockets implements Audience {
  /** for `Lifecycle.install(this).use(...)`; it sends the identity frame before anything else */
  readonly capability: LazyWebSockets;
  readonly #hub: SocketHub;

  constructor(parts: Omit<SocketsDeps, "newId"> & { readonly newId?: () => string }) {
    const { newId = () => crypto.randomUUID() } = parts;
    const handlers: WebSocketHandlers = {
      onConnect: (connection, { request }) =>
        this.#hub.connect(connection, request.headers.get(ACTOR_HEADER), request.headers.get("x-request-id")),
      onMessage: (connection, data) => this.#hub.receive(connection, data),
    };
    this.capability = new LazyWebSockets({ handlers }, () => this.#hub.boot());
    this.#hub = new SocketHub({ ...parts, newId }, () => this.capability.getConnections());
  }

  /** `hold` lets nothing reach the object until sockets are there that slept while it was stopped. */
  boot(hold: (ready: () => Promise<void>) => Promise<void>): void {
    if (this.capability.asleep) void hold(() => this.capability.wake());
  }

  /** The session is gone: every socket is closed, every stream ends. */
  dismiss(): void {
    this.#hub.dismiss();
  }

  committed(entries: readonly Entry[], state: State): void {
    this.#hub.committed(entries, state);
  }

  draft(piece: PlacedDraft): void {
    this.#hub.draft(piece);
  }

  progress(progress: CallProgress | null): void {
    this.#hub.progress(progress);
  }

  readonly watched = (): boolean => this.#hub.watched();

  /** `GET /stream/…` inside the object (sse.ts), or null for any other request. */
  fetchStream(request: Request, actor: Actor): Promise<Response> | null {
    return this.#hub.streams.fetchStream(request, actor);
  }
}
