/**
 * The effects of a run, computed from its log, never from a model's words. Every interface shows it above the answer
 * (core/text/receipt-lines.ts), so that a person can compare the two. Three empty lists mean that nothing was changed.
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
  /** verbs that the tool declares for its effects; empty if it declares none */
  readonly verbs: readonly string[];
  /** names of the things that it is about; empty where the log knows none */
  readonly targets: readonly string[];
  /** resulting state, such as `published`, `draft`, `deleted`; null if the result has none */
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
  /** as stated on the page */
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

/** Position of a quote in the text of its page. */
export interface Passage {
  readonly start: number;
  readonly end: number;
  readonly quote: string;
}

/** All that one call has read, in the order in which its output names it. */
export interface FoundSources {
  readonly pages: readonly ReadPage[];
  /** addresses found in addition to the links of its pages */
  readonly urls: readonly string[];
}

/** Reference to an unnamed page in a tool's output: its index among the pages of the call. */
export interface PageMark {
  readonly $page: number;
}
export interface EvidenceMark {
  readonly $evidence: readonly [page: number, passage: number];
}

/** Mark in an output for a stored page and its passages. */
export interface StoredPage {
  readonly page: PageMark;
  readonly evidence: readonly EvidenceMark[];
}

/** A page under its name. Its whole text is stored separately, under the same name. */
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
