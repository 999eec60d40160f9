import type { Clause } from "./clauses.ts";
import type { Hearing } from "./hearing.ts";
import type { View } from "./view.ts";
import type { PageRef, Wish } from "./wish.ts";
import { sectionsOfImage, sectionsWish } from "./adding.ts";
import { changeOfText, readChange, readMove, readRename } from "./changing.ts";
import { lastCreation } from "./hearing.ts";
import { IMAGE_WORDS, PARTICIPLES } from "./lexicon.ts";
import { copyWish, creations, emptyCreation, readMaking } from "./making.ts";
import { calledName } from "./names.ts";
import { readPageRef } from "./references.ts";
import { readLocation, readQuestion } from "./questions.ts";
import { navWish, readAsked, readRemoval, readVisibility, removeFromNav, status } from "./showing.ts";
import { readSectionAsks, readSectionRef } from "./values.ts";
import { destination, isDefinite, isIndefinite, keepSubject, look, unable } from "./view.ts";
import { NO_PAGE } from "./wish.ts";

/** The wishes of one clause. Creations of the same message are completed in place ("with a hero", "call it Team"). */
export function readWishes(clause: Clause, hearing: Hearing): Wish[] {
  const view = look(clause);
  if (keepsDraft(view)) {
    hearing.forbidden.add("publish");
    if (clause.act === null || clause.requirement) return [];
  }
  if (clause.question) return readAsked(clause, view, hearing);
  if (clause.negated) return forbid(view, hearing);
  if (clause.requirement) return readRequirement(view, hearing);
  switch (clause.act) {
    case "publish":
      return status(view, "published");
    case "unpublish":
      return status(view, "unpublished");
    case "take":
      return view.nav || view.has("off", "out")
        ? removeFromNav(view)
        : view.has("down", "offline")
          ? status(view, "unpublished")
          : unable(clause);
    case "remove":
      return readRemoval(view);
    case "rename":
      return readRename(view, hearing);
    case "change":
      return readChange(view, hearing);
    case "move":
      return readMove(view, hearing);
    case "hide":
    case "show":
      return readVisibility(view, hearing);
    case "copy":
      return [copyWish(view)];
    case "undo":
      return [{ kind: "undo" }];
    case "check":
      return view.has("weather", "code") ? unable(clause) : [{ kind: "check", page: readPageRef(view.rest) }];
    case "list":
    case "find":
    case "tell":
      return readAsked(clause, view, hearing);
    case "create":
    case "add":
    case "have":
    case "write":
      return readMaking(view, hearing);
    case null:
      return readFragment(view, hearing);
  }
}

function keepsDraft(view: View): boolean {
  return (
    view.has("leave", "keep", "save", "stay", "stays", "remain") &&
    view.has("draft", "unpublished") &&
    !view.has("publish")
  );
}

function forbid(view: View, hearing: Hearing): Wish[] {
  const participles = view.clause.tokens.map((token) => PARTICIPLES[token.lower]);
  if (view.clause.act === "publish" || participles.includes("publish")) hearing.forbidden.add("publish");
  if (view.nav) hearing.forbidden.add("nav");
  if (hearing.forbidden.size === 0) hearing.forbidden.add("other");
  keepSubject(view, hearing);
  return [];
}

/** "It should have a hero, be called Team and be in the footer." */
function readRequirement(view: View, hearing: Hearing): Wish[] {
  const { rest } = view;
  const wishes: Wish[] = [];
  const called = calledName(rest);
  const creation = lastCreation(hearing);
  if (called !== null && creation !== null && creation.wish.name === null) {
    hearing.wishes[creation.at] = { ...creation.wish, name: called, explicit: true };
  } else if (called !== null) wishes.push({ kind: "page_rename", page: NO_PAGE, name: called });
  if (readSectionAsks(rest).length > 0) wishes.push(...sectionsWish(view, hearing));
  else if (rest.some((token) => IMAGE_WORDS.has(token.lower)) && creation !== null)
    wishes.push(...sectionsOfImage(view, hearing, creation));
  const to = rest
    .map((token) => PARTICIPLES[token.lower])
    .find((act) => act === "publish" || act === "unpublish");
  if (to !== undefined)
    wishes.push({
      kind: "set_status",
      to: to === "publish" ? "published" : "unpublished",
      page: readRequirementPage(view),
      target: "page",
      all: false,
    });
  if (view.nav) wishes.push(navWish(view));
  if (wishes.length === 0 && rest.some((token) => PARTICIPLES[token.lower] === "create") && creation === null)
    wishes.push(emptyCreation(null));
  const subject = readRequirementPage(view);
  return wishes.map((wish): Wish =>
    "page" in wish && wish.page?.pronoun === true ? { ...wish, page: subject } : wish,
  );
}

function readRequirementPage(view: View): PageRef {
  const { tokens, rest } = view.clause;
  const page = readPageRef(
    rest > 0 ? tokens.slice(0, rest) : tokens.filter((token) => PARTICIPLES[token.lower] === undefined),
  );
  return page.phrase === null ? NO_PAGE : page;
}

const GREETINGS = new Set([
  "hi",
  "hello",
  "hey",
  "moin",
  "hallo",
  "greetings",
  "howdy",
  "morning",
  "evening",
  "afternoon",
]);

/** "The second section of the team page": a known thing named before what is wanted of it. */
function isReference({ clause, object }: View): boolean {
  const behind = clause.source.slice(clause.tokens.at(-1)?.end ?? 0);
  return object !== null && isDefinite(clause.tokens, object.at) && /^\s*[:,–—-]/u.test(behind);
}

const STOPPING = new Set(["stop", "cancel", "no", "nope", "nevermind", "never", "forget", "abort", "wait"]);

/** A clause without a verb of ours: a place, more sections, a greeting, a noun alone. */
function readFragment(view: View, hearing: Hearing): Wish[] {
  const { clause, rest, object } = view;
  const first = clause.tokens[0]?.lower ?? "";
  const short = clause.tokens.length <= 5;
  if (short && clause.tokens.some((token) => token.lower.startsWith("thank") || token.lower === "thx"))
    return [{ kind: "thanks" }];
  if (short && view.has("bye", "goodbye", "ciao")) return [{ kind: "farewell" }];
  if (short && clause.tokens.some((token) => GREETINGS.has(token.lower)) && object === null)
    return hearing.wishes.length > 0 ? [] : [{ kind: "greeting" }];
  if (short && STOPPING.has(first)) {
    hearing.forbidden.add("other");
    return [];
  }
  if (first === "help" && short) return [{ kind: "help" }];
  const text =
    view.has("should", "must", "shall") || rest.some((token) => token.kind === "colon")
      ? changeOfText(view)
      : null;
  if (text !== null) return [text];
  if (["in", "to"].includes(first) && view.nav && hearing.wishes.length === 0) {
    hearing.place = readLocation(view.words) ?? "header";
    return [];
  }
  if (
    ["on", "in", "for", "regarding"].includes(first) &&
    (object?.kind === "page" || readPageRef(rest).phrase !== null) &&
    lastCreation(hearing) === null
  ) {
    hearing.subject = readPageRef(clause.tokens.slice(1));
    return [];
  }
  const section = readSectionRef(clause.tokens);
  if (object?.kind === "section" && !section.pronoun && isReference(view) && lastCreation(hearing) === null) {
    hearing.subject = readPageRef(destination(clause.tokens));
    hearing.section = section;
    return [];
  }
  const asks = readSectionAsks(rest);
  const makes =
    object?.kind === "page" &&
    (view.has("new") || isIndefinite(rest, object.at) || asks.length > 0) &&
    !isDefinite(rest, object.at);
  if (makes && lastCreation(hearing) === null) return creations(view, false);
  if (asks.length > 0 && (lastCreation(hearing) !== null || hearing.wishes.at(-1)?.kind === "section_add"))
    return sectionsWish(view, hearing);
  const participle = clause.tokens
    .map((token) => PARTICIPLES[token.lower])
    .find((act) => act === "publish" || act === "unpublish");
  const continued = hearing.wishes.at(-1);
  if (
    view.nav &&
    continued !== undefined &&
    ["create_page", "set_status", "nav_add"].includes(continued.kind)
  )
    return [navWish({ ...view, clause: { ...clause, requirement: true } })];
  if (participle !== undefined && view.has("should", "must", "needs")) {
    return [
      {
        kind: "set_status",
        to: participle === "publish" ? "published" : "unpublished",
        page: readPageRef(rest.filter((token) => PARTICIPLES[token.lower] === undefined)),
        target: "page",
        all: false,
      },
    ];
  }
  if (view.nav && view.has("should", "must", "needs", "belongs")) {
    const modal = clause.tokens.findIndex((token) =>
      ["should", "must", "needs", "belongs"].includes(token.lower),
    );
    return [{ ...navWish(view), page: readPageRef(clause.tokens.slice(0, modal)) } as Wish];
  }
  const asked = readQuestion({ ...clause, question: true });
  if (asked !== null && (clause.question || short)) {
    keepSubject(view, hearing);
    hearing.weak.add(asked);
    return [asked];
  }
  keepSubject(view, hearing);
  if (hearing.wishes.length > 0 || hearing.subject !== null) return [];
  return unable(clause);
}
