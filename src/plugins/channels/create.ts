import type { Channel } from "./channel.ts";
import type { Channels } from "./channels.ts";
import type { Variables, Vendor } from "./vendor.ts";

/** The channels of the vendors whose variables a deployment has. */
export function createChannels(vendors: readonly Vendor[], env: Variables): Channels {
  const opened = vendors.map(({ name, open }) => ({ name, ...open(env) }));
  const channels = new Map<string, Channel>(
    opened.flatMap(({ name, channel }) => (channel === null ? [] : [[name, channel]])),
  );
  const mailbox = opened.find((one) => one.mailbox !== undefined)?.mailbox;
  const push = opened.find((one) => one.push !== undefined)?.push;
  return {
    find: (name) => channels.get(name) ?? null,
    names: opened.flatMap(({ name, channel }) => (channel === null ? [] : [name])),
    states: opened.map(({ name, missing }) => ({ name, missing })),
    ...(mailbox === undefined ? {} : { mailbox }),
    ...(push === undefined ? {} : { push }),
  };
}
