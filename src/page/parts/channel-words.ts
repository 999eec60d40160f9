import { ownValue } from "../../cairn/core/log/json.ts";

/** Channels and the places on them, as people call them. */

const NAMES: Readonly<Record<string, string>> = {
  telegram: "Telegram",
  slack: "Slack",
  email: "E-mail",
  webpush: "Notifications of your browser",
  web: "This page",
  webhook: "Another program",
};

export const channelName = (channel: string): string => ownValue(NAMES, channel) ?? channel;

/** A place that this person knows by a name. */
export interface KnownPlace {
  /** `telegram:4711` */
  readonly id: string;
  readonly name: string;
}

/** `Telegram, Ada` of `telegram:4711`, where it is one of theirs; else `Telegram`. A thread stands within its place. */
export function placeWords(address: string, places: readonly KnownPlace[] = []): string {
  const channel = channelName(address.slice(0, Math.max(0, address.indexOf(":"))) || address);
  const place = places.find(({ id }) => address === id || address.startsWith(`${id}/`));
  return place === undefined || place.name === "" || place.name === channel
    ? channel
    : `${channel}, ${place.name}`;
}
