import { HEARTBEAT_MARK } from "../../cairn/core/heartbeat.ts";
import { startOf } from "../../cairn/core/text/cut.ts";
import { removeHidden } from "../../cairn/core/text/untrusted.ts";
import type { Conversation } from "../../cairn/models/script/conversation.ts";
import { playScript } from "../../cairn/models/script/player.ts";
import type { NextReply, ScriptedCall } from "../../cairn/models/script/reply.ts";
import {
  CHANGED_NOTHING,
  DID_NOTHING,
  HELP_BEGINS,
  NOT_UNDERSTOOD,
  REHEARSAL_SIGNATURE,
} from "./answer-words.ts";
import { combineAttempts } from "./attempts.ts";
import { createContext, type Context, type Report } from "./context.ts";
import { ownHelp, ownToolsIn, parseOwnCall } from "./own-tools.ts";
import { isDenied, nextTurn, reasonOf, type Plan } from "./plan.ts";
import { parseMessage, messageTokens, type ParsedMessage, type Request } from "./requests.ts";
import { memoryLines } from "./situation.ts";
import { readSlot } from "./text/slots.ts";

const HELP = `${HELP_BEGINS} I understand simple requests in English, such as:
- "Create a page called Team with a hero image and a gallery, publish it and add it to the navigation"
- 'Change the title of the hero on the home page to "…"', "Rename the page Team to Crew", "Delete the page Team"
- "Add a gallery to the about page", "Hide the second section of the home page", "Which pages are on the site?"
- "What does the file I just sent say about the rent?"
`;
const HELP_WEB = `- "Research which of the passes is open in May, with sources"
`;
const REAL_MODELS =
  "For everything else there are real models: MODEL in wrangler.toml, or npm start -- --var MODEL:<provider>:<id>.";

/** Longer messages are not parsed: the work grows faster than their length. */
const MESSAGE_CHARS_MAX = 4_000;
const QUOTE_CHARS = 160;
const TOO_LONG = `${DID_NOTHING}: I read messages of at most ${MESSAGE_CHARS_MAX} characters. Say it shorter.`;

const signed = (text: string): string => `${text}\n\n${REHEARSAL_SIGNATURE}`;

/** The next reply, from the conversation alone. */
export function replyTo(conversation: Conversation): NextReply {
  const { message, calls, tools, note } = conversation;
  const combined = combineAttempts(conversation);
  if (combined !== null) return { text: signed(combined) };
  const script = playScript(conversation, signed);
  if (script !== null) return script;
  // A heartbeat asks for nothing.
  if (message.startsWith(HEARTBEAT_MARK)) return { text: "" };
  if (message.length > MESSAGE_CHARS_MAX) return { text: signed(TOO_LONG) };
  const own = ownToolsIn(conversation.offered);
  const call = own === null ? null : parseOwnCall(own, message);
  if (call !== null) return replyToOwnCall(call, conversation);
  const context = createContext(conversation);
  const help =
    own === null
      ? `${HELP}${tools.has("web_search") ? HELP_WEB : ""}${REAL_MODELS}`
      : ownHelp(own, REAL_MODELS);
  const requests = admit(context, parseInContext(conversation), help);
  const progress = { done: 0 };
  const turn = nextTurn(carryOut(context, requests, progress), calls);
  if (turn !== null && tools.size > 0) return { ...turn, note: note ?? memoryLines(conversation.situation) };
  const open = requests.slice(progress.done).filter(({ intent }) => intent.kind !== "talk");
  const why = calls.length === 0 ? "no tools are offered" : "the run had to end first";
  return { text: composeAnswer(context.reports, open, why) };
}

/** Calls the tool once, and reports its result. */
function replyToOwnCall(call: ScriptedCall, { calls, tools }: Conversation): NextReply {
  const [tool] = call;
  const made = calls.find(({ name }) => name === tool);
  if (made === undefined && tools.has(tool)) return { thought: `I will use ${tool}.`, calls: [call] };
  const outcome = made?.outcome ?? null;
  if (outcome === null) return { text: signed(`${DID_NOTHING}: ${tool} could not be called.`) };
  if (outcome.ok) return { text: signed(`Done: ${tool}.`) };
  const failed = isDenied(outcome.error) ? "it was not approved" : "it failed";
  return { text: signed(`I did not do ${tool}: ${failed} (${reasonOf(outcome.error)}).`) };
}

/** Words of a message, as an answer repeats them: characters that are not seen would change how the rest of it is read. */
const quote = (text: string): string => `"${startOf(removeHidden(text), QUOTE_CHARS)}"`;

/** The requests that are carried out. Next to words that were not understood nothing is written, which is reported. */
function admit(context: Context, { requests, unclear }: ParsedMessage, help: string): readonly Request[] {
  const isIdle = requests.every(({ intent }) => intent.kind === "talk");
  const asksHelp = requests.some(({ intent }) => intent.name === "help" || intent.name === "greet");
  if (asksHelp || (isIdle && (requests.length === 0 || unclear !== null))) context.report("question", help);
  if (unclear === null) return requests;
  const writes = requests.filter(({ intent }) => intent.kind === "write").map(({ text }) => quote(text));
  if (writes.length === 0 && unclear.why === null) {
    context.report("note", `${NOT_UNDERSTOOD} ${quote(unclear.text)}, so I left it out.`);
    return requests;
  }
  const why = `${unclear.why ?? "I do not understand this"}: ${quote(unclear.text)}`;
  context.report(
    "note",
    `${CHANGED_NOTHING} yet. ${why}. It may change the rest, which is ${writes.join(" and ")}. Say it in other words, put names and texts in quotes, or leave that part out.`,
  );
  return requests.filter(({ intent }) => intent.kind !== "write");
}

/** All requests in order. One whose page could not be made is left out, which is reported. */
function* carryOut(context: Context, requests: readonly Request[], progress: { done: number }): Plan<void> {
  for (const { intent, slots, text } of requests) {
    const before = context.reports.length;
    yield* intent.act(context, slots);
    if (context.reports.length === before && intent.kind !== "talk")
      context.report("note", `Left out, because there is no such page: ${quote(text)}.`);
    progress.done += 1;
  }
}

/** The answer from the reports; `open` are requests that could not be carried out, `why` the reason. */
function composeAnswer(reports: readonly Report[], open: readonly Request[], why: string): string {
  const blockOf = (kind: Report[0], between = "\n"): string =>
    [...new Set(reports.filter(([own]) => own === kind).map(([, text]) => text))].join(between);
  const left = open.map(({ text }) => quote(text)).join("; ");
  const blocks = [
    blockOf("done"),
    blockOf("info", "\n\n"),
    blockOf("note"),
    blockOf("failed"),
    left === "" ? "" : `Not done, because ${why}: ${left}. Ask me again to go on.`,
    blockOf("question"),
  ].filter((block) => block !== "");
  return signed(blocks.length === 0 ? "All right: I changed nothing." : blocks.join("\n\n"));
}

const AGAIN = /^(?:please )?(?:try|do) (?:it |that )?again[.!]?$/iu;
const ANSWER_CHARS_MAX = 200;

/** The requests of the message; where it answers our question, or says "try again", those of the message before it. */
function parseInContext({ message, earlier }: Conversation): ParsedMessage {
  const parsed = parseMessage(message);
  const before = earlier.findLast(({ role }) => role === "user")?.text ?? "";
  if (before === "" || before.length > MESSAGE_CHARS_MAX || message.length > ANSWER_CHARS_MAX) return parsed;
  if (AGAIN.test(message.trim())) return parseMessage(before);
  const question = earlier.findLast(({ role }) => role === "assistant")?.text ?? "";
  const asksName = /What should the (?:page|new one) be called/u.test(question);
  if (
    message.trimEnd().endsWith("?") ||
    parsed.requests.length > 0 ||
    (!asksName && !question.includes("Which page do you mean"))
  )
    return parsed;
  const answer = readSlot(
    asksName ? "name" : "page",
    messageTokens(message).filter(({ kind }) => kind !== "stop"),
  );
  const open = parseMessage(before);
  if (answer === null || open.unclear !== null) return parsed;
  const isAsked = ({ intent }: Request): boolean => !asksName || intent.name === "create a page";
  const requests = open.requests.map((request) =>
    isAsked(request) ? { ...request, slots: { ...request.slots, ...answer } } : request,
  );
  return { requests, unclear: null };
}
