import { namedIn } from "../../cairn/core/guards/review/evidence.ts";
import type { ReviewCall, ReviewSubject } from "../../cairn/core/guards/review/subject.ts";
import { sentencesOf, lowerCaseWords } from "../../cairn/core/text/sentences.ts";
import { claimsOf } from "./claims.ts";
import { isListed, readerFor, reportsTrouble } from "./phrases.ts";
import { bearsOut } from "./verbs.ts";

type Answered = Pick<ReviewSubject, "candidate" | "request">;

/** The failed calls that an answer hides; none where its language is not known, because no words can be looked for there. */
export function hiddenFailures(subject: Answered, failed: readonly ReviewCall[]): readonly ReviewCall[] {
  const { candidate } = subject;
  const hidden = failed.filter((call) => !reportsFailure(subject, call));
  if (hidden.length === 0 || !isListed(candidate) || reportsTrouble(candidate)) return [];
  // "There is no team page" reports that it was not found.
  const isMissing = hidden.every((call) => call.error === "not_found");
  return isMissing && readerFor(candidate).has(candidate, "negative") ? [] : hidden;
}

/**
 * True where an answer speaks of a failed call: a clause that does not claim the act names its thing, or shares a word with
 * the message of the failure. Names and messages come from the log, so this holds in every language. The receipt above the
 * answer lists the failure in any case.
 */
export function reportsFailure({ candidate, request }: Answered, call: ReviewCall): boolean {
  const claims = claimsOf(candidate, request).filter(
    ({ verb, isOwn }) =>
      verb === "done" || call.verbs === null || (call.effect === "read" ? isOwn : bearsOut(verb, call.verbs)),
  );
  const names = [...namedIn(call.input), ...call.things.map(({ name }) => name), targetName(call)].map(words);
  const requestStems = stemsOf(request);
  const reasons = [...stemsOf(call.failure ?? "")].filter((stem) => !requestStems.has(stem));
  return sentencesOf(candidate).some(({ text, full, heading }, index) => {
    if (heading) return false;
    const own = claims.filter(({ sentence }) => sentence === index);
    const left = own.length === 0 ? full : own.reduce((rest, { clause }) => rest.replace(clause, ""), text);
    const stems = stemsOf(left);
    return names.some((name) => holdsName(words(left), name)) || reasons.some((stem) => stems.has(stem));
  });
}

/** `page:about-us` is about `about-us`. */
const targetName = ({ target }: ReviewCall): string => target?.slice(target.indexOf(":") + 1) ?? "";

/** Folded, with one blank for all that is no letter and no digit: `about-us` and `About us` are one name. */
const words = (text: string): string => lowerCaseWords(text).join(" ");

/** In a script without blanks a name may be next to other letters, and nowhere else. */
function holdsName(text: string, name: string): boolean {
  if (name === "") return false;
  return /[^a-z0-9 ]/u.test(text) ? text.includes(name) : ` ${text} `.includes(` ${name} `);
}

/** Words that carry a meaning, by their first five letters; shorter ones are mostly small words. */
function stemsOf(text: string): ReadonlySet<string> {
  return new Set(lowerCaseWords(text).flatMap((word) => (word.length >= 5 ? [word.slice(0, 5)] : [])));
}
