import { playTrace, type Raised } from "./play.ts";
import type { Trace } from "./trace.ts";

/** Scores the detector against labels, as guards 13.2 says. */

export type Result = "hit" | "late" | "missed" | "early" | "false alarm" | "silent";

export interface Scored {
  readonly trace: Trace;
  readonly result: Result;
  /** the first verdict of level 1 */
  readonly first: Raised | null;
  /** turns from it to level 2; null when the trace ends before */
  readonly toLevel2: number | null;
  /** turns that the trace goes on after it */
  readonly after: number;
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
  const { raised, turns } = playTrace(trace);
  const first = raised[0] ?? null;
  const second = raised.find((one) => one.level === 2);
  const toLevel2 = first === null || second === undefined ? null : second.turn - first.turn;
  return {
    trace,
    result: resultOf(trace, first),
    first,
    toLevel2,
    after: first === null ? 0 : turns - first.turn,
  };
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
    const row = table.get(label) ?? new Map<string, number>();
    const rule = first?.verdict.rule.replace("loop.", "") ?? "-";
    row.set(rule, (row.get(rule) ?? 0) + 1);
    table.set(label, row);
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
