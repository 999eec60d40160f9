import { enumerate, printPlan, WHOLE, type Choice, type Part, type Plan } from "./choices.ts";
import { endingOf, type Fault } from "./invariants/invariants.ts";
import { play, type Script } from "./play.ts";
import type { Branch } from "./scripts/harness.ts";
import { createKnownBranches } from "./scripts/same-branch.ts";
import type { FakePlatform } from "./platform/platform.ts";

export interface Explored {
  readonly schedules: number;
  readonly crashes: number;
  readonly faults: readonly Fault[];
}

export interface HowFar {
  /** departures from the usual at once */
  readonly most?: number;
  /** whether enough has been seen */
  readonly enough?: (faults: readonly Fault[]) => boolean;
  /** a look at each platform when its run is over, at the plan of the run, and at the places that it came by */
  readonly inspect?: (platform: FakePlatform, plan: string, places: readonly Choice[]) => void;
  /** which of the schedules: all when left out */
  readonly part?: Part;
}

/**
 * Every schedule of the script with at most `most` departures: each run to its end, and everything that always holds
 * checked. Schedules that begin alike share their beginning up to a crash, and of those whose crashes leave the same behind one
 * is played.
 */
export async function explore(
  script: Script,
  { most = script.most ?? 2, enough = () => false, inspect = () => {}, part = WHOLE }: HowFar = {},
): Promise<Explored> {
  const faults: Fault[] = [];
  let crashes = 0;
  let usual: string | null = null;
  const run = async (
    plan: Plan,
    from: Branch | null,
  ): Promise<{ places: readonly Choice[]; starts: Map<number, Branch> }> => {
    const starts = new Map<number, Branch>();
    if (enough(faults)) return { places: [], starts };
    const keep = plan.size < most ? (place: number, branch: Branch) => void starts.set(place, branch) : null;
    const { platform, log, choices, ...played } = await play(script, plan, { from, keep });
    const ending = endingOf(platform, log);
    usual ??= ending.all;
    if (plan.size > 0 || part.index === 0) {
      crashes += played.crashes;
      for (const rule of played.faults) faults.push({ rule, plan: printPlan(plan) });
      const alike = script.ends === "by chance" || ending.unknown || ending.all === usual;
      if (!alike && played.faults.length === 0)
        faults.push({ rule: "a crash changes nothing in how it ends", plan: printPlan(plan) });
      inspect(platform, printPlan(plan), choices.places);
    }
    platform.close();
    return { places: choices.places, starts };
  };
  const schedules = await enumerate(most, run, part, createKnownBranches(script.deeds));
  return { schedules, crashes, faults };
}
