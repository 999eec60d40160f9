import { ownValue } from "../../cairn/core/log/json.ts";

/** Channels and the places on them, as people call them. */

const NAMES: Readonly<Record<string, string>> = {
  telegram: "Telegram",
  slack: "Slack",
  email: "Email",
  webpush: "Notifications of your browser",
  web: "This page",
  webhook: "Another program",
};

export const channelName = (channel: string): string => ownValue(NAMES, channel) ?? channel;

/** A place that this person knows by a name. */
export interface KnownChat {
  /** `telegram:4711` */
  readonly id: string;
  readonly name: string;
}

/** `Telegram, Ada` of `telegram:4711`, if it is one of theirs; else `Telegram`. A thread counts as its chat. */
export function chatLabel(address: string, chats: readonly KnownChat[] = []): string {
  const channel = channelName(address.slice(0, Math.max(0, address.indexOf(":"))) || address);
  const chat = chats.find(({ id }) => address === id || address.startsWith(`${id}/`));
  return chat === undefined || chat.name === "" || chat.name === channel
    ? channel
    : `${channel}, ${chat.name}`;
}
