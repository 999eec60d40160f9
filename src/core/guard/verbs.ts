import { fold } from "./sentences.ts";

/**
 * What an effect is called. A tool declares the verbs of its effects (`page_create`: create); the text of an answer claims
 * them in the words of a language. All words are folded: no accents, lower case. A form may hold a pattern.
 */

export type Verb =
  | "create"
  | "add"
  | "update"
  | "rename"
  | "move"
  | "attach"
  | "delete"
  | "remove"
  | "publish"
  | "unpublish"
  | "archive"
  | "restore"
  | "send"
  | "schedule"
  | "save"
  | "close"
  | "assign"
  | "cancel"
  | "refund"
  | "pay"
  | "book"
  | "merge"
  | "commit"
  | "deploy"
  | "install"
  | "approve";

export type Language = "en" | "de" | "fr" | "es";
export const LANGUAGES: readonly Language[] = ["en", "de", "fr", "es"];

interface Forms {
  /** as in a request or a declaration */
  readonly base: string;
  /** as in a report of one's own act: the past form or the participle */
  readonly past: string;
}

const forms = (base: string, past: string): Forms => ({ base, past });
const none = forms("", "");

/** French agrees its participles, Spanish too: the endings. */
const E = "e{1,2}s?";
const O = "(?:o|a)s?";

export const VERBS: Readonly<Record<Verb, Readonly<Record<Language, Forms>>>> = {
  create: {
    en: forms("create|make|build|set up|generate|duplicate|copy", "created|set up|duplicated"),
    de: forms(
      "erstell(?:e|en|t)?|leg(?:e|t)? .{1,80} an|anlegen|erzeug(?:e|en)",
      "erstellt|angelegt|erzeugt|dupliziert",
    ),
    fr: forms("cree[rz]?|genere[rz]?|ajoute[rz]? une page", `cre${E}|dupliqu${E}`),
    es: forms("crea(?:r|me)?|cree|genera(?:r)?", `cread${O}|duplicad${O}`),
  },
  add: {
    en: forms("add|insert|append|put", "added|inserted|appended"),
    de: forms(
      "fug(?:e|en|t)? .{1,80} hinzu|hinzufugen|erganz(?:e|en)|eintragen",
      "hinzugefugt|eingefugt|erganzt|eingetragen",
    ),
    fr: forms("ajoute[rz]?|insere[rz]?", `ajout${E}|inser${E}`),
    es: forms("anad(?:e|ir|a)|agrega(?:r)?|inserta(?:r)?", `anadid${O}|agregad${O}|insertad${O}`),
  },
  update: {
    en: forms(
      "update|change|edit|modify|replace|set|correct|fix|translate",
      "updated|changed|edited|modified|replaced|corrected",
    ),
    de: forms(
      "aktualisier(?:e|en)|ander(?:e|n)|bearbeit(?:e|en)|ersetz(?:e|en)|korrigier(?:e|en)",
      "aktualisiert|geandert|bearbeitet|ersetzt|korrigiert|angepasst",
    ),
    fr: forms(
      "mets? .{0,60}a jour|mettre a jour|modifie[rz]?|change[rz]?|remplace[rz]?|corrige[rz]?",
      `mis(?:e?s?) a jour|modifi${E}|chang${E}|remplac${E}|corrig${E}`,
    ),
    es: forms(
      "actualiza(?:r)?|cambia(?:r)?|modifica(?:r)?|edita(?:r)?|reemplaza(?:r)?|corrig(?:e|ir)|corregir",
      `actualizad${O}|cambiad${O}|modificad${O}|editad${O}|reemplazad${O}|corregid${O}`,
    ),
  },
  rename: {
    en: forms("rename", "renamed"),
    de: forms("umbenennen|benenn(?:e|en) .{1,80} um", "umbenannt"),
    fr: forms("renomme[rz]?", `renomm${E}`),
    es: forms("renombra(?:r)?", `renombrad${O}`),
  },
  move: {
    en: forms("move|reorder", "moved|reordered"),
    de: forms("verschieb(?:e|en)?", "verschoben"),
    fr: forms("deplace[rz]?", `deplac${E}`),
    es: forms("muev[ea]|mover", `movid${O}`),
  },
  attach: {
    en: forms("attach|upload", "attached|uploaded"),
    de: forms("lad(?:e)? .{1,80} hoch|hochladen|anhangen", "hochgeladen|angehangt"),
    fr: forms("televerse[rz]?|joins|joindre", `televers${E}|joint(?:e?s?)`),
    es: forms("sub(?:e|ir)|adjunta(?:r)?", `subid${O}|adjuntad${O}`),
  },
  delete: {
    en: forms("delete|erase", "deleted|erased"),
    de: forms("losch(?:e|en)?", "geloscht"),
    fr: forms("supprime[rz]?|efface[rz]?", `supprim${E}|effac${E}`),
    es: forms("elimina(?:r)?|borra(?:r)?", `eliminad${O}|borrad${O}`),
  },
  remove: {
    en: forms("remove|take out|hide", "removed"),
    de: forms("entfern(?:e|en)?", "entfernt"),
    fr: forms("enleve[rz]?|retire[rz]?", `enlev${E}|retir${E}`),
    es: forms("quita(?:r)?|retira(?:r)?", `quitad${O}|retirad${O}`),
  },
  publish: {
    en: forms("publish|go live|put .{1,60} (?:live|online)|launch", "published|launched"),
    de: forms(
      "vero(?:e)?ffentlich(?:e|en)?|stell(?:e)? .{1,80} online|freischalten",
      "vero(?:e)?ffentlicht|publiziert|freigeschaltet",
    ),
    fr: forms("publie[rz]?|met(?:s|tre|tez) .{0,60}en ligne", `publi${E}|mis(?:e?s?) en ligne`),
    es: forms("publica(?:r)?|publique", `publicad${O}`),
  },
  unpublish: {
    en: forms("unpublish|take .{1,60} offline|take down", "unpublished|taken offline|taken down"),
    de: forms("depublizier(?:e|en)|nimm .{1,80} offline", "depubliziert|offline genommen"),
    fr: forms("depublie[rz]?|met(?:s|tre|tez) .{0,60}hors ligne", `depubli${E}|mis(?:e?s?) hors ligne`),
    es: forms("despublica(?:r)?", `despublicad${O}`),
  },
  archive: {
    en: forms("archive", "archived"),
    de: forms("archivier(?:e|en)", "archiviert"),
    fr: forms("archive[rz]?", `archiv${E}`),
    es: forms("archiva(?:r)?", `archivad${O}`),
  },
  restore: {
    en: forms("restore|undo|revert|roll back", "restored|reverted|rolled back|undone"),
    de: forms("wiederherstellen|stell(?:e)? .{1,80} wieder her", "wiederhergestellt|ruckgangig gemacht"),
    fr: forms("restaure[rz]?|annule[rz]? la modification", `restaur${E}`),
    es: forms("restaura(?:r)?|deshaz|deshacer", `restaurad${O}`),
  },
  send: {
    en: forms("send|email|mail|notify|post|forward", "sent|emailed|mailed|notified|forwarded"),
    de: forms(
      "send(?:e|en)|schick(?:e|en)?|verschick(?:e|en)|benachrichtig(?:e|en)",
      "gesendet|geschickt|verschickt|versendet|versandt|abgeschickt|benachrichtigt",
    ),
    fr: forms("envoie[rsz]?|envoye[rz]|previens|prevenir", `envoy${E}|prevenu(?:e?s?)`),
    es: forms("envia(?:r)?|manda(?:r)?|notifica(?:r)?|avisa(?:r)?", `enviad${O}|mandad${O}|notificad${O}`),
  },
  schedule: {
    en: forms("schedule|remind|plan", "scheduled"),
    de: forms("plan(?:e|en)|erinner(?:e|n)", "eingeplant|terminiert"),
    fr: forms("programme[rz]?|planifie[rz]?|rappelle[rz]?", `programm${E}|planifi${E}`),
    es: forms("programa(?:r)?|recuerda(?:me)?", `programad${O}|agendad${O}`),
  },
  save: {
    en: forms("save|store", "saved|stored"),
    de: forms("speicher(?:e|n)?|sichern", "gespeichert|abgespeichert"),
    fr: forms("enregistre[rz]?|sauvegarde[rz]?", `enregistr${E}|sauvegard${E}`),
    es: forms("guarda(?:r)?", `guardad${O}`),
  },
  close: {
    en: forms("close|resolve", "closed"),
    de: forms("schliess(?:e|en)", "geschlossen"),
    fr: forms("ferme[rz]?|cloture[rz]?", `ferm${E}|clotur${E}`),
    es: forms("cierra|cerrar", `cerrad${O}`),
  },
  assign: {
    en: forms("assign", "assigned"),
    de: forms("zuweisen", "zugewiesen"),
    fr: none,
    es: forms("asigna(?:r)?", `asignad${O}`),
  },
  cancel: {
    en: forms("cancel", "cancell?ed"),
    de: forms("stornier(?:e|en)|kundig(?:e|en)", "storniert|gekundigt"),
    fr: forms("annule[rz]?", `annul${E}`),
    es: forms("cancela(?:r)?", `cancelad${O}`),
  },
  refund: {
    en: forms("refund|reimburse", "refunded|reimbursed"),
    de: forms("erstatt(?:e|en)", "erstattet|zuruckerstattet"),
    fr: forms("rembourse[rz]?", `rembours${E}`),
    es: forms("reembolsa(?:r)?|devuelve", `reembolsad${O}`),
  },
  pay: {
    en: forms("pay|transfer", "paid|transferred"),
    de: forms("bezahl(?:e|en)|uberweisen", "bezahlt|uberwiesen"),
    fr: none,
    es: none,
  },
  book: {
    en: forms("book|order|reserve", "booked|ordered|reserved"),
    de: forms("buch(?:e|en)|bestell(?:e|en)|reservier(?:e|en)", "gebucht|bestellt|reserviert"),
    fr: forms("reserve[rz]?|commande[rz]?", `reserv${E}|command${E}`),
    es: forms("reserva(?:r)?|pide", `reservad${O}`),
  },
  merge: { en: forms("merge", "merged"), de: none, fr: none, es: none },
  commit: {
    en: forms("commit|push", "committed|pushed"),
    de: forms("", "committet|gepusht"),
    fr: none,
    es: none,
  },
  deploy: {
    en: forms("deploy|release|roll out", "deployed|released|rolled out"),
    de: forms("deploy(?:e|en)", "deployt|ausgerollt"),
    fr: forms("deploie|deployer", `deploy${E}`),
    es: forms("despliega|desplegar", `desplegad${O}`),
  },
  install: {
    en: forms("install", "installed"),
    de: forms("installier(?:e|en)", "installiert"),
    fr: forms("installe[rz]?", `install${E}`),
    es: forms("instala(?:r)?", `instalad${O}`),
  },
  approve: {
    en: forms("approve", "approved"),
    de: forms("genehmig(?:e|en)", "genehmigt"),
    fr: forms("approuve[rz]?", `approuv${E}`),
    es: forms("aprueba|aprobar", `aprobad${O}`),
  },
};

/**
 * Which declared verbs bear out a claim, beside the verb itself: a section that was added bears out "created". "any" is every
 * effect, because to update, and to save, is what every effect does.
 */
const BORNE_OUT: Readonly<Record<Verb, readonly Verb[] | "any">> = {
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
  archive: [],
  restore: "any",
  send: [],
  schedule: ["book", "create"],
  save: "any",
  close: ["update"],
  assign: ["update"],
  cancel: ["refund", "delete", "remove", "update"],
  refund: [],
  pay: [],
  book: ["schedule", "create"],
  merge: ["update"],
  commit: ["merge", "deploy"],
  deploy: ["publish", "merge", "commit"],
  install: ["add", "deploy"],
  approve: ["update"],
};

const NAMES: ReadonlySet<string> = new Set(Object.keys(VERBS));

/** The verb that a declared word stands for: itself, or the one among whose English words it is. Null for any other. */
export function verbOf(declared: string): Verb | null {
  const word = fold(declared).trim();
  if (NAMES.has(word)) return word as Verb;
  for (const [verb, by] of Object.entries(VERBS))
    if (by.en.base.split("|").includes(word)) return verb as Verb;
  return null;
}

/** Whether an ok effect of a tool with these declared verbs bears out a claim of `verb`. */
export function bearsOut(verb: Verb, declared: readonly string[]): boolean {
  const by = BORNE_OUT[verb];
  if (by === "any") return true;
  return declared.some((word) => {
    const known = verbOf(word);
    return known !== null && (known === verb || by.includes(known));
  });
}
