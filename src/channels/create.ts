import type { ChannelName } from "../core/address.ts";
import type { Channel } from "./channel.ts";
import { createEmail, type Mailer } from "./email/email.ts";
import { isMailbox, type Mailbox } from "./email/mailbox.ts";
import { SLACK_URL } from "./slack/api.ts";
import { createSlack } from "./slack/slack.ts";
import { TELEGRAM_URL } from "./telegram/api.ts";
import { createTelegram } from "./telegram/telegram.ts";

/** The channels of a deployment: those whose variables it has. */

export interface Channels {
  /** null: it is not set up */
  find(name: string): Channel | null;
  readonly names: readonly ChannelName[];
  /** where mails arrive, which come by no request; absent where mail is not set up */
  readonly mailbox?: Mailbox;
  /** of each, the variables that are missing; none where it works */
  readonly states: readonly { readonly name: ChannelName; readonly missing: readonly string[] }[];
}

interface Outlet {
  readonly name: ChannelName;
  readonly needs: readonly string[];
  /** without these it is there, and somebody misses a part of it */
  readonly wants?: readonly string[];
  readonly make: (variable: (name: string) => string, bound: Bound) => Channel;
}
interface Bound {
  readonly mailer: Mailer | null;
}

const fetcher = (url: string, init: RequestInit): Promise<Response> => fetch(url, init);

const ADDRESS = "EMAIL_ADDRESS";
const AUTH_SERVER = "EMAIL_AUTH_SERVER";
/** the binding `send_email` */
const MAILER = "EMAIL";

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
    name: "email",
    needs: [ADDRESS, MAILER],
    wants: [AUTH_SERVER],
    make: (variable, { mailer }) => {
      if (mailer === null) throw new Error("mail is made without its binding");
      return createEmail({ address: variable(ADDRESS), mailer });
    },
  },
];

export function createChannels(env: Record<string, unknown>): Channels {
  const variable = (name: string): string => {
    const value = env[name];
    return typeof value === "string" ? value.trim() : "";
  };
  const bound: Bound = { mailer: isMailer(env[MAILER]) ? env[MAILER] : null };
  const isThere = (name: string): boolean => {
    if (name === MAILER) return bound.mailer !== null;
    return name === ADDRESS ? isMailbox(variable(name)) : variable(name) !== "";
  };
  const isMissing = (name: string): boolean => !isThere(name);
  const made = OUTLETS.filter(({ needs }) => needs.every(isThere));
  const channels = new Map<string, Channel>(made.map(({ name, make }) => [name, make(variable, bound)]));
  const authServer = variable(AUTH_SERVER);
  return {
    find: (name) => channels.get(name) ?? null,
    names: made.map(({ name }) => name),
    states: OUTLETS.map(({ name, needs, wants = [] }) => ({
      ...{ name, missing: [...needs, ...wants].filter(isMissing) },
    })),
    ...(channels.has("email")
      ? { mailbox: { address: variable(ADDRESS), authServer: authServer === "" ? null : authServer } }
      : {}),
  };
}

const isMailer = (value: unknown): value is Mailer =>
  typeof value === "object" && value !== null && "send" in value && typeof value.send === "function";
