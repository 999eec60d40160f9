import type { Answer } from "../../protocol/api.ts";
import type { Deps } from "../kit/deps.ts";

/** The ways to people of a deployment, and which variables are missing; never what they hold. */
export const channelViews = ({
  channels = [],
  config,
}: Pick<Deps, "channels" | "config">): Answer<"Channels">["items"] =>
  [
    // The page is there by itself; programs are told where targets are named.
    { name: "web", missing: [] },
    ...channels,
    { name: "webhook", missing: config.webhookTargets.length > 0 ? [] : ["WEBHOOK_TARGETS"] },
  ].map(({ name, missing }) => ({ name, configured: missing.length === 0, missing: [...missing] }));
