import { fold, LETTERS } from "../../cairn/core/text/sentences.ts";
import { anyOf } from "./lexicon.ts";
import { languageOf, readerFor, reportsTrouble } from "./phrases.ts";

/**
 * True for a short text that holds a number, a name, or is yes or no, and neither asks something nor denies an
 * answer.
 */
export function givesAnswer(text: string, isField: boolean): boolean {
  // In a field no sentence begins, so a capital is that of a name.
  const isNamed = isField ? /^\p{Lu}| \p{Lu}/u.test(text) : holdsName(text);
  const isAnswer = isNamed || isYesOrNo(text) || /\p{N}/u.test(text);
  return isAnswer && !/[?\uFF1F\u061F]/u.test(text) && !isNoAnswer(text);
}

const isYesOrNo = (text: string): boolean => readerFor(text).is(text, "yesNo");

/** True for a capital within a sentence. German writes every noun with one, and a first word has one whatever it is. */
const holdsName = (text: string): boolean =>
  languageOf(text) !== "de" && /[\p{L}\p{N},;:] [“"„«(]?\p{Lu}\p{L}/u.test(text);

/**
 * True for a text that gives no answer, such as “I could not find it” or “unknown”. Attempts that found nothing do
 * not agree on an answer, so the others go on. In doubt true: a text that reports a failure stops nobody. “No” alone
 * is an answer.
 */
function isNoAnswer(text: string): boolean {
  return !isYesOrNo(text) && (reportsTrouble(text) || noAnswer().test(fold(text)));
}

/** Phrases that `tellsFailure` does not know. */
const noAnswer = anyOf("no answer", (phrase) => `(?<![${LETTERS}])${phrase}(?![${LETTERS}])`);
