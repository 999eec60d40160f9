import type { ChannelName } from "../../cairn/core/address.ts";
import { receiptOfCalls } from "../../cairn/core/guards/review/receipt.ts";
import { isWork, type ReviewCall, type ReviewSubject } from "../../cairn/core/guards/review/subject.ts";
import type { Verb } from "../../cairn/core/log/tool.ts";
import { fold, sentencesOf } from "../../cairn/core/text/sentences.ts";
import { asksForText, claimsOf, deniesChange, requestedVerbs } from "./claims.ts";
import channelWords from "./data/channels.md";
import { reportsFailure } from "./failures.ts";
import { ANY } from "./lexicon.ts";
import { lazily, Lists } from "./lists.ts";
import { hasUnlisted, isListed, readerFor } from "./phrases.ts";
import { bearsOut } from "./verbs.ts";

/**
 * Changes that the candidate claims and no effect of the run made: those that the request asks for by name, and, where the run
 * had no effect at all, any act that the speaker claims as its own. Other claims are not judged here, because the receipt above
 * the answer lists every change.
 */
export function unbackedClaims(subject: ReviewSubject): readonly string[] {
  const { calls, candidate, request, channel } = subject;
  const effects = calls.filter(
    ({ status, effect }) => effect !== "read" && (status === "ok" || status === "unknown"),
  );
  // A tool without declared verbs may have done anything.
  if (effects.some((call) => call.verbs === null)) return [];
  const { changed } = receiptOfCalls(calls);
  const states = new Map(changed.map(({ call, state }) => [call, state]));
  const draftsOnly = changed.length > 0 && changed.every(({ state }) => state === "draft");
  const requested = requestedChanges(subject);
  if (draftsOnly) requested.add("publish");
  const reads = calls.filter(({ effect, status }) => effect === "read" && status === "ok");
  const sentences = sentencesOf(candidate);
  const unbacked = claimsOf(candidate, request, draftsOnly).filter(({ verb, sentence, isState, isOwn }) => {
    if (verb === "done") return requested.size > 0 && effects.length === 0;
    if (!requested.has(verb) && !(isOwn && effects.length === 0)) return false;
    if (verb === "send" && isDeliveredHere(sentences[sentence]?.text ?? "", channel)) return false;
    if (effects.some((call) => bearsOut(verb, verbsOf(call, states.get(call.id))))) return false;
    // A read may have shown how things are.
    return !isState || !reads.some(({ result }) => SHOWN[verb]?.test(result));
  });
  return [...new Set(unbacked.map(({ verb }) => verb))];
}

/** Changes that a request asks for by name; sending the answer itself is none where the answer goes there anyway. */
function requestedChanges({ request, channel }: Pick<ReviewSubject, "request" | "channel">): Set<Verb> {
  const requested = new Set(requestedVerbs(request));
  if (requested.has("send") && isDeliveredHere(fold(request), channel)) requested.delete("send");
  return requested;
}

/** True for a candidate that hides that nothing was changed. `tried`: calls that were to change something and did not. */
export function hidesNoChange(subject: ReviewSubject, tried: readonly ReviewCall[]): boolean {
  const { calls, candidate } = subject;
  if (tried.some((call) => reportsFailure(subject, call))) return false;
  // In an unlisted language no word can report a failure.
  const isExpected = tried.length > 0 ? isListed(candidate) : requestsChange(subject, calls.some(isWork));
  return isExpected && !deniesChange(candidate) && !isSoAlready(subject);
}

/** True where a request orders a change. Without a call and without a claim of it, the answer may be the text asked for. */
export function requestsChange(subject: ReviewSubject, worked: boolean): boolean {
  const { request, candidate } = subject;
  if (/[?？؟]/u.test(request) || asksForText(request)) return false;
  if (requestedChanges(subject).size > 0) return worked || claimsDone(candidate);
  // In an unlisted language no word distinguishes a change from a reason not to make it, which a read may have
  // shown.
  return !worked && hasUnlisted(request, "wish");
}

/** True if a sentence claims that all is done. */
function claimsDone(candidate: string): boolean {
  const reader = readerFor(candidate);
  return sentencesOf(candidate).some(({ text, heading }) => !heading && reader.has(text, "done"));
}

/** Words for channels in a folded text; `mail` in its compounds is a channel too. */
const channelsByWords = lazily(() => {
  const lists = new Lists(channelWords);
  return lists.names.map((name) => [new RegExp(lists.pattern(name), "u"), name] as const);
});
const toThePerson = lazily(
  () =>
    new RegExp(
      `(?<!\\p{L})(?:${ANY.pattern("to the person")})(?!\\p{L})|${ANY.pattern("to the person, in any place")}`,
      "u",
    ),
);

/** True where a folded text speaks of sending to the person who asked, by the channel that carries the answer itself. */
function isDeliveredHere(text: string, place: ChannelName | null): boolean {
  const named = channelsByWords()
    .filter(([name]) => name.test(text))
    .map(([, channel]) => channel);
  return named.length > 0
    ? place !== null && named.every((name) => name === place)
    : toThePerson().test(text);
}

/** Patterns in a result for the state that a verb causes. */
const SHOWN: Partial<Record<Verb, RegExp>> = {
  publish: /"published"/u,
  unpublish: /"(?:unpublished|draft|archived)"/u,
  archive: /"archived"/u,
};
const VERB_OF_STATE: ReadonlyMap<string, Verb> = new Map([
  ["published", "publish"],
  ["unpublished", "unpublish"],
  ["archived", "archive"],
]);

/** True where a read shows that the requested state is there already. */
export function isSoAlready({ calls, request }: Pick<ReviewSubject, "calls" | "request">): boolean {
  const shown = [...requestedVerbs(request)].flatMap((verb) => SHOWN[verb] ?? []);
  return calls.some(({ effect, result }) => effect === "read" && shown.some((one) => one.test(result)));
}

/** Verbs of a call: those of its tool, without the states that it could have left and did not. */
function verbsOf({ verbs }: ReviewCall, state: string | null = null): readonly string[] {
  const one = VERB_OF_STATE.get(state ?? "");
  return (verbs ?? []).filter((verb) => one === undefined || verb === one || !Object.hasOwn(SHOWN, verb));
}
