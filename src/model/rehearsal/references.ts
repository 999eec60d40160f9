import type { Token } from "./tokens.ts";
import type { PageRef } from "./wish.ts";
import {
  BUTTON_WORDS,
  DEFINITE,
  DETERMINERS,
  FILLERS,
  IMAGE_WORDS,
  NAV_WORDS,
  PAGE_WORDS,
  PARTICIPLES,
  PLACE_WORDS,
  PRONOUNS,
  SECTION_WORDS,
  SLUG_WORDS,
  SUBTITLE_WORDS,
  TEXT_WORDS,
  TITLE_WORDS,
  ordinalOf,
  verbAt,
} from "./lexicon.ts";
import { sectionAt } from "./templates.ts";
import { ENDS_NAME, LOOSE, calledName, collect, nameBefore } from "./names.ts";
import { foldWords } from "./tokens.ts";

/** Nouns of the trade: never part of a name by themselves. */
const TRADE: readonly ReadonlySet<string>[] = [
  PAGE_WORDS,
  NAV_WORDS,
  PLACE_WORDS,
  SECTION_WORDS,
  IMAGE_WORDS,
  TITLE_WORDS,
  SUBTITLE_WORDS,
  BUTTON_WORDS,
  SLUG_WORDS,
];

/** The existing page that these tokens speak of. `from` skips the verb. */
export function readPageRef(tokens: readonly Token[], from = 0): PageRef {
  const own = tokens.slice(from);
  const words = own.filter((token) => token.kind !== "comma").flatMap((token) => foldWords(token.text));
  const path = own.find((token) => token.kind === "path");
  if (path !== undefined) return { phrase: path.text, words, pronoun: false };
  const quote = own.find((token) => token.kind === "quote");
  if (quote !== undefined) return { phrase: quote.text, words, pronoun: false };
  const called = calledName(own);
  if (called !== null) return { phrase: called, words, pronoun: false };
  let generic = false;
  const ordinals: number[] = [];
  for (const [at, token] of own.entries()) {
    if (!PAGE_WORDS.has(token.lower)) continue;
    if (token.lower === "homepage") return { phrase: "home", words: ["home"], pronoun: false };
    const first = own[at - 1]?.lower ?? "";
    if (["home", "front", "start", "main"].includes(first))
      return { phrase: "home", words: ["home"], pronoun: false };
    const before = nameBefore(own, at);
    const isPlace = before.length === 1 && ordinalOf(first) !== null;
    if (before.length > 0 && !isPlace)
      return { phrase: before.map((one) => one.text).join(" "), words, pronoun: false };
    const after = isNameStart(own, at + 1) ? collect(own, at + 1) : [];
    if (after.length > 0) return { phrase: after.map((one) => one.text).join(" "), words, pronoun: false };
    generic = true;
    ordinals.push(...placeOf(first));
  }
  for (const [at, token] of own.entries())
    if (token.lower === "one") ordinals.push(...placeOf(own[at - 1]?.lower ?? ""));
  if (own.some((token) => token.lower === "homepage"))
    return { phrase: "home", words: ["home"], pronoun: false };
  const pronoun = generic || own.some((token) => PRONOUNS.has(token.lower));
  const left = pronoun ? [] : leftover(own);
  if (left.length > 0) return { phrase: left.join(" "), words, pronoun: false };
  return { phrase: null, words, pronoun: true, ...(ordinals.length === 0 ? {} : { ordinals }) };
}

const placeOf = (word: string): readonly number[] => {
  const place = ordinalOf(word);
  return place === null ? [] : [place];
};

/** A word behind "page" that can begin its name: "page contact", but not "page title" or "page about boots". */
function isNameStart(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at];
  if (token?.kind !== "word") return false;
  if (/^\p{Lu}|^\p{Lo}/u.test(token.text)) return true;
  const word = token.lower;
  const trade = [...TRADE, TEXT_WORDS, DETERMINERS, PRONOUNS, FILLERS, LOOSE, ENDS_NAME];
  const plain = [
    "down",
    "back",
    "again",
    "up",
    "off",
    "out",
    "item",
    "before",
    "after",
    "above",
    "below",
    "tomorrow",
    "draft",
  ];
  return (
    !trade.some((words) => words.has(word)) &&
    !plain.includes(word) &&
    PARTICIPLES[word] === undefined &&
    verbAt(tokens, at) === null &&
    sectionAt(tokens, at) === null
  );
}

/** What remains when verbs, nouns of the trade and small words are taken away: perhaps a name ("publish winter walks"). */
function leftover(tokens: readonly Token[]): string[] {
  const taken = new Set<number>();
  for (let at = 0; at < tokens.length; at += 1) {
    const section = sectionAt(tokens, at);
    for (let index = 0; index < (section?.length ?? 0); index += 1) taken.add(at + index);
  }
  return tokens
    .filter((token, at) => {
      const word = token.lower;
      if (token.kind !== "word" || taken.has(at)) return false;
      if (DEFINITE.has(word) || DETERMINERS.has(word) || LOOSE.has(word) || ENDS_NAME.has(word))
        return ["about", "us"].includes(word);
      if (
        FILLERS.has(word) ||
        ordinalOf(word) !== null ||
        TRADE.some((set) => set.has(word)) ||
        TEXT_WORDS.has(word)
      )
        return false;
      return ![
        "top",
        "bottom",
        "end",
        "start",
        "down",
        "up",
        "out",
        "off",
        "site",
        "website",
        "item",
        "link",
        "entry",
        "before",
        "above",
        "below",
        "after",
        "not",
        "what",
        "which",
        "where",
        "how",
        "why",
        "who",
        "when",
        "main",
        "live",
        "online",
        "offline",
        "draft",
        "status",
        "back",
        "public",
        "private",
        "published",
        "unpublished",
        "yet",
        "both",
      ].includes(word);
    })
    .map((token) => token.text);
}
