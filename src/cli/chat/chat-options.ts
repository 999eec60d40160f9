import { DEFAULT_URL } from "../start/banner.ts";
import { AGENT_NAME, ID_PATTERN } from "../../cairn/core/log/names.ts";
import { isObject, readJson, type JsonObject } from "../../cairn/core/log/json.ts";
import { oneLine } from "./screen/ansi.ts";
import { parseCommand } from "./screen/commands.ts";
import { readArguments, usage, type Parsed } from "../start/start-options.ts";

/** Options of `npm run chat -- …`. */
export interface ChatOptions {
  /** a single message to run; null reads messages one by one */
  readonly message: string | null;
  /** null makes a new session */
  readonly session: string | null;
  /** null leaves it as it is */
  readonly agent: string | null;
  /** fields of a run that each message carries */
  readonly fields: RunFields;
  readonly url: string;
  readonly token: string | null;
  readonly approveAll: boolean;
  readonly json: boolean;
  /** the answer alone */
  readonly quiet: boolean;
}

/** As POST /api/runs names them; the server reports invalid values. */
export interface RunFields {
  readonly model?: string;
  readonly fallback_models?: readonly string[];
  readonly instructions?: string;
  readonly targets?: JsonObject;
  readonly metadata?: JsonObject;
  readonly output?: JsonObject;
}

/** Exit codes by how the run, or the client, ended. */
export const EXIT = {
  done: 0,
  answered: 0,
  failed: 1,
  partial: 3,
  cancelled: 3,
  waits: 4,
  left: 130,
} as const;

export const CHAT_USAGE = `npm run chat                       chat with Cairn in this terminal
npm run chat -- "do this"          one message; standard output ends with the answer
  --session NAME    continue a session (default: a new one)
  --agent NAME      the agent for your messages (/agent lists them)
  --model NAME      the model, such as workers-ai:@cf/… (--fallback NAME: a fallback, may be repeated)
  --instructions TEXT
                    instructions for the agent, with each message
  --targets JSON    targets of the run, such as {"site": {"siteId": "…", "environmentId": "…"}}
  --metadata JSON   an object that is stored with the run
  --output JSON     a JSON Schema that the answer follows
  --url URL         address of Cairn (http://127.0.0.1:8787, or CAIRN_URL)
  --token TOKEN     your token (CAIRN_TOKEN); not needed on this machine
  --yes             approve every request without review
  --quiet           print only the answer; receipt and questions go to standard error
  --json            one JSON object per line and event, for scripts
Exit codes, with and without a terminal:
  0    done
  1    failed, refused, not understood, or Cairn is unreachable
  2    wrong use
  3    partly done or understood, denied, or stopped
  4    waiting for a person: a decision or an answer
  130  left during a run; the run continues`;

/** Reads the arguments of `npm run chat`; the environment gives what they leave out. */
export function parseChatOptions(
  argv: readonly string[],
  environment: { readonly [name: string]: string | undefined },
): Parsed<ChatOptions> {
  const read = readArguments(
    argv,
    {
      session: { type: "string" },
      agent: { type: "string" },
      model: { type: "string" },
      fallback: { type: "string", multiple: true },
      instructions: { type: "string" },
      targets: { type: "string" },
      metadata: { type: "string" },
      output: { type: "string" },
      url: { type: "string" },
      token: { type: "string" },
      yes: { type: "boolean" },
      json: { type: "boolean" },
      quiet: { type: "boolean" },
    },
    true,
  );
  if (read.kind !== "options") return read;
  const { values, positionals } = read;
  if (values.json === true && values.quiet === true) return usage("Choose one of --json and --quiet.");
  const message = positionals.join(" ").trim();
  if (positionals.length > 0 && message === "") return usage("The message is empty.");
  if (parseCommand(positionals.join(" ")) !== null)
    return usage(
      `${oneLine(message, 40)} is a command or an unknown one. Put a space before it to send it as a message.`,
    );
  if (values.session !== undefined && !ID_PATTERN.test(values.session))
    return usage("--session takes up to 64 letters, digits, _ and -.");
  if (values.agent !== undefined && !AGENT_NAME.test(values.agent))
    return usage("--agent takes the name of an agent: a-z, 0-9, _ and -, a letter first.");
  const { targets, metadata, output, model, instructions } = values;
  const objects: Record<string, JsonObject> = {};
  for (const [name, text = null] of Object.entries({ targets, metadata, output })) {
    if (text === null) continue;
    const value = readJson(text);
    if (value === undefined || !isObject(value)) return usage(`--${name} takes an object as JSON.`);
    objects[name] = value;
  }
  const texts: Record<string, string> = {};
  for (const [name, text = null] of Object.entries({ model, instructions })) {
    if (text === null) continue;
    if (text.trim() === "") return usage(`--${name} is empty.`);
    texts[name] = text;
  }
  const fields: RunFields = {
    ...objects,
    ...texts,
    ...(values.fallback === undefined ? {} : { fallback_models: values.fallback }),
  };
  const url = values.url ?? (environment["CAIRN_URL"] || DEFAULT_URL);
  const address = URL.canParse(url) ? new URL(url) : null;
  if (address === null || (address.protocol !== "http:" && address.protocol !== "https:"))
    return usage(`--url takes an http or https address, not ${JSON.stringify(url)}`);
  const token = values.token ?? environment["CAIRN_TOKEN"] ?? "";
  // A header cannot carry anything else, and the message would name the wrong culprit.
  if (!/^[\x21-\x7e]*$/.test(token)) return usage("--token takes visible ASCII only.");
  return {
    kind: "options",
    options: {
      message: message === "" ? null : message,
      session: values.session ?? null,
      agent: values.agent ?? null,
      fields,
      url: address.origin,
      token: token === "" ? null : token,
      approveAll: values.yes === true,
      json: values.json === true,
      quiet: values.quiet === true,
    },
  };
}

/**
 * The command that comes back to a session, with the address where another than the usual one is meant.
 *
 * @example
 * commandFor("cli-1", "http://127.0.0.1:8911"); // npm run chat -- --url http://127.0.0.1:8911 --session cli-1
 */
export function commandFor(session: string, url: string): string {
  const at = url === DEFAULT_URL ? "" : `--url ${url} `;
  return `npm run chat -- ${at}--session ${session}`;
}
