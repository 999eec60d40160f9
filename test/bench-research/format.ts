/**
 * A question about the invented pages, with what answers it and which words of which page bear that out. Questions are made of
 * the same table of facts as the pages, so nobody has to look the answers up.
 */

export const KINDS = [
  "numbers",
  "dates",
  "prices",
  "people",
  "times",
  "seasons",
  "lists",
  "comparisons",
  "hops",
  "absent",
] as const;
export type Kind =
  | "numbers"
  | "dates"
  | "prices"
  | "people"
  | "times"
  | "seasons"
  | "lists"
  | "comparisons"
  | "hops"
  | "absent";

/** Words of a page that bear an answer out. */
export interface Evidence {
  readonly url: string;
  readonly words: string;
}

/** Content of a right answer. */
export type Gold =
  /** one of these, which are the same in other words */
  | { readonly form: "value"; readonly said: readonly string[] }
  | { readonly form: "whether"; readonly is: boolean }
  /** all of the names, and none of the others */
  | { readonly form: "all"; readonly names: readonly string[]; readonly others: readonly string[] }
  /** the name, before any of the others: who is asked which of two says first which it is */
  | { readonly form: "pick"; readonly name: string; readonly others: readonly string[] }
  /** that no page says it */
  | { readonly form: "absent" };

export interface Question {
  readonly id: string;
  readonly kind: Kind;
  readonly ask: string;
  readonly gold: Gold;
  /** what an old page says instead; whoever repeats it has to say of which year it is */
  readonly former?: { readonly said: readonly string[]; readonly year: number };
  readonly evidence: readonly Evidence[];
  /** how one comes to it: what is searched for, and which pages are read */
  readonly path: { readonly queries: readonly string[]; readonly urls: readonly string[] };
}

/** The wish of a person who asks it. */
export const wishOf = ({ ask }: Question): string => `Research this, with sources: ${ask}`;
