import { fold, LETTERS, rememberLast, stretchesOf, lowerCaseWords } from "../../cairn/core/text/sentences.ts";
import { LANGUAGES, PHRASES, type Language } from "./languages.ts";
import { OTHERS, type Phrase } from "./lexicon.ts";
import { lazily, lazilyFor } from "./lists.ts";

/** The languages that a text is read in, and the phrases of theirs that it holds. */

type Anchor = "in" | "whole" | "start";

/** A compiled phrase: `whole` when it must be all there is. */
const compiled = lazilyFor((key: `${Language} ${Anchor} ${Phrase}`): RegExp => {
  const [language, anchor, phrase] = key.split(" ") as [Language, Anchor, Phrase];
  const source = PHRASES[language].pattern(phrase);
  const body =
    anchor === "in"
      ? `(?<![${LETTERS}])(?:${source})(?![${LETTERS}])`
      : `^[^${LETTERS}§]*(?:${source})${anchor === "whole" ? `[^${LETTERS}§]*$` : `(?![${LETTERS}])`}`;
  return new RegExp(body, "gu");
});

/** The languages with a list that a text may be in: all of them where no word speaks, none where it is in another. */
export const languagesOf = rememberLast((text): readonly Language[] => {
  if (isForeign(text)) return [];
  const scores = scoresOf(text);
  const best = Math.max(...scores.map(([, score]) => score));
  if (best === 0) return LANGUAGES;
  return scores.filter(([, score]) => score * 2 > best).map(([language]) => language);
});

/** The listed language of a text that is long enough to decide, or null. */
export function languageOf(text: string): Language | null {
  if (isForeign(text)) return null;
  const [first, second] = scoresOf(text).sort(([, a], [, b]) => b - a);
  if (first === undefined || second === undefined || first[1] < 2 || first[1] <= second[1]) return null;
  return first[0];
}

const smallWords = lazilyFor((language: Language) => PHRASES[language].words("small"));
const foreignSmallWords = lazily(() => OTHERS.words("small"));

/** True for a text in no language that has a list: by its script, or by small words of which no listed one has more. */
function isForeign(text: string): boolean {
  const letters = fold(text).match(/\p{L}/gu) ?? [];
  if (letters.filter((letter) => !/[a-zß-ɏ]/u.test(letter)).length * 2 > letters.length) return true;
  const foreign = foreignSmallWords();
  const count = lowerCaseWords(text).filter((word) => foreign.has(word)).length;
  const best = Math.max(...scoresOf(text).map(([, score]) => score));
  return count > best || (count > 1 && count === best);
}

function scoresOf(text: string): [Language, number][] {
  const words = lowerCaseWords(text);
  return LANGUAGES.map((language) => {
    const small = smallWords(language);
    return [language, words.filter((word) => small.has(word)).length];
  });
}

const compiledOthers = lazilyFor((list: OtherWords) => {
  const sources = OTHERS.lines(list).map((word) => {
    const open = word.startsWith("*") ? "" : `(?<![${LETTERS}])`;
    return `${open}${fold(word).replaceAll("*", "")}${word.endsWith("*") ? "" : `(?![${LETTERS}])`}`;
  });
  return new RegExp(sources.join("|"), "u");
});

/** Lists of data/other-languages.md. */
type OtherWords = "notSo" | "wish" | "text";

/** True for a text with words of a language that has no lists. */
export function hasUnlisted(text: string, list: OtherWords): boolean {
  const regexp = compiledOthers(list);
  return stretchesOf(fold(text)).some((stretch) => regexp.test(stretch));
}

/** Texts of a list of languages, held against the phrases of one kind. All texts are folded first. */
export interface Reader {
  readonly languages: readonly Language[];
  /** the phrase is anywhere in the text */
  has(text: string, phrase: Phrase): boolean;
  /** the text is the phrase and nothing else but marks */
  is(text: string, phrase: Phrase): boolean;
  starts(text: string, phrase: Phrase): boolean;
  /** the text without the phrase */
  without(text: string, phrase: Phrase): string;
}

export function readerFor(text: string): Reader {
  const languages = languagesOf(text);
  const some = (given: string, phrase: Phrase, anchor: Anchor): boolean => {
    const stretches = stretchesOf(fold(given));
    const [first = ""] = stretches;
    if (anchor === "whole" && stretches.length > 1) return false;
    const read = anchor === "in" ? stretches : [first];
    return languages.some((language) => {
      const regexp = compiled(`${language} ${anchor} ${phrase}`);
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
            (left, language) => left.replaceAll(compiled(`${language} in ${phrase}`), " "),
            stretch,
          ),
        )
        .join(""),
  };
}

/**
 * True if phrases of a listed language can be searched in a text: it has small words of one, says "done" in one, or
 * is too short for any. About any other text nothing is known, so no rule about missing words may reject it.
 */
export function isListed(text: string): boolean {
  if (isForeign(text) || isUnknownScript(text)) return false;
  const isKnown = scoresOf(text).some(([, score]) => score > 0) || readerFor(text).has(text, "done");
  return isKnown || lowerCaseWords(text).length <= 2;
}

/** Letters of a script without listed phrases: no meaning can be recognized. */
function isUnknownScript(text: string): boolean {
  const letters = fold(text).match(/\p{L}/gu) ?? [];
  const known = letters.filter((letter) =>
    /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(
      letter,
    ),
  );
  return known.length * 2 < letters.length;
}

/** True for a text that reports that something did not work, is not done or was done another way. */
export function reportsTrouble(text: string, reader: Reader = readerFor(text)): boolean {
  return (
    isUnknownScript(text) ||
    reader.has(reader.without(text, "noFailure"), "failure") ||
    (languageOf(text) === null && hasUnlisted(text, "notSo"))
  );
}
