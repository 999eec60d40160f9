import type { ChannelName } from "../../cairn/core/address.ts";
import type { Channel } from "./channel.ts";

/** The channels of a deployment: those of its vendors whose variables it has. */
export interface Channels {
  /** null: it is not set up */
  find(name: string): Channel | null;
  readonly names: readonly ChannelName[];
  /** of each, the variables that are missing; none where it works */
  readonly states: readonly { readonly name: ChannelName; readonly missing: readonly string[] }[];
}
