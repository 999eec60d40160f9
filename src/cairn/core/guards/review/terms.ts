import { fold, lowerCaseWords } from "../../text/sentences.ts";
import type { Background } from "./subject.ts";

/** Terms that two texts have in common, in any language. */

/** True for a text whose end is a question mark. */
export const endsAsQuestion = (text: string): boolean => /[?？]["”»)\]]*$/u.test(text);

/** True if the request contains the answer word for word: "look at it, then say Seen". */
export function quotesRequest(answer: string, request: string): boolean {
  const words = lowerCaseWords(answer).join(" ");
  return words !== "" && ` ${lowerCaseWords(request).join(" ")} `.includes(` ${words} `);
}

/** Reads the terms of a text: by `numbers`, words for numbers are their digits; `without` takes out what is no term. */
interface TermReading {
  readonly numbers: ReadonlyMap<string, string>;
  readonly without: (text: string) => string;
}

const ALL: TermReading = { numbers: new Map(), without: (text) => text };

/** True for a number, quotation or word of at least three characters that is in a result and not in the request. */
export function sharesTerm(
  text: string,
  { request, results }: Background,
  { numbers, without }: TermReading = ALL,
): boolean {
  if (results.length === 0) return false;
  const requested = termsOf(request, numbers);
  const found = termsOf(results.join("\n"), numbers);
  for (const term of termsOf(without(text), numbers))
    if (found.has(term) && !requested.has(term)) return true;
  return false;
}

/** Words by their first five letters, so that "section" and "sections" are one; numbers whole, also those in words. */
function termsOf(text: string, numbers: TermReading["numbers"]): ReadonlySet<string> {
  const terms = new Set<string>();
  for (const word of lowerCaseWords(text)) {
    const number = numbers.get(word);
    if (number !== undefined) terms.add(number);
    else if (/^\d+$/u.test(word)) terms.add(String(Number(word)));
    else if (word.length >= 3) terms.add(word.slice(0, 5));
  }
  for (const [, quoted = ""] of text.matchAll(/["“„«]([^"“”«»\n]{2,80})["”“»]/gu))
    terms.add(`q:${fold(quoted)}`);
  return terms;
}
