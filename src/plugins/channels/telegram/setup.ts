import * as z from "zod";
import { ChannelFault } from "../channel.ts";
import { TelegramApi, type TelegramAccess } from "./api.ts";
import { ALLOWED_UPDATES } from "./updates.ts";

/** Setup by `npm run channels -- telegram`, once for each deployment. */

export interface TelegramBot {
  readonly id: number;
  /** without `@` */
  readonly username: string;
  readonly name: string;
}

const me = z.object({ id: z.number().int(), username: z.string(), first_name: z.string() });

const COMMANDS = [
  { command: "link", description: "Link this chat to your account: /link CODE" },
  { command: "new", description: "Begin a new session" },
  { command: "sessions", description: "Your sessions" },
  { command: "stop", description: "Stop what is running" },
  { command: "add", description: "Add to what is running: /add TEXT" },
  { command: "agent", description: "Choose who answers: /agent NAME" },
  { command: "model", description: "Choose the model: /model NAME" },
  { command: "lean", description: "Spend less on what follows" },
  { command: "help", description: "What can be said here" },
] as const;

/**
 * Registers the webhook with its secret, and the commands. Throws ChannelFault: `auth` for an invalid token,
 * `refused` for an address or a secret that Telegram rejects.
 */
export async function setUpTelegram(
  access: TelegramAccess,
  { url, secret }: { readonly url: string; readonly secret: string },
  signal: AbortSignal,
): Promise<TelegramBot> {
  if (!/^[A-Za-z0-9_-]{1,256}$/.test(secret))
    throw new ChannelFault("refused", "The secret of the webhook is 1 to 256 of A-Z, a-z, 0-9, _ and -.");
  const api = new TelegramApi(access);
  const bot = await api.call("getMe", {}, me, signal);
  const webhook = { url, secret_token: secret, allowed_updates: ALLOWED_UPDATES };
  await api.call("setWebhook", webhook, z.literal(true), signal);
  await api.call("setMyCommands", { commands: COMMANDS }, z.literal(true), signal);
  return { id: bot.id, username: bot.username, name: bot.first_name };
}

/** Opens a chat with the bot and sends the code. */
export const telegramLink = (username: string, code: string): string =>
  `https://t.me/${encodeURIComponent(username)}?start=${encodeURIComponent(code)}`;
