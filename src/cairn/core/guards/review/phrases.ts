import { fold, LETTERS, rememberLast, stretchesOf, wordsOf } from "../../text/sentences.ts";
import { LEXICONS, UNLISTED, type Lexicon } from "./lexicon.ts";
import { LANGUAGES, type Language } from "./verbs.ts";

/** Which languages a text is read in, and whether it holds a phrase of theirs. */

/** A compiled phrase: `whole` when it must be all there is. Made once per phrase. */
const compiled = new Map<string, RegExp>();

function pattern(source: string, place: "in" | "whole" | "start"): RegExp {
  const key = `${place} ${source}`;
  const made = compiled.get(key);
  if (made !== undefined) return made;
  const body =
    place === "in"
      ? `(?<![${LETTERS}])(?:${source})(?![${LETTERS}])`
      : `^[^${LETTERS}§]*(?:${source})${place === "whole" ? `[^${LETTERS}§]*$` : `(?![${LETTERS}])`}`;
  const fresh = new RegExp(body, "gu");
  compiled.set(key, fresh);
  return fresh;
}

/** The languages with a list that a text may be in: all of them where no word speaks, none where it is in another. */
export const languagesOf = rememberLast((text): readonly Language[] => {
  if (isForeign(text)) return [];
  const scores = scoresOf(text);
  const best = Math.max(...scores.map(([, score]) => score));
  if (best === 0) return LANGUAGES;
  return scores.filter(([, score]) => score * 2 > best).map(([language]) => language);
});

/** The one listed language of a text that is long enough to tell, or null. */
export function languageOf(text: string): Language | null {
  if (isForeign(text)) return null;
  const [first, second] = scoresOf(text).sort(([, a], [, b]) => b - a);
  if (first === undefined || second === undefined || first[1] < 2 || first[1] <= second[1]) return null;
  return first[0];
}

const SMALL = LANGUAGES.map((language): [Language, ReadonlySet<string>] => [
  language,
  new Set(LEXICONS[language].small.split("|")),
]);
const FOREIGN_SMALL: ReadonlySet<string> = new Set(UNLISTED.small.split(" "));

/** Whether a text is in no language that has a list: by its script, or by small words of which no listed one has more. */
function isForeign(text: string): boolean {
  const letters = fold(text).match(/\p{L}/gu) ?? [];
  if (letters.filter((letter) => !/[a-zß-ɏ]/u.test(letter)).length * 2 > letters.length) return true;
  const foreign = wordsOf(text).filter((word) => FOREIGN_SMALL.has(word)).length;
  const best = Math.max(...scoresOf(text).map(([, score]) => score));
  return foreign > best || (foreign > 1 && foreign === best);
}

function scoresOf(text: string): [Language, number][] {
  const words = wordsOf(text);
  return SMALL.map(([language, small]) => [language, words.filter((word) => small.has(word)).length]);
}

/** Whether a text holds words of a language without a list of its own. */
export function hasUnlisted(text: string, words: Exclude<keyof typeof UNLISTED, "small">): boolean {
  const sources = (): string[] =>
    UNLISTED[words].split(" ").map((word) => {
      const open = word.startsWith("*") ? "" : `(?<![${LETTERS}])`;
      return `${open}${fold(word).replaceAll("*", "")}${word.endsWith("*") ? "" : `(?![${LETTERS}])`}`;
    });
  const regexp = compiled.get(words) ?? new RegExp(sources().join("|"), "u");
  compiled.set(words, regexp);
  return stretchesOf(fold(text)).some((stretch) => regexp.test(stretch));
}

/** Texts of a list of languages, held against the phrases of one kind. All texts are folded first. */
export interface Reader {
  readonly languages: readonly Language[];
  /** the phrase stands somewhere */
  has(text: string, phrase: keyof Lexicon): boolean;
  /** the text is the phrase and nothing else but marks */
  is(text: string, phrase: keyof Lexicon): boolean;
  starts(text: string, phrase: keyof Lexicon): boolean;
  /** the text without the phrase */
  without(text: string, phrase: keyof Lexicon): string;
}

export function readerFor(text: string): Reader {
  const languages = languagesOf(text);
  const some = (given: string, phrase: keyof Lexicon, place: "in" | "whole" | "start"): boolean => {
    const stretches = stretchesOf(fold(given));
    const [first = ""] = stretches;
    if (place === "whole" && stretches.length > 1) return false;
    const read = place === "in" ? stretches : [first];
    return languages.some((language) => {
      const regexp = pattern(LEXICONS[language][phrase], place);
      return read.some((stretch) => {
        regexp.lastIndex = 0;
        return regexp.test(stretch);
      });
    });
  };
  return {
    languages,
    has: (given, phrase) => some(given, phrase, "in"),
    is: (given, phrase) => some(given, phrase, "whole"),
    starts: (given, phrase) => some(given, phrase, "start"),
    without: (given, phrase) =>
      stretchesOf(fold(given))
        .map((stretch) =>
          languages.reduce(
            (left, language) => left.replaceAll(pattern(LEXICONS[language][phrase], "in"), " "),
            stretch,
          ),
        )
        .join(""),
  };
}

/**
 * True where the phrases of a listed language can be looked for in a text: it has small words of one, says "done" in one, or is
 * too short for any. Of any other text nothing can be said, so no rule about what it does not say may send it back.
 */
export function isListed(text: string): boolean {
  if (isForeign(text) || isUnknownScript(text)) return false;
  const isTold = scoresOf(text).some(([, score]) => score > 0) || readerFor(text).has(text, "done");
  return isTold || wordsOf(text).length <= 2;
}

/** Letters of a script in which no phrase is listed: nothing that such a text says can be recognized. */
function isUnknownScript(text: string): boolean {
  const letters = fold(text).match(/\p{L}/gu) ?? [];
  const known = letters.filter((letter) =>
    /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(
      letter,
    ),
  );
  return known.length * 2 < letters.length;
}

/** Whether a text says that something did not work, is not done or was done another way. */
export function tellsFailure(text: string, reader: Reader = readerFor(text)): boolean {
  return (
    isUnknownScript(text) ||
    reader.has(reader.without(text, "noFailure"), "failure") ||
    (languageOf(text) === null && hasUnlisted(text, "notSo"))
  );
}
