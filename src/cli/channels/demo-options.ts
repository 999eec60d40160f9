import { parseStartOptions, readArguments, usage, type Parsed } from "../start/start-options.ts";

/** Options of `npm run channels:demo -- …`. */
export interface DemoOptions {
  /** for `npm start`, which it begins */
  readonly start: readonly string[];
  readonly port: number;
  readonly channel: DemoChannel;
}

/** Channels with a local stand-in. */
export const DEMO_CHANNELS = ["telegram", "slack"] as const;
export type DemoChannel = (typeof DEMO_CHANNELS)[number];

export const DEMO_USAGE = `npm run channels:demo -- [options]     Cairn and a local Telegram, with a chat in the terminal
  --channel slack          a local Slack instead
  --port N                 port to listen on (8787)
  --persist-to DIR         folder of the local databases (.wrangler/state)
  --var KEY:VALUE          a variable, repeatable, such as MODEL
In the chat: text is a message, a number presses a button, /quit ends all.`;

export function parseDemoOptions(argv: readonly string[]): Parsed<DemoOptions> {
  const read = readArguments(argv, {
    channel: { type: "string" },
    port: { type: "string" },
    "persist-to": { type: "string" },
    var: { type: "string", multiple: true },
  });
  if (read.kind !== "options") return read;
  const { channel: named = "telegram", port, "persist-to": persistTo, var: vars = [] } = read.values;
  const channel = DEMO_CHANNELS.find((one) => one === named);
  if (channel === undefined) return usage(`--channel is ${DEMO_CHANNELS.join(" or ")}, not ${named}.`);
  const start = [
    "--demo-web",
    ...(port === undefined ? [] : ["--port", port]),
    ...(persistTo === undefined ? [] : ["--persist-to", persistTo]),
    ...vars.flatMap((one) => ["--var", one]),
  ];
  const started = parseStartOptions(start);
  if (started.kind !== "options") return started;
  const own = vars.find((each) => /^(?:TELEGRAM|SLACK)_/.test(each));
  if (own !== undefined)
    return usage(`--var ${own.split(":")[0]} is not taken here: the demo brings channels of its own.`);
  return { kind: "options", options: { start, port: started.options.port, channel } };
}
