import type { Location, PageRef, SectionRef, Wish, WishOf } from "./wish.ts";

/** What was said in a message that bears on its other wishes. */
export interface Hearing {
  readonly wishes: Wish[];
  /** where in the message each wish was said */
  readonly places: Map<Wish, number>;
  /** the page that "on the team page, …" set for what follows */
  subject: PageRef | null;
  /** the section that "the second section of the team page: …" set for what follows */
  section: SectionRef | null;
  /** the place that "in the footer, …" set for what follows */
  place: Location | null;
  /** what is not to be done; "other" for a no that bears on nothing in particular */
  readonly forbidden: Set<"publish" | "nav" | "other">;
  /** wishes read from a bare noun, which count only when nothing else was said */
  readonly weak: Set<Wish>;
}

/** The page that this message asked to create last, and its place among the wishes. */
export function lastCreation(hearing: Hearing): { at: number; wish: WishOf<"create_page"> } | null {
  const at = hearing.wishes.findLastIndex((wish) => wish.kind === "create_page");
  const wish = hearing.wishes[at];
  return wish?.kind === "create_page" ? { at, wish } : null;
}
