import type { ChannelName } from "../../core/address.ts";
import { complain } from "../../operator-log.ts";
import { parseList } from "../../wire/config/variables.ts";
import { actorOfGrant, peopleIn, peopleWhoseRightsEnd } from "../../wire/config/rights.ts";
import { parseVapid, VAPID_VARIABLES } from "./webpush/vapid.ts";
import type { Channel } from "./channel.ts";
import { createEmail, type Mailer } from "./email/email.ts";
import { isMailbox, type Mailbox } from "./email/mailbox.ts";
import { movePlace } from "./people/moves.ts";
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
  /** where mails arrive, which come by no request; absent where mail is not set up */
  readonly mailbox?: Mailbox;
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
  /** without these it is there, and somebody misses a part of it */
  readonly wants?: readonly string[];
  readonly make: (variable: (name: string) => string, bound: Bound) => Channel;
}
interface Bound {
  readonly env: Record<string, unknown>;
  readonly mailer: Mailer | null;
}

const fetcher = (url: string, init: RequestInit): Promise<Response> => fetch(url, init);

const ADDRESS = "EMAIL_ADDRESS";
const AUTH_SERVER = "EMAIL_AUTH_SERVER";
/** the binding `send_email` */
const MAILER = "EMAIL";

const OUTLETS: readonly Outlet[] = [
  {
    name: "webpush",
    needs: VAPID_VARIABLES,
    unreadable: (env) => {
      const names: string[] = [];
      parseVapid(env, (name) => void names.push(name));
      return names;
    },
    make: (variable, { env }) => {
      const vapid = parseVapid(env);
      if (vapid === null) throw new Error("made where its variables can be read");
      const db = env["DB"] as D1Database;
      return createWebPush({
        vapid,
        services: servicesIn(env),
        baseUrl: variable("WEBPUSH_BASE_URL") || null,
        subscriptions: async (subject) =>
          (await listSubscriptions(db, subject)).filter((one) => mayTell(env, subject, one.grant)),
        remove: (subject, id) => removeSubscription(db, subject, id),
        fetch: fetcher,
        now: Date.now,
      });
    },
  },
  {
    name: "email",
    needs: [ADDRESS, MAILER],
    wants: [AUTH_SERVER],
    make: (variable, { mailer }) => {
      if (mailer === null) throw new Error("mail is made without its binding");
      return createEmail({ address: variable(ADDRESS), mailer });
    },
  },
  {
    name: "telegram",
    needs: ["TELEGRAM_BOT_TOKEN", "TELEGRAM_WEBHOOK_SECRET"],
    make: (variable, { env }) =>
      createTelegram({
        token: variable("TELEGRAM_BOT_TOKEN"),
        secret: variable("TELEGRAM_WEBHOOK_SECRET"),
        baseUrl: variable("TELEGRAM_BASE_URL") || TELEGRAM_URL,
        fetch: fetcher,
        now: Date.now,
        moved: (from, to) => noteMove(env["DB"] as D1Database, from, to),
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

/** The message goes on to the supergroup whatever comes of this: the next one asks again. */
async function noteMove(db: D1Database, from: string, to: string): Promise<void> {
  try {
    const isMoved = await movePlace(db, { channel: "telegram", from, to, at: Date.now() });
    if (!isMoved) complain("a place did not move", `telegram:${from} to telegram:${to}`);
  } catch {
    complain("a place did not move", "the database could not be written");
  }
}

/** A browser is written to only while the access of whoever subscribed lasts. */
function mayTell(env: Record<string, unknown>, subject: string, grant: string | null): boolean {
  const people = peopleWhoseRightsEnd(peopleIn(env));
  if (people === null) return true;
  const held = { subject, grants: grant === null ? null : [grant], scopes: ["read", "approve"] };
  const now = actorOfGrant(people, held, Date.now());
  return now !== null && now.scopes.length > 0;
}

const servicesIn = (env: Record<string, unknown>): readonly string[] =>
  parseList(env["WEBPUSH_SERVICES"]) ?? [];

export function createChannels(env: Record<string, unknown>): Channels {
  const variable = (name: string): string => {
    const value = env[name];
    return typeof value === "string" ? value.trim() : "";
  };
  const bound: Bound = { env, mailer: isMailer(env[MAILER]) ? env[MAILER] : null };
  const isThere = (name: string): boolean => {
    if (name === MAILER) return bound.mailer !== null;
    return name === ADDRESS ? isMailbox(variable(name)) : variable(name) !== "";
  };
  const states = OUTLETS.map(({ name, needs, wants = [], unreadable = () => [] }) => {
    const unread = unreadable(env);
    const isMissing = (one: string): boolean => !isThere(one) || unread.includes(one);
    return { name, isReady: !needs.some(isMissing), missing: [...needs, ...wants].filter(isMissing) };
  });
  const ready = OUTLETS.filter((_, at) => states[at]?.isReady === true);
  const channels = new Map<string, Channel>(ready.map(({ name, make }) => [name, make(variable, bound)]));
  const authServer = variable(AUTH_SERVER);
  const vapid = parseVapid(env);
  return {
    find: (name) => channels.get(name) ?? null,
    names: ready.map(({ name }) => name),
    states: states.map(({ name, missing }) => ({ name, missing })),
    ...(channels.has("email")
      ? { mailbox: { address: variable(ADDRESS), authServer: authServer === "" ? null : authServer } }
      : {}),
    ...(vapid === null ? {} : { push: { publicKey: vapid.publicKey, services: servicesIn(env) } }),
  };
}

const isMailer = (value: unknown): value is Mailer =>
  typeof value === "object" && value !== null && "send" in value && typeof value.send === "function";
