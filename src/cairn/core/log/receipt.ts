/**
 * The effects of a run, computed from its log and from no model's words. Every surface shows it above the answer
 * (core/text/receipt-lines.ts), so that a person can check the one against the other. Three empty lists say that nothing was
 * changed.
 */
export interface Receipt {
  /** effects that happened, in their order */
  readonly changed: readonly ReceiptItem[];
  /** what was wanted and did not happen: failed, denied, refused, stopped; not what the same act has made good since */
  readonly failed: readonly ReceiptItem[];
  /** effects that may have happened */
  readonly unknown: readonly ReceiptItem[];
  /** items, and names of things, that were left out above the limits */
  readonly more: number;
  /** the last message to the person, by which the run answers, came with these lines */
  readonly sent?: true;
}

export interface ReceiptItem {
  /** its name in the log, such as `r1s2c0` */
  readonly call: string;
  readonly tool: string;
  /** of the tool, for people */
  readonly title: string;
  /** what the tool says that its effects are called; empty where it does not say */
  readonly verbs: readonly string[];
  /** names of the things that it is about; empty where the log knows none */
  readonly targets: readonly string[];
  /** what has become of them, such as `published`, `draft`, `deleted`; null where the result does not say */
  readonly state: string | null;
  /** of a failure: its message; null otherwise */
  readonly reason: string | null;
}

/** Receipt of a run that did nothing. */
export const NO_RECEIPT: Receipt = { changed: [], failed: [], unknown: [], more: 0 };

// Outside sources of a run, and the passages that support an answer.

/** A page as a tool has read it, before it has a name. Its text is as `pageText` makes it (core/text/quotes.ts). */
export interface ReadPage {
  readonly url: string;
  readonly title: string;
  /** as the page says it */
  readonly date: string | null;
  readonly text: string;
  readonly links: readonly PageLink[];
  /** milliseconds since the epoch */
  readonly fetchedAt: number;
  readonly passages: readonly Passage[];
  /** its words are for people alone: the run has asked for values of it */
  readonly sealed?: true;
}

export interface PageLink {
  readonly text: string;
  readonly url: string;
}

/** Where a quote stands in the text of its page. */
export interface Passage {
  readonly start: number;
  readonly end: number;
  readonly quote: string;
}

/** All that one call has read, in the order in which its output names it. */
export interface FoundSources {
  readonly pages: readonly ReadPage[];
  /** addresses that it has found beside the links of its pages */
  readonly urls: readonly string[];
}

/** How the output of a tool says a page that has no name yet: by its place among those of its call. */
export interface PageMark {
  readonly $page: number;
}
export interface EvidenceMark {
  readonly $evidence: readonly [page: number, passage: number];
}

/** Mark in an output that stands for a stored page and its passages. */
export interface StoredPage {
  readonly page: PageMark;
  readonly evidence: readonly EvidenceMark[];
}

/** A page under its name. Its whole text stands apart, under the same name. */
export interface PageRecord {
  /** such as `p7` */
  readonly page: string;
  readonly url: string;
  readonly title: string;
  readonly date: string | null;
  /** of its text */
  readonly digest: string;
  readonly chars: number;
  readonly fetchedAt: number;
}

export interface EvidenceRecord extends Passage {
  /** such as `e12` */
  readonly id: string;
  readonly page: string;
}

/** Sources of a call: pages new to the session, and its evidence. */
export interface Sources {
  readonly pages: readonly PageRecord[];
  readonly evidence: readonly EvidenceRecord[];
  /** no prompt shows a word of them, their titles and addresses neither */
  readonly sealed?: true;
}

/** A source of an answer as shown: a passage of a page that was really read. */
export interface Citation extends Passage {
  readonly id: string;
  readonly page: string;
  readonly url: string;
  readonly title: string;
  readonly fetchedAt: number;
}

/** Citations of an answer, in the order of its marks, and how much of the answer cites nothing. */
export interface CitationList {
  readonly items: readonly Citation[];
  /** paragraphs without a mark */
  readonly unmarked: number;
}

export type CitationRule = "check" | "require";

export const pageName = (n: number): string => `p${n}`;
export const evidenceName = (n: number): string => `e${n}`;

/** `7` of `p7` and of `e7`; null for a name of something else. */
export function sourceNumber(kind: "p" | "e", name: string): number | null {
  const match = /^([pe])([1-9]\d{0,8})$/.exec(name);
  return match?.[1] === kind ? Number(match[2]) : null;
}
