import { notifyDefaults as sample } from "../../../src/channels.ts";
import type { Deps } from "../../../src/cairn/http/deps.ts";
import { openChannels, vendors } from "../../fixtures/vendors.ts";
import type { ChannelDeps } from "../../../src/plugins/channels/http/deps.ts";
import { mountRoutes } from "../../../src/plugins/channels/http/routes.ts";

type OwnParts = Pick<ChannelDeps, "channels" | "hold" | "notifyDefaults" | "transcriber">;

/** Parts of an app with channels of the test. */
export type AppParts = Partial<Omit<Deps, "channels">> & Partial<OwnParts>;

/** The app with these channels, as the plugin gives it those of the variables. */
export function withChannels<Parts extends Omit<Deps, "channels">>({
  channels = openChannels({}),
  hold = null,
  notifyDefaults = sample,
  transcriber = null,
  ...deps
}: Parts & Partial<OwnParts>) {
  const own = { channels, hold, notifyDefaults, transcriber };
  const routes: Deps["plugins"][number]["routes"] = (places, all) =>
    mountRoutes(places, { ...all, ...own }, vendors);
  return {
    deps: {
      ...deps,
      channels: channels.states,
      plugins: [...deps.plugins, { name: "channels", routes }],
    },
    channelDeps: { ...deps, ...own },
  };
}
