import type { Hearing } from "./hearing.ts";
import type { Token } from "./tokens.ts";
import type { View } from "./view.ts";
import type { PageRef, Wish } from "./wish.ts";
import { sectionsWish } from "./adding.ts";
import { lastCreation } from "./hearing.ts";
import { IMAGE_WORDS, PAGE_WORDS, PRONOUNS, SECTION_WORDS, SLUG_WORDS } from "./lexicon.ts";
import { readPageRef } from "./references.ts";
import { imageWish, navWish, setStatus } from "./showing.ts";
import { foldWords } from "./tokens.ts";
import { beforePlace, readField, readPlace, readSectionRef, readValue } from "./values.ts";
import { destination, destinationPage, statusWord, unable, withoutNav } from "./view.ts";
import { NO_PAGE } from "./wish.ts";

/**
 * A new name for a page, a section or a navigation item; or the name of the page that this message creates.
 */
export function readRename(view: View, hearing: Hearing): Wish[] {
  const { value, from, tokens } = readValue(view.clause);
  const old: PageRef | null =
    from === null || value === null ? null : { phrase: from, words: foldWords(from), pronoun: false };
  const direct = value ?? nameBehindObject(view.rest);
  const creation = lastCreation(hearing);
  if (creation !== null && creation.wish.name === null && direct !== null) {
    hearing.wishes[creation.at] = { ...creation.wish, name: direct, explicit: true };
    return [];
  }
  if (view.nav || view.has("label")) {
    return direct === null
      ? unable(view.clause)
      : [
          {
            kind: "nav_label",
            page: old ?? readPageRef(withoutNav(tokens.filter((token) => token.lower !== "label"))),
            label: direct,
          },
        ];
  }
  const section = readSectionRef(tokens);
  // "The first one" alone is a page: only a section is named by its kind.
  const isSection = section.template !== null || tokens.some((token) => SECTION_WORDS.has(token.lower));
  if (!section.pronoun && isSection)
    return [
      {
        kind: "section_text",
        page: readPageRef(destination(tokens)),
        section,
        field: "title",
        from: null,
        value: direct,
      },
    ];
  const own =
    value === null && direct !== null
      ? tokens.slice(0, Math.max(1, tokens.length - direct.split(" ").length))
      : tokens;
  return [
    {
      kind: "page_rename",
      page: old ?? readPageRef(own.filter((token) => token.text !== direct)),
      name: direct,
    },
  ];
}

/** "call it Team", "rename the page Team". */
function nameBehindObject(tokens: readonly Token[]): string | null {
  const object = tokens.findIndex((token) => PRONOUNS.has(token.lower) || PAGE_WORDS.has(token.lower));
  const behind = tokens.slice(object + 1).filter((token) => token.kind !== "colon");
  const quote = behind.find((token) => token.kind === "quote");
  if (quote !== undefined) return quote.text;
  return object < 0 || behind.length === 0 ? null : behind.map((token) => token.text).join(" ");
}

/** A change of the words of a section, or null when the clause speaks of no field and no section. */
export function changeOfText(view: View): Wish | null {
  const valued = readValue(view.clause);
  const field = readField(valued.tokens);
  const section = readSectionRef(valued.tokens);
  const quoted = valued.value ?? (view.clause.act === "add" ? valued.from : null);
  const saying = view.has("say", "says", "read", "reads");
  if (field === null && !(saying && section.template !== null) && valued.from === null) return null;
  if (quoted === null) return null;
  const isOwnName = quoted === readPageRef(valued.tokens).phrase;
  const page = readPageRef(
    destination(valued.tokens.filter((token) => token.kind !== "quote" || token.text !== quoted)),
  );
  return {
    kind: "section_text",
    page: isOwnName ? NO_PAGE : pageBesideSection(page, valued.tokens),
    section,
    field: field ?? (section.template !== null ? "title" : "text"),
    from: view.clause.act === "add" ? null : valued.from,
    value: quoted,
  };
}

/** "title “A”, subtitle “B”": several words of one section, each quote with its own field before it. */
function changesOfText(tokens: readonly Token[]): Wish[] {
  const plain = tokens.filter((token) => token.kind !== "quote");
  const page = pageBesideSection(readPageRef(destination(plain)), plain);
  const section = readSectionRef(plain);
  const wishes: Wish[] = [];
  let from = 0;
  for (const [at, token] of tokens.entries()) {
    if (token.kind !== "quote") continue;
    const field = readField(tokens.slice(from, at));
    if (field === null) return [];
    wishes.push({ kind: "section_text", page, section, field, from: null, value: token.text });
    from = at + 1;
  }
  return wishes;
}

/** "the about page hero title": the page stands before the section, without a preposition. */
function pageBesideSection(page: PageRef, tokens: readonly Token[]): PageRef {
  if (page.phrase !== null) return page;
  const at = tokens.findIndex((token) => PAGE_WORDS.has(token.lower));
  if (at >= 0) return readPageRef(tokens);
  return { ...page, words: tokens.flatMap((token) => (token.kind === "word" ? [token.lower] : [])) };
}

/**
 * What a verb of change asks for, by the nouns beside it: a status, an image, a slug, a label, a name, words of a section.
 */
export function readChange(view: View, hearing: Hearing): Wish[] {
  const { clause, rest, object } = view;
  const to = statusWord(view);
  const several = changesOfText(rest);
  if (several.length > 1) return several;
  const valued = readValue(clause);
  const field = readField(valued.tokens);
  if (
    to !== null &&
    field === null &&
    !view.has("say", "says") &&
    object?.kind !== "section" &&
    clause.verb !== "replace"
  )
    return setStatus(
      readPageRef(rest.filter((token) => token.lower !== "draft" && token.lower !== "status")),
      to,
      view,
    );
  if (view.has("meta", "seo")) {
    const which = view.has("description") ? "description" : "title";
    return [
      { kind: "page_meta", page: readPageRef(destination(valued.tokens)), field: which, value: valued.value },
    ];
  }
  if (view.nav || view.has("label")) {
    if (
      valued.value !== null &&
      (view.has("label", "name", "text", "item", "entry", "link") || clause.verb === "rename")
    ) {
      return [
        {
          kind: "nav_label",
          page: readPageRef(
            withoutNav(
              valued.tokens.filter(
                (token) => !["label", "name", "text", "item", "entry", "link"].includes(token.lower),
              ),
            ),
          ),
          label: valued.value,
        },
      ];
    }
    if (field === null) return [navWish(view)];
  }
  const images =
    valued.tokens.some((token) => IMAGE_WORDS.has(token.lower)) ||
    rest.some((token) => IMAGE_WORDS.has(token.lower) && clause.verb !== "let");
  if (
    images &&
    !view.has("alt", "gallery") &&
    !(field !== null && valued.value !== null && !valued.tokens.some((token) => IMAGE_WORDS.has(token.lower)))
  )
    return [imageWish(view)];
  const slug = rest.some((token) => SLUG_WORDS.has(token.lower) && token.lower !== "link");
  if (slug && valued.value !== null) {
    return [
      {
        kind: "page_slug",
        page: readPageRef(destination(valued.tokens.filter((token) => !SLUG_WORDS.has(token.lower)))),
        slug: valued.value.replace(/^\/(?:site\/)?/u, "").toLowerCase(),
      },
    ];
  }
  const section = readSectionRef(valued.tokens);
  const ofPage =
    object?.kind === "page" || rest.some((token) => PAGE_WORDS.has(token.lower)) || section.pronoun;
  const ofSection = !section.pronoun || (hearing.section !== null && !view.has("name"));
  if ((view.has("name") || (view.has("title") && ofPage)) && !ofSection && valued.value !== null) {
    return [
      {
        kind: "page_rename",
        page: readPageRef(valued.tokens.filter((token) => !["name", "title"].includes(token.lower))),
        name: valued.value,
      },
    ];
  }
  if (view.has("called", "named") && section.pronoun && valued.value !== null) {
    const own = valued.tokens.filter((token) => !["called", "named"].includes(token.lower));
    return [{ kind: "page_rename", page: readPageRef(own), name: valued.value }];
  }
  const place = readPlace(rest);
  if (
    place !== null &&
    object?.kind === "section" &&
    field === null &&
    !valued.tokens.some((token) => token.kind === "quote")
  )
    return readMove(view, hearing);
  if (clause.verb === "give" && field === null && object?.kind === "section")
    return sectionsWish(view, hearing);
  const text = changeOfText(view);
  if (text !== null) return [text];
  const isSection = !section.pronoun;
  if (isSection && valued.value !== null)
    return [
      {
        kind: "section_text",
        page: readPageRef(destination(valued.tokens)),
        section,
        field: "title",
        from: null,
        value: valued.value,
      },
    ];
  if (clause.verb === "swap" || clause.verb === "switch") return unable(clause);
  if (isSection || field !== null)
    return [
      {
        kind: "section_text",
        page: readPageRef(destination(valued.tokens)),
        section,
        field: field ?? "title",
        from: null,
        value: null,
      },
    ];
  return unable(clause);
}

/** A section to another place on its page, or a page into the navigation. */
export function readMove(view: View, hearing: Hearing): Wish[] {
  if (view.nav && view.object?.kind !== "section") return [navWish(view)];
  const place = readPlace(view.rest);
  const section = readSectionRef(beforePlace(view.rest));
  if (place === null || (view.object === null && hearing.wishes.length === 0)) return unable(view.clause);
  return [{ kind: "section_move", page: readPageRef(destinationPage(view.rest)), section, place }];
}
