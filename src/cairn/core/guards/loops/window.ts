import type { CallRecord } from "../../log/mark.ts";
import type { Block } from "../../log/verdict.ts";
import { TURNS_STORED, type GuardConfig, type LoopMemory, type Turn } from "../../state/loop-memory.ts";
import { wasExecuted, isNewEffect } from "../../state/record-call.ts";

/** Input of the loop rules: the last turns since a person's last message, with their calls in order. */
export interface Window {
  readonly turns: readonly LoopTurn[];
  readonly last: LoopTurn;
  /** answered calls of all turns, oldest first; copies inside a step once */
  readonly entries: readonly CallRecord[];
  readonly memory: LoopMemory;
  readonly config: GuardConfig;
}

export interface LoopTurn {
  readonly turn: Turn;
  /** calls that got a result; copies inside a step once */
  readonly entries: readonly CallRecord[];
  readonly skipped: readonly CallRecord[];
}

/** A rule that fires. */
export interface Finding {
  readonly rule: LoopRule;
  /** the calls it rests on, oldest first */
  readonly entries: readonly CallRecord[];
  /** what is not run any more from its next proposal on; empty for rules that name nothing */
  readonly named: readonly Block[];
  /** how often, for the hint */
  readonly count: number;
}

export type LoopRule =
  | "same_result"
  | "same_error"
  | "error_streak"
  | "cycle"
  | "monologue"
  | "same_thought"
  | "near_query"
  | "drift"
  | "thrash"
  | "block_echo"
  | "after_compaction"
  | "bookkeeping"
  | "no_progress";

/** The window up to the newest turn; null when there is none since a person last spoke. */
export function windowOf(memory: LoopMemory, config: GuardConfig): Window | null {
  const turns = memory.turns
    .filter((turn) => turn.seq > memory.stuck.since)
    .slice(-TURNS_STORED)
    .map((turn) => withEntries(memory, turn));
  const last = turns.at(-1);
  if (last === undefined) return null;
  return { turns, last, entries: turns.flatMap((turn) => turn.entries), memory, config };
}

/** True if a call got a result: its own, or that of an equal call. */
export function hasResult(entry: CallRecord): boolean {
  return wasExecuted(entry) || entry.status === "reused";
}

/** `(tool, sig, res)`: the tool is part of the signature. */
export function identity(entry: CallRecord): string {
  return `${entry.sig}:${entry.res ?? ""}`;
}

/** True for a poll that respects its interval, which is no repetition. */
export function isSpacedPoll(entry: CallRecord): boolean {
  return entry.poll === "spaced";
}

/** The answered calls after the last effect that was new, newest last: before it the world was another one. */
export function sinceNewEffect(entries: readonly CallRecord[]): readonly CallRecord[] {
  const index = entries.findLastIndex(isNewEffect);
  return index < 0 ? entries : entries.slice(index);
}

export function blockSig(entry: CallRecord, rule: LoopRule): Block {
  return { by: "sig", value: entry.sig, untilStep: null, rule };
}

function withEntries(memory: LoopMemory, turn: Turn): LoopTurn {
  const own = memory.calls.filter((entry) => turn.calls.includes(entry.id));
  const entries = own
    .filter(hasResult)
    .filter((entry, index, all) => all.findIndex((other) => other.sig === entry.sig) === index);
  return { turn, entries, skipped: own.filter((entry) => entry.status === "skipped") };
}
