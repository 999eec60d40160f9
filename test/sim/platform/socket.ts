import type { PeerState, Wire } from "../../../src/cairn/session/sockets/connection.ts";

const ATTACHMENT_BYTES_MAX = 16_384;

/** The session's end of a socket, as strict as the platform's: a closed one throws, the attachment is bounded JSON. */
export class ServerSocket implements Wire {
  readonly id: string;
  readonly #deliver: (text: string) => void;
  readonly #closed: (code: number) => void;
  #attachment = "null";
  open = true;

  constructor(id: string, deliver: (text: string) => void, closed: (code: number) => void) {
    this.id = id;
    this.#deliver = deliver;
    this.#closed = closed;
  }

  get state(): unknown {
    return JSON.parse(this.#attachment);
  }

  setState(state: PeerState): void {
    const text = JSON.stringify(state);
    if (text.length > ATTACHMENT_BYTES_MAX) throw new Error("the attachment is too large");
    this.#attachment = text;
  }

  send(text: string): void {
    if (!this.open) throw new Error("the socket is closed");
    this.#deliver(text);
  }

  close(code: number): void {
    this.open = false;
    this.#closed(code);
  }
}
