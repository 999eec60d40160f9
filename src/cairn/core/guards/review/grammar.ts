import type { Language } from "./verbs.ts";

export interface Frame {
  /** what stands before the verb, up to it */
  readonly before: RegExp;
  /** what must follow it, case kept */
  readonly after?: RegExp;
  /** `state`: says how things are now, so it claims only what was asked for. `passive`: may tell somebody else's act */
  readonly kind: "own" | "passive" | "state";
}

/** How a language says that something was done, and by whom. */
export interface Grammar {
  readonly frames: readonly Frame[];
  /** somewhere before the verb in its clause: then nothing is claimed */
  readonly unreal: RegExp;
  /** somewhere in the sentence: then a passive or a state tells of somebody else, or of earlier */
  readonly elsewhere: RegExp;
  /** somewhere in the sentence: then it is an act of an earlier run */
  readonly earlier: RegExp;
}

const frame =
  (kind: Frame["kind"]) =>
  (before: string | RegExp, after?: RegExp): Frame => ({
    ...{ kind, before: new RegExp(before, "u") },
    ...(after === undefined ? {} : { after }),
  });
const [own, passive, state] = [frame("own"), frame("passive"), frame("state")];

const enFill = "(?:also|now|just|successfully|then|already|first|finally|directly|both|all|therefore)";
const enLead =
  "(?:(?:done|ok|okay|great|yes|sure|all done|perfect|good news|successfully|and|also|then|finally|now|just|first|next|i|next i)[ ,:;.!-]+)*";
const enObject =
  /^(?: (?:the|a|an|your|all|both|it|them|this|that|these|those|its|my|our|every|each|everything)\b| §| \d+ (?!jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\p{Ll}| (?!(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec))\p{Lu}(?!.*:$)|[.!,;]*$|[.!,;] )/u;
const deGap =
  "(?:(?!\\b(?:nicht|kein\\w*|nie|nichts|weder|niemand|noch)\\b|, ?(?:die|der|das|den|dem|dass|welche\\w*|weil|wenn|ob|was|wo)\\b)[^.])*";
const frFill = "(?:bien|egalement|aussi|deja|donc|ensuite|tout|toutes|tous|maintenant|desormais|a present)";
const esFill = "(?:ya|tambien|ahora|todo|correctamente|entonces|con exito)";

export const GRAMMARS: Readonly<Record<Language, Grammar>> = {
  en: {
    frames: [
      own(`\\b(?:i|we)(?:'ve| have)?(?: ${enFill})* $`),
      // "I looked at it and published it": what follows shares the subject, if it has an object of its own.
      own(`\\b(?:i|we|i've|we've)\\b.*(?:\\band|\\bthen|,)(?: ${enFill}| then| and)* $`, enObject),
      own(`^${enLead}\\w+(?:ed|nt)\\b.*(?:\\band|,)(?: ${enFill}| then| and)* $`, enObject),
      own(`^${enLead}$`, enObject),
      passive(
        `(?:\\bhas|\\bhave|'s|'ve)(?: ${enFill})* been(?: ${enFill})*(?: \\w+,?(?: \\w+,)? and)?(?: ${enFill})* $`,
      ),
      // How things are, or were made, is claimed only where it was asked for.
      state(`(?:\\b(?:is|are|was|were|got)|'s)(?: ${enFill})*(?: \\w+,?(?: \\w+,)? and)?(?: ${enFill})* $`),
      state(/^(?:[^\s]+ ){1,4}$/u, /^(?: (?:to|for|from|with|successfully)\b[^:]*)?[.!]*$/u),
      state(
        `^${enLead}$`,
        /^ (?!(?:on|in|by|at|since|from|for)\b)(?:(?!\b(?:is|are|was|were|has|have|can|will)\b)[^:])*$/u,
      ),
    ],
    unreal:
      /\b(?:if|once|when|whenever|after|before|until|unless|whether|would|could|should|might|may|can|cannot|will|must|to be|no|none|nothing|neither|nobody|not|never|n't|who|that|which|page that|assuming|suppose|had)\b/u,
    elsewhere:
      /\b(?:by (?!me\b|us\b|default)\w+|since|ago|yesterday|already|recently|previously|last|earlier|this (?:week|month|year)|(?:in|on) (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|\d|mon|tue|wed|thu|fri|sat|sun)\w*)\b/u,
    earlier:
      /\b(?:earlier|previously|yesterday|last (?:time|week|month|run)|in (?:the|a|my|our) (?:previous|earlier|last)|before)\b/u,
  },
  de: {
    frames: [
      own(
        `(?:\\bich hab(?:e)?|\\bhab(?:e)? ich|\\bwir haben|\\bhaben wir|^(?:ok, |ja, |fertig: )?hab(?:e)?)\\b${deGap}$`,
      ),
      passive(`\\bwurden?\\b${deGap}$`),
      passive(`\\b(?:ist|sind)\\b${deGap}$`, /^(?: und \w+)? worden\b/u),
      state(`\\b(?:ist|sind)\\b${deGap}$`),
      // "Seite “Über uns” veröffentlicht.": a report without a finite verb.
      own(
        /^(?!.*\b(?:ist|sind|wird|werden|wurde|wurden|hat|haben|habe|war|waren|sei|von|nicht|kann|soll|muss)\b)(?:[^\s]+ ){0,6}$/u,
        /^[.!]*$/u,
      ),
    ],
    unreal:
      /\b(?:wenn|falls|sobald|nachdem|bevor|bis|ob|wurde gern|konnte|konnten|sollte|sollten|kann|muss|darf|soll|werden soll|nicht|kein\w*|nie|nichts|weder|niemand|hatte|hatten)\b/u,
    elsewhere:
      /\b(?:von (?!mir\b|uns\b)\p{L}+|durch|seit|vor \w+|gestern|bereits|schon|zuletzt|kurzlich|am (?:\d|montag|dienstag|mittwoch|donnerstag|freitag)\w*|im (?:januar|februar|marz|april|mai|juni|juli|august|september|oktober|november|dezember)|letzte\w*|diese \w+|diesen monat)\b/u,
    earlier: /\b(?:fruher|vorhin|gestern|beim letzten mal|zuvor|letzte\w*)\b/u,
  },
  fr: {
    frames: [
      own(`(?:\\bj'ai|\\bje l'ai|\\bje les ai|\\bje vous l'ai|\\bnous avons|\\bon a)(?: ${frFill})* $`),
      own(
        /(?:\bj'ai|\bje l'ai|\bje les ai|\bnous avons)\b(?:(?!\b(?:pas|jamais|rien|aucun\w*|que|qui)\b)[^.])*(?:\bet|,)(?: puis| ensuite| l'ai| les ai)* $/u,
      ),
      passive(`\\b(?:a|ont)(?: ${frFill})* ete(?: ${frFill})*(?: [^\\s]+ et)? $`),
      state(`\\b(?:est|sont)(?: ${frFill})* $`),
      own(
        /^(?!.*\b(?:est|sont|etait|etaient|sera|seront|a|ont|par|pas|peut|doit)\b)(?:[^\s]+ ){1,6}$/u,
        /^[.!]*$/u,
      ),
    ],
    unreal:
      /\b(?:si|quand|lorsque|apres|avant|une fois|des que|pourrais|pourrait|devrait|serait|aurait|ne|n'\w+|pas|aucun\w*|rien|jamais|avais|avait)\b/u,
    elsewhere:
      /\b(?:par (?!moi\b|mes\b)\p{L}+|depuis|hier|deja|recemment|il y a|(?:la semaine|le mois|l'annee) derni\w+|cette semaine|ce mois|en (?:janvier|fevrier|mars|avril|mai|juin|juillet|aout|septembre|octobre|novembre|decembre|20\d\d)|le \d+)\b/u,
    earlier: /\b(?:plus tot|hier|precedemment|auparavant|la derniere fois|tout a l'heure)\b/u,
  },
  es: {
    frames: [
      own(`\\b(?:he|hemos)(?: ${esFill})* $`),
      own(/\b(?:he|hemos) (?:(?!\b(?:no|nunca|nada|ningun\w*|que)\b)[^.])*(?:\by|,)(?: luego| despues)* $/u),
      passive(
        `\\b(?:ha|han)(?: ${esFill})* sido(?: ${esFill})*(?: [^\\s]+ y)? $|\\bse (?:ha|han)(?: ${esFill})* $`,
      ),
      state(`\\b(?:esta|estan|fue|fueron)(?: ${esFill})* $`),
      own(
        /^(?!.*\b(?:es|son|esta|estan|fue|fueron|sera|ha|han|por|no|puede|debe)\b)(?:[^\s]+ ){1,6}$/u,
        /^[.!]*$/u,
      ),
    ],
    unreal:
      /\b(?:si|cuando|despues de|antes de|una vez|hasta|podria|deberia|seria|habria|no|ningun\w*|nada|nunca|habia)\b/u,
    elsewhere:
      /\b(?:por (?!mi\b)\p{L}+|desde|ayer|ya|recientemente|hace|(?:la semana|el mes|el ano) pasad\w+|esta semana|este mes|en (?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|20\d\d)|el \d+)\b/u,
    earlier: /\b(?:antes|ayer|anteriormente|la ultima vez)\b/u,
  },
};
