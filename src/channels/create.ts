import type { ChannelName } from "../core/address.ts";
import { parseList } from "../wire/config/variables.ts";
import { parseVapid, VAPID_VARIABLES } from "../wire/config/vapid.ts";
import type { Channel } from "./channel.ts";
import { listSubscriptions, removeSubscription } from "./people/subscriptions.ts";
import { SLACK_URL } from "./slack/api.ts";
import { createSlack } from "./slack/slack.ts";
import { TELEGRAM_URL } from "./telegram/api.ts";
import { createTelegram } from "./telegram/telegram.ts";
import { createWebPush } from "./webpush/webpush.ts";

/** The channels of a deployment: those whose variables it has. */

export interface Channels {
  /** null: it is not set up */
  find(name: string): Channel | null;
  readonly names: readonly ChannelName[];
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

interface Outlet {
  readonly name: ChannelName;
  readonly needs: readonly string[];
  /** those of `needs` that are set and cannot be read; none where left out */
  readonly unreadable?: (env: Record<string, unknown>) => readonly string[];
  readonly make: (variable: (name: string) => string, env: Record<string, unknown>) => Channel;
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
  {
    name: "webpush",
    needs: VAPID_VARIABLES,
    unreadable: (env) => {
      const names: string[] = [];
      parseVapid(env, (name) => void names.push(name));
      return names;
    },
    make: (variable, env) => {
      const vapid = parseVapid(env);
      if (vapid === null) throw new Error("made where its variables can be read");
      const db = env["DB"] as D1Database;
      return createWebPush({
        vapid,
        services: servicesIn(env),
        baseUrl: variable("WEBPUSH_BASE_URL") || null,
        subscriptions: (subject) => listSubscriptions(db, subject),
        remove: (subject, id) => removeSubscription(db, subject, id),
        fetch: fetcher,
        now: Date.now,
      });
    },
  },
];

const servicesIn = (env: Record<string, unknown>): readonly string[] =>
  parseList(env["WEBPUSH_SERVICES"]) ?? [];

export function createChannels(env: Record<string, unknown>): Channels {
  const variable = (name: string): string => {
    const value = env[name];
    return typeof value === "string" ? value.trim() : "";
  };
  const states = OUTLETS.map(({ name, needs, unreadable = () => [] }) => {
    const unread = unreadable(env);
    return { name, missing: needs.filter((one) => variable(one) === "" || unread.includes(one)) };
  });
  const channels = new Map<string, Channel>();
  for (const { name, make } of OUTLETS)
    if (states.some((state) => state.name === name && state.missing.length === 0))
      channels.set(name, make(variable, env));
  const vapid = parseVapid(env);
  return {
    find: (name) => channels.get(name) ?? null,
    names: [...channels.values()].map((channel) => channel.name),
    states,
    ...(vapid === null ? {} : { push: { publicKey: vapid.publicKey, services: servicesIn(env) } }),
  };
}
