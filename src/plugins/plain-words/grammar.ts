import { PHRASES, type Language } from "./languages.ts";
import { lazilyFor } from "./lists.ts";

/** Patterns by which a language reports that something was done, and by whom. */

interface Frame {
  /** the text before the verb, up to it */
  readonly before: RegExp;
  /** a text that must follow it, case-sensitive */
  readonly after?: RegExp;
  /** `state`: the current state, so it claims only what was requested. `passive`: may be somebody else's act */
  readonly kind: "own" | "passive" | "state";
}

interface Grammar {
  readonly frames: readonly Frame[];
  /** somewhere before the verb in its clause: then nothing is claimed */
  readonly unreal: RegExp;
  /** anywhere in the sentence: then a passive or a state is about somebody else, or earlier */
  readonly elsewhere: RegExp;
  /** somewhere in the sentence: then it is an act of an earlier run */
  readonly earlier: RegExp;
}

export const grammarOf = lazilyFor((language: Language): Grammar => {
  const phrases = PHRASES[language];
  const words = (list: string): RegExp => new RegExp(`\\b(?:${phrases.pattern(list)})\\b`, "u");
  return {
    frames: FRAMES[language](),
    unreal: words("unreal"),
    elsewhere: words("elsewhere"),
    earlier: words("earlier"),
  };
});

const frame =
  (kind: Frame["kind"]) =>
  (before: string | RegExp, after?: RegExp): Frame => ({
    kind,
    before: new RegExp(before, "u"),
    ...(after === undefined ? {} : { after }),
  });
const [own, passive, state] = [frame("own"), frame("passive"), frame("state")];

const FRAMES: Readonly<Record<Language, () => readonly Frame[]>> = {
  en: englishFrames,
  de: germanFrames,
  fr: frenchFrames,
  es: spanishFrames,
};

function englishFrames(): readonly Frame[] {
  const filler = `(?:${PHRASES.en.pattern("filler")})`;
  const lead = `(?:(?:${PHRASES.en.pattern("lead")})[ ,:;.!-]+)*`;
  const determiner = PHRASES.en.pattern("determiner");
  const object = new RegExp(
    `^(?: (?:${determiner})\\b| §| \\d+ (?!jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\\p{Ll}| (?!(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec))\\p{Lu}(?!.*:$)|[.!,;]*$|[.!,;] )`,
    "u",
  );
  return [
    own(`\\b(?:i|we)(?:'ve| have)?(?: ${filler})* $`),
    // "I looked at it and published it": the second verb shares the subject, if it has an object.
    own(`\\b(?:i|we|i've|we've)\\b.*(?:\\band|\\bthen|,)(?: ${filler}| then| and)* $`, object),
    own(`^${lead}\\w+(?:ed|nt)\\b.*(?:\\band|,)(?: ${filler}| then| and)* $`, object),
    own(`^${lead}$`, object),
    passive(
      `(?:\\bhas|\\bhave|'s|'ve)(?: ${filler})* been(?: ${filler})*(?: \\w+,?(?: \\w+,)? and)?(?: ${filler})* $`,
    ),
    // How things are, or were made, is claimed only where it was asked for.
    state(`(?:\\b(?:is|are|was|were|got)|'s)(?: ${filler})*(?: \\w+,?(?: \\w+,)? and)?(?: ${filler})* $`),
    state(/^(?:[^\s]+ ){1,4}$/u, /^(?: (?:to|for|from|with|successfully)\b[^:]*)?[.!]*$/u),
    state(
      `^${lead}$`,
      /^ (?!(?:on|in|by|at|since|from|for)\b)(?:(?!\b(?:is|are|was|were|has|have|can|will)\b)[^:])*$/u,
    ),
  ];
}

function germanFrames(): readonly Frame[] {
  const gap =
    "(?:(?!\\b(?:nicht|kein\\w*|nie|nichts|weder|niemand|noch)\\b|, ?(?:die|der|das|den|dem|dass|welche\\w*|weil|wenn|ob|was|wo)\\b)[^.])*";
  return [
    own(
      `(?:\\bich hab(?:e)?|\\bhab(?:e)? ich|\\bwir haben|\\bhaben wir|^(?:ok, |ja, |fertig: )?hab(?:e)?)\\b${gap}$`,
    ),
    passive(`\\bwurden?\\b${gap}$`),
    passive(`\\b(?:ist|sind)\\b${gap}$`, /^(?: und \w+)? worden\b/u),
    state(`\\b(?:ist|sind)\\b${gap}$`),
    // "Seite “Über uns” veröffentlicht.": a report without a finite verb.
    own(
      /^(?!.*\b(?:ist|sind|wird|werden|wurde|wurden|hat|haben|habe|war|waren|sei|von|nicht|kann|soll|muss)\b)(?:[^\s]+ ){0,6}$/u,
      /^[.!]*$/u,
    ),
  ];
}

function frenchFrames(): readonly Frame[] {
  const filler = `(?:${PHRASES.fr.pattern("filler")})`;
  return [
    own(`(?:\\bj'ai|\\bje l'ai|\\bje les ai|\\bje vous l'ai|\\bnous avons|\\bon a)(?: ${filler})* $`),
    own(
      /(?:\bj'ai|\bje l'ai|\bje les ai|\bnous avons)\b(?:(?!\b(?:pas|jamais|rien|aucun\w*|que|qui)\b)[^.])*(?:\bet|,)(?: puis| ensuite| l'ai| les ai)* $/u,
    ),
    passive(`\\b(?:a|ont)(?: ${filler})* ete(?: ${filler})*(?: [^\\s]+ et)? $`),
    state(`\\b(?:est|sont)(?: ${filler})* $`),
    own(
      /^(?!.*\b(?:est|sont|etait|etaient|sera|seront|a|ont|par|pas|peut|doit)\b)(?:[^\s]+ ){1,6}$/u,
      /^[.!]*$/u,
    ),
  ];
}

function spanishFrames(): readonly Frame[] {
  const filler = `(?:${PHRASES.es.pattern("filler")})`;
  return [
    own(`\\b(?:he|hemos)(?: ${filler})* $`),
    own(/\b(?:he|hemos) (?:(?!\b(?:no|nunca|nada|ningun\w*|que)\b)[^.])*(?:\by|,)(?: luego| despues)* $/u),
    passive(
      `\\b(?:ha|han)(?: ${filler})* sido(?: ${filler})*(?: [^\\s]+ y)? $|\\bse (?:ha|han)(?: ${filler})* $`,
    ),
    state(`\\b(?:esta|estan|fue|fueron)(?: ${filler})* $`),
    own(
      /^(?!.*\b(?:es|son|esta|estan|fue|fueron|sera|ha|han|por|no|puede|debe)\b)(?:[^\s]+ ){1,6}$/u,
      /^[.!]*$/u,
    ),
  ];
}
