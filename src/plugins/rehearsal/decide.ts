import { startOf } from "../../cairn/core/text/cut.ts";
import { isObject } from "../../cairn/core/log/json.ts";
import { HEARTBEAT_MARK } from "../../cairn/core/heartbeat.ts";
import { CHANGED_NOTHING, DID_NOTHING, HELP_BEGINS, LEFT_OUT, REHEARSAL_SIGNATURE } from "./answer-words.ts";
import { parseCode, tellCode, type CodeWish } from "./code.ts";
import type { Conversation } from "./conversation.ts";
import type { Course, PlannedCall } from "./course.ts";
import { isDenied, walk } from "./course.ts";
import type { Heard, Wish } from "./hear.ts";
import { hearMessage, wordsOf } from "./hear.ts";
import { attemptsIn, oneOf } from "./attempts.ts";
import { playScript } from "../../cairn/models/script/player.ts";
import type { NextReply } from "../../cairn/models/script/reply.ts";
import type { Desk, Report } from "./site.ts";
import { ownCall, ownHelp } from "./own-tools.ts";
import { because, openDesk } from "./site.ts";
import { readSlot } from "./slots.ts";

/** What it can do, in which languages, and how to have more. */
const HELP = `${HELP_BEGINS} What I can do is said in plain wishes, in English or German, such as:
- "Create a page called Team with a hero image and a gallery, publish it and add it to the navigation"
- 'Change the title of the hero on the home page to "…"', "Rename the page Team to Crew", "Delete the page Team"
- "Add a gallery to the about page", "Hide the second section of the home page", "Which pages are on the site?"
- "What does the file I just sent say about the rent?", "Calculate 12 * 7 with code", "Run this code: …"
- "Welche Seiten gibt es?", "Erstelle eine Seite namens Team und veröffentliche sie"
{web}{reals}`;
const REALS =
  "For everything else there are real models: MODEL in wrangler.toml, or npm start -- --var MODEL:<provider>:<id>.";

const HELP_WEB = `- "Research which of the passes is open in May, with sources", "Research the Alp Pass and write a page about it"
`;

const helpOf = ({ tools }: Desk, own: Conversation["own"]): string =>
  own === null
    ? HELP.replace("{web}", tools.has("web_search") ? HELP_WEB : "").replace("{reals}", REALS)
    : ownHelp(own, REALS);

/** What the model says next: calls with a thought before them, or the text of the answer. */
export interface Decision {
  readonly thought: string;
  readonly calls: readonly PlannedCall[];
  readonly text: string;
  /** milliseconds to wait before the reply; only scripts ask for it */
  readonly waitMs: number;
  /** what the next replies of this run must know; goes with this one, and comes back with it */
  readonly keep: string | null;
}

/** Characters of a message that the rules read: their patterns cost more than its length. */
const MESSAGE_CHARS_MAX = 4_000;
const TOO_LONG = `${DID_NOTHING}: I read messages of at most ${MESSAGE_CHARS_MAX} characters. Say it shorter.`;

/** Decides the next reply from the conversation alone: no clock, no chance, nothing kept. */
export function decide(conversation: Conversation): Decision {
  const attempts = attemptsIn(conversation);
  if (attempts !== null) return answer(signed(oneOf(attempts)));
  const played = playScript(conversation, signed);
  if (played !== null) return decisionOf(played);
  // Nobody asks: it has nothing of its own to say.
  if (conversation.message.startsWith(HEARTBEAT_MARK)) return answer("");
  const code = parseCode(conversation.message);
  if (code !== null) return decideCode(code, conversation);
  // Half of a wish must not be worked as if it were the whole.
  if (conversation.message.length > MESSAGE_CHARS_MAX) return answer(signed(TOO_LONG));
  const call = conversation.own === null ? null : ownCall(conversation.own, conversation.message);
  if (call !== null) return decideOwn(call, conversation);
  const heard = hear(conversation);
  const desk = openDesk(conversation);
  const wishes = doubt(desk, heard, helpOf(desk, conversation.own));
  const progress = { done: 0 };
  const turn = walk(pursueAll(desk, wishes, progress), conversation.calls);
  if (turn !== null && conversation.tools.size > 0) {
    const keep = conversation.steps === 0 ? conversation.memoryLines : null;
    return { ...turn, text: "", waitMs: 0, keep };
  }
  const open = wishes.slice(progress.done).filter(({ intent }) => intent.kind !== "talk");
  const why = conversation.calls.length === 0 ? "no tools are offered" : "the run had to end first";
  return answer(composeAnswer(desk.reports, open, why));
}

function decideCode(code: CodeWish, conversation: Conversation): Decision {
  const desk = openDesk(conversation);
  const turn = walk(tellCode(desk, code), conversation.calls);
  if (turn !== null && conversation.tools.size > 0) return { ...turn, text: "", waitMs: 0, keep: null };
  return answer(
    composeAnswer(turn === null ? desk.reports : [["failed", "I did not run the code."]], [], ""),
  );
}

/** One call of a tool of the project, and what became of it. */
function decideOwn(call: PlannedCall, { calls, tools }: Conversation): Decision {
  const made = calls.find(({ name }) => name === call.name);
  if (made === undefined && tools.has(call.name))
    return { thought: `I will use ${call.name}.`, calls: [call], text: "", waitMs: 0, keep: null };
  const outcome = made?.outcome ?? null;
  if (outcome === null) return answer(signed(`${DID_NOTHING}: ${call.name} could not be called.`));
  if (outcome.ok) return answer(signed(`Done: ${call.name}.`));
  const failed = isDenied(outcome.error) ? "it was not approved" : "it failed";
  return answer(signed(`I did not do ${call.name}: ${failed} (${because(outcome.error)}).`));
}

const answer = (text: string, waitMs = 0): Decision => ({ thought: "", calls: [], text, waitMs, keep: null });

/** Says what is left out, and why; the wishes that may be pursued. Beside words that nobody understood nothing is written. */
function doubt(desk: Desk, { wishes, left, unclear }: Heard, help: string): readonly Wish[] {
  const quote = (text: string): string => `"${startOf(text, 160)}"`;
  const isIdle = wishes.every(({ intent }) => intent.kind === "talk");
  for (const part of left) desk.say("note", `${LEFT_OUT} ${quote(part)}, so I left it out.`);
  if (unclear === null) {
    const isAsked = wishes.some(({ intent }) => intent.name === "greet" || intent.name === "help");
    if (isAsked || (isIdle && (wishes.length === 0 || left.length > 0))) desk.say("told", help);
    return wishes;
  }
  const why = `${unclear.why ?? "I do not understand this"}: ${quote(unclear.said)}`;
  const writes = wishes.filter(({ intent }) => intent.kind === "write").map(({ said }) => quote(said));
  desk.say(
    "asked",
    writes.length > 0
      ? `${CHANGED_NOTHING} yet. ${why}. It may change the rest, which is ${writes.join(" and ")}. What shall I do? Say it in other words, put names and texts in quotes, or leave that part out.`
      : `${CHANGED_NOTHING}. ${why}. Or it is not something I can do.`,
  );
  if (isIdle) desk.say("asked", help);
  return wishes.filter(({ intent }) => intent.kind !== "write");
}

/** All wishes in order. A wish whose page was not made says so, when nothing else did. */
function* pursueAll(desk: Desk, wishes: readonly Wish[], progress: { done: number }): Course<void> {
  for (const { intent, slots, said } of wishes) {
    const told = desk.reports.length;
    yield* intent.does(desk, slots);
    if (desk.reports.length === told && intent.kind !== "talk")
      desk.say("note", `Left out, because there is no such page: "${said}".`);
    progress.done += 1;
  }
}

/** The answer from what the wishes came to: what was done, told, left out, not done, asked. */
function composeAnswer(reports: readonly Report[], open: readonly Wish[], why: string): string {
  const of = (kind: Report[0], between = "\n"): string =>
    [...new Set(reports.filter(([one]) => one === kind).map(([, text]) => text))].join(between);
  const left = open.map(({ said }) => `"${said}"`).join("; ");
  const blocks = [
    ...[of("done"), of("told", "\n\n"), of("note"), of("failed")],
    left === "" ? "" : `Not done, because ${why}: ${left}. Ask me again to go on.`,
    of("asked"),
  ].filter((block) => block !== "");
  return signed(blocks.length === 0 ? "All right: I changed nothing." : blocks.join("\n\n"));
}

/** A text with the line that says what speaks. */
const signed = (text: string): string => `${text}\n\n${REHEARSAL_SIGNATURE}`;

const decisionOf = ({ thought = "", calls = [], text = "", waitMs = 0 }: NextReply): Decision => ({
  thought,
  calls: calls.map(([name, input]) => ({ name, input: isObject(input) ? input : {} })),
  text,
  waitMs,
  keep: null,
});

export function replyOf(conversation: Conversation): NextReply {
  const { thought, calls, text, waitMs, keep } = decide(conversation);
  const reply = { thought, text, waitMs, calls: calls.map(({ name, input }) => [name, input] as const) };
  return keep === null ? reply : { ...reply, note: keep };
}

const AGAIN = /^(?:please\s)?(?:try|do)?(?:\s?(?:it|that))?\s?(?:again|once more|retry|nochmal)[.!]*$/iu;
const ANSWER_CHARS_MAX = 200;

/** What this run's message asks for in the light of what was said before: an answer to our question, or "try again". */
function hear({ message, earlier }: Conversation): Heard {
  const heard = hearMessage(message);
  const before = earlier.findLast((one) => one.role === "user")?.text ?? "";
  const question = earlier.findLast((one) => one.role === "assistant")?.text ?? "";
  if (before === "" || before.length > MESSAGE_CHARS_MAX || message.length > ANSWER_CHARS_MAX) return heard;
  const open = hearMessage(before);
  if (AGAIN.test(message.trim())) return open;
  const answers = heard.wishes.every(({ intent }) => intent.name === "call it" || intent.kind === "read");
  if (!answers || open.unclear !== null) return heard;
  const words = wordsOf(message).filter((token) => token.kind !== "stop");
  const said = /^i mean\b/iu.test(message) ? words.slice(2) : words;
  const called = heard.wishes[0]?.slots.value;
  const isName = /What should the (?:page|new one) be called/u.test(question);
  if (!isName && !question.includes("Which page do you mean")) return heard;
  const given =
    isName && called !== undefined ? { names: [called] } : readSlot(isName ? "name" : "page", said);
  if (given === null) return heard;
  const isAbout = ({ intent }: Wish): boolean => !isName || intent.name === "create a page";
  const answered = (one: Wish): Wish => (isAbout(one) ? { ...one, slots: { ...one.slots, ...given } } : one);
  return { ...open, wishes: open.wishes.map(answered) };
}
