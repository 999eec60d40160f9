import type { Verb } from "../../cairn/core/log/tool.ts";
import { fold } from "../../cairn/core/text/sentences.ts";
import { VERBS, type Language } from "./languages.ts";
import { lazily } from "./lists.ts";

/**
 * The names of effects. A tool declares the verbs of its effects (`page_create`: create); the text of an answer claims them in
 * the words of a language.
 */

/** The verbs that a language has words for. */
export const verbsOf = (language: Language): readonly Verb[] => [
  ...new Set(VERBS[language].names.map((name) => name.slice(0, name.indexOf(" ")) as Verb)),
];

/**
 * Declared verbs that bear out a claim, besides the verb itself: a section that was added bears out "created". "any" is every
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

/** The verb of a declared word: itself, or the verb with this English word. Null for any other. */
export function verbOf(declared: string): Verb | null {
  return verbsByWord().get(fold(declared).trim()) ?? null;
}

const verbsByWord = lazily(() => {
  const verbs = verbsOf("en");
  // The first verb that has a word owns it.
  const byWord = new Map<string, Verb>();
  for (const verb of verbs)
    for (const word of [verb, ...VERBS.en.lines(`${verb} (request)`)])
      if (!byWord.has(word)) byWord.set(word, verb);
  return byWord;
});

/** True where an ok effect of a tool with these declared verbs bears out a claim of `verb`. */
export function bearsOut(verb: Verb, declared: readonly string[]): boolean {
  const by = BORNE_OUT[verb];
  if (by === "any") return true;
  return declared.some((word) => {
    const known = verbOf(word);
    return known !== null && (known === verb || by?.includes(known) === true);
  });
}
