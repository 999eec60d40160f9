import { logError } from "../../../cairn/operator-log.ts";
import { moveChat } from "../people/moves.ts";
import { fetcher, missingOf, variableIn, type Vendor } from "../vendor.ts";
import { TELEGRAM_URL } from "./api.ts";
import { createTelegram } from "./telegram.ts";

const NEEDS = ["TELEGRAM_BOT_TOKEN", "TELEGRAM_WEBHOOK_SECRET"];

/** A bot of Telegram. */
export const telegram = (): Vendor => ({
  name: "telegram",
  secrets: NEEDS,
  open: (env) => {
    const missing = missingOf(env, NEEDS);
    const baseUrl = variableIn(env, "TELEGRAM_BASE_URL") || TELEGRAM_URL;
    if (missing.length > 0) return { channel: null, missing };
    const channel = createTelegram({
      token: variableIn(env, "TELEGRAM_BOT_TOKEN"),
      secret: variableIn(env, "TELEGRAM_WEBHOOK_SECRET"),
      baseUrl,
      fetch: fetcher,
      now: Date.now,
      moved: (from, to) => noteMove(env["DB"] as D1Database, from, to),
    });
    return { channel, missing };
  },
});

/** The message goes on to the supergroup whatever comes of this: the next one asks again. */
async function noteMove(db: D1Database, from: string, to: string): Promise<void> {
  try {
    const isMoved = await moveChat(db, { channel: "telegram", from, to, at: Date.now() });
    if (!isMoved) logError("a place did not move", `telegram:${from} to telegram:${to}`);
  } catch {
    logError("a place did not move", "the database could not be written");
  }
}
