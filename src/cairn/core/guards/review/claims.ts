import { BARE_DONE_CHARS_MAX } from "../../limits.ts";
import type { Verb } from "../../log/tool.ts";
import { fold, LETTERS, sentencesOf, stretchesOf, type Sentence } from "../../text/sentences.ts";
import { GRAMMARS } from "./grammar.ts";
import { hasUnlisted, readerFor, tellsFailure, type Reader } from "./phrases.ts";
import { VERBS, type Language } from "./verbs.ts";

/**
 * What a text claims to have done. Only what is said as the speaker's own act counts: "Published the page", "I have
 * published it", "it has been published"; not "pages published by Anna", "once published", "I could publish".
 */
export interface Claim {
  /** `done`: the whole request, by a bare "Done." */
  readonly verb: Verb | "done";
  /** number of the sentence, from 0 */
  readonly sentence: number;
  /** what stands around the verb, up to the next mark */
  readonly clause: string;
  /** says how things are, not who did it */
  readonly isState: boolean;
  /** says that the speaker did it */
  readonly isOwn: boolean;
}

/** What the answer itself holds is no effect: "Created a summary of the findings". */
const IN_THE_ANSWER =
  /^ (?:\p{L}+ ){0,3}(?:summar(?:y|ies)|lists?|tables?|outline|overview|comparison|proposal|suggestions?|breakdown|checklist|zusammenfassung|ubersicht|liste|tabelle|vergleich|vorschlag|resume|tableau|apercu|proposition|resumen|lista|tabla|propuesta)\b/u;
/** "I changed nothing." */
const NOTHING = /^ (?:nothing|no|none|neither|not|nichts|kein\w*|rien|aucun\w*|nada|ningun\w*)\b/u;
/** Lists under such a line tell what others did. */
const HISTORY =
  /\b(?:history|log|activity|changelog|revisions?|versions?|timeline|recent (?:changes|edits|activity)|verlauf|protokoll|versionen|historique|journal|historial|registro)\b[^.]*$/u;
const STATES: Partial<Record<Verb, string>> = {
  publish: "live|online|public|visible|offentlich|sichtbar|en ligne|publique|en linea",
  unpublish:
    "offline|no longer (?:public|live|online|visible)|nicht mehr (?:offentlich|online|live|sichtbar)|hors ligne|fuera de linea",
  delete: "gone|weg",
};
/** Of what is no more than a draft. */
const DRAFT = /\b(?:draft|entwurf|brouillon|borrador|unpublished|preview|vorschau)/u;

interface Form {
  readonly verb: Verb;
  readonly regexp: RegExp;
  /** a word for how a thing is */
  readonly isState: boolean;
}

/** Compiled at their first use: all of them at once were most of a cold start. */
const compiled = new Map<string, readonly Form[]>();

function formsOf(language: Language, tense: "base" | "past"): readonly Form[] {
  const key = `${language} ${tense}`;
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const form = (verb: string, source: string, isState = false): Form[] => {
    if (source === "") return [];
    const regexp = new RegExp(`(?<![${LETTERS}-])(?:${source})(?![${LETTERS}])`, "gu");
    return [{ verb: verb as Verb, regexp, isState }];
  };
  const words = Object.entries(VERBS[language]).flatMap(([verb, [base, past]]) =>
    form(verb, tense === "base" ? base : past),
  );
  const states = Object.entries(STATES).flatMap(([verb, source]) => form(verb, source, true));
  const forms = tense === "base" ? words : [...words, ...states];
  compiled.set(key, forms);
  return forms;
}

/** One pattern for all forms of a language and a tense: most sentences hold none, and need no look at each. */
const anyCompiled = new Map<string, RegExp>();

function holdsForm(text: string, language: Language, tense: "base" | "past"): boolean {
  const key = `${language} ${tense}`;
  const known = anyCompiled.get(key);
  const any =
    known ??
    new RegExp(
      formsOf(language, tense)
        .map(({ regexp }) => regexp.source)
        .join("|"),
      "u",
    );
  anyCompiled.set(key, any);
  return any.test(text);
}

/** The effects that a request wishes for. A question for information wishes none; "send me a list" asks for an answer. */
export function wishesOf(request: string): ReadonlySet<Verb> {
  const reader = readerFor(request);
  const wished = new Set<Verb>();
  for (const sentence of sentencesOf(request)) {
    if (reader.starts(sentence.text, "asksToKnow")) continue;
    for (const language of reader.languages) {
      if (!holdsForm(sentence.text, language, "base")) continue;
      for (const { verb, regexp } of formsOf(language, "base")) {
        for (const match of sentence.text.matchAll(regexp)) {
          const before = sentence.text.slice(0, match.index);
          const after = sentence.text.slice(match.index + match[0].length);
          const isTalk = /\b(?:how to|don't|do not|not|never|nicht|kein\w*|ne|no)(?: \w+)? $/u.test(before);
          const isAnswer = /^ (?:me|us|mir|uns)\b/u.test(after) || IN_THE_ANSWER.test(after);
          if (!isTalk && !isAnswer) wished.add(verb);
        }
      }
    }
  }
  return wished;
}

/** Every claim of a text, in the order of its sentences. `draftsOnly`: nothing but drafts was changed, so that nothing is public by it. */
export function claimsOf(text: string, request: string, draftsOnly = false): readonly Claim[] {
  const sentences = sentencesOf(text);
  const reader = readerFor(text);
  const wishes = new Set(wishesOf(request));
  if (draftsOnly && !DRAFT.test(fold(text))) wishes.add("publish");
  // "Publish it if it is not": then it may be so without an act.
  const asker = readerFor(request);
  const conditional = asker.has(request, "condition");
  const wanted = sentencesOf(request).map((sentence) => sentence.text);
  const asksToKnow = wanted.every((sentence) => asker.starts(sentence, "asksToKnow"));
  const asked = { wishes: conditional ? new Set<Verb>() : wishes, asksToKnow };
  if (wanted.some((sentence) => asker.starts(sentence, "asksForPast"))) return [];
  const history = sentences.findIndex(({ text: line }) => HISTORY.test(line));
  const claims = sentences.flatMap((sentence, index) => {
    if (/\?["')\]]*$/u.test(sentence.text) || sentence.heading) return [];
    if (sentence.item && history >= 0 && history < index) return [];
    return reader.languages.flatMap((language) =>
      claimsIn(sentence, language, asked).map((claim): Claim => ({ ...claim, sentence: index })),
    );
  });
  const bare = bareDone(text, sentences, reader, asked.wishes);
  const own = asksForText(request)
    ? claims.filter(({ verb }) => verb !== "done" && wishes.has(verb))
    : claims;
  return bare === null ? own : [...own, bare];
}

function claimsIn(
  sentence: Sentence,
  language: Language,
  asked: { readonly wishes: ReadonlySet<Verb>; readonly asksToKnow: boolean },
): readonly Omit<Claim, "sentence">[] {
  const { text, cased } = sentence;
  if (!holdsForm(text, language, "past")) return [];
  const grammar = GRAMMARS[language];
  if (grammar.earlier.test(text)) return [];
  const isElsewhere = grammar.elsewhere.test(text);
  return formsOf(language, "past").flatMap(({ verb, regexp, isState }) => {
    for (const match of text.matchAll(regexp)) {
      const before = text.slice(0, match.index);
      const clause = before.slice(
        Math.max(...[",", ";", ":", "(", "–", "—"].map((mark) => before.lastIndexOf(mark))) + 1,
      );
      const after = cased.slice(match.index + match[0].length);
      if (grammar.unreal.test(clause) || NOTHING.test(after) || IN_THE_ANSWER.test(after.toLowerCase()))
        continue;
      const frame = grammar.frames.find(
        (one) =>
          (one.kind === "state" || !isState) &&
          one.before.test(before) &&
          (one.after === undefined || one.after.test(after)),
      );
      if (frame === undefined) continue;
      if (frame.kind !== "own" && (isElsewhere || asked.asksToKnow)) continue;
      if (frame.kind === "state" && !asked.wishes.has(verb)) continue;
      const whole = clause + (/^[^,;:(–—]*/u.exec(text.slice(match.index))?.[0] ?? "");
      return [{ verb, clause: whole, isState: frame.kind === "state", isOwn: frame.kind === "own" }];
    }
    return [];
  });
}

/** "Done." alone says that the whole request is done, whatever it wished for. */
function bareDone(
  text: string,
  sentences: readonly Sentence[],
  reader: Reader,
  wishes: ReadonlySet<Verb>,
): Claim | null {
  if (wishes.size === 0 || text.trim().length > BARE_DONE_CHARS_MAX || tellsFailure(text, reader))
    return null;
  const index = sentences.findIndex((sentence) => reader.is(sentence.text, "done"));
  return index < 0 ? null : { verb: "done", sentence: index, clause: "", isState: false, isOwn: true };
}

/** Whether a text says, in a way that is known, that something is not so, was so before, or only could be. */
export function saysNotSo(text: string): boolean {
  const reader = readerFor(text);
  const isSaid = reader.has(text, "negative") || reader.has(text, "condition");
  return (
    isSaid || stretchesOf(fold(text)).some((stretch) => ALREADY.test(stretch)) || tellsFailure(text, reader)
  );
}
const ALREADY =
  /\b(?:already|leav(?:e|ing)|left|keep(?:ing)?|kept|unchanged|as (?:it|they) (?:is|was|are|were)|bereits|schon|unverandert|(?:be)?lasse|behalte|deja|laiss(?:e|ee?)|garde|conserve|ya|dejo|dejado|mantengo|queda)\b/u;

/** A text that was asked for speaks for others: a reply to a customer, a release note. */
export function asksForText(request: string): boolean {
  const reader = readerFor(request);
  if (hasUnlisted(request, "text")) return true;
  return sentencesOf(request).some(
    ({ text }) =>
      reader.starts(text, "asksForText") ||
      (/^(?:please|can you|could you|bitte|kannst du)\b/u.test(text) && reader.has(text, "asksForText")),
  );
}
