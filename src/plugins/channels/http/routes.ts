import type { RouteMounts } from "../../../cairn/http/deps.ts";
import type { Vendor } from "../vendor.ts";
import type { ChannelDeps } from "./deps.ts";
import { mountChannels } from "./receive-events.ts";
import { mountLinks } from "./links.ts";
import { mountNotify } from "./notify.ts";

/** Routes for vendors' events, and for linking people to channels. */
export function mountRoutes(
  { api }: RouteMounts,
  deps: ChannelDeps,
  vendors: readonly Pick<Vendor, "mount">[],
): void {
  mountChannels(api, deps);
  mountLinks(api, deps);
  for (const { mount } of vendors) mount?.(api, deps);
  mountNotify(api, deps);
}
