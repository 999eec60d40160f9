import type { Address, MessageKind } from "../../../cairn/core/address.ts";

/** A message that went out. */
export interface SentMessage {
  /** what the channel calls it; null on the page, where the call itself is the message */
  readonly receipt: string | null;
  /** the name of the place */
  readonly to: string;
  /** ISO 8601: it goes out then, at the end of the person's quiet hours; absent of what is out */
  readonly heldUntil?: string;
  /** parts that have arrived, and when the rest goes out by itself (ISO 8601); absent of a whole message */
  readonly arrived?: number;
  readonly restAt?: string;
}

/** The session's port for tools that send messages. */
export interface Messenger {
  /** names of the address book, the same for every run */
  readonly names: readonly string[];
  /** of a name; null where nothing is called so */
  find(name: string): Address | null;
  /** where the input of the live run came from; null for the page */
  origin(): Address | null;
  /** whether the deployment has the channel */
  has(address: Address): boolean;
  /** Throws ToolError, which tells if the message may have been sent. */
  send(
    message: { readonly kind: MessageKind; readonly text: string },
    address: Address,
    key: string,
    signal: AbortSignal,
  ): Promise<SentMessage>;
}
