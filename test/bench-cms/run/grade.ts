import type { Task } from "../format.ts";
import { Deaths } from "./deaths.ts";
import { misses } from "./difference.ts";
import { becomesOf, type Mind } from "./mind.ts";
import { playTask, type Played } from "./play.ts";

/** Faults of one task, one per line. */
export interface Grade {
  readonly task: string;
  readonly gold: readonly string[];
  /** by seed */
  readonly crashes: readonly {
    readonly seed: number;
    readonly deaths: number;
    readonly faults: readonly string[];
  }[];
  /** of the mind that was asked to fulfil the wish by itself; null: none was */
  readonly mind: readonly string[] | null;
  readonly answer: string;
}

/** The gold calls by themselves, then under as many random schedules of deaths, then the wish alone. */
export async function gradeTask(task: Task, seeds: readonly number[], mind: Mind | null): Promise<Grade> {
  const played = await playTask(task, "gold", new Deaths(null));
  const gold = goldFaults(task, played);
  const crashes: Grade["crashes"][number][] = [];
  for (const seed of seeds) {
    const crashed = await playTask(task, "gold", new Deaths(seed));
    const faults = [
      ...goldFaults(task, crashed),
      ...(crashed.traces === played.traces ? [] : [tracesDiffer(played.traces, crashed.traces)]),
    ];
    crashes.push({ seed, deaths: crashed.deaths, faults });
  }
  if (mind === null) return { task: task.id, gold, crashes, mind: null, answer: "" };
  const own = await playTask(task, mind, new Deaths(null)).catch((error: unknown) => String(error));
  if (typeof own === "string") return { task: task.id, gold, crashes, mind: [own], answer: "" };
  return {
    task: task.id,
    gold,
    crashes,
    mind: [...misses(own.difference, task.expected), ...own.faults],
    answer: own.answer,
  };
}

function goldFaults(task: Task, played: Played): string[] {
  const wanted = task.gold.map(becomesOf).join(", ");
  // A run whose last call was refused or denied says so in its outcome.
  const isWhole = task.gold.every((call) => becomesOf(call) === "ok");
  const ends = isWhole ? ["completed"] : ["completed", "completed_partial"];
  const became = played.calls.join(", ");
  return [
    ...misses(played.difference, task.expected),
    ...played.faults,
    ...(became === wanted ? [] : [`its calls became ${became}, not ${wanted}`]),
    ...(ends.includes(played.outcome) ? [] : [`its run is ${played.outcome}`]),
  ];
}

/** The first place where two traces part. */
function tracesDiffer(one: string, other: string): string {
  let at = 0;
  while (one[at] === other[at]) at++;
  const near = (text: string): string => text.slice(Math.max(0, at - 120), at + 120);
  return `with deaths the rows differ: ${near(one)} … ${near(other)}`;
}
