import { ownValue } from "../../../cairn/core/log/json.ts";

/** The words of the terminal: lines that begin with a slash. */

export type Command =
  | { readonly word: "help" | "session" | "quit" | "stop" | "forget" | "extend" | "enough" }
  | { readonly word: "more"; readonly line: string }
  /** null lists them */
  | { readonly word: "agent"; readonly name: string | null }
  | { readonly word: "unknown"; readonly line: string };

export const HELP = [
  "/stop       stop the run",
  "/more 10    ten steps more for the run",
  "/extend     more for a run that asks for it; /enough lets it finish with what there is",
  "/agent      list the agents; /agent NAME chooses one for new messages",
  "/forget     revoke the decisions that are remembered here",
  "/session    say where this is",
  "/quit leave; the session and its run continue (also Ctrl-C twice)",
  "/help       these words",
].join("\n");

const WORDS: { readonly [word: string]: Exclude<Command["word"], "more" | "agent" | "unknown"> } = {
  "/help": "help",
  "/session": "session",
  "/quit": "quit",
  "/exit": "quit",
  "/stop": "stop",
  "/forget": "forget",
  "/extend": "extend",
  "/enough": "enough",
};
/** what the server reads at the beginning of a message */
const OF_MESSAGES = new Set(["/call", "/then", "/wait", "/say", "/lean", "/fast"]);

/** A command, or null for a message. A line that begins with a space is always a message. */
export function parseCommand(line: string): Command | null {
  const [, typed = "", rest = ""] = /^(\/[a-z]+)(?:\s+([\s\S]*))?$/i.exec(line.trimEnd()) ?? [];
  if (typed === "" || OF_MESSAGES.has(typed.toLowerCase())) return null;
  if (typed === "/more") return { word: "more", line };
  if (typed === "/agent" && !/\s/.test(rest)) return { word: "agent", name: rest === "" ? null : rest };
  const word = rest === "" ? ownValue(WORDS, typed) : undefined;
  return word === undefined ? { word: "unknown", line } : { word };
}
