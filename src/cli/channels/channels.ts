import { runCommand } from "../start/start-options.ts";
import { CHANNELS_USAGE, parseChannelsOptions } from "./channels-options.ts";
import { runTelegram } from "./set-up-telegram.ts";
import { makePushKeys } from "../start/push-keys.ts";

/** `npm run channels`: sets a channel up, once for each deployment. */

await runCommand(
  parseChannelsOptions(process.argv.slice(2), process.env),
  CHANNELS_USAGE,
  async (options) => {
    if (options.channel === "webpush") {
      console.log(pushKeyLines().join("\n"));
      return 0;
    }
    const { code, lines } = await runTelegram(options, process.env);
    (code === 0 ? console.log : console.error)(lines.join("\n"));
    return code;
  },
);

/** Prints a new key pair for push, and where to put it. It is not stored anywhere. */
export function pushKeyLines(): readonly string[] {
  const { publicKey, privateKey } = makePushKeys();
  return [
    "New key pair. It is not stored and not shown again:",
    "",
    `VAPID_PUBLIC_KEY=${publicKey}`,
    `VAPID_PRIVATE_KEY=${privateKey}`,
    "",
    "Keep it where Cairn reads it, with an address of yours (mailto:you@example.com) that push services may write to:",
    "  npx wrangler secret put VAPID_PUBLIC_KEY",
    "  npx wrangler secret put VAPID_PRIVATE_KEY",
    "  npx wrangler secret put VAPID_SUBJECT",
    "Browsers subscribe to these keys: after a new pair everybody turns push on again.",
  ];
}
