/** A question of the agent, as the stream of a session has it. */
export interface Question {
  readonly questionId: string;
  readonly question: string;
  readonly kind: string;
  readonly options: readonly string[] | null;
  readonly expiresAt: string;
  readonly default: string | null;
  readonly state: "open" | "answered" | "expired";
  readonly by: string | null;
  readonly context?: string;
}
