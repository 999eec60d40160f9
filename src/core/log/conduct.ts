import { QUESTION_MS } from "../limits.ts";

/** How a run behaves where it cannot go on by itself (guards 5.4, 6.4). Its agent says so, and it is frozen when the run begins. */
export interface Conduct {
  readonly onStuck: OnStuck;
  readonly questions: Questions;
}

/** What happens at the top of the ladder of loops. */
export interface OnStuck {
  /** `escalate` asks a person; `retry_with_hint` goes on once with the hint, the second time it forces the answer */
  readonly action: "force_answer" | "fail" | "escalate" | "retry_with_hint";
  /** what the model is told with `retry_with_hint`, and the person is asked with `escalate` */
  readonly hint?: string;
  /** replaces the counts of same_result and same_thought, from 2 */
  readonly iterations?: number;
}

/** How long a question waits, and what an unanswered one without a default of its own comes to. */
export interface Questions {
  /** milliseconds */
  readonly waitMs: number;
  /** go on with the note that nobody answered, or end the run as `expired` */
  readonly otherwise: "go_on" | "end";
}

export const DEFAULT_CONDUCT: Conduct = {
  onStuck: { action: "force_answer" },
  questions: { waitMs: QUESTION_MS, otherwise: "go_on" },
};
