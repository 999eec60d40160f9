import { readArguments, usage, type Parsed } from "../start/start-options.ts";

/** Options of `npm run channels -- …`. */
export type ChannelsOptions = TelegramOptions | { readonly channel: "webpush" };

export interface TelegramOptions {
  readonly channel: "telegram";
  /** of the deployment, with https */
  readonly url: string | null;
  /** only reports the current setup */
  readonly check: boolean;
}

export const CHANNELS_USAGE = `npm run channels -- telegram [options]     connects a Telegram bot to your Cairn
  --url ADDRESS            the public address of your Cairn, with https (or CAIRN_URL)
  --check                  shows the current setup, and changes nothing
It reads TELEGRAM_BOT_TOKEN (from @BotFather) and TELEGRAM_WEBHOOK_SECRET from the environment.

npm run channels -- webpush                makes the key pair for push, and shows it once`;

export function parseChannelsOptions(
  argv: readonly string[],
  variables: { readonly [name: string]: string | undefined },
): Parsed<ChannelsOptions> {
  const read = readArguments(argv, { url: { type: "string" }, check: { type: "boolean" } }, true);
  if (read.kind !== "options") return read;
  const { values, positionals } = read;
  const [channel, ...more] = positionals;
  if ((channel !== "telegram" && channel !== "webpush") || more.length > 0)
    return usage(
      `Name one channel that can be set up here: telegram or webpush, not ${JSON.stringify(positionals.join(" "))}.`,
    );
  if (channel === "webpush")
    return values.url === undefined && values.check === undefined
      ? { kind: "options", options: { channel } }
      : usage("--url and --check are of telegram: webpush only makes keys.");
  const url = values.url ?? (variables["CAIRN_URL"] || null);
  const check = values.check === true;
  if (url === null && check) return { kind: "options", options: { channel, url: null, check } };
  const address = url !== null && URL.canParse(url) ? new URL(url) : null;
  if (address?.protocol !== "https:")
    return usage(
      "--url takes the public https address of your Cairn: Telegram sends nothing to another one.",
    );
  return { kind: "options", options: { channel, url: address.origin, check } };
}
