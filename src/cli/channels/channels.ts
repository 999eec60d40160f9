import { runCommand } from "../start/start-options.ts";
import { CHANNELS_USAGE, parseChannelsOptions } from "./channels-options.ts";
import { pushKeyLines } from "./push-keys.ts";
import { runTelegram } from "./set-up-telegram.ts";

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
