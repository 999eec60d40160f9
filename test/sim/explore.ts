import { Choices, enumerate, printPlan } from "./choices.ts";
import { endingOf, type Fault } from "./invariants.ts";
import { play, type Script } from "./play.ts";
import type { World } from "./world.ts";

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
  /** a look at each world when its run is over */
  readonly inspect?: (world: World) => void;
}

/** Every schedule of the script with at most `most` departures: each run, and everything that always holds checked. */
export async function explore(
  script: Script,
  { most = script.most ?? 2, enough = () => false, inspect = () => {} }: HowFar = {},
): Promise<Explored> {
  const faults: Fault[] = [];
  let crashes = 0;
  let usual: string | null = null;
  const schedules = await enumerate(most, async (plan) => {
    if (enough(faults)) return new Choices(plan);
    const played = await play(script, plan);
    crashes += played.crashes;
    const ending = endingOf(played.world, played.log);
    usual ??= ending.all;
    for (const rule of played.faults) faults.push({ rule, plan: printPlan(plan) });
    const alike = script.ends === "by chance" || ending.unknown || ending.all === usual;
    if (!alike && played.faults.length === 0)
      faults.push({ rule: "a crash changes nothing in how it ends", plan: printPlan(plan) });
    inspect(played.world);
    played.world.disk.close();
    return played.choices;
  });
  return { schedules, crashes, faults };
}
