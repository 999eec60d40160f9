import {
  ACK_CHARS_MAX,
  ACK_LEFT_CHARS_MAX,
  FOREIGN_CHARS_MIN,
  SUBSTANTIVE_CHARS_MIN,
  SUBSTANTIVE_LONG_CHARS_MIN,
} from "../../limits.ts";
import { fold, MASK, sentencesOf, wordsOf, type Sentence } from "../../text/sentences.ts";
import { saysNotSo } from "./claims.ts";
import { NUMBERS } from "./lexicon.ts";
import { languageOf, readerFor, tellsFailure, type Reader } from "./phrases.ts";

/**
 * ack: says that work is under way. substantive: says something that the work found. neutral: neither.
 * `request` is what was asked, `results` the texts of the run's ok work results, newest last.
 */
export type Quality = "ack" | "neutral" | "substantive";

interface Background {
  readonly request: string;
  readonly results: readonly string[];
}

/** Judges a text; no model is asked. A text of an unknown language is judged by length and shared terms alone. */
export function qualityOf(text: string, background: Background): Quality {
  const trimmed = text.trim();
  if (trimmed === "") return "neutral";
  const reader = readerFor(trimmed);
  const shared = sharesTerm(trimmed, background);
  if (!shared && isAck(trimmed, reader)) return "ack";
  // Whose words are not known, or who asks back, is not judged by words.
  if (reader.languages.length === 0 || /[?？]["”»)\]]*$/u.test(trimmed)) return "substantive";
  return isSubstantive(trimmed, reader, shared, background) ? "substantive" : "neutral";
}

function isAck(text: string, reader: Reader): boolean {
  if (text.length > ACK_CHARS_MAX || /https?:\/\//u.test(text)) return false;
  const sentences = sentencesOf(text);
  // A quotation is content, such as a translation.
  if (sentences.some((sentence) => sentence.item || sentence.text.includes(MASK))) return false;
  if (sentences.filter((sentence) => /\?\s*$/u.test(sentence.text)).length > 1) return false;
  if (sentences.some((sentence) => reader.has(sentence.text, "done") || tellsFailure(sentence.text, reader)))
    return false;
  const said = sentences.map((sentence) =>
    reader.without(sentence.text, "assent").replace(/^[^\p{L}\p{N}§]+/u, ""),
  );
  const rest = said.filter((sentence) => lettersOf(sentence) > 0);
  // Assent alone is one; "Sure: the page has three sections" is not, and neither is "The hero is on it".
  if (rest.length === 0) return sentences.length > 0;
  if (!rest.every((sentence) => reader.starts(sentence, "ack"))) return false;
  const left = rest.map((sentence) => lettersOf(reader.without(sentence, "ack")));
  return left.reduce((sum, letters) => sum + letters, 0) < ACK_LEFT_CHARS_MAX;
}

function lettersOf(text: string): number {
  return (text.match(/[\p{L}\p{N}]/gu) ?? []).length;
}

function isSubstantive(
  text: string,
  reader: Reader,
  shared: boolean,
  { request, results }: Background,
): boolean {
  // A short answer is one all the same when it says what was found, or answers a question by yes or no.
  if (shared) return true;
  if (isQuestion(request) && sentencesOf(text).some((sentence) => reader.starts(sentence.text, "yesNo")))
    return true;
  if (asksToCheck(request) && reader.has(text, "inOrder")) return true;
  if (asksToSay(request, text)) return true;
  if (saysNotSo(text) || (isQuestion(request) && wordsOf(text).some(isNumber))) return true;
  if (text.length < SUBSTANTIVE_CHARS_MIN) return false;
  if (results.length === 0 || text.length >= SUBSTANTIVE_LONG_CHARS_MIN) return true;
  // In another language than the results' no words can be compared.
  const [own, theirs] = [languageOf(text), languageOf(results.join(" ").slice(-4_000))];
  return own !== null && own !== theirs && text.length >= FOREIGN_CHARS_MIN;
}

/** Whether a request asks to know something, rather than to have something done. */
export function isQuestion(request: string): boolean {
  const reader = readerFor(request);
  return sentencesOf(request).some(
    (sentence) => reader.starts(sentence.text, "asksToKnow") || /\?\s*$/u.test(sentence.text),
  );
}

function asksToCheck(request: string): boolean {
  const reader = readerFor(request);
  return isQuestion(request) || sentencesOf(request).some(({ text }) => reader.starts(text, "asksToCheck"));
}

/** Whether the person wrote the whole answer down beforehand: "look at it, then say Seen". */
function asksToSay(request: string, text: string): boolean {
  const said = wordsOf(text).join(" ");
  return said !== "" && ` ${wordsOf(request).join(" ")} `.includes(` ${said} `);
}

/** A number, quotation or word of at least three characters that is in a result and not in the request. */
function sharesTerm(text: string, { request, results }: Background): boolean {
  if (results.length === 0) return false;
  const asked = termsOf(request);
  const found = termsOf(results.join("\n"));
  const reader = readerFor(text);
  for (const term of termsOf(reader.without(text, "small")))
    if (found.has(term) && !asked.has(term)) return true;
  return false;
}

const isNumber = (word: string): boolean => /^\d+$/u.test(word) || NUMBERS.has(word);

/** Words by their first five letters, so that "section" and "sections" are one; numbers whole, also those in words. */
function termsOf(text: string): ReadonlySet<string> {
  const terms = new Set<string>();
  for (const word of wordsOf(text)) {
    const number = NUMBERS.get(word);
    if (number !== undefined) terms.add(number);
    else if (/^\d+$/u.test(word)) terms.add(String(Number(word)));
    else if (word.length >= 3) terms.add(word.slice(0, 5));
  }
  for (const [, quoted = ""] of text.matchAll(/["“„«]([^"“”«»\n]{2,80})["”“»]/gu))
    terms.add(`q:${fold(quoted)}`);
  return terms;
}

/**
 * Whether a text ends by promising later work ("I will get back to you"). Polite closings are passed over; offers, questions
 * and what waits for the person's word promise nothing, and neither does what is merely kept in mind.
 */
export function promisesLater(text: string): boolean {
  const reader = readerFor(text);
  const sentences = sentencesOf(text).filter((sentence) => !sentence.heading);
  const last = sentences.findLastIndex((sentence) => !isClosing(sentence, reader));
  const sentence = sentences[last];
  if (sentence === undefined) return false;
  const before = sentences[last - 1];
  if (isPromise(sentence, reader)) return !(before !== undefined && isAsking(before, reader));
  // "I will now: - create the page - publish it": the items are the promise.
  if (!sentence.item) return false;
  const head = sentences.slice(0, last).findLast((other) => !other.item);
  return head !== undefined && /:\s*$/u.test(head.text) && isPromise(head, reader);
}

function isPromise({ text }: Sentence, reader: Reader): boolean {
  if (endsAsQuestion(text) || reader.has(text, "condition")) return false;
  return reader.has(reader.without(text, "noPromise"), "promise");
}

function isAsking({ text }: Sentence, reader: Reader): boolean {
  return endsAsQuestion(text) || reader.starts(text, "asksPerson");
}

function isClosing({ text }: Sentence, reader: Reader): boolean {
  return /^\(.*\)$/u.test(text) || reader.is(text, "closing");
}

function endsAsQuestion(text: string): boolean {
  return /\?["')\]]*$/u.test(text);
}
