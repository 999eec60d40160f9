import { normalize } from "../../log/normalize.ts";
import { type RequestedLimits, outcomeClass, type Entry, type Limits } from "../../log/entry.ts";
import { LEVELS, type ClassLabel, type Level, type Profile } from "../../log/verdict.ts";
import type { EndedRun, QueuedRun, State } from "../../state/state.ts";
import { limitsOf, entryOf } from "./amounts.ts";
import { limitsFor, PROFILES } from "./profiles.ts";

/** How much work an input asks for: rules over its whole text, first match wins. */

/** How sure a model must be to make a run smaller than its words do. */
const SURE = 0.8;

const SHORT_CHARS_MAX = 5;
const LONG_CHARS = 400;
const COURTESY_WORDS_MAX = 8;
const GO_AHEAD_WORDS_MAX = 6;
const RESUME_CHARS_MAX = 80;

export interface ClassifyInput {
  /** all that the person said */
  readonly text: string;
  readonly attachments: number;
  /** named by the API, a prefix (`readMode`), a schedule, a capsule or a heartbeat */
  readonly explicit: Profile | null;
  /** class of the earlier run that the input names or takes up again (`resumed`), null when it does neither */
  readonly resumed: Profile | null;
  /** class of the run whose question, plan or approval is open, null when none is */
  readonly open: Profile | null;
  /** a tool is offered that reads from outside: without one there is nothing to research with */
  readonly canResearch: boolean;
}

export interface Classified {
  readonly profile: Profile;
  /** number of the rule that matched */
  readonly rule: 1 | 2 | 3 | 4 | 5 | 6 | 7;
  /** of 8 */
  readonly score: number;
  /** what it is at least, by what stands in it */
  readonly floor: Level;
  /** work was asked for, so a bare acknowledgement is no end of it */
  readonly work: boolean;
}

export function classify(input: ClassifyInput): Classified {
  const { text } = input;
  const said = wordsOf(text);
  const score = scoreOf(text, said);
  const floor: Level = input.attachments > 0 || hasUrl(text) || hasFence(text) ? "standard" : "trivial";
  const [rule, profile] = firstRule(input, said, score, floor);
  const isWork =
    LEVELS.indexOf("standard") <= rank(profile) || effectsIn(said).length > 0 || asksResearch(text, said);
  return { profile, rule, score, floor, work: isWork };
}

/**
 * Whether a model may be asked for the class: not where it was said, where the run goes on from another, or where the words
 * are a mere courtesy.
 */
export const isOpenToLabel = ({ rule }: Pick<Classified, "rule">): boolean => rule > 4;

/**
 * The class after a model has named one: a larger one holds, a smaller one by one step, where the model is sure and the words
 * say little else.
 */
export function withLabel(found: Classified, label: ClassLabel | null, canResearch: boolean): Classified {
  if (label === null || !isOpenToLabel(found)) return found;
  const [own, named] = [rank(found.profile), LEVELS.indexOf(label.level)];
  if (label.level === "research" && !canResearch) return found;
  const isLower = named < own && label.confidence >= SURE && found.score <= 1;
  const level = named > own ? named : isLower ? Math.max(own - 1, LEVELS.indexOf(found.floor)) : own;
  const profile = LEVELS[level] ?? found.profile;
  return { ...found, profile, work: found.work || level >= LEVELS.indexOf("standard") };
}

function firstRule(
  { text, explicit, resumed, open, canResearch }: ClassifyInput,
  said: readonly string[],
  score: number,
  floor: Level,
): [Classified["rule"], Profile] {
  if (explicit !== null) return [1, explicit];
  if (resumed !== null) return [2, atLeast(levelOf(resumed), "standard")];
  if (open !== null && isGoAhead(said)) return [3, atLeast(levelOf(open), "standard")];
  if (floor === "trivial" && isTrivial(text, said)) return [4, "trivial"];
  if (score === 0 && REMEMBERS.has(said[0] ?? "")) return [5, atLeast("simple", floor)];
  if (canResearch && asksResearch(text, said) && (score >= 1 || said.some((word) => OUTPUTS.has(word))))
    return [6, "research"];
  return [7, atLeast(score >= 3 ? "complex" : score >= 1 ? "standard" : "simple", floor)];
}

/** `/lean`, `/fast`, `[LEAN]` or `[FAST]` at the start, in any case, is taken off before anything else reads the text. */
export function readMode(text: string): { readonly profile: "lean" | null; readonly text: string } {
  const match = /^\s*(?:\/(?:lean|fast)(?!\S)|\[(?:lean|fast)\])\s*/i.exec(text);
  return match === null ? { profile: null, text } : { profile: "lean", text: text.slice(match[0].length) };
}

/** Which earlier run an input takes up: its local name where it is named, `last` for the newest, null for none. */
export function resumed(text: string): string | null {
  const named = /(?:^|[\s.(#])(r[1-9]\d{0,6})(?=$|[\s.,;:!?)])/.exec(text)?.[1];
  if (named !== undefined) return named;
  return text.trim().length <= RESUME_CHARS_MAX && RESUMES.has(wordsOf(text)[0] ?? "") ? "last" : null;
}

/** A yes to what is open, and nothing more. */
function isGoAhead(said: readonly string[]): boolean {
  if (said.length === 0 || said.length > GO_AHEAD_WORDS_MAX) return false;
  return said.every((word) => GO_AHEADS.has(word)) && said.some((word) => YESES.has(word));
}

function wordsOf(text: string): readonly string[] {
  return (
    normalize(text, "NFC")
      .toLowerCase()
      .replaceAll("’", "'")
      .match(/[\p{L}\p{N}]+(?:['-][\p{L}\p{N}]+)*/gu) ?? []
  );
}

const rank = (profile: Profile): number => LEVELS.indexOf(levelOf(profile));

/** The level that a class works at: a run that goes on from a capsule is a complex one, without its time and money. */
function levelOf(profile: Profile): Level {
  switch (profile) {
    case "time_capsule":
      return "complex";
    case "heartbeat":
    case "lean":
      return "simple";
    default:
      return profile;
  }
}

const atLeast = (level: Level, least: Level): Level =>
  LEVELS.indexOf(level) < LEVELS.indexOf(least) ? least : level;

function isTrivial(text: string, said: readonly string[]): boolean {
  const trimmed = text.trim();
  if (/[\p{N}?？]/u.test(trimmed)) return false;
  // Five characters of Chinese are a sentence.
  const isShort =
    [...trimmed].length <= SHORT_CHARS_MAX &&
    !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Hangul}]/u.test(trimmed);
  if (isShort) return true;
  return said.length > 0 && said.length <= COURTESY_WORDS_MAX && said.every((word) => COURTESIES.has(word));
}

function asksResearch(text: string, said: readonly string[]): boolean {
  if (said.some((word) => RESEARCH_FORMS.has(word))) return true;
  if (said.some((word) => FINDS.has(word)) && said.some((word) => FINDABLES.has(word))) return true;
  // Clause by clause, because "the research page" orders nothing and "research it" does.
  return text.split(/[.,;:!?\n()"]+/).some((clause) => {
    const clauseWords = wordsOf(clause);
    return clauseWords.some(
      (word, at) => RESEARCH_VERBS.has(word) && (at === 0 || BEFORE_VERBS.has(clauseWords[at - 1] ?? "")),
    );
  });
}

function scoreOf(text: string, said: readonly string[]): number {
  return [
    text.split(/(?<![.!?])[.!?]+(?=\s|$)|[。！？]+|\n+/).filter((part) => /\p{L}/u.test(part)).length >= 3,
    said.filter((word) => JOINERS.has(word)).length >= 3,
    (text.match(/[?？]/g)?.length ?? 0) >= 2,
    (text.match(/^[ \t]*(?:[-*•]|\d{1,3}[.)])[ \t]+\S/gm)?.length ?? 0) >= 2,
    hasFence(text) || /`[^`\n]+`/.test(text) || hasJson(text) || capitalsIn(text) >= 2,
    hasUrl(text),
    effectsIn(said).length >= 2,
    [...text].length > LONG_CHARS,
  ].filter(Boolean).length;
}

const hasUrl = (text: string): boolean => /\bhttps?:\/\/\S|\bwww\.\S+\.\S/i.test(text);
const hasFence = (text: string): boolean => /^[ \t]*(?:```|~~~)/m.test(text);
const hasJson = (text: string): boolean =>
  /\{\s*"[^"\n]{1,200}"\s*:|\[\s*(?:\{|"[^"\n]{0,200}"\s*[,\]])/.test(text);
const capitalsIn = (text: string): number =>
  text.match(/(?<![\p{L}\p{N}])\p{Lu}{2,}(?![\p{L}\p{N}])/gu)?.length ?? 0;

/** Distinct verbs that change something. */
function effectsIn(said: readonly string[]): readonly ReadonlySet<string>[] {
  const all = new Set(said);
  return EFFECT_VERBS.filter((forms) => [...forms].some((form) => all.has(form)));
}

/**
 * The words by which an input is put into a class, in English, German, French and Spanish: lower case, as people
 * write them. Data only; a language that is missing here is classed by form alone.
 */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Greetings, thanks and farewells, and what stands around them. */
const COURTESIES = words(`
  hi hello hey hiya yo morning afternoon evening good night thanks thank thx ty cheers bye goodbye cya see you later
  welcome nice great cool perfect awesome lovely very much so many a lot there again all everyone cairn
  hallo moin servus guten morgen tag abend nacht danke vielen dank schön schoen dankeschön tschüss tschuess ciao bis bald später super prima toll sehr euch allerseits
  bonjour bonsoir salut coucou merci beaucoup bien au revoir à bientôt adieu bonne nuit journée soirée parfait tous
  hola buenos buenas días dias tardes noches gracias muchas adiós adios hasta luego mañana perfecto genial todos
`);

/** A yes to what is open: every word of the input is one of these. */
const GO_AHEADS = words(`
  yes yep yeah yup ok okay k sure fine go ahead do it that this proceed continue please right correct exactly agreed approved sounds good great perfect now then start on with
  ja jo jawohl gern gerne bitte mach machen das es los weiter einverstanden genau richtig passt klar in ordnung leg
  oui ouais d'accord daccord vas-y allez-y allez continue continuez s'il te vous plaît plait fais-le faites-le bien sûr parfait c'est bon
  sí si vale claro dale adelante hazlo hágalo sigue continúa continua por favor de acuerdo correcto exacto está bien
`);

/** Of those, what alone is a yes: an input of "please" or "this" is none. */
const YESES = words(`
  yes yep yeah yup ok okay k sure fine go do proceed continue right correct exactly agreed approved good start
  ja jo jawohl gern gerne mach machen los weiter einverstanden genau richtig passt klar ordnung
  oui ouais d'accord daccord vas-y allez-y allez continue continuez fais-le faites-le sûr parfait bon
  sí si vale claro dale adelante hazlo hágalo sigue continúa continua acuerdo correcto exacto bien
`);

/** First words that take an earlier run up again. */
const RESUMES = words(`
  continue resume weiter fortsetzen weitermachen continue continuer continuez reprends reprenez continúa continua sigue retoma
`);

/** First words that ask to keep something in mind. */
const REMEMBERS = words(`
  remember note merke merk notiere notier retiens souviens-toi rappelle-toi note noter recuerda anota apunta
`);

/** Words that order research wherever they stand. */
const RESEARCH_FORMS = words(`
  investigate researching investigating
  recherchiere recherchieren vergleiche vergleichen untersuche untersuchen
  rechercher recherchez comparer comparez enquêter enquêtez
  investiga investigar investigue compara comparar
`);

/** Those that are nouns as well, so that they count only where a verb may stand. */
const RESEARCH_VERBS = words("research compare survey recherche");

/** What stands before a verb that orders something; the start of a clause does too. */
const BEFORE_VERBS = words(`
  and then to please you also just now we i must should first next lets let's can could
  und dann bitte zu auch erst et puis veuillez ensuite d'abord y luego entonces por favor
`);

/** With one of the things below it is research as well. */
const FINDS = words(`
  find finde finden such suche suchen trouve trouver trouvez cherche chercher cherchez busca buscar encuentra encontrar
`);
const FINDABLES = words(`
  article articles paper papers source sources artikel studien quellen publikationen étude études artículo artículos
  fuente fuentes estudio estudios publicaciones
`);

/** What research is to come to. */
const OUTPUTS = words(`
  report reports source sources table tables citation citations
  bericht berichte quelle quellen tabelle tabellen zitate belege
  rapport rapports tableau tableaux citations
  informe informes reporte fuente fuentes tabla tablas citas
`);

/** Words that join one wish to the next. */
const JOINERS = words(`
  and then also after afterwards und dann danach auch anschließend et puis ensuite aussi après y e luego después también entonces
`);

/** Verbs that change something, each with its forms: two of one line are one verb. */
const EFFECT_VERBS: readonly ReadonlySet<string>[] = [
  "create make build erstelle erstellen erzeuge baue bauen leg lege anlegen crée créer créez crea crear",
  "add insert append füge hinzufügen ergänze ergänzen einfügen ajoute ajouter ajoutez añade añadir agrega agregar",
  "update change edit modify adjust ändere ändern aktualisiere aktualisieren bearbeite bearbeiten modifie modifier modifiez change changer cambia cambiar actualiza actualizar edita editar",
  "delete remove erase lösche löschen entferne entfernen supprime supprimer supprimez enlève borra borrar elimina eliminar quita",
  "publish unpublish veröffentliche veröffentlichen publie publier publiez publica publicar",
  "send email schicke schicken sende senden verschicke envoie envoyer envoyez envía enviar manda",
  "write draft compose schreibe schreib schreiben verfasse écris écrire écrivez rédige rédiger escribe escribir redacta",
  "move reorder verschiebe verschieben déplace déplacer mueve mover",
  "rename umbenenne umbenennen renomme renommer renombra renombrar",
  "upload import hochladen lade importiere télécharge importe importer sube subir importa",
  "schedule plane planen planifie planifier programma programa programar",
  "translate übersetze übersetzen traduis traduire traduisez traduce traducir",
  "replace ersetze ersetzen remplace remplacer reemplaza sustituye",
  "fix repair repariere reparieren behebe korrigiere corrige corriger réparer arregla arreglar corregir",
].map(words);

/**
 * The class of a run that begins now, and its limits: what was wanted of it stands in place of the row of its class.
 * `said` is its input, `answer` what the last run ended with; `canResearch`: a tool reads from outside; `label`: what a model
 * says of it.
 */
export function classOf(
  state: State,
  queued: QueuedRun,
  { said, answer }: { readonly said: Entry | null; readonly answer: Entry | null },
  canResearch: boolean,
  label: ClassLabel | null,
): { readonly classified: Classified; readonly limits: Limits } {
  const parts = said?.kind === "user_message" ? said.body.parts : [];
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  const found = classify({
    text,
    attachments: parts.filter((part) => part.type !== "text").length,
    explicit: queued.request.profile ?? null,
    resumed: resumedClass(state, text),
    open: openClass(state.ended.at(-1), answer),
    canResearch,
  });
  const classified = withLabel(found, label, canResearch);
  return { classified, limits: limitsUnder(classified.profile, queued.request) };
}

/** What is enforced of a run of this class. */
function limitsUnder(profile: Profile, { limits, caps }: RequestedLimits): Limits {
  const found = limitsFor(profile, entryOf(limits), caps === undefined ? {} : { caps: entryOf(caps) });
  // What cannot be was refused when the run was accepted; the row of a class always can.
  return limitsOf(found.ok ? found.limits : PROFILES[profile]);
}

/** A run that is named and no longer remembered was one of work. */
function resumedClass(state: State, text: string): Profile | null {
  const name = resumed(text);
  if (name === null) return null;
  const earlier = name === "last" ? state.ended.at(-1) : state.ended.find((run) => run.run === name);
  if (earlier !== undefined) return earlier.profile;
  return name !== "last" && Number(name.slice(1)) < state.runs ? "standard" : null;
}

/** A run that ended in a question, or with work left, is still open for a yes. */
function openClass(last: EndedRun | undefined, answer: Entry | null): Profile | null {
  if (last === undefined) return null;
  const asks = answer?.kind === "answer" && /[?？]\s*$/u.test(answer.body.text);
  return asks || outcomeClass(last.outcome) === "partial" ? last.profile : null;
}
