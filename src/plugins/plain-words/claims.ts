import { BARE_DONE_CHARS_MAX } from "../../cairn/core/limits.ts";
import type { Verb } from "../../cairn/core/log/tool.ts";
import { fold, LETTERS, sentencesOf, stretchesOf, type Sentence } from "../../cairn/core/text/sentences.ts";
import { grammarOf } from "./grammar.ts";
import { VERBS, type Language } from "./languages.ts";
import { ANY, anyOf } from "./lexicon.ts";
import { lazilyFor } from "./lists.ts";
import { hasUnlisted, readerFor, reportsTrouble, type Reader } from "./phrases.ts";
import { verbsOf } from "./verbs.ts";

/**
 * The claims of a text to have done something. Only the speaker's own act is one: "Published the page", "I have
 * published it", "it has been published"; not "pages published by Anna", "once published", "I could publish".
 */
export interface Claim {
  /** `done`: the whole request, by a bare "Done." */
  readonly verb: Verb | "done";
  /** number of the sentence, from 0 */
  readonly sentence: number;
  /** the text around the verb, up to the next mark */
  readonly clause: string;
  /** describes a state, not who caused it */
  readonly isState: boolean;
  /** names the speaker as the actor */
  readonly isOwn: boolean;
}

/** A thing that the answer itself holds is no effect: "Created a summary of the findings". */
const inTheAnswer = anyOf("in the answer", (word) => `^ (?:\\p{L}+ ){0,3}${word}\\b`);
/** "I changed nothing." */
const nothing = anyOf("nothing", (word) => `^ ${word}\\b`);
/** A list under such a line is a history of others' work. */
const history = anyOf("history", (word) => `\\b${word}\\b[^.]*$`);
const draft = anyOf("draft", (word) => `\\b${word}`);
const doNot = anyOf("do not", (word) => `\\b${word}(?: \\w+)? $`);
const forThePerson = anyOf("for the person", (word) => `^ ${word}\\b`);

/** Verbs with words for the resulting state, such as "live". */
const STATES: readonly Verb[] = ["publish", "unpublish", "delete"];

interface Form {
  readonly verb: Verb;
  readonly regexp: RegExp;
  /** a word for how a thing is */
  readonly isState: boolean;
}

/** The forms of verbs as a request has them, or a report. */
type Use = "request" | "report";

const formsIn = lazilyFor((key: `${Language} ${Use}`) => {
  const [language, use] = key.split(" ") as [Language, Use];
  const form = (verb: Verb, source: string, isState: boolean): Form => ({
    verb,
    regexp: new RegExp(`(?<![${LETTERS}-])(?:${source})(?![${LETTERS}])`, "gu"),
    isState,
  });
  const lists = VERBS[language];
  const verbs = verbsOf(language)
    .filter((verb) => lists.has(`${verb} (${use})`))
    .map((verb) => form(verb, lists.pattern(`${verb} (${use})`), false));
  const states = STATES.map((verb) => form(verb, ANY.pattern(`${verb} (state)`), true));
  const forms = use === "request" ? verbs : [...verbs, ...states];
  // Most sentences hold none of the forms, and need no look at each.
  return { forms, any: new RegExp(forms.map(({ regexp }) => regexp.source).join("|"), "u") };
});

/** The forms of a language; none where a text holds none of them. */
function formsOf(text: string, language: Language, use: Use): readonly Form[] {
  const { forms, any } = formsIn(`${language} ${use}`);
  return any.test(text) ? forms : [];
}

/** The effects that a request orders. A question for information orders none; "send me a list" asks for an answer. */
export function requestedVerbs(request: string): ReadonlySet<Verb> {
  const reader = readerFor(request);
  const requested = new Set<Verb>();
  for (const sentence of sentencesOf(request)) {
    if (reader.starts(sentence.text, "asksToKnow")) continue;
    for (const language of reader.languages) {
      for (const { verb, regexp } of formsOf(sentence.text, language, "request")) {
        for (const match of sentence.text.matchAll(regexp)) {
          const before = sentence.text.slice(0, match.index);
          const after = sentence.text.slice(match.index + match[0].length);
          const isTalk = doNot().test(before);
          const isAnswer = forThePerson().test(after) || inTheAnswer().test(after);
          if (!isTalk && !isAnswer) requested.add(verb);
        }
      }
    }
  }
  return requested;
}

/** Every claim of a text, in the order of its sentences. `draftsOnly`: nothing but drafts was changed, so that nothing is public by it. */
export function claimsOf(text: string, request: string, draftsOnly = false): readonly Claim[] {
  const sentences = sentencesOf(text);
  const reader = readerFor(text);
  const requested = new Set(requestedVerbs(request));
  if (draftsOnly && !draft().test(fold(text))) requested.add("publish");
  // "Publish it if it is not": then it may be so without an act.
  const asker = readerFor(request);
  const conditional = asker.has(request, "condition");
  const wanted = sentencesOf(request).map((sentence) => sentence.text);
  const asksToKnow = wanted.every((sentence) => asker.starts(sentence, "asksToKnow"));
  const context = { requested: conditional ? new Set<Verb>() : requested, asksToKnow };
  if (wanted.some((sentence) => asker.starts(sentence, "asksForPast"))) return [];
  const listed = sentences.findIndex(({ text: line }) => history().test(line));
  const claims = sentences.flatMap((sentence, index) => {
    if (/\?["')\]]*$/u.test(sentence.text) || sentence.heading) return [];
    if (sentence.item && listed >= 0 && listed < index) return [];
    return reader.languages.flatMap((language) =>
      claimsIn(sentence, language, context).map((claim): Claim => ({ ...claim, sentence: index })),
    );
  });
  const bare = bareDone(text, sentences, reader, context.requested);
  const own = asksForText(request)
    ? claims.filter(({ verb }) => verb !== "done" && requested.has(verb))
    : claims;
  return bare === null ? own : [...own, bare];
}

function claimsIn(
  sentence: Sentence,
  language: Language,
  context: { readonly requested: ReadonlySet<Verb>; readonly asksToKnow: boolean },
): readonly Omit<Claim, "sentence">[] {
  const { text, cased } = sentence;
  const forms = formsOf(text, language, "report");
  if (forms.length === 0) return [];
  const grammar = grammarOf(language);
  if (grammar.earlier.test(text)) return [];
  const isElsewhere = grammar.elsewhere.test(text);
  return forms.flatMap(({ verb, regexp, isState }) => {
    for (const match of text.matchAll(regexp)) {
      const before = text.slice(0, match.index);
      const clause = before.slice(
        Math.max(...[",", ";", ":", "(", "–", "—"].map((mark) => before.lastIndexOf(mark))) + 1,
      );
      const after = cased.slice(match.index + match[0].length);
      if (grammar.unreal.test(clause) || nothing().test(after) || inTheAnswer().test(after.toLowerCase()))
        continue;
      const frame = grammar.frames.find(
        (one) =>
          (one.kind === "state" || !isState) &&
          one.before.test(before) &&
          (one.after === undefined || one.after.test(after)),
      );
      if (frame === undefined) continue;
      if (frame.kind !== "own" && (isElsewhere || context.asksToKnow)) continue;
      if (frame.kind === "state" && !context.requested.has(verb)) continue;
      const whole = clause + (/^[^,;:(–—]*/u.exec(text.slice(match.index))?.[0] ?? "");
      return [{ verb, clause: whole, isState: frame.kind === "state", isOwn: frame.kind === "own" }];
    }
    return [];
  });
}

/** "Done." alone claims that the whole request is done. */
function bareDone(
  text: string,
  sentences: readonly Sentence[],
  reader: Reader,
  requested: ReadonlySet<Verb>,
): Claim | null {
  if (requested.size === 0 || text.trim().length > BARE_DONE_CHARS_MAX || reportsTrouble(text, reader))
    return null;
  const index = sentences.findIndex((sentence) => reader.is(sentence.text, "done"));
  return index < 0 ? null : { verb: "done", sentence: index, clause: "", isState: false, isOwn: true };
}

/** True for a text that says, in a known form, that something is not so, was so before, or only could be. */
export function deniesChange(text: string): boolean {
  const reader = readerFor(text);
  const isStated = reader.has(text, "negative") || reader.has(text, "condition");
  return (
    isStated ||
    stretchesOf(fold(text)).some((stretch) => already().test(stretch)) ||
    reportsTrouble(text, reader)
  );
}

const already = anyOf("already", (word) => `\\b${word}\\b`);

/** A text that was asked for speaks for others: a reply to a customer, a release note. */
export function asksForText(request: string): boolean {
  const reader = readerFor(request);
  if (hasUnlisted(request, "text")) return true;
  return sentencesOf(request).some(
    ({ text }) =>
      reader.starts(text, "asksForText") || (please().test(text) && reader.has(text, "asksForText")),
  );
}

const please = anyOf("please", (word) => `^${word}\\b`);
