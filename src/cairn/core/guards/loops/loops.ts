import {
  afterCompaction,
  blockEcho,
  drift,
  errorStreak,
  nearQuery,
  sameError,
  sameResult,
  thrash,
} from "./rules-calls.ts";
import { bookkeeping, cycle, monologue, noProgress, sameThought } from "./rules-turns.ts";
import type { GuardConfig, LoopMemory } from "../../state/loop-memory.ts";
import { windowOf, type Finding, type LoopRule, type Window } from "./window.ts";

/** The 13 rules, in the order in which they are named when more than one fires. */
export const LOOP_RULES: Readonly<Record<LoopRule, (window: Window) => Finding | null>> = {
  same_result: sameResult,
  same_error: sameError,
  error_streak: errorStreak,
  cycle,
  monologue,
  same_thought: sameThought,
  near_query: nearQuery,
  drift,
  thrash,
  block_echo: blockEcho,
  after_compaction: afterCompaction,
  bookkeeping,
  no_progress: noProgress,
};

/** Returns the loop findings of the newest turn, rule by rule; empty if there are none. */
export function findLoops(memory: LoopMemory, config: GuardConfig): readonly Finding[] {
  const window = windowOf(memory, config);
  if (window === null) return [];
  return Object.values(LOOP_RULES).flatMap((rule) => rule(window) ?? []);
}
