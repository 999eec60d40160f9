import type { Conversation } from "./conversation.ts";
import { ordinalOf } from "./lexicon.ts";

/** What our own answers listed, so that "the first one" can be taken from it. */

export interface ListedPages {
  readonly pages: readonly { readonly name: string; readonly slug: string }[];
  /** the list was in the very last answer */
  readonly fresh: boolean;
  /** the page of the list that our answers before it were about, when they were about one */
  readonly before: { readonly name: string; readonly slug: string } | null;
}

/** A line of `describePage` (asking.ts). */
const PAGE_LINE = /^- "(.+)" \(([^()\s]+)\), (?:published|draft|unpublished|status unknown)/u;
/** A line of `sectionName` (sections.ts). */
const SECTION_LINE = /^- [a-z][a-z-]* "/u;

/** The newest list of pages among our answers, or null. */
export function listedPages(earlier: Conversation["earlier"]): ListedPages | null {
  const answers = earlier.filter((one) => one.role === "assistant").reverse();
  for (const [age, { text }] of answers.entries()) {
    const pages = text.split("\n").flatMap((line) => {
      const [, name, slug] = PAGE_LINE.exec(line) ?? [];
      return name === undefined || slug === undefined ? [] : [{ name, slug }];
    });
    if (pages.length > 0) return { pages, fresh: age === 0, before: spokenOf(pages, answers.slice(age + 1)) };
  }
  return null;
}

/** The one listed page that the newest answer that names any of them names. */
function spokenOf(
  pages: ListedPages["pages"],
  answers: readonly { readonly text: string }[],
): ListedPages["pages"][number] | null {
  for (const { text } of answers) {
    const named = pages.filter(({ name }) => text.includes(`"${name}"`));
    if (named.length > 0) return named.length === 1 ? (named[0] ?? null) : null;
  }
  return null;
}

/**
 * "The first one" right after a list is a thing of that list: the message with its noun in the place of "one".
 * Text in quotes stays as it is.
 */
export function nameOnes(message: string, earlier: Conversation["earlier"]): string {
  const noun = listedNoun(earlier.findLast((one) => one.role === "assistant")?.text ?? "");
  if (noun === null) return message;
  return message.replace(/"[^"]*"|“[^”]*”|\b(\w+) one\b/giu, (said, ordinal: string | undefined) =>
    ordinal !== undefined && ordinalOf(ordinal.toLowerCase()) !== null ? `${ordinal} ${noun}` : said,
  );
}

function listedNoun(answer: string): string | null {
  const lines = answer.split("\n");
  if (lines.some((line) => PAGE_LINE.test(line))) return "page";
  return lines.some((line) => SECTION_LINE.test(line)) ? "section" : null;
}
