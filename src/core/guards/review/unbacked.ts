import type { Json } from "../../log/json.ts";
import type { Verb } from "../../log/tool.ts";
import { sentencesOf, wordsOf } from "../../text/sentences.ts";
import { claimsOf, wishesOf } from "./claims.ts";
import { namedIn } from "./evidence.ts";
import { NUMBERS } from "./lexicon.ts";
import { receiptOfCalls } from "./receipt.ts";
import type { ReviewCall, ReviewSubject } from "./subject.ts";
import { bearsOut } from "./verbs.ts";

/** What a candidate claims against the log: an act that no effect bears out, or one on other things, or on more. */
export function unbackedClaims(
  calls: readonly ReviewCall[],
  candidate: string,
  request: string,
): readonly string[] {
  const ok = calls.filter((call) => call.status === "ok");
  const effects = ok.filter((call) => call.effect !== "read");
  // A tool that does not say what it does may have done anything.
  if (effects.some((call) => call.verbs === null)) return [];
  const { changed } = receiptOfCalls(calls);
  const states = new Map(changed.map(({ call, state }) => [call, state]));
  const draftsOnly = changed.length > 0 && changed.every(({ state }) => state === "draft");
  const sentences = sentencesOf(candidate);
  const unbacked = claimsOf(candidate, request, draftsOnly).filter((claim) => {
    const { verb, sentence, clause, isState } = claim;
    if (verb === "done") return effects.length === 0;
    const backing = effects.filter((call) => bearsOut(verb, verbsOf(call, states.get(call.id))));
    const said = sentences[sentence]?.full ?? "";
    if (backing.length > 0) return isOfOthers(said, backing, calls, request) || isOfMore(clause, backing);
    // How a thing is may have been read.
    return (
      isState !== true || !ok.some(({ effect, result }) => effect === "read" && SHOWN[verb]?.test(result))
    );
  });
  return [...new Set(unbacked.map(({ verb }) => verb))];
}

/** How a result shows the state that a verb brings about. */
const SHOWN: Partial<Record<Verb, RegExp>> = {
  publish: /"published"/u,
  unpublish: /"(?:unpublished|draft|archived)"/u,
  archive: /"archived"/u,
};
const VERB_OF_STATE: Readonly<Record<string, Verb>> = {
  ...{ published: "publish", unpublished: "unpublish", archived: "archive" },
};

/** Whether a read shows that what a request wishes for is so, whoever did it. */
export function isSoAlready({ calls, request }: Pick<ReviewSubject, "calls" | "request">): boolean {
  const shown = [...wishesOf(request)].flatMap((verb) => SHOWN[verb] ?? []);
  return calls.some(({ effect, result }) => effect === "read" && shown.some((one) => one.test(result)));
}

/** What a call did, of all that its tool can do: the state that it left tells, where the tool has a verb for it. */
function verbsOf({ verbs }: ReviewCall, state: string | null = null): readonly string[] {
  const one = VERB_OF_STATE[state ?? ""];
  return (verbs ?? []).filter((verb) => one === undefined || verb === one || !Object.hasOwn(SHOWN, verb));
}

const phraseOf = (text: string): string => ` ${wordsOf(text).join(" ")} `;
const namesOf = ({ input, things }: ReviewCall): readonly string[] =>
  [...namedIn(input), ...things.flatMap(({ id, name, slug = id }) => [name, slug])].map(phraseOf);

/** A place, not an object: "after Blog", "in the footer of Home". */
const BESIDE =
  /\b(?:to|in|on|of|from|with|for|after|before|below|above|under|at|by|into|zu|zum|zur|im|auf|am|an|nach|vor|unter|uber|von|vom|bei|mit|fur|aux?|des?|du|dans|sur|sous|apres|avant|pour|en|sobre|bajo|despues|antes|con|para|del|al)(?: \S+){0,2} ?$/u;

/** Whether a sentence names what was asked for or tried and not changed, and nothing that its effects have changed. */
function isOfOthers(
  said: string,
  backing: readonly ReviewCall[],
  calls: readonly ReviewCall[],
  request: string,
): boolean {
  const isDone = (call: ReviewCall): boolean => call.status === "ok" && call.effect !== "read";
  const done = new Set(calls.filter(isDone).flatMap(namesOf));
  const others = calls.flatMap((call) => {
    const replaced = namedIn(call.replaced).map(phraseOf);
    if (call.effect === "read") return namesOf(call).filter((name) => phraseOf(request).includes(name));
    return isDone(call) ? replaced : [...replaced, ...namesOf(call)];
  });
  let left = phraseOf(said);
  const named = others.filter((name) => {
    const at = name.trim() === "" || done.has(name) ? -1 : left.indexOf(name);
    return at >= 0 && !BESIDE.test(left.slice(0, at + 1));
  });
  for (const name of named) left = left.replaceAll(name, " ");
  const own = new Set(backing.flatMap(namesOf).flatMap(wordsOf));
  return named.length > 0 && !wordsOf(left).some((word) => word.length >= 3 && own.has(word));
}

/** A number before a word that is no unit and no article: "three pages". */
const COUNTED =
  /(?<![\p{L}\p{N}.,:/–—-])(?<!\b(?:le|el|den|der) (?=\d))([a-z]+|\d{1,2}) (?=(?!(?:the|die|der|das|den|les?|las?|el|bis|and|und)\b|min|sec|sek|hour|stund|heure|hora|uhr|day|tag|jour|dia|euro|percent|prozent)\p{L}{3,})/gu;

/** Whether a clause counts more things than its effects have, by whatever of their lists is the longest. */
function isOfMore(clause: string, backing: readonly ReviewCall[]): boolean {
  const types = backing.flatMap(({ things }) => things.map(({ type }) => type));
  const ofType = types.map((type) => types.filter((other) => other === type).length);
  const named = backing.reduce((sum, { input }) => sum + Math.max(1, namedIn(input).length), 0);
  const most = Math.max(named, ...ofType, ...backing.map(({ input }) => longestList(input)));
  // A tool that names nothing may say how many there were.
  const unnamed = backing.filter(({ things }) => things.length === 0);
  return [...clause.matchAll(COUNTED)].some((match) => {
    const many = Number(NUMBERS.get(match[1] ?? "") ?? match[1]);
    const isTold = unnamed.some(({ result }) => wordsOf(result).includes(String(many)));
    return many > most && !isTold && !BESIDE.test(clause.slice(0, match.index));
  });
}

function longestList(value: Json): number {
  if (typeof value !== "object" || value === null) return 0;
  const inside = Object.values(value).map((one: Json) => longestList(one));
  return Math.max(Array.isArray(value) ? value.length : 0, ...inside);
}
