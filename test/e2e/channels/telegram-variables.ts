import type { TelegramStandIn } from "../../../scripts/channels-demo/telegram.ts";

/** What a server and a Telegram of this machine know each other by. */

export const TELEGRAM_SECRET = "telegram-webhook-secret-of-this-test";

/** What a deployment needs to speak with this Telegram, as `--var`. */
export const telegramVariables = ({ token, url }: TelegramStandIn): readonly string[] => [
  `TELEGRAM_BOT_TOKEN:${token}`,
  `TELEGRAM_WEBHOOK_SECRET:${TELEGRAM_SECRET}`,
  `TELEGRAM_BASE_URL:${url}`,
];
