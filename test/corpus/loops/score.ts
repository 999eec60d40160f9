import { playTrace, type Played, type Raised } from "./play.ts";
import type { Trace } from "./trace.ts";

/** Scores the detector against labels. */

const SLOW = new Set(["loop.no_progress", "loop.bookkeeping"]);

export type Result = "hit" | "late" | "missed" | "early" | "false alarm" | "silent";

export interface Scored {
  readonly trace: Trace;
  readonly result: Result;
  /** the first verdict of level 1 */
  readonly first: Raised | null;
  /** whether level 2 came with the next repeat; null where the trace shows none */
  readonly level2: boolean | null;
}

export interface Rate {
  readonly hits: number;
  readonly of: number;
  readonly value: number;
  /** Wilson 95 % interval (Wilson 1927) */
  readonly from: number;
  readonly to: number;
}

export interface Score {
  readonly traces: number;
  readonly loops: number;
  readonly precision: Rate;
  readonly recall: Rate;
}

/** First verdict inside [onset, detect_by]: hit. Later or none: missed. Before, or in an `ok` trace: a false positive. */
export function scoreTrace(trace: Trace): Scored {
  const played = playTrace(trace);
  const first = played.raised[0] ?? null;
  const level2 = first === null ? null : isSoon(played, first);
  return { trace, result: resultOf(trace, first), first, level2 };
}

/**
 * Level 2 within one further repeat: by the next turn with a call that the first verdict names, or, where it
 * names none, the next without calls. `no_progress` and `bookkeeping` speak again after two such turns.
 */
function isSoon({ turns, raised }: Played, first: Raised): boolean | null {
  const named = new Set(first.verdict.evidence.sigs);
  const repeats = turns.flatMap((sigs, index) => {
    const repeated = named.size === 0 ? sigs.length === 0 : sigs.some((sig) => named.has(sig));
    return repeated && index + 1 > first.turn ? [index + 1] : [];
  });
  const due = repeats[SLOW.has(first.verdict.rule) ? 1 : 0];
  if (due === undefined) return null;
  return raised.some((one) => one.level === 2 && one.turn <= due);
}

/** An early verdict counts against both: it is a false positive, and the loop was not found when it was one. */
export function summarise(scored: readonly Scored[]): Score {
  const count = (...results: Result[]): number => scored.filter((one) => results.includes(one.result)).length;
  const hits = count("hit");
  return {
    traces: scored.length,
    loops: scored.filter((one) => one.trace.label === "loop").length,
    precision: rate(hits, hits + count("early", "false alarm")),
    recall: rate(hits, hits + count("late", "missed", "early")),
  };
}

/** By what the label names first (`ok` for none), how often which rule spoke first (`-` for none), and how that was. */
export function confusion(scored: readonly Scored[]): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const table = new Map<string, Map<string, number>>();
  for (const { trace, first } of scored) {
    const label = trace.label === "ok" ? "ok" : (trace.rules[0] ?? trace.family);
    const entry = table.get(label) ?? new Map<string, number>();
    const rule = first?.verdict.rule.replace("loop.", "") ?? "-";
    entry.set(rule, (entry.get(rule) ?? 0) + 1);
    table.set(label, entry);
  }
  return table;
}

/** A share with its Wilson 95 % interval; 1 of nothing is 1, with an interval that says that nothing is known. */
export function rate(hits: number, of: number): Rate {
  if (of === 0) return { hits, of, value: 1, from: 0, to: 1 };
  const z = 1.959964;
  const share = hits / of;
  const middle = share + (z * z) / (2 * of);
  const half = z * Math.sqrt((share * (1 - share)) / of + (z * z) / (4 * of * of));
  const whole = 1 + (z * z) / of;
  return {
    hits,
    of,
    value: share,
    from: Math.max(0, (middle - half) / whole),
    to: Math.min(1, (middle + half) / whole),
  };
}

function resultOf(trace: Trace, first: Raised | null): Result {
  if (trace.label === "ok") return first === null ? "silent" : "false alarm";
  if (first === null) return "missed";
  if (trace.onset === undefined || trace.detect_by === undefined)
    throw new Error(`${trace.id}: a loop without onset and detect_by`);
  if (first.turn < trace.onset) return "early";
  return first.turn > trace.detect_by ? "late" : "hit";
}
