import type { RequestCues } from "../../cairn/core/guards/words.ts";
import { normalize } from "../../cairn/core/log/normalize.ts";
import requestWords from "./data/requests.md";
import { lazily, lazilyFor, Lists } from "./lists.ts";

/** The words of a request by which its run gets a class: as people write them, in lower case. */

const COURTESY_WORDS_MAX = 8;
const GO_AHEAD_WORDS_MAX = 6;

const LISTS = new Lists(requestWords);
const list = lazilyFor((name: string) => LISTS.words(name));

export function cuesOf(request: string): RequestCues {
  const words = wordsIn(request);
  const has = (name: string): boolean => words.some((word) => list(name).has(word));
  const begins = (name: string): boolean => list(name).has(words[0] ?? "");
  const isOnly = (name: string, max: number): boolean =>
    words.length > 0 && words.length <= max && words.every((word) => list(name).has(word));
  return {
    courtesy: isOnly("courtesy", COURTESY_WORDS_MAX),
    goAhead: isOnly("go-ahead", GO_AHEAD_WORDS_MAX) && has("yes"),
    resumes: begins("resume"),
    remembers: begins("remember"),
    research: has("research") || (has("find") && has("findable")) || ordersResearch(request),
    output: has("output"),
    joiners: words.filter((word) => list("joiner").has(word)).length,
    changes: changesIn(words),
  };
}

function wordsIn(text: string): readonly string[] {
  return (
    normalize(text, "NFC")
      .toLowerCase()
      .replaceAll("’", "'")
      .match(/[\p{L}\p{N}]+(?:['-][\p{L}\p{N}]+)*/gu) ?? []
  );
}

/** Clause by clause, because "the research page" orders nothing and "research it" does. */
function ordersResearch(request: string): boolean {
  return request.split(/[.,;:!?\n()"]+/).some((clause) => {
    const words = wordsIn(clause);
    return words.some(
      (word, at) =>
        list("research verb").has(word) && (at === 0 || list("before a verb").has(words[at - 1] ?? "")),
    );
  });
}

/** The lists of verbs that change something: two words of one list are one verb. */
const changes = lazily(() => LISTS.names.filter((name) => name.startsWith("change: ")));

function changesIn(words: readonly string[]): number {
  const all = new Set(words);
  return changes().filter((name) => LISTS.lines(name).some((form) => all.has(form))).length;
}
