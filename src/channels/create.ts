import type { ChannelName } from "../core/address.ts";
import type { Channel } from "./channel.ts";

/** The channels of a deployment: those whose secrets it has. */
export interface Channels {
  /** null: it is not set up */
  find(name: string): Channel | null;
  readonly names: readonly ChannelName[];
  /** of each, what is missing; empty where it works */
  readonly states: readonly { readonly name: ChannelName; readonly missing: readonly string[] }[];
}

/** The channels whose variables are there. */
export function createChannels(_env: Record<string, unknown>): Channels {
  return { find: () => null, names: [], states: [] };
}
