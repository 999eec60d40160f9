import { composeAnswer, describeWish, HELP, signed } from "./answer.ts";
import { answerQuestion } from "./asking.ts";
import type { SharedV4ProviderMetadata } from "@ai-sdk/provider";
import type { Conversation } from "./conversation.ts";
import type { Course } from "./course.ts";
import { walk } from "./course.ts";
import { createPage } from "./creating.ts";
import type { Desk } from "./desk.ts";
import { openDesk, report } from "./desk.ts";
import { addSections, deleteSections, hideSection, moveSection } from "./arranging.ts";
import { changeText } from "./editing.ts";
import { follow } from "./follow.ts";
import { changeImage } from "./images.ts";
import { addToNavigation, relabel, removeFromNavigation } from "./navigating.ts";
import { deletePages, updatePage } from "./pages.ts";
import { setEntryStatus } from "./entries.ts";
import { setStatus } from "./publishing.ts";
import type { PlannedCall } from "./script.ts";
import { keepMemory } from "./memory.ts";
import { parseScript } from "./script.ts";
import type { Script } from "./script.ts";
import { firstOf } from "./tokens.ts";
import type { Wish } from "./wish.ts";
import { callToMind, keepInMind } from "./remembering.ts";

/** What the model says next: calls with a thought before them, or the text of the answer. */
export interface Decision {
  readonly thought: string;
  readonly calls: readonly PlannedCall[];
  readonly text: string;
  /** milliseconds to wait before the reply; only scripts ask for it */
  readonly waitMs: number;
  /** what the next replies of this run must know; goes with this one, and comes back with it */
  readonly keep: SharedV4ProviderMetadata | null;
}

/** Characters of a message, and of each earlier one, that the rules read: their patterns cost more than its length. */
export const MESSAGE_CHARS_MAX = 4_000;

/** Decides the next reply from the conversation alone: no clock, no chance, nothing kept. */
export function decide(conversation: Conversation): Decision {
  const script = parseScript(conversation.message);
  if (script !== null) return decideScript(script, conversation);
  // Half of a wish must not be worked as if it were the whole.
  if (conversation.message.length > MESSAGE_CHARS_MAX) return saying(signed(TOO_LONG));
  const earlier = conversation.earlier.map((one) => ({ ...one, text: one.text.slice(0, MESSAGE_CHARS_MAX) }));
  const wishes = follow({ ...conversation, earlier });
  const desk = openDesk(conversation);
  const progress = { done: 0 };
  const walked = walk(pursueAll(desk, wishes, progress), conversation);
  const mustAnswer = conversation.tools.size === 0;
  if (!walked.done && !mustAnswer)
    return {
      ...{ thought: walked.turn.thought, calls: walked.turn.calls, text: "", waitMs: 0 },
      keep: conversation.steps === 0 ? keepMemory(conversation.memory) : null,
    };
  const unfinished = walked.done ? [] : wishes.slice(progress.done);
  const why = conversation.calls.length === 0 ? "no tools are offered" : "the run had to end first";
  return saying(composeAnswer(desk.reports, unfinished, why));
}

const TOO_LONG = `I did nothing: I read messages of at most ${MESSAGE_CHARS_MAX} characters. Say it shorter.`;

function saying(text: string): Decision {
  return { thought: "", calls: [], text, waitMs: 0, keep: null };
}

function decideScript(script: Script, conversation: Conversation): Decision {
  const block = script.blocks[conversation.steps];
  if (block !== undefined && conversation.tools.size > 0) {
    return {
      thought: `I will perform block ${conversation.steps + 1} of ${script.blocks.length} of the script.`,
      calls: block.calls,
      text: "",
      waitMs: block.waitMs,
      keep: null,
    };
  }
  const problems = script.problems.map((problem) => `I could not read a line of the script: ${problem}.`);
  const said = script.say ?? (problems.length > 0 ? "" : scriptSummary(script, conversation));
  const text = [...problems, said].filter((part) => part !== "").join("\n");
  const own = script.say === null || problems.length > 0;
  return {
    thought: "",
    calls: [],
    text: own ? signed(text) : text,
    waitMs: block === undefined ? script.answerWaitMs : 0,
    keep: null,
  };
}

function scriptSummary(script: Script, conversation: Conversation): string {
  const results = conversation.calls.map(
    (call) =>
      `${call.name}: ${call.outcome === null ? "no result" : call.outcome.ok ? "ok" : `not done (${call.outcome.error.code})`}`,
  );
  const left = script.blocks.length - conversation.steps;
  const open = left > 0 ? ` ${left} of its ${script.blocks.length} blocks could not be performed.` : "";
  return results.length === 0
    ? `The script called nothing.${open}`
    : `The script is at its end.${open} ${results.join("; ")}.`;
}

/** All wishes in order. When no tools are left, what is not settled by then is said to be not done. */
function* pursueAll(desk: Desk, wishes: readonly Wish[], progress: { done: number }): Course<void> {
  for (const wish of wishes) {
    const told = desk.reports.length;
    yield* pursue(desk, wish);
    const silent = desk.reports.length === told && desk.unmade.size > 0 && wish.kind !== "create_page";
    if (silent) report(desk, "note", `Left out, because there is no such new page: ${describeWish(wish)}.`);
    progress.done += 1;
  }
}

function* pursue(desk: Desk, wish: Wish): Course<void> {
  switch (wish.kind) {
    case "remember":
      return yield* keepInMind(desk, wish);
    case "recall":
      return yield* callToMind(desk, wish);
    case "create_page":
      return yield* createPage(desk, wish);
    case "create_entry":
      return report(desk, "failed", "I cannot write posts: there is no tool for it here yet.");
    case "set_status":
      return wish.target === "entry" ? yield* setEntryStatus(desk, wish) : yield* setStatus(desk, wish);
    case "nav_add":
      return yield* addToNavigation(desk, wish);
    case "nav_remove":
      return yield* removeFromNavigation(desk, wish);
    case "nav_label":
      return yield* relabel(desk, wish);
    case "page_rename":
    case "page_slug":
    case "page_meta":
      return yield* updatePage(desk, wish);
    case "page_delete":
      return yield* deletePages(desk, wish);
    case "section_text":
      return yield* changeText(desk, wish);
    case "section_add":
      return yield* addSections(desk, wish);
    case "section_move":
      return yield* moveSection(desk, wish);
    case "section_hide":
      return yield* hideSection(desk, wish);
    case "section_delete":
      return yield* deleteSections(desk, wish);
    case "page_image":
      return yield* changeImage(desk, wish);
    case "undo":
      return report(desk, "failed", "I cannot take a change back: there is no tool for it here yet.");
    case "check":
      return report(
        desk,
        "failed",
        "I cannot check the whole site: what publishing a page would run into, its approval says.",
      );
    case "greeting":
      return report(desk, "told", `Hello! ${HELP}`);
    case "thanks":
      return report(desk, "told", "You are welcome. Tell me when there is more to do on the site.");
    case "farewell":
      return report(desk, "told", "Goodbye. Everything done so far is kept.");
    case "help":
      return report(desk, "told", HELP);
    case "unable":
      return report(
        desk,
        "failed",
        `I did not understand "${firstOf(wish.topic, 160)}", or it is not something I can do: I only look after this website (pages, sections, images, navigation).`,
      );
    default:
      return yield* answerQuestion(desk, wish);
  }
}
