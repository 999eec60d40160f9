import type { Conversation } from "./conversation.ts";
import { ordinalOf } from "./lexicon.ts";
import { nameOnes } from "./listed.ts";
import { readPageRef } from "./references.ts";
import { tokenise } from "./tokens.ts";
import { understand } from "./understand.ts";
import { readSectionRef } from "./values.ts";
import type { Wish } from "./wish.ts";

const GO_AHEAD =
  /^(?:(?:yes|yep|yeah|ok|okay|sure|please|do|go|ahead|it|that|so|proceed|right|fine|great|good|agreed|correct|of|course|now)[\s,.!]*)+$/iu;
const AGAIN =
  /^(?:please\s+)?(?:try|do)(?:\s+(?:it|that))?\s+(?:again|once more)[.!]*$|^(?:again|once more|retry)[.!]*$/iu;
const OFFER = /Say(?: for example)? "([^"]{4,200})"/u;

/** The wishes of this run's message, read in the light of what was said before: an answer to our question, "yes", "again". */
export function follow(conversation: Conversation): Wish[] {
  const { earlier } = conversation;
  const message = nameOnes(conversation.message, earlier);
  const wishes = understand(message);
  const question = earlier.findLast((one) => one.role === "assistant")?.text ?? "";
  const before = earlier.findLast((one) => one.role === "user")?.text ?? "";
  const plain = message.trim();
  if (GO_AHEAD.test(plain)) {
    const offer = OFFER.exec(question)?.[1];
    if (offer !== undefined) return understand(offer);
    return wishes.every((wish) => wish.kind === "unable") ? [{ kind: "help" }] : wishes;
  }
  if (AGAIN.test(plain) && before !== "") return understand(before);
  const naming = question.includes("What should the page be called");
  const isAnswer =
    plain.length <= 200 &&
    wishes.every(
      (wish) =>
        wish.kind === "unable" ||
        wish.kind === "ask_page" ||
        wish.kind === "ask_status" ||
        (naming && wish.kind === "page_rename"),
    );
  if (!isAnswer || before === "") return wishes;
  const completed = completeWishes(understand(before), question, plain);
  return completed ?? wishes;
}

/** The wishes of the message before, with what our question asked for filled in; null when it was no such question. */
function completeWishes(open: readonly Wish[], question: string, answer: string): Wish[] | null {
  const tokens = tokenise(answer);
  const named = choice(question, answer);
  const said =
    named ?? tokens.find((token) => token.kind === "quote")?.text ?? answer.replace(/[.!?\s]+$/u, "");
  if (question.includes("Which page do you mean")) {
    const page = named === null ? readPageRef(tokens) : readPageRef(tokenise(`"${named}"`));
    return open.map((wish): Wish =>
      "page" in wish && wish.page !== null
        ? { ...wish, page: { ...page, pronoun: false, phrase: page.phrase ?? said } }
        : wish,
    );
  }
  if (question.includes("What should the page be called")) {
    const name = said.replace(/^(?:call|name)\s+it\s+/iu, "").replace(/^it should be called\s+/iu, "");
    return open.map((wish) =>
      wish.kind === "create_page" && wish.name === null ? { ...wish, name, explicit: true } : wish,
    );
  }
  if (question.includes("Which section of")) {
    const section = readSectionRef(tokens);
    return open.map((wish): Wish =>
      "section" in wish
        ? {
            ...wish,
            section: section.pronoun ? { ...section, phrase: said, pronoun: false } : section,
          }
        : wish,
    );
  }
  if (question.includes("Which one shall I take")) {
    return open.map((wish) => (wish.kind === "page_image" ? { ...wish, query: said } : wish));
  }
  if (question.includes("What should the new")) {
    return open.map((wish): Wish => {
      if (wish.kind === "section_text" || wish.kind === "page_meta") return { ...wish, value: said };
      if (wish.kind === "page_rename") return { ...wish, name: said };
      return wish.kind === "page_slug" ? { ...wish, slug: said } : wish;
    });
  }
  return null;
}

/** "The second one": one of the names that the question listed in quotes. */
function choice(question: string, answer: string): string | null {
  const words = tokenise(answer).map((token) => token.lower);
  if (words.length > 4 || words.some((word) => word === "section")) return null;
  const ordinal = words.map(ordinalOf).find((one) => one !== null);
  const names = [...question.matchAll(/"([^"]+)"/gu)].map((found) => found[1] ?? "");
  return ordinal === undefined || ordinal === null
    ? null
    : (names.at(ordinal > 0 ? ordinal - 1 : ordinal) ?? null);
}
