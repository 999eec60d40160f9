import type { FrameError } from "../../wire/frames.ts";
import type { DoorError, Scope } from "../api/session-api.ts";
import type { Peer } from "./connection.ts";

export const MISSING_SCOPE: DoorError = {
  status: 403,
  code: "missing_scope",
  message: "This connection may not do that.",
  hint: "Use a token that has the scope.",
};

/** How a frame is refused: with a code, words, and an id to ask about. */
export class Refusals {
  readonly #newId: () => string;

  constructor(newId: () => string) {
    this.#newId = newId;
  }

  /** The error of an ack. */
  error({ code, message, hint, issues }: DoorError): FrameError {
    return {
      code,
      message,
      ...(hint === undefined ? {} : { hint }),
      ...(issues === undefined ? {} : { issues }),
      requestId: this.#newId(),
    };
  }

  /** `cairn:error`, for frames that have no ack. */
  send(peer: Peer, about: string, error: DoorError): void {
    peer.send({ type: "cairn:error", about, error: this.error(error) });
  }

  /** Whether the connection has the scope; if not, it is told. */
  allowed(peer: Peer, scope: Scope, about: string): boolean {
    if (peer.may(scope)) return true;
    this.send(peer, about, MISSING_SCOPE);
    return false;
  }
}
