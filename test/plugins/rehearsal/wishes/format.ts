/**
 * A wish: what a person writes to an agent that looks after a small website (test/plugins/rehearsal/site.ts), and how the
 * website must look afterwards. The wishes are worded without a look at the rules that they measure.
 */

/** One wording, or several that are equally good. Letter case and runs of spaces do not count. */
export type Words = string | readonly string[];

export type Location = "header" | "footer";
export type Status = "draft" | "published" | "unpublished";

/** `first`, `last`, or right next to another one of the list. */
export type Place = "first" | "last" | { readonly after: string } | { readonly before: string };

export interface SectionLike {
  readonly template: Words;
  /** texts, by field; a field that is not named is free */
  readonly content?: Readonly<Record<string, Words>>;
}

/** One change of the website. Pages go by their slug at the start, or by the name that they were made with; sections by id. */
export type Change =
  /** Its sections are free unless `fill page` names some; then those are all, but for a hero at the top. */
  | {
      readonly do: "make page";
      readonly name: Words;
      readonly slug?: string;
      readonly like?: string;
      readonly only?: true;
    }
  | { readonly do: "fill page"; readonly page: string; readonly section: SectionLike }
  | { readonly do: "rename page"; readonly page: string; readonly name: Words }
  | { readonly do: "readdress page"; readonly page: string; readonly slug: string }
  | { readonly do: "set page"; readonly page: string; readonly status: Status }
  | { readonly do: "delete page"; readonly page: string }
  | {
      readonly do: "add section";
      readonly page: string;
      readonly section: SectionLike;
      readonly at?: Place;
    }
  | {
      readonly do: "write section";
      readonly section: string;
      readonly content: Readonly<Record<string, Words>>;
    }
  | { readonly do: "clear field"; readonly section: string; readonly field: string }
  | { readonly do: "delete section"; readonly section: string }
  | { readonly do: "move section"; readonly section: string; readonly at: Place }
  | { readonly do: "hide section"; readonly section: string }
  | {
      readonly do: "place image";
      readonly section: string;
      readonly field: string;
      readonly image: Words;
    }
  | { readonly do: "describe image"; readonly image: string; readonly alt: Words }
  /** The label is the page's name unless given. */
  | {
      readonly do: "add link";
      readonly location: Location;
      readonly target: string;
      readonly label?: Words;
      readonly at?: Place;
    }
  | { readonly do: "remove link"; readonly location: Location; readonly target: string }
  | {
      readonly do: "relabel link";
      readonly location: Location;
      readonly target: string;
      readonly label: Words;
    }
  | {
      readonly do: "move link";
      readonly location: Location;
      readonly target: string;
      readonly at: Place;
    }
  | { readonly do: "make entry"; readonly title: Words }
  | { readonly do: "rename entry"; readonly entry: string; readonly title: Words }
  | {
      readonly do: "set entry";
      readonly entry: string;
      readonly status: "draft" | "published" | "unpublished" | "archived";
    }
  | { readonly do: "delete entry"; readonly entry: string }
  | { readonly do: "undo" };

/** A part that can be left out by itself, if the answer says so. */
export interface Part {
  /** a word that the answer must hold where it names what was left out */
  readonly say: Words;
  /** none: it cannot be done with the tools, and must always be named */
  readonly changes: readonly Change[];
}

export const TRAITS = [
  "plain",
  "typos",
  "slang",
  "several",
  "correction",
  "negation",
  "exception",
  "condition",
  "question",
  "impossible",
  "vague",
  "quotes",
  "mail",
  "hostile",
  "follow-up",
] as const;
export type Trait = (typeof TRAITS)[number];

interface Spoken {
  readonly id: string;
  readonly language: "en" | "de";
  readonly trait: Trait;
  readonly text: string;
  readonly earlier?: readonly (readonly ["user" | "assistant", string])[];
  /** lines of the working memory, as `renderMemory` writes them */
  readonly memory?: readonly string[];
  /** pages that the site has besides those of every fake site: name, slug, status */
  readonly pages?: readonly (readonly [name: string, slug: string, status: Status])[];
}

export interface ChangeWish extends Spoken {
  readonly wants: "change";
  /** what fulfils it; some of the parts are not wrong, when the answer names the others */
  readonly wished: readonly Part[];
  /** the parts make sense together only */
  readonly whole?: true;
  /** other ends; with nothing left out they fulfil it too */
  readonly allowed?: readonly { readonly changes: readonly Change[]; readonly leftOut: readonly Words[] }[];
}

/** A question, or a wish that holds already. Nothing may change. */
export interface AnswerWish extends Spoken {
  readonly wants: "answer";
  /** what a right answer holds, each of them */
  readonly says: readonly Words[];
}

/** Too vague, or beyond the tools. Nothing may change; the answer asks or says what can be done. */
export interface NothingWish extends Spoken {
  readonly wants: "nothing";
}

export type Wish = ChangeWish | AnswerWish | NothingWish;
