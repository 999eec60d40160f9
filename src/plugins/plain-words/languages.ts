import dePhrases from "./data/de/phrases.md";
import deVerbs from "./data/de/verbs.md";
import enPhrases from "./data/en/phrases.md";
import enVerbs from "./data/en/verbs.md";
import esPhrases from "./data/es/phrases.md";
import esVerbs from "./data/es/verbs.md";
import frPhrases from "./data/fr/phrases.md";
import frVerbs from "./data/fr/verbs.md";
import { Lists } from "./lists.ts";

/** The languages with lists of their own. A further one is a folder of data, and a row of grammar.ts. */
export type Language = "en" | "de" | "fr" | "es";

export const LANGUAGES: readonly Language[] = ["en", "de", "fr", "es"];

export const PHRASES: Readonly<Record<Language, Lists>> = {
  en: new Lists(enPhrases),
  de: new Lists(dePhrases),
  fr: new Lists(frPhrases),
  es: new Lists(esPhrases),
};

/** Verbs of changes: `publish (request)` as a request has them, `publish (report)` as a report of one's own act. */
export const VERBS: Readonly<Record<Language, Lists>> = {
  en: new Lists(enVerbs),
  de: new Lists(deVerbs),
  fr: new Lists(frVerbs),
  es: new Lists(esVerbs),
};
