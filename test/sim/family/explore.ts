import { enumerate, printPlan, WHOLE, type Choice, type Part, type Plan } from "../choices.ts";
import { Endless } from "../platform/observer.ts";
import type { Explored } from "../explore.ts";
import { checkTree, treeEndingOf } from "./invariants.ts";
import { World, type Reach, type TreeScript } from "./world.ts";

export interface PlayedTree {
  readonly world: World;
  /** names of what was broken */
  readonly faults: readonly string[];
}

const BOUNDED = "every run of a tree ends";
export const APPROVED = "no approval of a child is dropped, misrouted or decided twice";

/** Plays the tree once, with the departures of the plan. Deterministic: the same plan gives the same logs. */
export async function playTree(script: TreeScript, plan: Plan, reach: Reach = "all"): Promise<PlayedTree> {
  const world = new World(script, plan, reach);
  const faults = new Set<string>();
  try {
    await world.play();
  } catch (error) {
    if (error instanceof Endless) faults.add(BOUNDED);
    else faults.add("no error comes out").add(`no error comes out: ${String(error)}`);
  }
  for (const broken of checkTree(world)) faults.add(broken);
  const { rule = APPROVED } = script;
  for (const fault of script.wrong?.(world) ?? []) faults.add(rule).add(`${rule}: ${fault}`);
  return { world, faults: [...faults] };
}

export interface HowFarInTree {
  /** departures from the usual at once */
  readonly most?: number;
  readonly reach?: Reach;
  readonly part?: Part;
  /** of the schedules of the part one of so many */
  readonly every?: number;
  readonly enough?: (faults: Explored["faults"]) => boolean;
  readonly inspect?: (world: World, plan: string) => void;
}

/** Every schedule of the tree with at most so many departures, each from its beginning to its end. */
export async function exploreTree(
  script: TreeScript,
  {
    most = 1,
    reach = "all",
    part = WHOLE,
    every = 1,
    enough = () => false,
    inspect = () => {},
  }: HowFarInTree = {},
): Promise<Explored> {
  const faults: { rule: string; plan: string }[] = [];
  let [crashes, schedules, seen] = [0, 0, 0];
  let usual: string | null = null;
  const nothing = { places: [] as readonly Choice[], starts: new Map<number, never>() };
  const run = async (plan: Plan): Promise<typeof nothing> => {
    if (enough(faults)) return nothing;
    const leaf = plan.size === most;
    if (leaf && plan.size > 0 && seen++ % every !== 0) return nothing;
    const { world, faults: broken } = await playTree(script, plan, reach);
    const ending = treeEndingOf(world);
    usual ??= ending.all;
    if (plan.size > 0 || part.index === 0) {
      schedules += 1;
      crashes += world.crashes;
      for (const rule of broken) faults.push({ rule, plan: printPlan(plan) });
      const alike = script.ends === "by chance" || ending.unknown || ending.all === usual;
      if (!alike && broken.length === 0)
        faults.push({ rule: "a crash changes nothing in how a tree ends", plan: printPlan(plan) });
      inspect(world, printPlan(plan));
    }
    const { places } = world.choices;
    world.close();
    return { ...nothing, places };
  };
  await enumerate(most, run, part);
  return { schedules, crashes, faults };
}
