import type { Verb } from "../../log/tool.ts";
import { fold } from "../../text/sentences.ts";

/**
 * What an effect is called. A tool declares the verbs of its effects (`page_create`: create); the text of an answer claims
 * them in the words of a language. All words are folded: no accents, lower case. A form may hold a pattern.
 */

export type Language = "en" | "de" | "fr" | "es";

export const LANGUAGES: readonly Language[] = ["en", "de", "fr", "es"];

/** As in a request or a declaration, and as in a report of one's own act (the past form or the participle). */
type Forms = readonly [base: string, past: string];

type Words = Partial<Readonly<Record<Verb, Forms>>>;

/** French agrees its participles, Spanish too: the endings. */
const E = "e{1,2}s?";

const O = "(?:o|a)s?";

export const en = {
  create: ["create|make|build|set up|generate|duplicate|copy", "created|set up|duplicated"],
  add: ["add|insert|append|put", "added|inserted|appended"],
  update: [
    "update|change|edit|modify|replace|set|correct|fix|translate",
    "updated|changed|edited|modified|replaced|corrected",
  ],
  rename: ["rename", "renamed"],
  move: ["move|reorder", "moved|reordered"],
  attach: ["attach|upload", "attached|uploaded"],
  delete: ["delete|erase", "deleted|erased"],
  remove: ["remove|take out|hide", "removed"],
  publish: ["publish|go live|put .{1,60} (?:live|online)|launch", "published|launched"],
  unpublish: ["unpublish|take .{1,60} offline|take down", "unpublished|taken offline|taken down"],
  archive: ["archive", "archived"],
  restore: ["restore|undo|revert|roll back", "restored|reverted|rolled back|undone"],
  send: ["send|email|mail|notify|post|forward", "sent|emailed|mailed|notified|forwarded"],
  schedule: ["schedule|remind|plan", "scheduled"],
  save: ["save|store", "saved|stored"],
  close: ["close|resolve", "closed"],
  assign: ["assign", "assigned"],
  cancel: ["cancel", "cancell?ed"],
  refund: ["refund|reimburse", "refunded|reimbursed"],
  pay: ["pay|transfer", "paid|transferred"],
  book: ["book|order|reserve", "booked|ordered|reserved"],
  merge: ["merge", "merged"],
  commit: ["commit|push", "committed|pushed"],
  deploy: ["deploy|release|roll out", "deployed|released|rolled out"],
  install: ["install", "installed"],
  approve: ["approve", "approved"],
} as const satisfies Readonly<Record<Verb, Forms>>;

const de: Words = {
  create: [
    "erstell(?:e|en|t)?|leg(?:e|t)? .{1,80} an|anlegen|erzeug(?:e|en)",
    "erstellt|angelegt|erzeugt|dupliziert",
  ],
  add: [
    "fug(?:e|en|t)? .{1,80} hinzu|hinzufugen|erganz(?:e|en)|eintragen",
    "hinzugefugt|eingefugt|erganzt|eingetragen",
  ],
  update: [
    "aktualisier(?:e|en)|ander(?:e|n)|bearbeit(?:e|en)|ersetz(?:e|en)|korrigier(?:e|en)",
    "aktualisiert|geandert|bearbeitet|ersetzt|korrigiert|angepasst",
  ],
  rename: ["umbenennen|benenn(?:e|en) .{1,80} um", "umbenannt"],
  move: ["verschieb(?:e|en)?", "verschoben"],
  attach: ["lad(?:e)? .{1,80} hoch|hochladen|anhangen", "hochgeladen|angehangt"],
  delete: ["losch(?:e|en)?", "geloscht"],
  remove: ["entfern(?:e|en)?", "entfernt"],
  publish: [
    "vero(?:e)?ffentlich(?:e|en)?|stell(?:e)? .{1,80} online|freischalten",
    "vero(?:e)?ffentlicht|publiziert|freigeschaltet",
  ],
  unpublish: ["depublizier(?:e|en)|nimm .{1,80} offline", "depubliziert|offline genommen"],
  archive: ["archivier(?:e|en)", "archiviert"],
  restore: ["wiederherstellen|stell(?:e)? .{1,80} wieder her", "wiederhergestellt|ruckgangig gemacht"],
  send: [
    "send(?:e|en)|schick(?:e|en)?|verschick(?:e|en)|benachrichtig(?:e|en)",
    "gesendet|geschickt|verschickt|versendet|versandt|abgeschickt|benachrichtigt",
  ],
  schedule: ["plan(?:e|en)|erinner(?:e|n)", "eingeplant|terminiert"],
  save: ["speicher(?:e|n)?|sichern", "gespeichert|abgespeichert"],
  close: ["schliess(?:e|en)", "geschlossen"],
  assign: ["zuweisen", "zugewiesen"],
  cancel: ["stornier(?:e|en)|kundig(?:e|en)", "storniert|gekundigt"],
  refund: ["erstatt(?:e|en)", "erstattet|zuruckerstattet"],
  pay: ["bezahl(?:e|en)|uberweisen", "bezahlt|uberwiesen"],
  book: ["buch(?:e|en)|bestell(?:e|en)|reservier(?:e|en)", "gebucht|bestellt|reserviert"],
  commit: ["", "committet|gepusht"],
  deploy: ["deploy(?:e|en)", "deployt|ausgerollt"],
  install: ["installier(?:e|en)", "installiert"],
  approve: ["genehmig(?:e|en)", "genehmigt"],
};

const fr: Words = {
  create: ["cree[rz]?|genere[rz]?|ajoute[rz]? une page", `cre${E}|dupliqu${E}`],
  add: ["ajoute[rz]?|insere[rz]?", `ajout${E}|inser${E}`],
  update: [
    "mets? .{0,60}a jour|mettre a jour|modifie[rz]?|change[rz]?|remplace[rz]?|corrige[rz]?",
    `mis(?:e?s?) a jour|modifi${E}|chang${E}|remplac${E}|corrig${E}`,
  ],
  rename: ["renomme[rz]?", `renomm${E}`],
  move: ["deplace[rz]?", `deplac${E}`],
  attach: ["televerse[rz]?|joins|joindre", `televers${E}|joint(?:e?s?)`],
  delete: ["supprime[rz]?|efface[rz]?", `supprim${E}|effac${E}`],
  remove: ["enleve[rz]?|retire[rz]?", `enlev${E}|retir${E}`],
  publish: ["publie[rz]?|met(?:s|tre|tez) .{0,60}en ligne", `publi${E}|mis(?:e?s?) en ligne`],
  unpublish: ["depublie[rz]?|met(?:s|tre|tez) .{0,60}hors ligne", `depubli${E}|mis(?:e?s?) hors ligne`],
  archive: ["archive[rz]?", `archiv${E}`],
  restore: ["restaure[rz]?|annule[rz]? la modification", `restaur${E}`],
  send: ["envoie[rsz]?|envoye[rz]|previens|prevenir", `envoy${E}|prevenu(?:e?s?)`],
  schedule: ["programme[rz]?|planifie[rz]?|rappelle[rz]?", `programm${E}|planifi${E}`],
  save: ["enregistre[rz]?|sauvegarde[rz]?", `enregistr${E}|sauvegard${E}`],
  close: ["ferme[rz]?|cloture[rz]?", `ferm${E}|clotur${E}`],
  cancel: ["annule[rz]?", `annul${E}`],
  refund: ["rembourse[rz]?", `rembours${E}`],
  book: ["reserve[rz]?|commande[rz]?", `reserv${E}|command${E}`],
  deploy: ["deploie|deployer", `deploy${E}`],
  install: ["installe[rz]?", `install${E}`],
  approve: ["approuve[rz]?", `approuv${E}`],
};

const es: Words = {
  create: ["crea(?:r|me)?|cree|genera(?:r)?", `cread${O}|duplicad${O}`],
  add: ["anad(?:e|ir|a)|agrega(?:r)?|inserta(?:r)?", `anadid${O}|agregad${O}|insertad${O}`],
  update: [
    "actualiza(?:r)?|cambia(?:r)?|modifica(?:r)?|edita(?:r)?|reemplaza(?:r)?|corrig(?:e|ir)|corregir",
    `actualizad${O}|cambiad${O}|modificad${O}|editad${O}|reemplazad${O}|corregid${O}`,
  ],
  rename: ["renombra(?:r)?", `renombrad${O}`],
  move: ["muev[ea]|mover", `movid${O}`],
  attach: ["sub(?:e|ir)|adjunta(?:r)?", `subid${O}|adjuntad${O}`],
  delete: ["elimina(?:r)?|borra(?:r)?", `eliminad${O}|borrad${O}`],
  remove: ["quita(?:r)?|retira(?:r)?", `quitad${O}|retirad${O}`],
  publish: ["publica(?:r)?|publique", `publicad${O}`],
  unpublish: ["despublica(?:r)?", `despublicad${O}`],
  archive: ["archiva(?:r)?", `archivad${O}`],
  restore: ["restaura(?:r)?|deshaz|deshacer", `restaurad${O}`],
  send: ["envia(?:r)?|manda(?:r)?|notifica(?:r)?|avisa(?:r)?", `enviad${O}|mandad${O}|notificad${O}`],
  schedule: ["programa(?:r)?|recuerda(?:me)?", `programad${O}|agendad${O}`],
  save: ["guarda(?:r)?", `guardad${O}`],
  close: ["cierra|cerrar", `cerrad${O}`],
  assign: ["asigna(?:r)?", `asignad${O}`],
  cancel: ["cancela(?:r)?", `cancelad${O}`],
  refund: ["reembolsa(?:r)?|devuelve", `reembolsad${O}`],
  book: ["reserva(?:r)?|pide", `reservad${O}`],
  deploy: ["despliega|desplegar", `desplegad${O}`],
  install: ["instala(?:r)?", `instalad${O}`],
  approve: ["aprueba|aprobar", `aprobad${O}`],
};

export const VERBS: Readonly<Record<Language, Words>> = { en, de, fr, es };

/**
 * Which declared verbs bear out a claim, beside the verb itself: a section that was added bears out "created". "any" is every
 * effect, because to update, and to save, is what every effect does.
 */
const BORNE_OUT: Partial<Readonly<Record<Verb, readonly Verb[] | "any">>> = {
  create: ["add", "attach", "schedule", "send", "book", "commit"],
  add: ["create", "update", "attach", "move", "assign", "send", "commit", "install"],
  update: "any",
  rename: ["update", "move"],
  move: ["update", "rename", "add"],
  attach: ["add", "update", "create"],
  delete: ["remove"],
  remove: ["delete", "update", "unpublish", "move", "archive", "cancel"],
  publish: ["deploy"],
  unpublish: ["archive"],
  restore: "any",
  schedule: ["book", "create"],
  save: "any",
  close: ["update"],
  assign: ["update"],
  cancel: ["refund", "delete", "remove", "update"],
  book: ["schedule", "create"],
  merge: ["update"],
  commit: ["merge", "deploy"],
  deploy: ["publish", "merge", "commit"],
  install: ["add", "deploy"],
  approve: ["update"],
};

/** The verb that a declared word stands for: itself, or the one among whose English words it is. Null for any other. */
export function verbOf(declared: string): Verb | null {
  const word = fold(declared).trim();
  const isIn = ([verb, [base]]: [string, Forms]): boolean => verb === word || base.split("|").includes(word);
  return (Object.entries(en).find(isIn)?.[0] ?? null) as Verb | null;
}

/** Whether an ok effect of a tool with these declared verbs bears out a claim of `verb`. */
export function bearsOut(verb: Verb, declared: readonly string[]): boolean {
  const by = BORNE_OUT[verb];
  if (by === "any") return true;
  return declared.some((word) => {
    const known = verbOf(word);
    return known !== null && (known === verb || by?.includes(known) === true);
  });
}
