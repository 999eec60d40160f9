import type { LoopTrace } from "./loop-format.ts";
import type { TraceWriter } from "./trace-writer.ts";

/** Where a loop begins for a careful reader, and the turn in which the definition of its rule is complete. */
export interface Loop {
  readonly onset: number;
  readonly complete: number;
}
export type Write = (w: TraceWriter, config: LoopTrace["config"]) => Loop;

export const LATER = ["once more", "again", "this time", "now", "finally", "another try", "still"] as const;

/** Turns that go on with the loop after it is complete, so that the next levels can be looked at. */
export const after = (w: TraceWriter): number => 2 + w.chance.below(2);

export function repeat(w: TraceWriter, times: number, act: () => void): number[] {
  const turns: number[] = [];
  const between = w.chance.once(2);
  for (let n = 0; n < times; n++) {
    if (n > 0 && between && w.chance.once(2)) w.prelude(1);
    act();
    turns.push(w.turns);
  }
  return turns;
}

export const at = (turns: readonly number[], index: number): number => turns[index] ?? Number.NaN;

export type Failure = readonly [kind: string, code: string, message: string];
export const FAILURES: readonly [Failure, ...Failure[]] = [
  ["not_found", "no_such", "There is none by that name"],
  ["conflict", "changed_since", "It was changed by someone else"],
  ["permission", "forbidden", "You may not do this"],
  ["invalid_args", "bad_value", "The value is not accepted"],
  ["server", "upstream", "The service answered 500 to request"],
];

export const NOTES = [
  "reading",
  "comparing",
  "sorting",
  "checking",
  "collecting",
  "writing",
  "planning",
] as const;
