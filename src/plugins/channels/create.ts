import type { Channel } from "./channel.ts";
import type { Channels } from "./channels.ts";
import type { Variables, Vendor } from "./vendor.ts";

/** The channels of the vendors whose variables a deployment has. */
export function createChannels(vendors: readonly Vendor[], env: Variables): Channels {
  const opened = vendors.map(({ name, open }) => ({ name, ...open(env) }));
  const channels = new Map<string, Channel>(
    opened.flatMap(({ name, channel }) => (channel === null ? [] : [[name, channel]])),
  );
  return {
    find: (name) => channels.get(name) ?? null,
    names: opened.flatMap(({ name, channel }) => (channel === null ? [] : [name])),
    states: opened.map(({ name, missing }) => ({ name, missing })),
  };
}
