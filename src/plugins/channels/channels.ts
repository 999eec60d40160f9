import type { ChannelName } from "../../cairn/core/address.ts";
import type { Channel } from "./channel.ts";
import type { Mailbox } from "./email/mailbox.ts";

/** The channels of a deployment: those of its vendors whose variables it has. */
export interface Channels {
  /** null: it is not set up */
  find(name: string): Channel | null;
  readonly names: readonly ChannelName[];
  /** where mails arrive, which come by no request; absent where mail is not set up */
  readonly mailbox?: Mailbox;
  /** of each, the variables that are missing; none where it works */
  readonly states: readonly { readonly name: ChannelName; readonly missing: readonly string[] }[];
  /** what a browser subscribes with; absent where push is not set up */
  readonly push?: PushDoor;
}

export interface PushDoor {
  readonly publicKey: string;
  /** names of push services beside the known ones */
  readonly services: readonly string[];
}
