import type { Entry } from "../../src/core/entries.ts";
import { Choices, type Plan } from "./choices.ts";
import { Client } from "./client.ts";
import { Crash } from "./disk.ts";
import { checkWorld } from "./invariants.ts";
import { Endless } from "./witness.ts";
import type { World } from "./world.ts";

/** When a deed is done: whenever all is quiet, or in the middle of an effect (`model r1s2`, `tool send`, `post run.ended`). */
export type Moment = "rest" | `model ${string}` | `tool ${string}` | `post ${string}`;

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

export interface Played {
  readonly world: World;
  /** the log at its end */
  readonly log: readonly Entry[];
  readonly choices: Choices;
  readonly crashes: number;
  /** names of the invariants that were broken */
  readonly faults: readonly string[];
}

const BOUNDED = "every run ends in a bounded number of wakes";
/** a script that comes to rest so often, or wakes so often in between, has lost its way */
const RESTS_MAX = 60;
const WAKES_MAX = 300;
/** alarms further ahead than this wait for what people do first */
const PATIENCE_MS = 60_000;
const LATE_MS = 5_000;

/** How an alarm may fire; the first is the usual way. */
const FIRINGS = ["on time", "late", "twice", "lost"] as const;

/** Plays the script once, with the departures of the plan. Deterministic: the same plan gives the same log. */
export async function play(script: Script, plan: Plan): Promise<Played> {
  const stage = new Stage(script, plan);
  try {
    await stage.play();
  } catch (error) {
    if (error instanceof Crash) throw error;
    stage.faults.add(error instanceof Endless ? BOUNDED : "no error comes out");
  }
  const { world, client, choices, crashes, faults } = stage;
  const { log } = world;
  for (const rule of stage.over ? client.faults(log) : []) faults.add(rule);
  for (const rule of checkWorld(world, client, log)) faults.add(rule);
  return { world, log, choices, crashes, faults: [...faults] };
}

/** The world of one play, the people in it, and one client who watches. */
class Stage {
  readonly world: World;
  readonly client: Client;
  readonly choices: Choices;
  readonly faults = new Set<string>();
  crashes = 0;
  /** played to its end, and the client has caught up */
  over = false;
  readonly #script: Script;
  readonly #memory = new Map<string, string>();
  readonly #begun = new Set<Deed>();
  readonly #done = new Set<Deed>();
  #dead = false;

  constructor(script: Script, plan: Plan) {
    this.#script = script;
    this.world = script.world();
    this.choices = new Choices(plan);
    this.client = new Client(this.world);
    this.world.cross = (where) => this.#cross(where);
    this.world.onModel = (request) => this.#midst(`model ${request.step}`);
    this.world.effects.onTool = (tool) => this.#midst(`tool ${tool}`);
    this.world.receiver.onPost = (type) => this.#midst(`post ${type}`);
  }

  async play(): Promise<void> {
    for (let rests = 0; rests < RESTS_MAX; rests++) {
      await this.#alive(() => this.client.follow());
      await this.#alive(() => this.#settle());
      this.#look();
      if (await this.#somethingDone()) continue;
      if (this.choices.pick(2) === 1) this.world.hibernate();
      await this.#alive(() => this.client.catchUp());
      this.over = true;
      return;
    }
    throw new Endless();
  }

  /** Whoever has something to do does it; the touch that heals a lost alarm is theirs, or that of one who only looks. */
  async #somethingDone(): Promise<boolean> {
    const deed =
      this.#script.deeds.find((item) => this.#begun.has(item) && !this.#done.has(item)) ??
      this.#script.deeds.find((item) => item.when === "rest" && !this.#done.has(item));
    if (deed !== undefined) await this.#alive(() => this.#perform(deed));
    else if (this.world.restless) await this.#alive(() => this.world.engine.touch());
    else return false;
    return true;
  }

  /** What holds whenever the session has come to rest. */
  #look(): void {
    if (!this.world.armedAsDue) this.faults.add("an alarm is armed while something is due");
    if (this.client.connected && this.client.lastSeq < this.world.state.head)
      this.faults.add("what is on disk reaches every client at once");
  }

  #cross(where: string): void {
    if (this.#dead) throw new Crash();
    if (this.#script.dies?.(where) !== true && this.choices.pick(2) === 0) return;
    this.#dead = true;
    throw new Crash();
  }

  /** Whatever is asked of a dead isolate fails; then a new one stands up, and who asked asks again. */
  async #alive<Result>(body: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        const result = await body();
        if (!this.#dead) return result;
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
      }
      this.#dead = false;
      this.crashes++;
      this.client.lose();
      this.world.restart();
    }
  }

  async #perform(deed: Deed): Promise<void> {
    this.#begun.add(deed);
    const early = (await deed.act(this.world, this.#memory)) === false && this.world.busy;
    if (early && this.world.restless) await this.world.engine.touch();
    if (!early && !this.#dead) this.#done.add(deed);
  }

  async #midst(moment: string): Promise<void> {
    for (const deed of this.#script.deeds)
      if (deed.when === moment && !this.#done.has(deed)) await this.#perform(deed);
  }

  /** Lets time run from alarm to alarm until none is armed or the next lies far ahead. */
  async #settle(): Promise<void> {
    const { world } = this;
    for (let wakes = 0; wakes < WAKES_MAX; wakes++) {
      const { alarm } = world.disk;
      if (alarm === null || alarm === Number.NEGATIVE_INFINITY || alarm > world.now + PATIENCE_MS) return;
      world.now = Math.max(world.now, alarm);
      const how = FIRINGS[this.choices.pick(FIRINGS.length)];
      if (how === "lost") return world.loseAlarm();
      if (how === "late") world.now += LATE_MS;
      await world.fire();
      if (how === "twice") await world.engine.wake();
    }
    throw new Endless();
  }
}
