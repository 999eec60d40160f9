import {
  ACK_CHARS_MAX,
  ACK_LEFT_CHARS_MAX,
  FOREIGN_CHARS_MIN,
  SUBSTANTIVE_CHARS_MIN,
  SUBSTANTIVE_LONG_CHARS_MIN,
} from "../../cairn/core/limits.ts";
import type { Background, Quality } from "../../cairn/core/guards/review/subject.ts";
import { endsAsQuestion, quotesRequest, sharesTerm } from "../../cairn/core/guards/review/terms.ts";
import { MASK, sentencesOf, lowerCaseWords } from "../../cairn/core/text/sentences.ts";
import { deniesChange } from "./claims.ts";
import { numbersByWord } from "./lexicon.ts";
import { languageOf, readerFor, reportsTrouble, type Reader } from "./phrases.ts";

/** Judges a text; no model is asked. A text of an unknown language is judged by length and shared terms alone. */
export function qualityOf(text: string, background: Background): Quality {
  const trimmed = text.trim();
  if (trimmed === "") return "neutral";
  const reader = readerFor(trimmed);
  const shared = sharesTerm(trimmed, background, {
    numbers: numbersByWord(),
    without: (given) => readerFor(given).without(given, "small"),
  });
  if (!shared && isAck(trimmed, reader)) return "ack";
  // A text in an unknown language, or a question back, is not judged by words.
  if (reader.languages.length === 0 || endsAsQuestion(trimmed)) return "substantive";
  return isSubstantive(trimmed, reader, shared, background) ? "substantive" : "neutral";
}

function isAck(text: string, reader: Reader): boolean {
  if (text.length > ACK_CHARS_MAX || /https?:\/\//u.test(text)) return false;
  const sentences = sentencesOf(text);
  // A quotation is content, such as a translation.
  if (sentences.some((sentence) => sentence.item || sentence.text.includes(MASK))) return false;
  if (sentences.filter((sentence) => /\?\s*$/u.test(sentence.text)).length > 1) return false;
  if (
    sentences.some((sentence) => reader.has(sentence.text, "done") || reportsTrouble(sentence.text, reader))
  )
    return false;
  const kinds = sentences.map((sentence) =>
    reader.without(sentence.text, "assent").replace(/^[^\p{L}\p{N}§]+/u, ""),
  );
  const rest = kinds.filter((sentence) => lettersOf(sentence) > 0);
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
  // A short answer counts if it reports a finding, or answers a question by yes or no.
  if (shared) return true;
  if (isQuestion(request) && sentencesOf(text).some((sentence) => reader.starts(sentence.text, "yesNo")))
    return true;
  if (asksToCheck(request) && reader.has(text, "inOrder")) return true;
  if (quotesRequest(text, request)) return true;
  if (deniesChange(text) || (isQuestion(request) && lowerCaseWords(text).some(isNumber))) return true;
  if (text.length < SUBSTANTIVE_CHARS_MIN) return false;
  if (results.length === 0 || text.length >= SUBSTANTIVE_LONG_CHARS_MIN) return true;
  // In another language than the results' no words can be compared.
  const [own, theirs] = [languageOf(text), languageOf(results.join(" ").slice(-4_000))];
  return own !== null && own !== theirs && text.length >= FOREIGN_CHARS_MIN;
}

/** True for a request that asks to know something, rather than to have something done. */
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

const isNumber = (word: string): boolean => /^\d+$/u.test(word) || numbersByWord().has(word);
