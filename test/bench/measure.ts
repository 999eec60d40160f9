import type { Name } from "./contenders.ts";

/** One thing that is measured: how, and what came out. */
export interface Measure {
  /** as in `--only` */
  readonly id: string;
  readonly title: string;
  /** for the reader of the report: what is done and what the numbers mean */
  readonly how: string;
  /** why a peer is ahead where it is; said only when one is */
  readonly ahead?: string;
  /** why Cairn has not reached its own target; said only where it has not */
  readonly missed?: string;
  /** of Cairn alone: its times, and the rows that they are billed with */
  readonly alone?: true;
  run(say: (line: string) => void): Promise<readonly Row[]>;
}

/** A line of a table. Less is better, always. */
export interface Row {
  readonly what: string;
  readonly unit: string;
  /** raw rounds, in the order in which they were run, or why there are none */
  readonly cells: Partial<Record<Name, readonly number[] | string>>;
  /** rows of the database, medians of the rounds */
  readonly billed?: { readonly read: number; readonly written: number };
}

/** Each contender once, then again, as often as asked, so that a slow minute of the machine is shared by all. */
export async function interleaved<Result>(
  rounds: number,
  names: readonly Name[],
  run: (name: Name, round: number) => Promise<Result>,
): Promise<Map<Name, Result[]>> {
  const results = new Map<Name, Result[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const name of names) results.get(name)?.push(await run(name, round));
  }
  return results;
}

/** The cells of a row from what each contender's rounds came to. */
export function cellsOf<Result>(
  results: ReadonlyMap<Name, readonly Result[]>,
  value: (result: Result) => number,
): Partial<Record<Name, number[]>> {
  return Object.fromEntries([...results].map(([name, rounds]) => [name, rounds.map(value)]));
}

export const ROUNDS = 5;
