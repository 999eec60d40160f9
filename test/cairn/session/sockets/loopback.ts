import { ServerSocket } from "../../../sim/platform/socket.ts";
import type { LiveSession } from "./session-fixture.ts";

/**
 * A browser's WebSocket whose other end is the hub: what the real `AgentClient` is handed instead of the network.
 * Frames arrive in later microtasks, in order, and `cutAll` drops every connection without a goodbye, as a network does.
 */
export function loopback(session: LiveSession): { WebSocket: typeof WebSocket; cutAll: () => void } {
  const open = new Set<LoopbackSocket>();
  class LoopbackSocket extends EventTarget {
    static readonly CONNECTING = 0;
    static readonly OPEN = 1;
    static readonly CLOSING = 2;
    static readonly CLOSED = 3;
    readonly CONNECTING = 0;
    readonly OPEN = 1;
    readonly CLOSING = 2;
    readonly CLOSED = 3;
    readyState = 0;
    binaryType = "blob";
    bufferedAmount = 0;
    extensions = "";
    protocol = "";
    onopen = null;
    onmessage = null;
    onclose = null;
    onerror = null;
    readonly url: string;
    readonly #server: ServerSocket;

    constructor(url: string) {
      super();
      this.url = url;
      this.#server = new ServerSocket(
        "loopback",
        (text) => this.#later(() => this.readyState === 1 && this.#message(text)),
        (code) => this.#later(() => this.#end(code, true)),
      );
      this.#later(() => {
        this.readyState = 1;
        open.add(this);
        session.sockets.add(this.#server);
        this.dispatchEvent(new Event("open"));
        this.#message(JSON.stringify({ type: "cf_agent_identity", name: "ses_demo", agent: "session" }));
        void session.hub.connect(this.#server, JSON.stringify(session.actor()));
      });
    }

    send(text: string): void {
      if (this.readyState !== 1) throw new Error("not open");
      this.#later(() => void session.hub.receive(this.#server, text));
    }

    close(code = 1000): void {
      this.#end(code, true);
    }

    cut(): void {
      this.#end(1006, false);
    }

    #message(data: string): void {
      this.dispatchEvent(new MessageEvent("message", { data }));
    }

    #end(code: number, wasClean: boolean): void {
      if (this.readyState === 3) return;
      this.readyState = 3;
      this.#server.open = false;
      open.delete(this);
      session.sockets.delete(this.#server);
      this.dispatchEvent(new CloseEvent("close", { code, reason: "", wasClean }));
    }

    #later(act: () => void): void {
      queueMicrotask(act);
    }
  }
  return {
    WebSocket: LoopbackSocket as unknown as typeof WebSocket,
    cutAll: () => {
      for (const socket of Array.from(open)) socket.cut();
    },
  };
}
