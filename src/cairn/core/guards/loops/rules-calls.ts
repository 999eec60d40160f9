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
import type { CallRecord } from "../../log/mark.ts";
import { jaccard } from "../../state/call-digest.ts";
import { wasExecuted } from "../../state/record-call.ts";
import { blockSig, identity, isSpacedPoll, sinceNewEffect, type Finding, type Window } from "./window.ts";

/**
 * Rules about calls. Each fires only for new facts of the newest turn: a warning is not repeated while the model does
 * something else.
 */

/** Skips that do not depend on the call itself; LOOP_BLOCK raises the ladder separately. */
const NO_ECHO = new Set(["CIRCUIT_OPEN", "POLL_TOO_SOON", "NEEDS_APPROVAL", "LOOP_BLOCK"]);

/** Equal call and equal result, no ok effect of a new signature between. */
export function sameResult(w: Window): Finding | null {
  const min = w.config.onStuck.iterations ?? SAME_RESULT_MIN;
  const open = sinceNewEffect(w.entries);
  for (const entry of w.last.entries) {
    if (!open.includes(entry) || isSpacedPoll(entry) || entry.res === null) continue;
    const equal = repeatsOf(entry, open);
    if (equal.length >= min)
      return {
        rule: "same_result",
        entries: equal,
        named: [blockSig(entry, "same_result")],
        count: equal.length,
      };
  }
  return null;
}

/** Hasty polls count with the one before them; past `maxPolls` all count. */
function repeatsOf(entry: CallRecord, entries: readonly CallRecord[]): CallRecord[] {
  const equal = entries.filter((other) => identity(other) === identity(entry));
  if (entry.poll !== "hasty") return equal;
  const first = equal.findIndex((other) => other.poll === "hasty");
  return equal.filter((other, index) => other.poll === "hasty" || index === Math.max(0, first - 1));
}

/** Equal call, equal error class; a success of it in between ends the matter. A ban that skips it repeats the failure. */
export function sameError(w: Window): Finding | null {
  const all = w.turns.flatMap((turn) => [...turn.entries, ...turn.skipped.filter(isBanned)]);
  for (const entry of [...w.last.entries, ...w.last.skipped.filter(isBanned)]) {
    const own = all.filter((other) => other.sig === entry.sig);
    const fresh = own.slice(own.findLastIndex((other) => other.status === "ok") + 1);
    const cause = fresh.findLast((other) => other.status === "error")?.error;
    if (cause === undefined || cause === null || !fresh.includes(entry)) continue;
    const equal = onePerStep(fresh.filter((other) => isBanned(other) || other.error === cause));
    if (equal.length >= SAME_ERROR_MIN)
      return {
        rule: "same_error",
        entries: equal,
        named: [blockSig(entry, "same_error")],
        count: equal.length,
      };
  }
  return null;
}

/** Executed calls in a row that fail alike, whatever they are. Bookkeeping between them changes nothing. */
export function errorStreak(w: Window): Finding | null {
  const ran = w.entries.filter(
    (entry) => wasExecuted(entry) && (entry.kind !== "bookkeeping" || entry.status === "error"),
  );
  const newest = ran.at(-1);
  if (newest === undefined || newest.error === null || newest.step !== w.last.turn.step) return null;
  const streak = tail(ran, (entry) => entry.status === "error" && entry.error === newest.error);
  if (streak.length < ERROR_STREAK_MIN || stepsOf(streak) < ERROR_STREAK_TURNS_MIN) return null;
  return { rule: "error_streak", entries: streak, named: [], count: streak.length };
}

/**
 * Queries of one tool that find what was found: in almost the same words, or, later, in whatever words. Those that only page
 * on are `drift`'s.
 */
export function nearQuery(w: Window): Finding | null {
  const open = sinceNewEffect(w.entries).filter(
    (entry) => entry.status === "ok" || entry.status === "reused",
  );
  for (const entry of w.last.entries) {
    if (!open.includes(entry) || entry.query === null) continue;
    const near = onePerStep(open.filter((other) => isNear(other, entry)));
    const stale = near.filter((other, index) => index > 0 && findsNothingNew(other, near.slice(0, index)));
    if (stale.includes(entry) && stale.length + 1 >= NEAR_QUERY_MIN)
      return { rule: "near_query", entries: near, named: [], count: stale.length + 1 };
    const barren = barrenSearches(open, entry);
    const most = w.config.profile === "research" ? NO_PROGRESS_RESEARCH_MIN : BARREN_SEARCHES_MIN;
    if (barren.length >= most)
      return { rule: "near_query", entries: barren, named: [], count: barren.length };
  }
  return null;
}

/** The searches of the entry's tool up to it, as far back as each found nothing that those before it had not found. */
function barrenSearches(open: readonly CallRecord[], entry: CallRecord): readonly CallRecord[] {
  const searches = onePerStep(
    open.filter((other) => other.tool === entry.tool && other.query !== null && !pagesOn(other, entry)),
  );
  if (searches.at(-1) !== entry) return [];
  const from = searches.findLastIndex((other, index) => !findsNothingNew(other, searches.slice(0, index)));
  return searches.slice(Math.max(0, from));
}

const pagesOn = (other: CallRecord, entry: CallRecord): boolean =>
  other.mask === entry.mask && other.sig !== entry.sig;

function isNear(other: CallRecord, entry: CallRecord): boolean {
  if (other.tool !== entry.tool || other.query === null || entry.query === null) return false;
  if (pagesOn(other, entry)) return false;
  return jaccard(other.query, entry.query) >= NEAR_QUERY_LIKENESS_MIN;
}

function findsNothingNew(entry: CallRecord, before: readonly CallRecord[]): boolean {
  if (entry.empty) return before.some((other) => other.empty);
  if (entry.known !== undefined) return entry.known >= NEAR_QUERY_KNOWN_MIN;
  return before.some((other) => other.res === entry.res);
}

/** Reads in a row that only count on, and find nothing (new). */
export function drift(w: Window): Finding | null {
  const work = w.entries.filter((entry) => entry.kind === "work");
  const newest = work.at(-1);
  if (newest === undefined || newest.step !== w.last.turn.step) return null;
  const counting = tail(work, (entry) => entry.mask === newest.mask && isBarren(entry));
  const differing = counting.filter((entry, index) => counting[index - 1]?.sig !== entry.sig);
  if (differing.length < DRIFT_MIN || stepsOf(differing) < DRIFT_TURNS_MIN) return null;
  const named = [{ by: "mask", value: newest.mask, untilStep: null, rule: "drift" }] as const;
  return { rule: "drift", entries: differing, named, count: differing.length };
}

function isBarren(entry: CallRecord): boolean {
  if (entry.effect !== "read" || (entry.status !== "ok" && entry.status !== "reused")) return false;
  return entry.empty || entry.known === 1;
}

/** A target is written back to an older value, again. */
export function thrash(w: Window): Finding | null {
  for (const entry of w.last.entries) {
    if (!isWrite(entry)) continue;
    const writes = w.entries
      .filter((other) => isWrite(other) && other.target === entry.target)
      .filter((other, index, all) => all[index - 1]?.value !== other.value);
    const returns = writes.filter((other, index) =>
      writes.slice(0, index).some((older) => older.value === other.value),
    );
    if (!returns.includes(entry) || returns.length < THRASH_RETURNS_MIN) continue;
    const named = [{ by: "target", value: entry.target ?? "", untilStep: null, rule: "thrash" }] as const;
    return { rule: "thrash", entries: writes, named, count: returns.length };
  }
  return null;
}

function isWrite(entry: CallRecord): boolean {
  return (
    entry.kind === "work" &&
    entry.effect !== "read" &&
    entry.status === "ok" &&
    entry.target !== null &&
    entry.value !== null
  );
}

/** A call proposed again after it was skipped. */
export function blockEcho(w: Window): Finding | null {
  const skips = w.turns.flatMap((turn) => turn.skipped).filter((entry) => !NO_ECHO.has(entry.skip ?? ""));
  for (const entry of w.last.skipped) {
    const equal = onePerStep(skips.filter((other) => other.sig === entry.sig));
    // The first skip is no echo.
    if (skips.includes(entry) && equal.length - 1 >= BLOCK_ECHO_MIN)
      return {
        rule: "block_echo",
        entries: equal,
        named: [blockSig(entry, "block_echo")],
        count: equal.length,
      };
  }
  return null;
}

/** Calls already answered in the compacted part of the transcript are repeated, more than once since. */
export function afterCompaction(w: Window): Finding | null {
  const { compacted, calls } = w.memory;
  if (compacted === null) return null;
  const open = sinceNewEffect(w.entries).filter((entry) => entry.seq > compacted.seq);
  for (const entry of w.last.entries) {
    if (!open.includes(entry) || isSpacedPoll(entry) || entry.res === null) continue;
    const covered = calls.filter(
      (other) =>
        other.seq >= compacted.from && other.seq <= compacted.to && identity(other) === identity(entry),
    );
    const again = open.filter((other) => identity(other) === identity(entry));
    if (covered.length > 0 && again.length >= AFTER_COMPACTION_MIN)
      return {
        rule: "after_compaction",
        entries: [...covered.slice(-1), ...again],
        named: [blockSig(entry, "after_compaction")],
        count: again.length,
      };
  }
  return null;
}

function isBanned(entry: CallRecord): boolean {
  return entry.skip === "SIG_BANNED";
}

function onePerStep(entries: readonly CallRecord[]): CallRecord[] {
  return entries.filter(
    (entry, index) => entries.findLastIndex((other) => other.step === entry.step) === index,
  );
}

function stepsOf(entries: readonly CallRecord[]): number {
  return new Set(entries.map((entry) => entry.step)).size;
}

/** The longest end of a list in which all hold. */
function tail(entries: readonly CallRecord[], holds: (entry: CallRecord) => boolean): readonly CallRecord[] {
  return entries.slice(entries.findLastIndex((entry) => !holds(entry)) + 1);
}
