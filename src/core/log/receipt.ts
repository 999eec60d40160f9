/**
 * What a run came to, made from its log and from no model's words. It stands beside every answer, so that a person can hold
 * the one against the other. Three empty lists say that nothing was changed.
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

/** Of a run that did nothing. */
export const NO_RECEIPT: Receipt = { changed: [], failed: [], unknown: [], more: 0 };
