/** Where words reach a person. */

/** A way to people, by the name that its plugin gives it, such as `telegram`; `web` is the page, and `webhook` a program. */
export type ChannelName = string;

/** A place on a channel where words arrive: a chat, a channel of Slack or a thread in it, a mailbox. */
export interface Address {
  readonly channel: ChannelName;
  /** as the channel calls it */
  readonly place: string;
  /** a topic or a thread in it; absent where there is none */
  readonly thread?: string;
}

/** As a person reads it, and rows name it: `telegram:4711`, `slack:C123/1712.5`. */
export const addressName = ({ channel, place, thread }: Address): string =>
  `${channel}:${place}${thread === undefined ? "" : `/${thread}`}`;

/** Purpose of a message. */
export const MESSAGE_KINDS = ["ack", "progress", "final", "question", "failure"] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];

/** The tool by which a run sends one. */
export const SEND_MESSAGE = "send_message";

/** Where a message goes, by its name in the server's address book: no address is made of a model's words. */
export interface SendTo {
  readonly name: string;
  /** whether the book has it, and the deployment its channel */
  readonly known: boolean;
  readonly configured: boolean;
}

/** Where the input of a run came from, as a name. */
export const ORIGIN = "origin";
