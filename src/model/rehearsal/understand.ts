import type { Clause } from "./clauses.ts";
import { splitClauses } from "./clauses.ts";
import { PAGE_WORDS } from "./lexicon.ts";
import { hearMemory } from "./remembering.ts";
import { readWishes } from "./wishes.ts";
import type { Hearing } from "./hearing.ts";
import type { PageRef, Wish, WishOf } from "./wish.ts";

/** The wishes of one message, in the order in which they are to be fulfilled. Empty when nothing in it is understood. */
export function understand(message: string): Wish[] {
  const memory = hearMemory(message);
  if (memory !== null) return [memory];
  const hearing: Hearing = {
    wishes: [],
    places: new Map(),
    subject: null,
    section: null,
    place: null,
    forbidden: new Set(),
    weak: new Set(),
  };
  for (const clause of splitClauses(message)) hear(clause, hearing);
  const wishes = arrange(hearing);
  const nothing = wishes.length === 0 && hearing.forbidden.size === 0;
  return nothing ? [{ kind: "unable", topic: message.trim() }] : wishes;
}

function hear(clause: Clause, hearing: Hearing): void {
  for (const wish of readWishes(clause, hearing)) {
    const inherits = "page" in wish && wish.page !== null && isOpen(wish.page) && hearing.subject !== null;
    const heard = narrowed(inherits ? ({ ...wish, page: hearing.subject } as Wish) : wish, hearing);
    if (!inherits && !hearing.weak.has(wish) && "page" in wish && wish.page?.phrase != null)
      hearing.subject = null;
    hearing.wishes.push(heard);
    hearing.places.set(heard, clause.tokens[0]?.start ?? 0);
  }
}

/** Says of no page in particular which it is: "it", or nothing. */
const isOpen = (page: PageRef): boolean => page.pronoun && page.ordinals === undefined;

/** The section that was named before the wish, where the wish names none. */
function narrowed(wish: Wish, { section }: Hearing): Wish {
  return section !== null && "section" in wish && wish.section.pronoun ? { ...wish, section } : wish;
}

/** Names a page that was left without one, and puts making before using and publishing before linking. */
function arrange(hearing: Hearing): Wish[] {
  const real = hearing.wishes.filter((wish) => !["greeting", "thanks", "farewell"].includes(wish.kind));
  const strong = real.filter((wish) => !hearing.weak.has(wish));
  const said = strong.length > 0 ? strong : real.length > 0 ? real : hearing.wishes;
  const kept = said.filter((wish) => !isForbidden(wish, hearing));
  const named = nameCreations(bindPronouns(kept, hearing));
  const creations = named.filter((wish) => wish.kind === "create_page");
  if (creations.length === 0) return dropRepeats(named);
  const rest = named.filter((wish) => wish.kind !== "create_page");
  const concerns = (wish: Wish): boolean =>
    "page" in wish && wish.page !== null && isOf(wish.page, creations);
  const before = named.filter(
    (wish, at) =>
      wish.kind !== "create_page" &&
      !concerns(wish) &&
      at < named.findIndex((one) => one.kind === "create_page"),
  );
  const after = rest.filter((wish) => !before.includes(wish));
  const publishing = after.filter(
    (wish) => wish.kind === "set_status" && wish.to === "published" && concerns(wish),
  );
  const linking = after.filter((wish) => wish.kind === "nav_add" && concerns(wish));
  const firstOfBoth = after.findIndex((wish) => publishing.includes(wish) || linking.includes(wish));
  const others = after.filter((wish) => !publishing.includes(wish) && !linking.includes(wish));
  const split = firstOfBoth < 0 ? others.length : after.slice(0, firstOfBoth).length;
  const edits = others.filter((wish, at) => at < split || concerns(wish));
  const late = others.filter((wish) => !edits.includes(wish));
  return dropRepeats([...before, ...creations, ...edits, ...publishing, ...linking, ...late]);
}

/** "Before you publish the contact page, change its heading": done first, but its page was named before it. */
function bindPronouns(wishes: readonly Wish[], hearing: Hearing): Wish[] {
  const place = (wish: Wish): number => hearing.places.get(wish) ?? 0;
  return wishes.map((wish, at) => {
    if (!("page" in wish) || wish.page === null || !isOpen(wish.page)) return wish;
    const later = wishes
      .slice(at + 1)
      .find(
        (one) => place(one) < place(wish) && "page" in one && one.page !== null && one.page.phrase !== null,
      );
    return later !== undefined && "page" in later && later.page !== null
      ? { ...wish, page: later.page }
      : wish;
  });
}

function isForbidden(wish: Wish, hearing: Hearing): boolean {
  if (wish.kind === "set_status" && wish.to === "published") return hearing.forbidden.has("publish");
  return wish.kind === "nav_add" && hearing.forbidden.has("nav");
}

function isOf(page: PageRef, creations: readonly WishOf<"create_page">[]): boolean {
  if (page.phrase === null) return true;
  const phrase = page.phrase.toLowerCase();
  return creations.some(
    (creation) => creation.name !== null && (creation.name.toLowerCase() === phrase || page.phrase === null),
  );
}

/** "Publish a page named X after creating it": the creation takes its name from the wish beside it. */
function nameCreations(wishes: readonly Wish[]): Wish[] {
  const named = wishes.some((wish) => wish.kind === "create_page" && wish.name !== null);
  return wishes.flatMap((wish): Wish[] => {
    if (wish.kind !== "create_page" || wish.name !== null) return [wish];
    const neighbour = wishes.find(
      (one) =>
        one !== wish &&
        "page" in one &&
        one.page !== null &&
        one.page.phrase !== null &&
        !PAGE_WORDS.has(one.page.phrase.toLowerCase()),
    );
    if (neighbour !== undefined && "page" in neighbour && neighbour.page !== null && !named) {
      const phrase = neighbour.page.phrase ?? "";
      return [{ ...wish, name: phrase.charAt(0).toUpperCase() + phrase.slice(1), explicit: true }];
    }
    return named && wish.sections.length === 0 ? [] : [wish];
  });
}

function dropRepeats(wishes: readonly Wish[]): Wish[] {
  const seen = new Set<string>();
  return wishes.filter((wish) => {
    const key = JSON.stringify(
      "page" in wish && wish.page !== null ? { ...wish, page: [wish.page.phrase, wish.page.ordinals] } : wish,
    );
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
