import type { TelegramStandIn } from "../../../scripts/channels-demo/telegram.ts";

/** Secret shared by a server and a local Telegram. */

export const TELEGRAM_SECRET = "telegram-webhook-secret-of-this-test";

/** Variables that connect a deployment to this Telegram, as `--var`. */
export const telegramVariables = ({ token, url }: TelegramStandIn): readonly string[] => [
  `TELEGRAM_BOT_TOKEN:${token}`,
  `TELEGRAM_WEBHOOK_SECRET:${TELEGRAM_SECRET}`,
  `TELEGRAM_BASE_URL:${url}`,
];
