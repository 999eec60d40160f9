import { itemMatcher, type ReviewItem } from "../../cairn/core/guards/review/subject.ts";
import { sentencesOf } from "../../cairn/core/text/sentences.ts";
import { anyOf } from "./lexicon.ts";
import { languageOf, readerFor, reportsTrouble } from "./phrases.ts";

/**
 * True for a text that names an item as not done: in a sentence that reports a failure, or in the list under such a
 * line. In another language than the plan's no words can be compared, so any such sentence counts; so does "the
 * rest".
 */
export function namesAsOpen(item: ReviewItem, text: string): boolean {
  const failures = failureSentences(text);
  if (failures.length === 0) return false;
  const [own, theirs] = [languageOf(item.text), languageOf(text)];
  if (own !== null && theirs !== null && own !== theirs) return true;
  const names = itemMatcher(item);
  return failures.some((sentence) => theRest().test(sentence) || names(sentence));
}

const theRest = anyOf("the rest", (words) => `\\b${words}\\b`);

function failureSentences(text: string): readonly string[] {
  const reader = readerFor(text);
  const found: string[] = [];
  let isUnder = false;
  for (const { full, text: masked, item: isListItem } of sentencesOf(text)) {
    if (!isListItem) isUnder = false;
    const reports = reportsTrouble(full, reader) || isUnder;
    if (reports) found.push(full);
    if (reports && /:\s*$/u.test(masked)) isUnder = true;
  }
  return found;
}
