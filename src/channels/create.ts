import type { ChannelName } from "../core/address.ts";
import type { Channel } from "./channel.ts";
import { SLACK_URL } from "./slack/api.ts";
import { createSlack } from "./slack/slack.ts";
import { TELEGRAM_URL } from "./telegram/api.ts";
import { createTelegram } from "./telegram/telegram.ts";

/** The channels of a deployment: those whose variables it has. */

export interface Channels {
  /** null: it is not set up */
  find(name: string): Channel | null;
  readonly names: readonly ChannelName[];
  /** of each, the variables that are missing; none where it works */
  readonly states: readonly { readonly name: ChannelName; readonly missing: readonly string[] }[];
}

interface Outlet {
  readonly name: ChannelName;
  readonly needs: readonly string[];
  readonly make: (variable: (name: string) => string) => Channel;
}

const fetcher = (url: string, init: RequestInit): Promise<Response> => fetch(url, init);

const OUTLETS: readonly Outlet[] = [
  {
    name: "telegram",
    needs: ["TELEGRAM_BOT_TOKEN", "TELEGRAM_WEBHOOK_SECRET"],
    make: (variable) =>
      createTelegram({
        token: variable("TELEGRAM_BOT_TOKEN"),
        secret: variable("TELEGRAM_WEBHOOK_SECRET"),
        baseUrl: variable("TELEGRAM_BASE_URL") || TELEGRAM_URL,
        fetch: fetcher,
        now: Date.now,
      }),
  },
  {
    name: "slack",
    needs: ["SLACK_BOT_TOKEN", "SLACK_SIGNING_SECRET"],
    make: (variable) =>
      createSlack({
        token: variable("SLACK_BOT_TOKEN"),
        signingSecret: variable("SLACK_SIGNING_SECRET"),
        baseUrl: variable("SLACK_BASE_URL") || SLACK_URL,
        fetch: fetcher,
        now: Date.now,
      }),
  },
];

export function createChannels(env: Record<string, unknown>): Channels {
  const variable = (name: string): string => {
    const value = env[name];
    return typeof value === "string" ? value.trim() : "";
  };
  const states = OUTLETS.map(({ name, needs }) => ({
    ...{ name, missing: needs.filter((one) => variable(one) === "") },
  }));
  const channels = new Map<string, Channel>();
  for (const { name, make } of OUTLETS)
    if (states.some((state) => state.name === name && state.missing.length === 0))
      channels.set(name, make(variable));
  return {
    find: (name) => channels.get(name) ?? null,
    names: [...channels.values()].map((channel) => channel.name),
    states,
  };
}
