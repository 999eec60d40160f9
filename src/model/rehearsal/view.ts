import type { Clause } from "./clauses.ts";
import type { Hearing } from "./hearing.ts";
import type { Token } from "./tokens.ts";
import type { Wish } from "./wish.ts";
import { lastCreation } from "./hearing.ts";
import {
  DEFINITE,
  IMAGE_WORDS,
  NAV_WORDS,
  PAGE_WORDS,
  PLACE_WORDS,
  POST_WORDS,
  PRONOUNS,
  SECTION_WORDS,
  TITLE_WORDS,
} from "./lexicon.ts";
import { sectionAt } from "./templates.ts";
import { readPageRef } from "./references.ts";

/** A clause with what one wants to ask of it again and again. */
export interface View {
  readonly clause: Clause;
  /** the tokens behind the verb */
  readonly rest: readonly Token[];
  readonly has: (...words: readonly string[]) => boolean;
  readonly words: ReadonlySet<string>;
  readonly object: { readonly kind: ObjectKind; readonly at: number } | null;
  /** it speaks of the navigation */
  readonly nav: boolean;
}

type ObjectKind = "page" | "section" | "nav" | "image" | "post" | "text" | "pronoun" | "quote";

/** Reads a clause once for what is asked of it again and again. */
export function look(clause: Clause): View {
  const rest = clause.tokens.slice(clause.rest);
  const words = new Set(clause.tokens.map((token) => token.lower));
  const has = (...wanted: readonly string[]): boolean => wanted.some((word) => words.has(word));
  const placed = clause.tokens.some((token, at) => {
    if (
      !PLACE_WORDS.has(token.lower) ||
      sectionAt(clause.tokens, at) !== null ||
      SECTION_WORDS.has(clause.tokens[at + 1]?.lower ?? "")
    )
      return false;
    const before = [clause.tokens[at - 1]?.lower ?? "", clause.tokens[at - 2]?.lower ?? ""];
    return before.some((word) => ["in", "to", "into", "from", "on", "and", "both", "site"].includes(word));
  });
  const nav = clause.tokens.some((token) => NAV_WORDS.has(token.lower)) || placed;
  return { clause, rest, words, has, nav, object: firstObject(rest) };
}

function firstObject(tokens: readonly Token[]): View["object"] {
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token === undefined) break;
    const section = sectionAt(tokens, at);
    if (section !== null) {
      if (!PAGE_WORDS.has(tokens[at + section.length]?.lower ?? "")) return { kind: "section", at };
      at += section.length - 1;
      continue;
    }
    if (PAGE_WORDS.has(token.lower)) return { kind: "page", at };
    if (SECTION_WORDS.has(token.lower)) return { kind: "section", at };
    if (POST_WORDS.has(token.lower) && !PAGE_WORDS.has(tokens[at + 1]?.lower ?? ""))
      return { kind: "post", at };
    if (IMAGE_WORDS.has(token.lower)) return { kind: "image", at };
    if (NAV_WORDS.has(token.lower) || token.lower === "link") return { kind: "nav", at };
    if (
      TITLE_WORDS.has(token.lower) ||
      ["subtitle", "text", "description", "button", "paragraph"].includes(token.lower)
    )
      return { kind: "text", at };
    if (PRONOUNS.has(token.lower)) return { kind: "pronoun", at };
    if (token.kind === "quote" && !PAGE_WORDS.has(tokens[at + 1]?.lower ?? "")) return { kind: "quote", at };
  }
  return null;
}

/** Whether the noun at this place is a new thing: "a page", "two pages". */
export function isIndefinite(tokens: readonly Token[], at: number): boolean {
  for (let index = at - 1; index >= 0; index -= 1) {
    const word = tokens[index]?.lower ?? "";
    if (["a", "an", "new", "another", "two", "three", "some"].includes(word)) return true;
    if (DEFINITE.has(word)) return false;
  }
  return false;
}

/** Whether the noun at this place is a known thing: "the page". "My" and "our" leave it open. */
export function isDefinite(tokens: readonly Token[], at: number): boolean {
  return (
    !isIndefinite(tokens, at) &&
    tokens
      .slice(0, at)
      .some((token) => DEFINITE.has(token.lower) && token.lower !== "my" && token.lower !== "our")
  );
}

/** The status that adjectives such as "live" or "offline" name, or null. */
export function statusWord(view: View): "published" | "unpublished" | null {
  if (view.has("draft", "offline", "private", "unpublished", "invisible")) return "unpublished";
  return view.has("live", "public", "online", "published", "visible") ? "published" : null;
}

/** The tokens from the last preposition before a page on: "to the about page". Without a page: everything but the sections. */
export function destination(tokens: readonly Token[]): readonly Token[] {
  const inSection = new Set<number>();
  for (let at = 0; at < tokens.length; at += 1) {
    for (let index = 0; index < (sectionAt(tokens, at)?.length ?? 0); index += 1) inSection.add(at + index);
  }
  const page = tokens.findLastIndex((token) => PAGE_WORDS.has(token.lower) || token.kind === "path");
  const preposition = tokens.findLastIndex(
    (token, at) =>
      (page < 0 || at < page) &&
      !inSection.has(at) &&
      ["to", "on", "in", "into", "of", "for", "onto", "from"].includes(token.lower),
  );
  if (preposition >= 0) return tokens.slice(preposition + 1);
  return page >= 0 ? tokens : tokens.filter((token, at) => !inSection.has(at) && PRONOUNS.has(token.lower));
}

/** Only a page that is named as one: "to the top of the about page", not "before the gallery". */
export function destinationPage(tokens: readonly Token[]): readonly Token[] {
  const page = tokens.findLastIndex((token) => PAGE_WORDS.has(token.lower) || token.kind === "path");
  if (page < 0) return [];
  const preposition = tokens.findLastIndex(
    (token, at) => at < page && ["on", "of", "in", "from"].includes(token.lower),
  );
  return tokens.slice(preposition + 1, page + 3);
}

/** The tokens before the last preposition that leads to a page. */
export function beforeDestination(tokens: readonly Token[]): readonly Token[] {
  const page = tokens.findLastIndex((token) => PAGE_WORDS.has(token.lower));
  const at = tokens.findLastIndex(
    (token, index) =>
      (page < 0 || index < page) &&
      index > 0 &&
      ["to", "on", "in", "from", "of", "onto"].includes(token.lower),
  );
  return at < 0 || (page < 0 && sectionAfter(tokens, at)) ? tokens : tokens.slice(0, at);
}

function sectionAfter(tokens: readonly Token[], at: number): boolean {
  return tokens
    .slice(at + 1)
    .some((token, index) => SECTION_WORDS.has(token.lower) || sectionAt(tokens, at + 1 + index) !== null);
}

/** The tokens without "to the main navigation", so that a page can be found among the rest. */
export function withoutNav(tokens: readonly Token[]): readonly Token[] {
  return tokens.filter(
    (token) =>
      !NAV_WORDS.has(token.lower) &&
      !PLACE_WORDS.has(token.lower) &&
      !["main", "top", "bottom", "both", "site"].includes(token.lower),
  );
}

/** A clause that is not understood. */
export function unable(clause: Clause): Wish[] {
  return [{ kind: "unable", topic: clause.tokens.map((token) => token.text).join(" ") }];
}

/** A page that is named in passing ("I don't need the team page anymore") is what "it" means afterwards. */
export function keepSubject(view: View, hearing: Hearing): void {
  const page = view.object?.kind === "page" ? readPageRef(view.clause.tokens) : null;
  if (page !== null && page.phrase !== null && lastCreation(hearing) === null) hearing.subject = page;
}
