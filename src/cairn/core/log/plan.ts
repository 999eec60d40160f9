/** A plan as stored: only its entry has its texts. */

export type ItemKind = "look" | "do" | "check" | "deliver";

export type ItemStatus = "open" | "doing" | "done" | "failed" | "dropped";

export interface PlanItem {
  /** chosen by the model, in at most 24 letters, digits, `_`, `.` and `-`; else `p1`, `p2`, … */
  readonly id: string;
  readonly text: string;
  readonly kind: ItemKind;
  readonly tool?: string | undefined;
  readonly fallback?: string | undefined;
  readonly doneWhen?: string | undefined;
  readonly status: ItemStatus;
  readonly reason?: string | undefined;
  /** entries of results that it rests on */
  readonly seqs: readonly number[];
}

export interface Plan {
  /** 1, and one more for each time that a failed item made a new plan */
  readonly rev: number;
  readonly goal: string;
  readonly items: readonly PlanItem[];
}

/** The whole plan as an entry sets it; what the log makes of its items until the next one is folded. */
export interface PlanChanged extends Plan {
  readonly by: "model" | "core";
  /** the call of update_plan; null when the core wrote it */
  readonly call: string | null;
  /** items claimed done without evidence */
  readonly claims: readonly string[];
  /** items that are done since the plan before it; absent where there are none */
  readonly done?: readonly string[];
}
