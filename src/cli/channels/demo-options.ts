import { parseStartOptions, readArguments, usage, type Parsed } from "../start/start-options.ts";

/** What `npm run channels:demo -- …` can be told. */
export interface DemoOptions {
  /** for `npm start`, which it begins */
  readonly start: readonly string[];
  readonly port: number;
}

export const DEMO_USAGE = `npm run channels:demo -- [options]     Cairn and a Telegram of this machine, with a chat in the terminal
  --port N                 where Cairn listens (8787)
  --persist-to DIR         where its local databases live (.wrangler/state)
  --var KEY:VALUE          a setting, repeatable, such as MODEL
In the chat: words are said, a number presses a button, /quit ends all.`;

export function parseDemoOptions(argv: readonly string[]): Parsed<DemoOptions> {
  const read = readArguments(argv, {
    port: { type: "string" },
    "persist-to": { type: "string" },
    var: { type: "string", multiple: true },
  });
  if (read.kind !== "options") return read;
  const started = parseStartOptions(argv);
  if (started.kind !== "options") return started;
  const own = started.options.vars.find((each) => each.startsWith("TELEGRAM_"));
  if (own !== undefined)
    return usage(`--var ${own.split(":")[0]} is not taken here: the demo brings a Telegram of its own.`);
  return { kind: "options", options: { start: ["--demo-web", ...argv], port: started.options.port } };
}
