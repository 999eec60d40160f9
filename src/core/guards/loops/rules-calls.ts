import {
  AFTER_COMPACTION_MIN,
  BARREN_SEARCHES_MIN,
  BLOCK_ECHO_MIN,
  DRIFT_MIN,
  DRIFT_TURNS_MIN,
  ERROR_STREAK_MIN,
  ERROR_STREAK_TURNS_MIN,
  NEAR_QUERY_KNOWN_MIN,
  NEAR_QUERY_LIKENESS_MIN,
  NEAR_QUERY_MIN,
  NO_PROGRESS_RESEARCH_MIN,
  SAME_ERROR_MIN,
  SAME_RESULT_MIN,
  THRASH_RETURNS_MIN,
} from "../../limits.ts";
import type { CallRow } from "../../log/mark.ts";
import { jaccard } from "../../state/call-digest.ts";
import { executed } from "../../state/record-call.ts";
import { blockSig, identity, isSpacedPoll, sinceNewEffect, type Finding, type Window } from "./window.ts";

/**
 * The rules that look at calls. Each fires only for what the newest turn adds: what was said once is not
 * said again while the model does something else.
 */

/** Skips that say nothing about the call itself; LOOP_BLOCK raises the ladder by its own way. */
const NO_ECHO = new Set(["CIRCUIT_OPEN", "POLL_TOO_SOON", "NEEDS_APPROVAL", "LOOP_BLOCK"]);

/** Equal call and equal result, no ok effect of a new signature between. */
export function sameResult(w: Window): Finding | null {
  const min = w.config.onStuck.iterations ?? SAME_RESULT_MIN;
  const open = sinceNewEffect(w.rows);
  for (const row of w.last.rows) {
    if (!open.includes(row) || isSpacedPoll(row) || row.res === null) continue;
    const equal = repeatsOf(row, open);
    if (equal.length >= min)
      return { rule: "same_result", rows: equal, named: [blockSig(row, "same_result")], count: equal.length };
  }
  return null;
}

/** Hasty polls count with the one before them; past `maxPolls` all count. */
function repeatsOf(row: CallRow, rows: readonly CallRow[]): CallRow[] {
  const equal = rows.filter((other) => identity(other) === identity(row));
  if (row.poll !== "hasty") return equal;
  const first = equal.findIndex((other) => other.poll === "hasty");
  return equal.filter((other, index) => other.poll === "hasty" || index === Math.max(0, first - 1));
}

/** Equal call, equal error class; a success of it in between ends the matter. A ban that skips it repeats the failure. */
export function sameError(w: Window): Finding | null {
  const all = w.turns.flatMap((turn) => [...turn.rows, ...turn.skipped.filter(isBanned)]);
  for (const row of [...w.last.rows, ...w.last.skipped.filter(isBanned)]) {
    const own = all.filter((other) => other.sig === row.sig);
    const fresh = own.slice(own.findLastIndex((other) => other.status === "ok") + 1);
    const cause = fresh.findLast((other) => other.status === "error")?.error;
    if (cause === undefined || cause === null || !fresh.includes(row)) continue;
    const equal = onePerStep(fresh.filter((other) => isBanned(other) || other.error === cause));
    if (equal.length >= SAME_ERROR_MIN)
      return { rule: "same_error", rows: equal, named: [blockSig(row, "same_error")], count: equal.length };
  }
  return null;
}

/** Executed calls in a row that fail alike, whatever they are. Bookkeeping between them changes nothing. */
export function errorStreak(w: Window): Finding | null {
  const ran = w.rows.filter((row) => executed(row) && (row.kind !== "bookkeeping" || row.status === "error"));
  const newest = ran.at(-1);
  if (newest === undefined || newest.error === null || newest.step !== w.last.turn.step) return null;
  const streak = tail(ran, (row) => row.status === "error" && row.error === newest.error);
  if (streak.length < ERROR_STREAK_MIN || stepsOf(streak) < ERROR_STREAK_TURNS_MIN) return null;
  return { rule: "error_streak", rows: streak, named: [], count: streak.length };
}

/**
 * Queries of one tool that find what was found: in almost the same words, or, later, in whatever words. Those that only page
 * on are `drift`'s.
 */
export function nearQuery(w: Window): Finding | null {
  const open = sinceNewEffect(w.rows).filter((row) => row.status === "ok" || row.status === "reused");
  for (const row of w.last.rows) {
    if (!open.includes(row) || row.query === null) continue;
    const near = onePerStep(open.filter((other) => isNear(other, row)));
    const stale = near.filter((other, index) => index > 0 && findsNothingNew(other, near.slice(0, index)));
    if (stale.includes(row) && stale.length + 1 >= NEAR_QUERY_MIN)
      return { rule: "near_query", rows: near, named: [], count: stale.length + 1 };
    const barren = barrenSearches(open, row);
    const most = w.config.profile === "research" ? NO_PROGRESS_RESEARCH_MIN : BARREN_SEARCHES_MIN;
    if (barren.length >= most) return { rule: "near_query", rows: barren, named: [], count: barren.length };
  }
  return null;
}

/** The searches of the row's tool up to it, as far back as each found nothing that those before it had not found. */
function barrenSearches(open: readonly CallRow[], row: CallRow): readonly CallRow[] {
  const searches = onePerStep(
    open.filter((other) => other.tool === row.tool && other.query !== null && !pagesOn(other, row)),
  );
  if (searches.at(-1) !== row) return [];
  const from = searches.findLastIndex((other, index) => !findsNothingNew(other, searches.slice(0, index)));
  return searches.slice(Math.max(0, from));
}

const pagesOn = (other: CallRow, row: CallRow): boolean => other.mask === row.mask && other.sig !== row.sig;

function isNear(other: CallRow, row: CallRow): boolean {
  if (other.tool !== row.tool || other.query === null || row.query === null) return false;
  if (pagesOn(other, row)) return false;
  return jaccard(other.query, row.query) >= NEAR_QUERY_LIKENESS_MIN;
}

function findsNothingNew(row: CallRow, before: readonly CallRow[]): boolean {
  if (row.empty) return before.some((other) => other.empty);
  if (row.known !== undefined) return row.known >= NEAR_QUERY_KNOWN_MIN;
  return before.some((other) => other.res === row.res);
}

/** Reads in a row that only count on, and find nothing (new). */
export function drift(w: Window): Finding | null {
  const work = w.rows.filter((row) => row.kind === "work");
  const newest = work.at(-1);
  if (newest === undefined || newest.step !== w.last.turn.step) return null;
  const counting = tail(work, (row) => row.mask === newest.mask && isBarren(row));
  const differing = counting.filter((row, index) => counting[index - 1]?.sig !== row.sig);
  if (differing.length < DRIFT_MIN || stepsOf(differing) < DRIFT_TURNS_MIN) return null;
  const named = [{ by: "mask", value: newest.mask, untilStep: null, rule: "drift" }] as const;
  return { rule: "drift", rows: differing, named, count: differing.length };
}

function isBarren(row: CallRow): boolean {
  if (row.effect !== "read" || (row.status !== "ok" && row.status !== "reused")) return false;
  return row.empty || row.known === 1;
}

/** What is written to one target goes back to an older value, again. */
export function thrash(w: Window): Finding | null {
  for (const row of w.last.rows) {
    if (!isWrite(row)) continue;
    const writes = w.rows
      .filter((other) => isWrite(other) && other.target === row.target)
      .filter((other, index, all) => all[index - 1]?.value !== other.value);
    const returns = writes.filter((other, index) =>
      writes.slice(0, index).some((older) => older.value === other.value),
    );
    if (!returns.includes(row) || returns.length < THRASH_RETURNS_MIN) continue;
    const named = [{ by: "target", value: row.target ?? "", untilStep: null, rule: "thrash" }] as const;
    return { rule: "thrash", rows: writes, named, count: returns.length };
  }
  return null;
}

function isWrite(row: CallRow): boolean {
  return (
    row.kind === "work" &&
    row.effect !== "read" &&
    row.status === "ok" &&
    row.target !== null &&
    row.value !== null
  );
}

/** A call proposed again after it was skipped. */
export function blockEcho(w: Window): Finding | null {
  const skips = w.turns.flatMap((turn) => turn.skipped).filter((row) => !NO_ECHO.has(row.skip ?? ""));
  for (const row of w.last.skipped) {
    const equal = onePerStep(skips.filter((other) => other.sig === row.sig));
    // The first skip is no echo.
    if (skips.includes(row) && equal.length - 1 >= BLOCK_ECHO_MIN)
      return { rule: "block_echo", rows: equal, named: [blockSig(row, "block_echo")], count: equal.length };
  }
  return null;
}

/** What the compacted part of the transcript had answered, asked again more than once since. */
export function afterCompaction(w: Window): Finding | null {
  const { compacted, calls } = w.memory;
  if (compacted === null) return null;
  const open = sinceNewEffect(w.rows).filter((row) => row.seq > compacted.seq);
  for (const row of w.last.rows) {
    if (!open.includes(row) || isSpacedPoll(row) || row.res === null) continue;
    const covered = calls.filter(
      (other) =>
        other.seq >= compacted.from && other.seq <= compacted.to && identity(other) === identity(row),
    );
    const again = open.filter((other) => identity(other) === identity(row));
    if (covered.length > 0 && again.length >= AFTER_COMPACTION_MIN)
      return {
        rule: "after_compaction",
        rows: [...covered.slice(-1), ...again],
        named: [blockSig(row, "after_compaction")],
        count: again.length,
      };
  }
  return null;
}

function isBanned(row: CallRow): boolean {
  return row.skip === "SIG_BANNED";
}

function onePerStep(rows: readonly CallRow[]): CallRow[] {
  return rows.filter((row, index) => rows.findLastIndex((other) => other.step === row.step) === index);
}

function stepsOf(rows: readonly CallRow[]): number {
  return new Set(rows.map((row) => row.step)).size;
}

/** The longest end of a list in which all hold. */
function tail(rows: readonly CallRow[], holds: (row: CallRow) => boolean): readonly CallRow[] {
  return rows.slice(rows.findLastIndex((row) => !holds(row)) + 1);
}
