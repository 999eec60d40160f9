/** A page that someone speaks of; which one it is, the site decides later. */
export interface PageRef {
  /** the words for it, when some were given as a name: "about us" */
  readonly phrase: string | null;
  /** every word that could belong to its name, folded, for finding a known name among them */
  readonly words: readonly string[];
  /** "it", "that page", "the page", or nothing at all */
  readonly pronoun: boolean;
  /** "the first page and the last one": places among the pages that were listed last; -1 is the last */
  readonly ordinals?: readonly number[];
}

/** A section that someone wants to have. */
export interface SectionAsk {
  /** key of a known template; null when the word is not one we know */
  readonly template: string | null;
  readonly word: string;
  readonly count: number;
  readonly place: "start" | "end" | null;
  /** text asked for in words: `a hero that says "Hello"` */
  readonly title: string | null;
}

/** A section that is there already. */
export interface SectionRef {
  readonly template: string | null;
  /** 1 is the first, -1 the last; among those of the template when there is one */
  readonly ordinal: number | null;
  /** its heading, when it was named by it */
  readonly phrase: string | null;
  readonly pronoun: boolean;
}

export type Place =
  | { readonly at: "start" | "end" | "up" | "down" }
  | { readonly at: "before" | "after"; readonly section: SectionRef }
  | { readonly at: "index"; readonly index: number };

export type Location = "header" | "footer" | "both";
export type FieldWord = "title" | "subtitle" | "text" | "button";
export type Target = "page" | "entry";

/** What a person wants, one thing each. */
export type Wish =
  | { readonly kind: "remember"; readonly key: string; readonly value: string }
  /** null: everything that was stored */
  | { readonly kind: "recall"; readonly query: string | null }
  | {
      readonly kind: "create_page";
      readonly name: string | null;
      /** the name was quoted, or came after "called" */
      readonly explicit: boolean;
      readonly slug: string | null;
      readonly sections: readonly SectionAsk[];
      readonly copyOf: PageRef | null;
      readonly empty: boolean;
      /** "add a Pricing page to the menu": made only when there is none */
      readonly ifMissing: boolean;
      readonly another: boolean;
      /** what the page is to be about, in the person's words */
      readonly topic: string | null;
      /** what to look for when an image is needed */
      readonly imageQuery: string | null;
    }
  | { readonly kind: "create_entry"; readonly title: string | null }
  | {
      readonly kind: "set_status";
      readonly to: "published" | "unpublished";
      readonly page: PageRef;
      readonly target: Target;
      readonly all: boolean;
    }
  | {
      readonly kind: "nav_add";
      readonly page: PageRef;
      readonly location: Location;
      readonly label: string | null;
    }
  | { readonly kind: "nav_remove"; readonly page: PageRef; readonly location: Location | null }
  | { readonly kind: "nav_label"; readonly page: PageRef; readonly label: string }
  | { readonly kind: "page_rename"; readonly page: PageRef; readonly name: string | null }
  | { readonly kind: "page_slug"; readonly page: PageRef; readonly slug: string | null }
  | {
      readonly kind: "page_meta";
      readonly page: PageRef;
      readonly field: "title" | "description";
      readonly value: string | null;
    }
  | { readonly kind: "page_delete"; readonly page: PageRef; readonly target: Target }
  | {
      readonly kind: "section_text";
      readonly page: PageRef;
      readonly section: SectionRef;
      readonly field: FieldWord;
      readonly from: string | null;
      readonly value: string | null;
    }
  | {
      readonly kind: "section_add";
      readonly page: PageRef;
      readonly sections: readonly SectionAsk[];
      readonly place: Place | null;
      readonly imageQuery: string | null;
    }
  | {
      readonly kind: "section_move";
      readonly page: PageRef;
      readonly section: SectionRef;
      readonly place: Place;
    }
  | {
      readonly kind: "section_hide";
      readonly page: PageRef;
      readonly section: SectionRef;
      readonly hidden: boolean;
    }
  | {
      readonly kind: "section_delete";
      readonly page: PageRef;
      readonly section: SectionRef;
      readonly all: boolean;
    }
  | {
      readonly kind: "page_image";
      readonly page: PageRef;
      readonly section: SectionRef;
      readonly query: string | null;
      readonly remove: boolean;
    }
  | { readonly kind: "undo" }
  | { readonly kind: "check"; readonly page: PageRef }
  | Question
  | { readonly kind: "greeting" | "thanks" | "farewell" | "help" }
  | { readonly kind: "unable"; readonly topic: string };

/** What a person wants to know. */
export type Question =
  | {
      readonly kind: "ask_pages";
      readonly filter: "all" | "draft" | "published" | "unpublished" | "waiting";
      readonly count: boolean;
    }
  | {
      readonly kind: "ask_page";
      readonly page: PageRef;
      readonly full: boolean;
      readonly template: string | null;
    }
  | { readonly kind: "ask_status"; readonly page: PageRef }
  | { readonly kind: "ask_navigation"; readonly location: Location | null; readonly page: PageRef | null }
  | {
      readonly kind: "ask_images";
      readonly query: string | null;
      readonly only: "unused" | "missing_alt" | null;
    }
  | { readonly kind: "ask_find"; readonly query: string }
  | { readonly kind: "ask_site" }
  | { readonly kind: "ask_entries"; readonly status: "draft" | "published" | "archived" | "all" }
  | { readonly kind: "ask_templates" };

export type WishOf<Kind extends Wish["kind"]> = Extract<Wish, { readonly kind: Kind }>;

export const NO_PAGE: PageRef = { phrase: null, words: [], pronoun: true };
