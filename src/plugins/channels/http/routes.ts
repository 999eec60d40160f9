import type { RoutePlaces } from "../../../http/kit/deps.ts";
import type { ChannelDeps } from "./deps.ts";
import { mountChannels } from "./door.ts";
import { mountLinks } from "./links.ts";
import { mountNotify } from "./notify.ts";
import { mountPush } from "../webpush/routes.ts";

/** Where vendors deliver what people say, and where people say who they are on channels. */
export function mountRoutes({ api }: RoutePlaces, deps: ChannelDeps): void {
  mountChannels(api, deps);
  mountLinks(api, deps);
  mountPush(api, deps);
  mountNotify(api, deps);
}
