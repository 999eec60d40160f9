import { notifyDefaults as sample } from "../../../src/channels.ts";
import type { Deps } from "../../../src/cairn/http/kit/deps.ts";
import { openChannels, vendors } from "../../fixtures/vendors.ts";
import type { ChannelDeps } from "../../../src/plugins/channels/http/deps.ts";
import { mountRoutes } from "../../../src/plugins/channels/http/routes.ts";

/** Parts of an app with channels of the test. */
export type AppParts = Partial<Omit<Deps, "channels">> &
  Partial<Pick<ChannelDeps, "channels" | "hold" | "notifyDefaults">>;

/** The app with these channels, as the plugin gives it those of the variables. */
export function withChannels<Parts extends Omit<Deps, "channels">>({
  channels = openChannels({}),
  hold = null,
  notifyDefaults = sample,
  ...deps
}: Parts & Partial<Pick<ChannelDeps, "channels" | "hold" | "notifyDefaults">>) {
  const own = { channels, hold, notifyDefaults };
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
