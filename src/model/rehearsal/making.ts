import type { Hearing } from "./hearing.ts";
import type { Token } from "./tokens.ts";
import type { View } from "./view.ts";
import type { Wish, WishOf } from "./wish.ts";
import { sectionsOfImage, sectionsWish } from "./adding.ts";
import { changeOfText, readMove } from "./changing.ts";
import { lastCreation } from "./hearing.ts";
import { DETERMINERS, PAGE_WORDS } from "./lexicon.ts";
import { calledName, newPageName, newPageNames } from "./names.ts";
import { readPageRef } from "./references.ts";
import { imageQuery } from "./questions.ts";
import { imageWish, navWish, readAsked, setStatus } from "./showing.ts";
import { slugify } from "./tokens.ts";
import { beforePlace, readPlace, readSectionAsks, readSectionRef } from "./values.ts";
import { destination, isDefinite, isIndefinite, statusWord, unable } from "./view.ts";
import { NO_PAGE } from "./wish.ts";

/**
 * What a verb of making or adding asks for, by its object: a page, sections, a navigation entry, an image, a post.
 */
export function readMaking(view: View, hearing: Hearing): Wish[] {
  const { clause, object, rest } = view;
  const listed = rest.findIndex((token) => token.lower === "list" || token.lower === "overview");
  if (object?.kind === "page" && listed >= 0 && listed < object.at) return readAsked(clause, view, hearing);
  if (clause.act === "create" && object?.kind === "section" && isKnownPageName(rest))
    return creations(view, false);
  const to = statusWord(view);
  const makesPage = object?.kind === "page" && !isDefinite(rest, object.at);
  if (to !== null && !makesPage && object?.kind !== "section" && object?.kind !== "post") {
    const page = readPageRef(rest);
    if (["make", "put", "get", "push", "have", "set", "want", "need", "like"].includes(clause.verb)) {
      const wishes = setStatus(page, to, view);
      return view.nav ? [...wishes, navWish(view)] : wishes;
    }
  }
  if (clause.verb === "make" || clause.verb === "start") {
    const makesNew = object?.kind === "page" && isIndefinite(rest, object.at);
    const text = makesNew ? null : changeOfText(view);
    if (text !== null) return [text];
    const place = readPlace(rest);
    if (
      object?.kind === "section" &&
      place !== null &&
      isDefinite(rest, object.at) &&
      lastCreation(hearing) === null
    ) {
      return [
        {
          kind: "section_move",
          page: readPageRef(destination(rest)),
          section: readSectionRef(beforePlace(rest.filter((token) => !isLastWord(token)))),
          place,
        },
      ];
    }
  }
  if (view.nav && object?.kind !== "section" && object?.kind !== "image") {
    if (object?.kind === "page" && isIndefinite(rest, object.at) && newPageName(rest) !== null) {
      const created = creations(view, clause.act === "add");
      return [...created, navWish(view)];
    }
    return clause.act === "create" && object?.kind === "page" && makesPage
      ? [...creations(view, false), navWish(view)]
      : [navWish(view)];
  }
  const place = readPlace(rest);
  const moves =
    ["put", "place", "push", "bring", "stick"].includes(clause.verb) &&
    object?.kind === "section" &&
    isDefinite(rest, object.at);
  if (moves && place !== null && lastCreation(hearing) === null) return readMove(view, hearing);
  switch (object?.kind) {
    case "section":
      if (clause.act === "write" || (clause.act === "have" && clause.verb === "get")) return unable(clause);
      return [
        ...sectionsWish(view, hearing),
        ...(view.nav && lastCreation(hearing) !== null ? [{ ...navWish(view), page: NO_PAGE } as Wish] : []),
      ];
    case "page":
      if (makesPage || clause.act === "create") return creations(view, false);
      if (clause.act === "add" && hearing.place !== null)
        return [{ ...navWish(view), location: hearing.place } as Wish];
      return clause.act === "have" && view.has("see") ? readAsked(clause, view, hearing) : unable(clause);
    case "post":
      return [{ kind: "create_entry", title: entryTitle(rest) }];
    case "image":
      if (clause.act === "add" || clause.act === "have") {
        const creation = lastCreation(hearing);
        const page = readPageRef(destination(rest));
        if (creation !== null && page.phrase === null) return sectionsOfImage(view, hearing, creation);
        return [imageWish(view)];
      }
      return unable(clause);
    case "text": {
      const text = changeOfText(view);
      return text === null ? unable(clause) : [text];
    }
    case "quote":
      return clause.act === "create" ? creations(view, false) : unable(clause);
    case "pronoun": {
      const creating = clause.act === "create" && !["make", "give me", "start"].includes(clause.verb);
      return creating ? [emptyCreation(null)] : unable(clause);
    }
    default: {
      const wordsLeft = rest.filter((token) => token.kind === "word");
      if (clause.act === "create" && wordsLeft.length === 0) return [emptyCreation(null)];
      const custom = readSectionAsks(rest);
      if (custom.length > 0) return sectionsWish(view, hearing);
      if ((clause.act === "create" || clause.act === "have") && isKnownPageName(rest))
        return creations(view, false);
      if (clause.act === "add" && hearing.place !== null)
        return [{ ...navWish(view), location: hearing.place } as Wish];
      return unable(clause);
    }
  }
}

const KNOWN_PAGES = new Set([
  "about",
  "about us",
  "contact",
  "contact us",
  "team",
  "our team",
  "faq",
  "pricing",
  "prices",
  "services",
  "privacy policy",
  "privacy",
  "imprint",
  "jobs",
  "careers",
  "terms",
  "news",
  "events",
  "testimonials",
  "portfolio",
  "shop",
]);

function isKnownPageName(tokens: readonly Token[]): boolean {
  const words = tokens
    .map((token) => token.lower)
    .filter((word) => !["a", "an", "the", "new"].includes(word));
  return [1, 2].some((length) => KNOWN_PAGES.has(words.slice(0, length).join(" ")));
}

function isLastWord(token: Token): boolean {
  return token.lower === "item" || token.lower === "one";
}

/** A creation of which nothing is known yet but perhaps the name. */
export function emptyCreation(name: string | null): WishOf<"create_page"> {
  return {
    kind: "create_page",
    name,
    explicit: false,
    slug: null,
    sections: [],
    copyOf: null,
    empty: false,
    ifMissing: false,
    another: false,
    topic: null,
    imageQuery: null,
  };
}

/** One creation, or several ("pages called Team and Jobs"), with what the same clause says of status and navigation. */
export function creations(view: View, ifMissing: boolean): Wish[] {
  const same = view.has("same") ? view.rest.findIndex((token) => token.lower === "as") : -1;
  if (same >= 0) return [copyWish({ ...view, rest: view.rest.slice(same + 1) })];
  const original = view.rest.findIndex((token) => token.lower === "of");
  if (view.has("copy", "duplicate", "clone") && original >= 0)
    return [copyWish({ ...view, rest: view.rest.slice(original + 1) })];
  const names = newPageNames(view.rest);
  const known =
    names.length === 0 && isKnownPageName(view.rest)
      ? [{ name: titleOf(view.rest), explicit: false }]
      : names;
  const slugAt = view.rest.findIndex((token) => ["slug", "url", "address"].includes(token.lower));
  const slugToken =
    slugAt < 0
      ? undefined
      : view.rest
          .slice(slugAt + 1)
          .find((token) => !["is", "as", "of", "the", "be"].includes(token.lower) && token.kind !== "colon");
  const path = view.rest.find((token) => token.kind === "path");
  const about = view.rest.findIndex(
    (token) =>
      token.lower === "about" && PAGE_WORDS.has(view.rest[view.rest.indexOf(token) - 1]?.lower ?? ""),
  );
  const base: WishOf<"create_page"> = {
    ...emptyCreation(null),
    slug: slugToken?.text.toLowerCase() ?? (path === undefined ? null : slugify(path.text) || null),
    sections: readSectionAsks(view.rest),
    empty: view.has("empty", "blank"),
    ifMissing,
    another: view.has("another", "second"),
    topic:
      about < 0
        ? null
        : view.rest
            .slice(about + 1)
            .map((token) => token.text)
            .join(" "),
    imageQuery: imageQuery({ tokens: view.rest }),
  };
  const pages: Wish[] =
    known.length === 0 ? [base] : known.map(({ name, explicit }) => ({ ...base, name, explicit }));
  const publishes = view.has("published", "live", "public") && !view.has("unpublished");
  return publishes
    ? [...pages, { kind: "set_status", to: "published", page: NO_PAGE, target: "page", all: false }]
    : pages;
}

function titleOf(tokens: readonly Token[]): string {
  const words = tokens
    .filter((token) => !DETERMINERS.has(token.lower) && token.kind === "word")
    .map((token) => token.text);
  const count = [2, 1].find((length) => KNOWN_PAGES.has(words.slice(0, length).join(" ").toLowerCase())) ?? 1;
  const text = words.slice(0, count).join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A page made as a copy of another one. */
export function copyWish(view: View): Wish {
  const named = calledName(view.rest);
  const as = view.rest.findIndex(
    (token) => token.lower === "as" || token.lower === "to" || token.lower === "into",
  );
  const behind =
    as < 0
      ? null
      : (newPageName(view.rest.slice(as + 1))?.name ??
        (view.rest
          .slice(as + 1)
          .map((token) => token.text)
          .join(" ") ||
          null));
  const end =
    as >= 0 ? as : view.rest.findIndex((token) => ["called", "named", "call", "name"].includes(token.lower));
  return {
    ...emptyCreation(named ?? behind),
    explicit: true,
    copyOf: readPageRef(end < 0 ? view.rest : view.rest.slice(0, end)),
  };
}

function entryTitle(tokens: readonly Token[]): string | null {
  const called = calledName(tokens) ?? tokens.find((token) => token.kind === "quote")?.text;
  if (called !== undefined && called !== null) return called;
  const about = tokens.findIndex((token) => ["about", "on"].includes(token.lower));
  const words =
    about < 0
      ? ""
      : tokens
          .slice(about + 1)
          .map((token) => token.text)
          .join(" ");
  return words === "" ? null : words.charAt(0).toUpperCase() + words.slice(1);
}
