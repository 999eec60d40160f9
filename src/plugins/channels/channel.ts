import type { Block } from "./text/blocks.ts";
import type { Address, ChannelName, MessageKind } from "../../cairn/core/address.ts";

/**
 * The port of a channel: received events are verified, and each send has one result. The port is stateless: links,
 * sessions and deliveries belong to its callers (http/channels, session/background).
 */
export interface Channel {
  readonly name: ChannelName;
  /** Nothing can be pressed there: a card carries a link to the page where it is decided. */
  readonly decidesByLink?: true;
  /** True for a channel that only sends notifications. */
  readonly isOneWay?: true;
  /**
   * Anybody can write there, also programs that answer each other: so many people without access are answered in an hour.
   * Absent: each of them.
   */
  readonly strangersMax?: number;
  /** True if only this user reads there, so that a link which decides may be sent. Absent: others may read everywhere. */
  isPrivate?(place: string, user: ChannelUser): boolean;
  /** True for a place that the vendor may give another id (`moved`). Absent: none. */
  mayMove?(place: string): boolean;
  /** Parses a request of the vendor; null if it needs no action. Throws ChannelFault. */
  receive(request: Request): Promise<Received | null>;
  /**
   * Reads once more the body of a request (JSON) that `receive` has verified. Absent: nothing of this channel is held, so each
   * request is a message.
   */
  read?(json: unknown): Promise<Received | null>;
  /**
   * One call to the vendor for each part of the message. `key` is the same for every attempt. Throws ChannelFault
   * with the number of parts that have arrived; the next attempt skips them (`Outgoing.skip`).
   */
  send(message: Outgoing, address: Address, key: string, signal: AbortSignal): Promise<Receipt>;
  /**
   * True if the whole message fits in the one message that has its buttons. A channel without this method shows no
   * approve button.
   */
  fits?(message: Outgoing & { readonly blocks: readonly Block[] }): boolean;
  /** Puts another message in the place of one that was sent, such as a card that is decided. Throws ChannelFault. */
  update?(receipt: Receipt, message: Outgoing, address: Address, signal: AbortSignal): Promise<void>;
  /** A URL that opens the chat with the bot and sends the code. Throws ChannelFault. */
  linkBy?(code: string): Promise<string>;
  /** Shows for some seconds that an answer is being written. Throws ChannelFault. */
  typing?(address: Address, signal: AbortSignal): Promise<void>;
}

/** The sender, as the channel knows them. */
export interface ChannelUser {
  /** the channel's own id, which never changes */
  readonly id: string;
  /** for people to read; nothing is decided by it */
  readonly name: string | null;
}

interface ReceivedBase {
  /** the same when the vendor repeats itself */
  readonly deliveryId: string;
  readonly user: ChannelUser;
  readonly address: Address;
  /** several people read there */
  readonly isGroup: boolean;
  /** milliseconds since 1970 */
  readonly at: number;
  /** its own name, for `Outgoing.answers`; absent where it has none */
  readonly id?: string;
}

export type Received =
  /** the vendor asks whether the address is ours, and wants this back, as JSON */
  | { readonly kind: "challenge"; readonly answer: Readonly<Record<string, string>> }
  | (ReceivedBase & {
      readonly kind: "message";
      /** without the mention of the bot */
      readonly text: string;
      /** words of others in it: forwarded, quoted. They are from outside */
      readonly foreign: string | null;
      readonly files: readonly IncomingFile[];
      /** in a group: it names the bot, or answers it */
      readonly isForUs: boolean;
      /** a message that was changed after it was sent */
      readonly isEdit: boolean;
      /** the receipt of our message that it answers, as `Receipt.id` */
      readonly answers: string | null;
      /** the quoted text is the conversation itself, below the new text, as mail programs add it */
      readonly quotesThread?: true;
      /** the album of which it is one part; absent for a message that is complete */
      readonly album?: AlbumPart;
      /** body of the request, for `Channel.read`; absent where the channel has no such method */
      readonly body?: string;
      /** `deliveryId` of the message to which it belongs, because it came too late to be a part of it */
      readonly follows?: string;
    })
  /** a message for us in which there is nothing that a session can read, such as a sticker */
  | (ReceivedBase & {
      readonly kind: "unreadable";
      /** its content, with an article; null where it is empty */
      readonly content: string | null;
      /** every text in it, such as the options of a poll */
      readonly words: string;
    })
  /** a button of a card */
  | (ReceivedBase & {
      readonly kind: "press";
      readonly token: string;
      readonly card: string | null;
      readonly ack: Ack;
    })
  /** `/name args`, addressed to the bot */
  | (ReceivedBase & {
      readonly kind: "command";
      readonly command: string;
      readonly args: string;
      /** answers out of sight of the others there; absent where the channel has no such answer */
      readonly ack?: Ack;
    })
  /** anything else that people can read in a group, such as the words of a bot or a poll: it makes link codes void */
  | {
      readonly kind: "posted";
      readonly text: string;
      /** why it could not be read; absent where there was nothing more to read */
      readonly fault?: ChannelFault;
    }
  /** the vendor has given a place another id: what is bound to the old one belongs to the new one */
  | {
      readonly kind: "moved";
      readonly channel: ChannelName;
      readonly from: string;
      readonly to: string;
      /** milliseconds since 1970 */
      readonly at: number;
    }
  /** we were shut out of the address: nothing arrives there until someone speaks there again */
  | (ReceivedBase & { readonly kind: "shut" });

/** A part of an album. The vendor sends each as a request, in any order. */
export interface AlbumPart {
  /** name of the album in its place */
  readonly name: string;
  /** position in the album; the same in every edit of the part */
  readonly position: number;
  /** the same while an edit leaves the files as they are */
  readonly files: string;
}

/** Answers the person who pressed, visible to nobody else. */
export type Ack = (text: string, signal: AbortSignal) => Promise<void>;

export interface IncomingFile {
  readonly name: string;
  readonly type: string;
  /** bytes, as reported by the vendor */
  readonly size: number;
  /** a recording of speech: by the sender, or by another; absent for any other file */
  readonly speech?: "own" | "foreign";
  /** Downloads the bytes from the vendor. Throws ChannelFault. */
  readonly read: (signal: AbortSignal) => Promise<Uint8Array>;
}

/** A message as it is sent anywhere: the channel makes of it what it can show. */
export interface Outgoing {
  readonly kind: MessageKind;
  /** Markdown */
  readonly text: string;
  /** the message itself, in place of `text`: nothing in it is read as Markdown */
  readonly blocks?: readonly Block[];
  /** in a few words, for a channel that shows a heading; `text` may begin with it */
  readonly title?: string;
  /** buttons below it, in rows of one */
  readonly buttons?: readonly Button[];
  /** URL of the complete text, if it is cut */
  readonly link?: string;
  /** the message that it answers: the `id` of a received message, or of a receipt */
  readonly answers?: string;
  /** parts of it that an earlier try has sent */
  readonly skip?: number;
}

export interface Button {
  readonly label: string;
  /** at most 64 bytes; the vendor sends it back when it is pressed. A link has a URL instead */
  readonly token?: string;
  readonly url?: string;
  readonly style?: "primary" | "danger";
}

/** The vendor's response to a send. */
export interface Receipt {
  /** of the last part */
  readonly id: string;
  /** messages that it took, those that were skipped included */
  readonly parts: number;
}

export type ChannelFaultCode =
  /** the request is not the vendor's */
  | "bad_signature"
  | "malformed"
  | "too_large"
  /** our token is not taken */
  | "auth"
  /** the person has shut us out, or the place is gone */
  | "blocked"
  | "rate_limited"
  | "refused"
  /** nothing was sent, and it may work later */
  | "unavailable"
  /** it may have been sent */
  | "unknown";

/** A failure of a channel. Never contains a token. */
export class ChannelFault extends Error {
  readonly code: ChannelFaultCode;
  /** milliseconds that the vendor asks to wait; null if it names none */
  readonly retryAfterMs: number | null;
  /** parts of the message that have arrived all the same, those that were skipped included */
  readonly sent: number;

  constructor(code: ChannelFaultCode, message: string, retryAfterMs: number | null = null, sent = 0) {
    super(message);
    this.code = code;
    this.retryAfterMs = retryAfterMs;
    this.sent = sent;
  }
}
