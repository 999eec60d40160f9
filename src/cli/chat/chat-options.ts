import { readArguments, usage, type Parsed } from "../start/start-options.ts";

/** What `npm run chat -- …` can be told. */
export interface ChatOptions {
  /** one wish to work off; null asks for them one by one */
  readonly wish: string | null;
  /** null makes a new session */
  readonly session: string | null;
  readonly url: string;
  readonly token: string | null;
  readonly approveAll: boolean;
  readonly json: boolean;
}

export const CHAT_USAGE = `npm run chat                       talk with Cairn in this terminal
npm run chat -- "do this"          one wish; the answer is the last thing on standard output
  --session NAME    come back to a session (a new one is made and named otherwise)
  --url URL         where Cairn is (http://127.0.0.1:8787, or CAIRN_URL)
  --token TOKEN     who you are (CAIRN_TOKEN); not needed on this machine
  --yes             approve everything it asks for, unseen
  --json            one JSON object per line and event, for scripts
Exit code of one wish: 0 answered, 1 failed or not reached, 2 wrong use, 3 partial or cancelled, 130 left with Ctrl-C.`;

const SESSION = /^[A-Za-z0-9_-]{1,64}$/;

/** Reads the arguments of `npm run chat`; the environment gives what they leave out. */
export function parseChatOptions(
  argv: readonly string[],
  environment: { readonly [name: string]: string | undefined },
): Parsed<ChatOptions> {
  const read = readArguments(
    argv,
    {
      session: { type: "string" },
      url: { type: "string" },
      token: { type: "string" },
      yes: { type: "boolean" },
      json: { type: "boolean" },
    },
    true,
  );
  if (read.kind !== "options") return read;
  const { values, positionals } = read;
  const wish = positionals.join(" ").trim();
  if (positionals.length > 0 && wish === "") return usage("The wish is empty.");
  if (values.session !== undefined && !SESSION.test(values.session))
    return usage("--session takes up to 64 letters, digits, _ and -.");
  const url = values.url ?? (environment["CAIRN_URL"] || "http://127.0.0.1:8787");
  const address = URL.canParse(url) ? new URL(url) : null;
  if (address === null || (address.protocol !== "http:" && address.protocol !== "https:"))
    return usage(`--url takes an http or https address, not ${JSON.stringify(url)}`);
  const token = values.token ?? environment["CAIRN_TOKEN"] ?? "";
  // A header cannot carry anything else, and the message would name the wrong culprit.
  if (!/^[\x21-\x7e]*$/.test(token)) return usage("--token takes visible ASCII only.");
  return {
    kind: "options",
    options: {
      wish: wish === "" ? null : wish,
      session: values.session ?? null,
      url: address.origin,
      token: token === "" ? null : token,
      approveAll: values.yes === true,
      json: values.json === true,
    },
  };
}
