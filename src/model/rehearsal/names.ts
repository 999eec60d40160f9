import type { Token } from "./tokens.ts";
import {
  BUTTON_WORDS,
  DETERMINERS,
  FILLERS,
  GENERIC,
  IMAGE_WORDS,
  NAV_WORDS,
  PAGE_WORDS,
  PRONOUNS,
  SLUG_WORDS,
  SUBTITLE_WORDS,
  TEXT_WORDS,
  TITLE_WORDS,
  verbAt,
} from "./lexicon.ts";
import { sectionAt } from "./templates.ts";

const NAMING = new Set([
  "called",
  "named",
  "titled",
  "entitled",
  "labelled",
  "labeled",
  "call",
  "name",
  "naming",
  "calling",
  "title",
]);

export const ENDS_NAME = new Set(
  "with that which containing including having featuring using where but so then please plus as below who whose showing should has must is".split(
    " ",
  ),
);

export const LOOSE = new Set("in on for at from under of to about into onto inside within by".split(" "));

const NAME_WORDS_MAX = 8;

export interface NewName {
  readonly name: string;
  readonly explicit: boolean;
}

/** The name of a page to be made, from the tokens that speak of it; null when none was given. */
export function newPageName(tokens: readonly Token[]): NewName | null {
  const quoted = tokens.findIndex((token, at) => token.kind === "quote" && !isTextOfSection(tokens, at));
  const named = calledName(tokens);
  if (named !== null) return { name: named, explicit: true };
  const quote = tokens[quoted];
  if (quote !== undefined) return { name: quote.text, explicit: true };
  for (const [at, token] of tokens.entries()) {
    if (!PAGE_WORDS.has(token.lower) && token.lower !== "page's") continue;
    const before = nameBefore(tokens, at);
    if (before.length > 0) return { name: asName(before, tokens), explicit: false };
    const next = tokens[at + 1];
    const after = next?.kind === "colon" ? at + 2 : at + 1;
    if (["about", "for", "on", "describing", "covering"].includes(tokens[after]?.lower ?? "")) {
      const skip = DETERMINERS.has(tokens[after + 1]?.lower ?? "") ? 2 : 1;
      const topic = collect(tokens, after + skip);
      if (topic.length > 0) return { name: asName(topic, tokens), explicit: false };
    }
    // "called" with no name behind it is no name.
    const direct = NAMING.has(tokens[after]?.lower ?? "") ? [] : collect(tokens, after);
    if (direct.length > 0 && startsName(tokens, after))
      return { name: asName(direct, tokens), explicit: false };
    if (token.lower === "homepage") return { name: "Home", explicit: false };
    if (tokens[at - 1]?.lower === "landing") return { name: "Landing page", explicit: false };
  }
  return null;
}

/** Names in "pages called Team, Jobs and Press" or "three pages: Team, Jobs, Press". */
export function newPageNames(tokens: readonly Token[]): NewName[] {
  const plural = tokens.findIndex((token) => token.lower === "pages");
  if (plural >= 0) {
    const rest = tokens
      .slice(plural + 1)
      .filter((token) => !NAMING.has(token.lower) && token.kind !== "colon");
    const groups: Token[][] = [[]];
    for (const token of rest) {
      if (ENDS_NAME.has(token.lower) || (LOOSE.has(token.lower) && groups.at(-1)?.length === 0)) {
        if (token.lower === "for" || token.lower === "about" || token.lower === "as") continue;
        break;
      }
      if (token.kind === "comma" || token.lower === "and") groups.push([]);
      else groups.at(-1)?.push(token);
    }
    const names = groups
      .map((group) => group.filter((token, at) => at > 0 || !DETERMINERS.has(token.lower)))
      .filter((group) => group.length > 0)
      .map((group) => ({
        name: asName(group, tokens),
        explicit: group[0]?.kind === "quote" || tokens.some((one) => NAMING.has(one.lower)),
      }));
    if (names.length > 1) return names;
    const before: NewName[] = [];
    let group: Token[] = [];
    for (const token of tokens.slice(0, plural)) {
      if (token.kind === "quote") before.push({ name: token.text, explicit: true });
      else if (token.kind === "comma" || token.lower === "and") {
        if (group.length > 0) before.push({ name: asName(group, tokens), explicit: false });
        group = [];
      } else if (
        !DETERMINERS.has(token.lower) &&
        !GENERIC.has(token.lower) &&
        !FILLERS.has(token.lower) &&
        verbAt(tokens, tokens.indexOf(token)) === null
      )
        group.push(token);
    }
    if (group.length > 0) before.push({ name: asName(group, tokens), explicit: false });
    if (before.length > 1) return before;
  }
  const singles = tokens
    .map((token, at) => (token.lower === "page" ? nameBefore(tokens, at) : []))
    .filter((group) => group.length > 0)
    .map((group) => ({ name: asName(group, tokens), explicit: group[0]?.kind === "quote" }));
  if (singles.length > 1) return singles;
  const one = newPageName(tokens);
  return one === null ? [] : [one];
}

/** The name behind "called", "named", "titled", "call it". */
export function calledName(tokens: readonly Token[]): string | null {
  for (const [at, token] of tokens.entries()) {
    if (!NAMING.has(token.lower)) continue;
    const noun = ["name", "title", "call"].includes(token.lower);
    let next = at + 1;
    while (
      ["it", "them", "this", "is", "be", "as", "of", "should"].includes(tokens[next]?.lower ?? "") ||
      tokens[next]?.kind === "colon"
    )
      next += 1;
    if (noun && !["with", "the", "by", "and", "its"].includes(tokens[at - 1]?.lower ?? "") && next === at + 1)
      continue;
    if (noun && belongsToSection(tokens, at)) continue;
    const first = tokens[next];
    if (first?.kind === "quote") return first.text;
    if (first?.kind === "path") return asName([first], tokens);
    const words = collect(tokens, next, true);
    if (words.length > 0) return asName(words, tokens);
  }
  return null;
}

function belongsToSection(tokens: readonly Token[], at: number): boolean {
  const page = tokens.findLastIndex((token, index) => index < at && PAGE_WORDS.has(token.lower));
  return tokens.some((_, index) => index < at && index > page && sectionAt(tokens, index) !== null);
}

/** A quote that is the text of a section ("a hero that says …") or a slug, and so no name. */
export function isTextOfSection(tokens: readonly Token[], at: number): boolean {
  const before = [tokens[at - 1], tokens[at - 2], tokens[at - 3]].map((token) => token?.lower ?? "");
  const behindSection = tokens.some((_, index) => {
    const section = index < at ? sectionAt(tokens, index) : null;
    return section !== null && index + section.length === at;
  });
  const says = ["say", "says", "saying", "read", "reads", "reading"].includes(before[0] ?? "");
  const labelled = before.some(
    (word) =>
      SLUG_WORDS.has(word) || SUBTITLE_WORDS.has(word) || TEXT_WORDS.has(word) || BUTTON_WORDS.has(word),
  );
  const titled =
    before.some((word) => TITLE_WORDS.has(word) || NAMING.has(word)) && belongsToSection(tokens, at);
  const searched =
    before.some((word) => IMAGE_WORDS.has(word)) ||
    (before[0] === "of" && tokens.slice(0, at).some((token) => IMAGE_WORDS.has(token.lower)));
  return behindSection || says || labelled || titled || searched;
}

function startsName(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at];
  return (
    token !== undefined &&
    (/^\p{Lu}|^\p{Lo}/u.test(token.text) ||
      (verbAt(tokens, at) === null && !LOOSE.has(token.lower) && !FILLERS.has(token.lower)))
  );
}

/** Words of a name from this place on, up to what cannot belong to it. */
export function collect(tokens: readonly Token[], from: number, called = false): Token[] {
  const words: Token[] = [];
  for (let at = from; at < tokens.length && words.length < NAME_WORDS_MAX; at += 1) {
    const token = tokens[at];
    if (token === undefined || token.kind !== "word") break;
    const capital = /^\p{Lu}/u.test(token.text);
    const next = tokens[at + 1];
    if (ENDS_NAME.has(token.lower) && !(called && at === from)) break;
    const determined = DETERMINERS.has(next?.lower ?? "") && !(capital && called);
    if (
      LOOSE.has(token.lower) &&
      at > from &&
      (next === undefined || (determined && !/^\p{Lu}/u.test(token.text)) || NAV_WORDS.has(next.lower))
    )
      break;
    if (token.lower === "and" || token.lower === "or") {
      if (
        next === undefined ||
        next.kind !== "word" ||
        DETERMINERS.has(next.lower) ||
        sectionAt(tokens, at + 1) !== null
      )
        break;
      if (!called && !/^\p{Lu}/u.test(next.text)) break;
    } else if (PAGE_WORDS.has(token.lower) && !called) break;
    else if (
      FILLERS.has(token.lower) &&
      at > from &&
      !capital &&
      token.lower !== "us" &&
      token.lower !== "we" &&
      token.lower !== "you" &&
      token.lower !== "to"
    )
      break;
    words.push(token);
  }
  while (
    words.length > 0 &&
    ["and", "or", "of", "for", "in", "please", "now"].includes(words.at(-1)?.lower ?? "")
  )
    words.pop();
  return words;
}

/** The noun phrase before "page": back to the determiner, a verb, or a preposition. */
export function nameBefore(tokens: readonly Token[], page: number): Token[] {
  const previous = tokens[page - 1];
  if (previous?.kind === "quote") return isTextOfSection(tokens, page - 1) ? [] : [previous];
  let start = page;
  for (let at = page - 1; at >= 0 && page - at <= NAME_WORDS_MAX; at -= 1) {
    const token = tokens[at];
    if (token === undefined || token.kind !== "word") break;
    const word = token.lower;
    const capital = /^\p{Lu}/u.test(token.text) && at > 0;
    const stem = tokens[at - 1]?.lower ?? "";
    if (word === "us" && ["about", "contact", "with", "for"].includes(stem)) {
      start = at;
      continue;
    }
    if (word === "me" && stem === "about") {
      start = at;
      continue;
    }
    if (DETERMINERS.has(word) || PRONOUNS.has(word) || word === "me" || word === "us" || NAV_WORDS.has(word))
      break;
    if (
      !capital &&
      verbAt(tokens, at) !== null &&
      !(at === page - 1 && ["start", "help", "check", "search", "release", "launch"].includes(word))
    )
      break;
    if (word === "about" && at === 0) start = at;
    if (
      ["on", "in", "to", "from", "at", "of", "for", "into", "onto", "with", "called", "named"].includes(
        word,
      ) &&
      !(capital && start < page)
    ) {
      if (!(["of", "for", "to", "in", "with", "on"].includes(word) && innerPreposition(tokens, at))) break;
    }
    if (FILLERS.has(word) && !capital && !["help", "thanks", "us"].includes(word)) {
      if (
        word !== "and" ||
        start === page ||
        tokens[at - 1]?.kind !== "word" ||
        sectionAt(tokens, at - 1) !== null
      )
        break;
      if (DETERMINERS.has(tokens[at + 1]?.lower ?? "")) break;
    }
    start = at;
  }
  let words = tokens.slice(start, page);
  while (
    words.length > 0 &&
    (GENERIC.has(words[0]?.lower ?? "") ||
      ["and", "of", "in", "to", "for", "with", "on"].includes(words[0]?.lower ?? ""))
  )
    words = words.slice(1);
  while (
    words.length > 0 &&
    ["landing", "web", "sub", "content", "new", "and"].includes(words.at(-1)?.lower ?? "")
  )
    words = words.slice(0, -1);
  return words;
}

/** "the Terms of Use page": a preposition inside a name, with capitals on both sides. */
function innerPreposition(tokens: readonly Token[], at: number): boolean {
  return /^\p{Lu}/u.test(tokens[at - 1]?.text ?? "") && /^\p{Lu}/u.test(tokens[at + 1]?.text ?? "") && at > 1;
}

/** A name as it should stand on the site: as written, but neither all small nor, in a shouted message, all capitals. */
function asName(words: readonly Token[], all: readonly Token[]): string {
  const text = words.map((token, at) => `${at === 0 ? "" : token.slashed ? "/" : " "}${token.text}`).join("");
  if (words[0]?.kind === "quote") return text;
  const letters = all
    .map((token) => token.text)
    .join("")
    .replace(/[^\p{L}]/gu, "");
  const shouted =
    letters.length > 8 && letters === letters.toUpperCase() && letters !== letters.toLowerCase();
  const calm = shouted ? text.toLowerCase() : text;
  const first = calm.charAt(0);
  return calm === calm.toLowerCase() || first === first.toLowerCase()
    ? first.toUpperCase() + calm.slice(1)
    : calm;
}
