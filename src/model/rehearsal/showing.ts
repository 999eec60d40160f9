import type { Clause } from "./clauses.ts";
import type { Hearing } from "./hearing.ts";
import type { View } from "./view.ts";
import type { PageRef, Wish } from "./wish.ts";
import { DETERMINERS, IMAGE_WORDS, PAGE_WORDS } from "./lexicon.ts";
import { readPageRef } from "./references.ts";
import { imageQuery, readLocation, readQuestion } from "./questions.ts";
import { readSectionRef } from "./values.ts";
import { beforeDestination, destination, unable, withoutNav } from "./view.ts";
import { NO_PAGE } from "./wish.ts";

const LATER = new Set(
  "tomorrow tonight later monday tuesday wednesday thursday friday saturday sunday week month midnight noon schedule".split(
    " ",
  ),
);

/** The wish to publish or unpublish a page or post. */
export function setStatus(page: PageRef, to: "published" | "unpublished", view: View): Wish[] {
  const all = view.has("all", "everything", "every") && !view.has("nothing");
  const target = view.has("post", "posts", "article", "articles", "entry", "entries", "blogpost")
    ? "entry"
    : "page";
  return [{ kind: "set_status", to, page, target, all }];
}

/**
 * What a verb of publishing or unpublishing asks for, with the navigation when the clause names it too.
 */
export function status(view: View, to: "published" | "unpublished"): Wish[] {
  // Publishing now is not what "publish it tomorrow" asks for.
  if (view.clause.tokens.some((token) => LATER.has(token.lower))) return unable(view.clause);
  if (view.has("site", "website") && view.object?.kind !== "page") return unable(view.clause);
  const own = view.rest.filter((token) => !["live", "online", "public", "offline"].includes(token.lower));
  const wishes = setStatus(readPageRef(view.nav ? withoutNav(own) : own), to, view);
  return view.nav && to === "published" ? [...wishes, navWish(view)] : wishes;
}

/** The wish to put a page into the navigation, in the header unless the footer is named. */
export function navWish(view: View): Wish {
  const as = view.rest.findIndex(
    (token) =>
      token.lower === "as" ||
      token.lower === "label" ||
      token.lower === "labelled" ||
      token.lower === "labeled",
  );
  const label =
    as < 0
      ? null
      : (view.rest.slice(as + 1).find((token) => token.kind === "quote" || /^\p{Lu}/u.test(token.text))
          ?.text ?? null);
  const named = label === null ? view.rest : view.rest.slice(0, as);
  const side = named.findIndex(
    (token, at) => at > 0 && ["after", "before", "next", "behind"].includes(token.lower),
  );
  const own = side < 0 ? named : named.slice(0, side);
  const start = view.clause.requirement ? NO_PAGE : readPageRef(withoutNav(own));
  return { kind: "nav_add", page: start, location: readLocation(view.words) ?? "header", label };
}

/** The wish to take a page or label out of the navigation. */
export function removeFromNav(view: View): Wish[] {
  return [
    { kind: "nav_remove", page: readPageRef(withoutNav(view.rest)), location: readLocation(view.words) },
  ];
}

/** What a verb of deletion asks for, by its object. All pages at once are never deleted. */
export function readRemoval(view: View): Wish[] {
  const { object, rest } = view;
  if (view.nav && object?.kind !== "section" && object?.kind !== "image") return removeFromNav(view);
  const imageOnly =
    view.clause.tokens.some((token) => IMAGE_WORDS.has(token.lower)) &&
    !view.has("section", "gallery", "block", "text");
  if (imageOnly && (object?.kind === "section" || object?.kind === "image")) return [imageWish(view, true)];
  if (object?.kind === "section") {
    return [
      {
        kind: "section_delete",
        page: readPageRef(destination(rest)),
        section: readSectionRef(beforeDestination(rest)),
        all: view.has("all", "every") && view.has("sections", "section"),
      },
    ];
  }
  if (view.has("all", "every", "everything")) return unable(view.clause);
  const target = object?.kind === "post" ? "entry" : "page";
  return [{ kind: "page_delete", page: readPageRef(rest), target }];
}

/** To hide or show: a section, a navigation entry, a page; or to be shown something. */
export function readVisibility(view: View, hearing: Hearing): Wish[] {
  const hidden = view.clause.act === "hide";
  if (view.nav) return hidden ? removeFromNav(view) : readAsked(view.clause, view, hearing);
  if (view.object?.kind === "section" || view.object?.kind === "pronoun") {
    return [
      {
        kind: "section_hide",
        page: readPageRef(destination(view.rest)),
        section: readSectionRef(beforeDestination(view.rest)),
        hidden,
      },
    ];
  }
  if (hidden) return status(view, "unpublished");
  return readAsked(view.clause, view, hearing);
}

/** The wish for another image in a section of a page, or for none. */
export function imageWish(view: View, remove = false): Wish {
  const { rest } = view;
  if (["use", "pick", "choose", "select"].includes(view.clause.verb)) {
    const end = rest.findIndex((token) => ["for", "as", "on", "in"].includes(token.lower));
    const shown = end < 0 ? rest : rest.slice(0, end);
    const plain = shown
      .filter(
        (token) => !DETERMINERS.has(token.lower) && !IMAGE_WORDS.has(token.lower) && token.lower !== "of",
      )
      .map((token) => token.text)
      .join(" ");
    const behind = end < 0 ? [] : rest.slice(end);
    return {
      kind: "page_image",
      page: readPageRef(destination(behind)),
      section: readSectionRef(behind),
      query: plain === "" ? null : plain,
      remove: false,
    };
  }
  const to = rest.findIndex(
    (token, at) =>
      at > 0 &&
      ["to", "with", "by", "for"].includes(token.lower) &&
      !PAGE_WORDS.has(rest[at + 2]?.lower ?? "") &&
      !PAGE_WORDS.has(rest[at + 3]?.lower ?? ""),
  );
  const value =
    to < 0
      ? ""
      : rest
          .slice(to + 1)
          .filter(
            (token) =>
              !DETERMINERS.has(token.lower) &&
              !IMAGE_WORDS.has(token.lower) &&
              !["of", "one", "different", "other", "please"].includes(token.lower),
          )
          .map((token) => token.text)
          .join(" ");
  const isChange = view.clause.act === "change";
  const query =
    imageQuery({ tokens: isChange && to >= 0 ? rest.slice(to + 1) : rest }) ??
    (isChange && value !== "" ? value : null);
  const own = isChange && to >= 0 ? rest.slice(0, to) : destination(rest);
  const page = readPageRef(destination(own));
  const late = isChange && to >= 0 && page.pronoun ? rest.slice(to + 1) : [];
  const behind = late.findLastIndex((token) => ["on", "of", "in", "for"].includes(token.lower));
  const named = behind < 0 ? page : readPageRef(late.slice(behind + 1));
  const known = named.phrase !== null && query !== null && query.includes(named.phrase) ? page : named;
  return {
    kind: "page_image",
    page: known,
    section: readSectionRef(rest),
    query: remove ? null : query,
    remove,
  };
}

/** A question, or a wish to be shown something. */
export function readAsked(clause: Clause, view: View, hearing: Hearing): Wish[] {
  const asked = readQuestion(clause);
  if (asked !== null) return [asked];
  if (clause.act === "find" && view.rest.length > 0)
    return [{ kind: "ask_find", query: view.rest.map((token) => token.text).join(" ") }];
  if (clause.act === "list" && view.rest.length <= 3 && view.has("everything", "all"))
    return [{ kind: "ask_pages", filter: "all", count: false }];
  if (clause.act !== null && ["list", "tell"].includes(clause.act)) {
    const page = readPageRef(view.rest);
    if (
      page.phrase !== null &&
      view.rest.length <= 3 &&
      (view.has("about") || view.object?.kind === "page" || /^\p{Lu}/u.test(page.phrase))
    )
      return [{ kind: "ask_page", page, full: true, template: null }];
    if (page.pronoun && view.object?.kind === "pronoun")
      return [{ kind: "ask_page", page, full: true, template: null }];
  }
  return hearing.wishes.length > 0 && clause.question && view.rest.length <= 3 ? [] : unable(clause);
}
