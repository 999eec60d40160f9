import { Client } from "./client.ts";
import { Choices, enumerate, printPlan, type Plan } from "./choices.ts";
import { Crash } from "./disk.ts";
import { checkWorld, endingOf, type Fault } from "./invariants.ts";

export type { Fault } from "./invariants.ts";
import { Endless, type World } from "./world.ts";

/** When a deed is done: whenever all is quiet, or in the middle of an effect (`model r1s2`, `tool send`). */
export type Moment = "rest" | `model ${string}` | `tool ${string}`;

/**
 * Something that people or systems do, under ids of its own: whoever gets no answer does it again. `memory` is what they
 * know from the first time they tried.
 */
export interface Deed {
  readonly when: Moment;
  /** false: there was nothing to do it to */
  readonly act: (world: World, memory: Map<string, string>) => unknown;
}

/** One scripted conversation. */
export interface Script {
  readonly name: string;
  readonly world: () => World;
  readonly deeds: readonly Deed[];
  /** departures from the usual at once: 2 when left out */
  readonly most?: number;
  /** where the isolate dies whenever it comes by, beside the departures */
  readonly dies?: (where: string) => boolean;
  /** what a crash may change in how it ends: nothing but unknown outcomes when left out */
  readonly ends?: "alike" | "by chance";
}

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
    const ending = endingOf(played.world);
    usual ??= ending.all;
    for (const rule of played.faults) faults.push({ rule, plan: printPlan(plan) });
    if (script.ends !== "by chance" && !ending.unknown && played.faults.length === 0 && ending.all !== usual)
      faults.push({ rule: "a crash changes nothing in how it ends", plan: printPlan(plan) });
    inspect(played.world);
    played.world.disk.close();
    return played.choices;
  });
  return { schedules, crashes, faults };
}

export interface Played {
  readonly world: World;
  readonly choices: Choices;
  readonly crashes: number;
  /** names of the invariants that were broken */
  readonly faults: readonly string[];
}

const BOUNDED = "every run ends in a bounded number of wakes";

/** How an alarm may fire. */
const ON_TIME = 0;
const LATE = 1;
const TWICE = 2;
const LOST = 3;
const LATE_MS = 5_000;
/** a run that comes to no end in so many rests has lost its way */
const RESTS_MAX = 60;

/** Plays the script once, with the departures of the plan. Deterministic: the same plan gives the same log. */
export async function play(script: Script, plan: Plan): Promise<Played> {
  const world = script.world();
  const choices = new Choices(plan);
  const client = new Client(world);
  const faults = new Set<string>();
  const memory = new Map<string, string>();
  const done = new Set<Deed>();
  const begun = new Set<Deed>();
  let dead = false;
  let crashes = 0;

  world.cross = (where) => {
    if (dead) throw new Crash();
    if (script.dies?.(where) !== true && choices.pick(2) === 0) return;
    dead = true;
    throw new Crash();
  };
  /** Whatever is asked of a dead isolate fails; then a new one stands up, and who asked asks again. */
  const alive = async <Result>(body: () => Promise<Result>): Promise<Result> => {
    for (;;) {
      try {
        const result = await body();
        if (!dead) return result;
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
      }
      dead = false;
      crashes++;
      client.lose();
      world.restart();
    }
  };
  const perform = async (deed: Deed): Promise<void> => {
    begun.add(deed);
    const early = (await deed.act(world, memory)) === false && world.busy;
    if (early && world.restless) await world.engine.touch();
    if (!early && !dead) done.add(deed);
  };
  const midst = async (moment: string): Promise<void> => {
    for (const deed of script.deeds) if (deed.when === moment && !done.has(deed)) await perform(deed);
  };
  world.onModel = (request) => midst(`model ${request.step}`);
  world.effects.onTool = (tool) => midst(`tool ${tool}`);

  const follow = async (): Promise<void> => {
    for (let rests = 0; ; rests++) {
      if (rests > RESTS_MAX) return void faults.add(BOUNDED);
      await alive(() => client.follow());
      if (!(await alive(() => settle(world, choices)))) {
        faults.add(BOUNDED);
        return;
      }
      if (!world.armedAsDue) faults.add("an alarm is armed while something is due");
      if (client.connected && client.lastSeq < world.state.head)
        faults.add("what is on disk reaches every client at once");
      // Nobody comes by but who has something to do: the touch that heals a lost alarm is theirs, or the last one.
      const deed =
        script.deeds.find((item) => begun.has(item) && !done.has(item)) ??
        script.deeds.find((item) => item.when === "rest" && !done.has(item));
      if (deed !== undefined) {
        await alive(() => perform(deed));
        continue;
      }
      if (world.restless) {
        await alive(() => world.engine.touch());
        continue;
      }
      if (choices.pick(2) === 1) world.hibernate();
      break;
    }
    await alive(() => client.catchUp());
    for (const rule of await alive(() => client.faults())) faults.add(rule);
  };
  try {
    await follow();
  } catch (error) {
    if (error instanceof Crash) throw error;
    faults.add(error instanceof Endless ? BOUNDED : "no error comes out");
  }
  for (const rule of checkWorld(world, client)) faults.add(rule);
  return { world, choices, crashes, faults: [...faults] };
}

/** Lets time run from alarm to alarm until none is armed or the next lies far ahead; false when there is no end to it. */
async function settle(world: World, choices: Choices, patience = 60_000): Promise<boolean> {
  for (let wakes = 0; wakes < 300; wakes++) {
    const { alarm } = world.disk;
    if (alarm === null || alarm === Number.NEGATIVE_INFINITY || alarm > world.now + patience) return true;
    world.now = Math.max(world.now, alarm);
    const how = choices.pick(4);
    if (how === LOST) {
      world.disk.alarm = null;
      world.alarmsLost++;
      return true;
    }
    if (how === LATE) world.now += LATE_MS;
    await world.fire();
    if (how === TWICE) await world.engine.wake();
    if (how === ON_TIME) continue;
  }
  return false;
}
