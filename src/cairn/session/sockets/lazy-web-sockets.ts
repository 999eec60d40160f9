import { LifecycleCapability } from "agents/lifecycle";
import type { WebSocketsOptions } from "agents/websockets";
import { loadSockets } from "../../../../build/modules/sockets.ts";

type LoadedWebSockets = InstanceType<Awaited<ReturnType<typeof loadSockets>>["LoadedWebSockets"]>;
type Upgrade = Parameters<LoadedWebSockets["onWebSocketUpgrade"]>[0];
type Connection = NonNullable<ReturnType<LoadedWebSockets["getConnection"]>>;
type Message = Parameters<LoadedWebSockets["onWebSocketMessage"]>[1];

/**
 * The capability `WebSockets` of agents, loaded with the first socket: a session that works without anybody watching needs
 * none of it. An object that wakes with sockets loads them before anything reaches it.
 */
export class LazyWebSockets extends LifecycleCapability {
  /** as of `WebSockets`: it takes every upgrade */
  override readonly claims = "catch-all";
  readonly #options: WebSocketsOptions;
  /** called once sockets can be reached that were there before this instance */
  readonly #woken: () => void;
  #loading: Promise<LoadedWebSockets> | null = null;
  #loaded: LoadedWebSockets | null = null;

  constructor(options: WebSocketsOptions, woken: () => void) {
    super("websockets");
    this.#options = options;
    this.#woken = woken;
  }

  #load(): Promise<LoadedWebSockets> {
    this.#loading ??= loadSockets().then(
      (module) => (this.#loaded = new module.LoadedWebSockets(this.lifecycle, this.#options)),
    );
    return this.#loading;
  }

  async wake(): Promise<void> {
    await this.#load();
    this.#woken();
  }

  async onWebSocketUpgrade(upgrade: Upgrade): Promise<Response> {
    return (await this.#load()).onWebSocketUpgrade(upgrade);
  }

  async onWebSocketMessage(socket: WebSocket, message: Message): Promise<boolean> {
    return (await this.#load()).onWebSocketMessage(socket, message);
  }

  async onWebSocketClose(socket: WebSocket, code: number, reason: string, clean: boolean): Promise<boolean> {
    return (await this.#load()).onWebSocketClose(socket, code, reason, clean);
  }

  async onWebSocketError(socket: WebSocket, error: unknown): Promise<boolean> {
    return (await this.#load()).onWebSocketError(socket, error);
  }

  dispose(): void {
    this.#loaded?.dispose();
  }

  /** Returns open connections. Sockets not loaded yet get the end of the log once they are. */
  getConnections(): Iterable<Connection> {
    if (this.#loaded !== null) return this.#loaded.getConnections();
    if (this.asleep) void this.wake();
    return [];
  }

  /** The object has sockets that are not loaded. */
  get asleep(): boolean {
    return this.#loaded === null && this.lifecycle.sockets.get().length > 0;
  }
}
