import anyLanguage from "./data/any-language.md";
import numbers from "./data/numbers.md";
import otherLanguages from "./data/other-languages.md";
import { lazily, Lists } from "./lists.ts";

/** The lists of `data/<language>/phrases.md`. A language without them is judged by length and shared terms alone. */
export type Phrase =
  /** work is under way, and nothing else */
  | "ack"
  /** words of assent: an acknowledgement only if there is little else */
  | "assent"
  /** a whole sentence that means only "done" */
  | "done"
  /** something did not work, is not done, or was done another way */
  | "failure"
  /** looks like failure, but denies one */
  | "noFailure"
  /** the speaker will do something later */
  | "promise"
  /** a future that is none: states, habits, offers, what is remembered */
  | "noPromise"
  /** makes a promise wait for the person: an offer or a condition */
  | "condition"
  /** asks the person for something; what is promised in the next sentence waits for it */
  | "asksPerson"
  /** a polite last sentence, unrelated to the work */
  | "closing"
  /** begins a question for information rather than a request for work */
  | "asksToKnow"
  /** asks for the speaker's earlier acts */
  | "asksForPast"
  | "yesNo"
  /** asks to look whether something is in order; a word of the next answers it */
  | "asksToCheck"
  | "inOrder"
  /** asks for a text, whose sentences are not the speaker's own */
  | "asksForText"
  /** means "there is none", which is an answer too */
  | "negative"
  /** frequent small words that show the language */
  | "small";

/** Lists that hold words of all four languages. */
export const ANY = new Lists(anyLanguage);

/** Compiles a list of `ANY` at its first use, as a part of a pattern. */
export const anyOf = (
  name: string,
  around: (source: string) => string = (source) => source,
): (() => RegExp) => lazily(() => new RegExp(around(`(?:${ANY.pattern(name)})`), "u"));

/**
 * Words of languages without their own lists: those that distinguish them from their neighbors, those for "not so" or
 * "was so before", and orders of a change or of a text. A star is any ending; in a script without blanks, any text.
 */
export const OTHERS = new Lists(otherLanguages);

/** Digits by the words for them, to twelve, so that "three pages" and `3` are one. */
export const numbersByWord = lazily(() => {
  const lists = new Lists(numbers);
  return new Map(lists.names.flatMap((digits) => lists.lines(digits).map((word) => [word, digits] as const)));
});
