import type { Profile } from "../../log/verdict.ts";
import { fold, sentencesOf } from "../../text/sentences.ts";
import { hasPastForm, wishesOf } from "./claims.ts";
import { readerFor } from "./phrases.ts";
import type { ReviewSubject } from "./subject.ts";

/**
 * True where the receipt of a run without effects need not be shown: the person plainly asked to know something, or only
 * greeted, in a language that is known, and no word of the answer could claim a change. In any doubt the receipt is shown: one
 * line too many costs less than a false claim without it. Nothing else depends on this.
 */
export function isQuiet(
  subject: Pick<ReviewSubject, "request" | "candidate" | "calls" | "profile">,
): boolean {
  const { request, candidate, calls, profile } = subject;
  if (calls.some(({ effect, kind }) => effect !== "read" && kind !== "bookkeeping")) return false;
  return asksNoChange(request, profile) && !mayClaim(candidate);
}

function asksNoChange(request: string, profile: Profile): boolean {
  const reader = readerFor(request);
  if (reader.languages.length === 0 || wishesOf(request).size > 0) return false;
  if (profile === "trivial") return true;
  const sentences = sentencesOf(request).filter(({ heading }) => !heading);
  return (
    sentences.length > 0 &&
    sentences.every(
      ({ text }) => GREETING.test(text) || (reader.starts(text, "asksToKnow") && !POLITE_ORDER.test(text)),
    )
  );
}

const GREETING =
  /^(?:hi|hello|hey|good (?:morning|afternoon|evening)|thanks|thank you|hallo|guten (?:morgen|tag|abend)|danke|bonjour|salut|bonsoir|merci|hola|buen[oa]s? (?:dias|tardes|noches)|gracias)(?: \p{L}+){0,2}[^\p{L}]*$/u;

/** A question in form that orders something: "Have you got time to change it?" */
const POLITE_ORDER =
  /\b(?:can|could|would|will|may|kannst|konntest|wurdest|peux|pourrais|pouvez|puedes|podrias)\b/u;

/**
 * Words by which an answer may claim a change in one of the listed languages: a past form of any verb that tools have, a first
 * person in a past tense, or a state that work brings about. Letters of another script, or none of the listed languages, may
 * claim anything.
 */
function mayClaim(answer: string): boolean {
  const folded = fold(answer);
  if (
    readerFor(answer).languages.length === 0 ||
    /[^\p{ASCII}\u0080-\u024f\u2000-\u2bff\u{1f000}-\u{1faff}\p{M}]/u.test(folded)
  )
    return true;
  const speaks = sentencesOf(answer).some(
    ({ text }) => !/\?[^\p{L}]*$/u.test(text) && FIRST_PERSON.test(text),
  );
  return (
    speaks || PRETERITE.test(answer) || MAY_CLAIM.test(folded) || STEMS.test(folded) || hasPastForm(folded)
  );
}

/** In a sentence that asks nothing, whoever speaks of themselves may claim anything. */
const FIRST_PERSON =
  /(?<!\p{L})(?:i|i'\p{L}+|we|we'\p{L}+|me|my|ich|mir|hab|habe|haben|wir|je|j'\p{L}+|j'|ai|nous|avons|on|yo|he|hemos|acabo|nos)(?!\p{L})/u;
/** Spanish of the first person, whose accents are folded elsewhere; the third person looks like other words. */
const PRETERITE = /\p{L}(?:é|í|ó|imos|amos)(?!\p{L})/u;

const MAY_CLAIM = new RegExp(
  [
    // First persons in a past tense.
    "\\b(?:i|we)(?:'ve| have|'d| had| just| also| went| took| made| did| put| got| set| gave| built| wrote| ran| \\w+ed)\\b",
    "\\b(?:habe|haben) (?:ich|wir)\\b|\\b(?:ich|wir) (?:habe|haben|hab)\\b|\\b(?:wurden?|worden)\\b",
    "\\bj'ai\\b|\\bnous avons\\b|\\bje viens de\\b|\\ba ete\\b|\\bont ete\\b",
    "\\b(?:he|hemos) \\w+(?:do|to|cho)\\b|\\bacabo de\\b|\\bha(?:n)? sido\\b|\\bqued[oa]\\b",
    // States that work brings about.
    "\\b(?:done|ready|all set|in place|live|online|now (?:has|shows|says|reads|contains|includes)|has been|have been|taken care|as (?:you )?(?:asked|requested|wished|wanted))\\b",
    "\\b(?:erledigt|fertig|bereit|wie gewunscht|jetzt|nun|umgesetzt|drin)\\b",
    "\\b(?:fait|faite|pret|prete|termine\\w*|en ligne|desormais|maintenant|comme demande)\\b",
    "\\b(?:hecho|hecha|list[oa]s?|terminad\\w*|en linea|ya esta\\w*|ahora|como pediste|como pidio)\\b",
  ].join("|"),
  "u",
);

/** Beginnings of the words for changes in languages without a list. */
const STEMS =
  /\b(?:pubbli|publi|opubli|gepubl|crea[dtv]|erstell|angeleg|aggiun|adicion|agreg|ajout|elimin|supprim|apag|verwijd|usun|utworz|dodan|zmieni|skapa|opprett|slett|ta bort|geloscht|borr|anad|cambi|modific|actualiz|mis a jour|aggiorn|atualiz|envia|enviad|inviat|wysl|verzond|versend|versch|gesend|geander|hinzugef)/u;
