import { SUBSTANTIVE_CHARS_MIN, SUBSTANTIVE_LONG_CHARS_MIN } from "../limits.ts";
import { sentencesOf, lowerCaseWords } from "../text/sentences.ts";
import { itemMatcher, type Background, type Quality } from "./review/subject.ts";
import { endsAsQuestion, quotesRequest, sharesTerm } from "./review/terms.ts";
import type { PlainWords } from "./words.ts";

/**
 * The answers without a word list: by length, marks, numbers, and terms that two texts share. They claim nothing that form does
 * not show, so an answer passes the review, and its receipt lists what was changed and what failed.
 */
export const NO_WORDS: PlainWords = {
  qualityOf,
  isQuestion: (request) => sentencesOf(request).some(({ text }) => /[?？]\s*$/u.test(text)),
  promisesLater: () => false,
  hiddenFailures: () => [],
  unbackedClaims: () => [],
  hidesNoChange: () => false,
  namesAsOpen: (item, answer) => {
    const names = itemMatcher(item);
    return sentencesOf(answer).some(({ full }) => names(full));
  },
  cuesOf: (request) => ({
    courtesy: false,
    // Five characters do not order anything new.
    goAhead: isBrief(request),
    resumes: false,
    remembers: false,
    research: false,
    output: false,
    joiners: 0,
    changes: 0,
  }),
  givesAnswer: isMeasure,
};

function qualityOf(text: string, background: Background): Quality {
  const trimmed = text.trim();
  if (trimmed === "") return "neutral";
  const long = background.results.length === 0 ? SUBSTANTIVE_CHARS_MIN : SUBSTANTIVE_LONG_CHARS_MIN;
  const isSubstantive =
    trimmed.length >= long ||
    endsAsQuestion(trimmed) ||
    sharesTerm(trimmed, background) ||
    quotesRequest(trimmed, background.request);
  return isSubstantive ? "substantive" : "neutral";
}

const BRIEF_CHARS_MAX = 5;

const isBrief = (text: string): boolean =>
  [...text.trim()].length <= BRIEF_CHARS_MAX && /\p{L}/u.test(text) && !/[\p{N}?？]/u.test(text);

/** A number with at most one word, such as `14 ferries`: "404 not found" is no answer. */
function isMeasure(text: string): boolean {
  return /^[^\p{L}?？؟]*\p{N}/u.test(text) && !/[?？؟]/u.test(text) && lowerCaseWords(text).length <= 2;
}
