import type { NotifySettings } from "../../../cairn/core/quiet.ts";
import type { Deps } from "../../../cairn/http/deps.ts";
import type { Channels } from "../channels.ts";
import type { Hold } from "../held.ts";
import type { Transcriber } from "../transcriber.ts";

/** Everything that the routes of channels touch. */
export interface ChannelDeps extends Omit<Deps, "channels"> {
  /** those that are set up */
  readonly channels: Channels;
  /** holds parts of a message until it is complete; absent or null: each part is a message */
  readonly hold?: Hold | null;
  /** transcribes voice messages; absent or null: nothing does */
  readonly transcriber?: Transcriber | null;
  /** notification settings of people who have none */
  readonly notifyDefaults: NotifySettings;
}
