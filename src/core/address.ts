/** Where words reach a person. */

export const CHANNELS = ["web", "webpush", "email", "telegram", "slack", "webhook"] as const;
export type ChannelName = (typeof CHANNELS)[number];

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

/** What a message is for. */
export const MESSAGE_KINDS = ["ack", "progress", "final", "question", "failure"] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];
