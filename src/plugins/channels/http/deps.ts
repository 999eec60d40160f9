import type { NotifySettings } from "../../../cairn/core/quiet.ts";
import type { Deps } from "../../../cairn/http/deps.ts";
import type { Channels } from "../channels.ts";
import type { Hold } from "../held.ts";
import type { Transcriber } from "../transcriber.ts";

/** Everything that the routes of channels touch. */
export interface ChannelDeps extends Omit<Deps, "channels"> {
  /** those that are set up */
  readonly channels: Channels;
  /** where parts of a message wait for the others; absent or null: each is a message of its own */
  readonly hold?: Hold | null;
  /** transcribes voice messages; absent or null: nothing does */
  readonly transcriber?: Transcriber | null;
  /** how people are told who have not said it */
  readonly notifyDefaults: NotifySettings;
}
