import type { Entry } from "../../src/cairn/core/log/entry.ts";
import type { Choices, Plan } from "./choices.ts";
import { Crash } from "../../src/cairn/testing/disk.ts";
import { checkPlatform } from "./invariants/invariants.ts";
import { Harness, type Branch, type Keep } from "./scripts/harness.ts";
import { Endless } from "./platform/observer.ts";
import type { FakePlatform } from "./platform/platform.ts";

/** When a deed is done: whenever all is quiet, or in the middle of an effect (`model r1s2`, `tool send`, `post run.ended`). */
export type Moment = "rest" | `model ${string}` | `tool ${string}` | `post ${string}`;

/**
 * Something that people or systems do, under ids of its own: whoever gets no answer does it again. `memory` is what they
 * know from the first time they tried.
 */
export interface Deed {
  readonly when: Moment;
  /** false: there was nothing to do it to */
  readonly act: (platform: FakePlatform, memory: Map<string, string>) => unknown;
}

/** One scripted conversation. */
export interface Script {
  readonly name: string;
  readonly platform: () => FakePlatform;
  readonly deeds: readonly Deed[];
  /** departures from the usual at once: 2 when left out */
  readonly most?: number;
  /** so many schedules that `npm run sim` goes through those with one departure; those with two belong to `--all` */
  readonly long?: boolean;
  /** where the isolate dies whenever it comes by, beside the departures */
  readonly dies?: (where: string) => boolean;
  /** what a crash may change in how it ends: nothing but unknown outcomes when left out */
  readonly ends?: "alike" | "by chance";
}

export interface Played {
  readonly platform: FakePlatform;
  /** the log at its end */
  readonly log: readonly Entry[];
  readonly choices: Choices;
  readonly crashes: number;
  /** names of the invariants that were broken */
  readonly faults: readonly string[];
}

/** Where a play is taken up, and who is told of the places where another can be. */
export interface Taking {
  readonly from?: Branch | null;
  readonly keep?: Keep | null;
}

const BOUNDED = "every run ends in a bounded number of wakes";

/**
 * Plays the script once, with the departures of the plan. Deterministic: the same plan gives the same log, from the
 * beginning as from any branch on its way.
 */
export async function play(
  script: Script,
  plan: Plan,
  { from = null, keep = null }: Taking = {},
): Promise<Played> {
  let harness = new Harness(script, plan, from, keep);
  try {
    for (let died = await harness.play(); died !== null; died = await harness.play()) {
      const { platform } = harness;
      harness = new Harness(script, plan, died, keep);
      if (platform !== harness.platform) platform.close();
    }
  } catch (error) {
    if (error instanceof Crash) throw error;
    harness.faults.add(error instanceof Endless ? BOUNDED : "no error comes out");
  }
  const { platform, client, choices, crashes, faults } = harness;
  const { log } = platform;
  for (const rule of harness.over ? client.faults(log) : []) faults.add(rule);
  for (const rule of checkPlatform(platform, client, log)) faults.add(rule);
  return { platform, log, choices, crashes, faults: [...faults] };
}
