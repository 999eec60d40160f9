import { randomBytes } from "node:crypto";
import * as z from "zod";
import { ChannelFault } from "../../plugins/channels/channel.ts";
import { TELEGRAM_URL, TelegramApi } from "../../plugins/channels/telegram/api.ts";
import { setUpTelegram } from "../../plugins/channels/telegram/setup.ts";
import type { TelegramOptions } from "./channels-options.ts";

/** Sets up a Telegram bot, or reports its setup. Never prints its token. */

export interface SetUp {
  readonly code: number;
  readonly lines: readonly string[];
}

const ASK_MS_MAX = 20_000;
const webhook = z.object({
  url: z.string(),
  pending_update_count: z.number().int().default(0),
  last_error_message: z.string().optional(),
});
const me = z.object({ username: z.string() });

export async function runTelegram(
  { url, check }: TelegramOptions,
  variables: { readonly [name: string]: string | undefined },
): Promise<SetUp> {
  const token = variables["TELEGRAM_BOT_TOKEN"]?.trim() ?? "";
  if (token === "")
    return failed(
      "TELEGRAM_BOT_TOKEN is not set. @BotFather gives one: TELEGRAM_BOT_TOKEN=… npm run channels -- telegram",
    );
  if (!/^\d+:[\w-]+$/.test(token))
    return failed(
      "TELEGRAM_BOT_TOKEN is no token of a bot: digits, a colon, and letters, as @BotFather shows it.",
    );
  const baseUrl = variables["TELEGRAM_BASE_URL"]?.trim() || TELEGRAM_URL;
  const access = { token, baseUrl, fetch, now: Date.now };
  try {
    const signal = AbortSignal.timeout(ASK_MS_MAX);
    if (check || url === null) {
      const api = new TelegramApi(access);
      const { username } = await api.call("getMe", {}, me, signal);
      return checked(username, url, await api.call("getWebhookInfo", {}, webhook, signal));
    }
    const given = variables["TELEGRAM_WEBHOOK_SECRET"]?.trim() ?? "";
    const secret = given === "" ? randomBytes(24).toString("base64url") : given;
    const address = `${url}/channels/telegram`;
    const bot = await setUpTelegram(access, { url: address, secret }, signal);
    return {
      code: 0,
      lines: [
        `@${bot.username} sends what people say to ${address}, and knows its commands.`,
        ...(given === "" ? [`A secret was made, by which Cairn knows Telegram: ${secret}`] : []),
        "Keep both where Cairn reads them, if you have not:",
        "  npx wrangler secret put TELEGRAM_BOT_TOKEN",
        "  npx wrangler secret put TELEGRAM_WEBHOOK_SECRET",
        `Then open https://t.me/${bot.username} and say /link CODE. POST /api/links gives the code.`,
      ],
    };
  } catch (error) {
    if (!(error instanceof ChannelFault)) throw error;
    return failed(
      error.code === "auth"
        ? "Telegram does not take TELEGRAM_BOT_TOKEN. Compare it with what @BotFather shows, or ask it for a new one."
        : error.message,
    );
  }
}

const failed = (line: string): SetUp => ({ code: 1, lines: [line] });

function checked(username: string, url: string | null, set: z.infer<typeof webhook>): SetUp {
  const wanted = url === null ? null : `${url}/channels/telegram`;
  const isSet = set.url !== "" && (wanted === null || wanted === set.url);
  return {
    code: isSet ? 0 : 1,
    lines: [
      `The bot is @${username}. Nothing was changed.`,
      set.url === ""
        ? "It sends nothing anywhere: run this without --check."
        : `It sends what people say to ${set.url}${isSet ? "." : `, not to ${wanted}.`}`,
      ...(set.pending_update_count > 0 ? [`${set.pending_update_count} messages wait to be delivered.`] : []),
      ...(set.last_error_message === undefined
        ? []
        : [`Its last delivery failed: ${set.last_error_message}`]),
    ],
  };
}
