import type { Deps } from "../deps.ts";

/** A way to people, as operators see it. */
interface ChannelView {
  readonly name: string;
  readonly configured: boolean;
  /** names of variables */
  readonly missing: readonly string[];
}

/** The ways to people of a deployment, and which variables are missing; never what they hold. */
export const channelViews = ({
  channels = [],
  config,
}: Pick<Deps, "channels" | "config">): readonly ChannelView[] =>
  [
    // The page always exists; programs are informed where targets are named.
    { name: "web", missing: [] },
    ...channels,
    { name: "webhook", missing: config.webhookTargets.length > 0 ? [] : ["WEBHOOK_TARGETS"] },
  ].map(({ name, missing }) => ({ name, configured: missing.length === 0, missing: [...missing] }));
