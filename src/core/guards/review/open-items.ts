import { languageOf, readerFor, tellsFailure } from "./phrases.ts";
import { sentencesOf, wordsOf } from "../../text/sentences.ts";

/** A plan item, as the review and the honest message look at it. */
export interface ReviewItem {
  readonly id: string;
  readonly text: string;
  readonly kind: "look" | "do" | "check" | "deliver";
  readonly status: "open" | "doing" | "done" | "failed" | "dropped";
}

/** Whether an item must be done or told: a delivery is done by the answer itself. */
export function isOpen(item: ReviewItem): boolean {
  return item.kind !== "deliver" && ["open", "doing", "failed"].includes(item.status);
}

/**
 * Whether a text says of an item that it is not done: in a sentence that tells a failure, or in the list under such a line.
 * In another language than the plan's no words can be compared, so that any such sentence will do; so will "the rest".
 */
export function isToldOpen(item: ReviewItem, text: string): boolean {
  const reader = readerFor(text);
  const told: string[] = [];
  let under = false;
  for (const { full, text: masked, item: listed } of sentencesOf(text)) {
    if (!listed) under = false;
    const tells = tellsFailure(full, reader) || under;
    if (tells) told.push(full);
    if (tells && /:\s*$/u.test(masked)) under = true;
  }
  if (told.length === 0) return false;
  const [own, theirs] = [languageOf(item.text), languageOf(text)];
  if (own !== null && theirs !== null && own !== theirs) return true;
  const rest =
    /\b(?:the rest|everything else|all (?:the )?other|the other|nothing (?:else|was)|remaining|alles andere|der rest|das ubrige|le reste|tout le reste|el resto|lo demas)\b/u;
  if (told.some((sentence) => rest.test(sentence))) return true;
  const words = stemsOf(item.text);
  const needed = Math.max(1, Math.ceil(words.size / 3));
  return told.some((sentence) => {
    const said = stemsOf(sentence);
    const shared = [...words].filter((word) => said.has(word)).length;
    return shared >= needed || wordsOf(sentence).includes(item.id);
  });
}

/** Words of at least four characters, by their first five. */
function stemsOf(text: string): ReadonlySet<string> {
  return new Set(
    wordsOf(text)
      .filter((word) => word.length >= 4 || /^\d+$/u.test(word))
      .map((word) => word.slice(0, 5)),
  );
}
