import {
  BOOKKEEPING_MIN,
  CYCLE_PERIODS,
  FIRE_AGAIN_TURNS,
  MONOLOGUE_MIN,
  NO_PROGRESS_MIN,
  NO_PROGRESS_RESEARCH_MIN,
  SAME_THOUGHT_MIN,
} from "../../limits.ts";
import type { CallRecord } from "../../log/mark.ts";
import { blockSig, identity, isSpacedPoll, type Finding, type LoopTurn, type Window } from "./window.ts";

/** The rules that look at whole turns. */

/** Bookkeeping that continues reading a long result counts as work while the slices are new. */
const SLICE_TOOL = "read_observation";

/** Turns that repeat with a period of 2, 3 or 4, with equal results, twice. */
export function cycle(w: Window): Finding | null {
  for (const period of CYCLE_PERIODS) {
    const turns = w.turns.slice(-2 * period);
    if (turns.length < 2 * period) continue;
    const keys = turns.map(turnKey);
    const periodic = keys.every((key, index) => key !== null && key === keys[(index + period) % keys.length]);
    if (!periodic || new Set(keys).size === 1) continue;
    const entries = turns.slice(period).flatMap((turn) => turn.entries);
    if (entries.some((entry) => isReread(w, entry))) continue;
    return { rule: "cycle", entries, named: entries.map((entry) => blockSig(entry, "cycle")), count: period };
  }
  return null;
}

/** Returns a key for comparing turns: calls with their results, else the proposed calls and text. */
function turnKey({ turn, entries, skipped }: LoopTurn): string | null {
  const repeated = entries.filter((entry) => !isSpacedPoll(entry));
  if (repeated.length > 0) return `calls ${repeated.map(identity).sort().join(" ")}`;
  if (entries.length > 0) return null;
  const proposed = skipped.map((entry) => entry.sig).sort();
  return `words ${proposed.join(" ")} ${turn.words.join(" ")}`;
}

/**
 * A read whose earlier result a compaction has taken from the transcript, made once since: the model had to look again.
 * `after_compaction` counts the second time.
 */
function isReread({ memory, entries }: Window, entry: CallRecord): boolean {
  const { compacted, calls } = memory;
  if (compacted === null || entry.effect !== "read" || entry.seq <= compacted.seq) return false;
  const equal = (other: CallRecord): boolean => identity(other) === identity(entry);
  const covered = calls.some(
    (other) => other.seq >= compacted.from && other.seq <= compacted.to && equal(other),
  );
  return covered && entries.filter((other) => other.seq > compacted.seq && equal(other)).length === 1;
}

/** Turns in a row without an executed call that were sent back or unusable. */
export function monologue(w: Window): Finding | null {
  const count = trailing(w.turns, ({ turn }) => !turn.executed && turn.refused);
  return count < MONOLOGUE_MIN ? null : { rule: "monologue", entries: [], named: [], count };
}

/** The same text in turns without executed calls, consecutive or not. */
export function sameThought(w: Window): Finding | null {
  const words = proposedText(w.last);
  if (words === "") return null;
  const count = w.turns.filter((turn) => proposedText(turn) === words).length;
  if (count < (w.config.onStuck.iterations ?? SAME_THOUGHT_MIN)) return null;
  return { rule: "same_thought", entries: [], named: [], count };
}

function proposedText({ turn }: LoopTurn): string {
  return turn.executed ? "" : turn.words.join(" ");
}

/** Consecutive turns with bookkeeping only. */
export function bookkeeping(w: Window): Finding | null {
  const turns = tail(
    w.turns,
    ({ entries }) =>
      entries.length > 0 &&
      entries.every((entry) => entry.kind === "bookkeeping" && !(entry.tool === SLICE_TOOL && entry.fresh)),
  );
  if (turns.length < BOOKKEEPING_MIN || !mayFireAgain(w, turns)) return null;
  return {
    rule: "bookkeeping",
    entries: turns.flatMap((turn) => turn.entries),
    named: [],
    count: turns.length,
  };
}

/** Consecutive work steps without new results. Turns without work and results are skipped. */
export function noProgress(w: Window): Finding | null {
  const min = w.config.profile === "research" ? NO_PROGRESS_RESEARCH_MIN : NO_PROGRESS_MIN;
  const fruitless = tail(w.turns, ({ turn }) => !turn.progress).filter(isWork);
  if (fruitless.at(-1) !== w.last || fruitless.length < min || !mayFireAgain(w, fruitless)) return null;
  return {
    rule: "no_progress",
    entries: fruitless.flatMap((turn) => turn.entries),
    named: [],
    count: fruitless.length,
  };
}

/** Work that was done, or that was proposed and skipped whole. */
function isWork({ entries, skipped }: LoopTurn): boolean {
  if (entries.some((entry) => entry.kind === "work" && !isSpacedPoll(entry))) return true;
  return entries.length === 0 && skipped.some((entry) => entry.kind === "work");
}

/** Not at every further turn of a kind: only after two more since the ladder was last raised. */
function mayFireAgain({ memory }: Window, turns: readonly LoopTurn[]): boolean {
  const { level, lastTurn } = memory.stuck;
  return level === 0 || turns.filter(({ turn }) => turn.step > lastTurn).length >= FIRE_AGAIN_TURNS;
}

function trailing(turns: readonly LoopTurn[], holds: (turn: LoopTurn) => boolean): number {
  return tail(turns, holds).length;
}

/** The longest end of a list in which all hold. */
function tail(turns: readonly LoopTurn[], holds: (turn: LoopTurn) => boolean): readonly LoopTurn[] {
  return turns.slice(turns.findLastIndex((turn) => !holds(turn)) + 1);
}
