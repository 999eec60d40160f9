import type { Via } from "../approval.ts";
import type { Limits, RunPolicy } from "../run.ts";
import type { Verdict } from "../verdict.ts";

/** A question to a person and its answer, as they are stored. */

/** A question to a person, as stored. */
export interface QuestionRecord {
  readonly question: string;
  /** the call of ask_human; null when a guard asks */
  readonly call: string | null;
  readonly text: string;
  readonly form: "text" | "choice";
  /** of a choice, else empty */
  readonly options: readonly string[];
  readonly context: string | null;
  /** answer on expiry */
  readonly default: string | null;
  readonly expiresAt: number;
  /** action on expiry without a default */
  readonly otherwise: RunPolicy["questions"]["otherwise"];
  /** what a guard has seen */
  readonly about?: Omit<Verdict, "evidence"> & {
    readonly tools: readonly string[];
    readonly seqs: readonly number[];
  };
}

export interface AnswerRecord {
  readonly question: string;
  readonly call: string | null;
  /** null after expiry without a default */
  readonly value: string | null;
  readonly expired: boolean;
  readonly actor: string;
  readonly via: Via;
  /** id of the chat message that it was, else null */
  readonly message: string | null;
  /** what the client calls the segment that follows */
  readonly request: string | null;
}

/** A question for more budget, asked when most of it is used. The run does not wait for the answer. */
export interface BudgetAsk {
  readonly question: string;
  /** the budget that is nearly used */
  readonly what: BudgetName;
  readonly used: number;
  readonly limit: number;
  /** what a yes adds to the limits */
  readonly adds: Partial<Limits>;
  /** millionths of a US dollar: what the run has cost, and may */
  readonly cost: { readonly used: number; readonly limit: number };
}

export type BudgetName = Exclude<keyof Limits, "outputTokens">;

export interface BudgetAnswer {
  readonly question: string;
  /** `ended`: a person agreed, but the day had no such amount left */
  readonly decision: "extend" | "finish" | "ended";
  readonly actor: string;
  readonly via: Via;
}
