import { sentencesOf, type Sentence } from "../../cairn/core/text/sentences.ts";
import { readerFor, type Reader } from "./phrases.ts";

/**
 * True for a text that ends by promising later work ("I will get back to you"). Polite closings are skipped; offers,
 * questions and work that waits for the person's decision are no promises, and neither is a note for later.
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
  if (isQuestion(text) || reader.has(text, "condition")) return false;
  return reader.has(reader.without(text, "noPromise"), "promise");
}

function isAsking({ text }: Sentence, reader: Reader): boolean {
  return isQuestion(text) || reader.starts(text, "asksPerson");
}

function isClosing({ text }: Sentence, reader: Reader): boolean {
  return /^\(.*\)$/u.test(text) || reader.is(text, "closing");
}

function isQuestion(text: string): boolean {
  return /\?["')\]]*$/u.test(text);
}
