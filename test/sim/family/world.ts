import type { ModelRequest } from "../../../src/cairn/core/log/model.ts";
import { mapCommands } from "../../../src/cairn/session/commands/commands.ts";
import type { Actor } from "../../../src/cairn/session/api/session-api.ts";
import type { FamilyApi } from "../../../src/cairn/session/family/reach.ts";
import { Choices, type Plan } from "../choices.ts";
import { Crash } from "../../../src/cairn/testing/disk.ts";
import { Endless } from "../platform/observer.ts";
import { becomeAs, keepOutside, type Outside } from "../platform/outside.ts";
import { FakePlatform, type Line } from "../platform/platform.ts";

/**
 * Several sessions in one world: each has its own disk, alarm and isolate, all have one clock, and they ask each other over
 * a network. A place is where the world may go another way than usual: an isolate dies, an alarm fires before another one,
 * a session works in the middle of another one's effect, a word between two sessions is lost, comes twice or comes late.
 */

/** alarms further ahead than this wait for what people do first */
const PATIENCE_MS = 30_000;
/** a tree that wakes so often has lost its way */
const WAKES_MAX = 3_000;
const RESTS_MAX = 200;
/** who is asked to choose among so many alarms that are due chooses among all that matter */
const ORDERS_MAX = 3;
/** a word that is late arrives when so many alarms have fired, or all is quiet */
const LATE_WAKES = 4;

/** Which places may go another way: all, or those between sessions alone. */
export type Reach = "all" | "family";

/** Fates of a message between sessions; the first is the usual one. */
const FATES = [
  "heard and answered",
  "lost on its way",
  "its answer lost",
  "heard twice",
  "heard late",
  "its sender dies before it",
  "its sender dies behind it",
] as const;

/** When a deed is done: whenever all is quiet, in the middle of an effect of a session (`model ses r1s2`, `tool ses~r1s1c0 look`), or while a word is late (`late startChild`). */
export type TreeMoment = "rest" | `model ${string}` | `tool ${string}` | `late ${string}`;

/** Something that people do. Whoever gets no answer does it again; `memory` is what they know from before. */
export interface TreeDeed {
  readonly when: TreeMoment;
  /** false: there is nothing yet to do it to */
  readonly act: (world: World, memory: Map<string, string>) => unknown;
}

/** One scripted tree. */
export interface TreeScript {
  readonly name: string;
  /** what the model of a session says, by the session's name and the step */
  readonly says: (session: string, request: ModelRequest) => Line;
  /** before the isolate of a session stands up */
  readonly prepare?: (platform: FakePlatform) => void;
  readonly deeds: readonly TreeDeed[];
  /** what departures may change in how it ends: nothing but unknown outcomes when left out */
  readonly ends?: "alike" | "by chance";
  /** what has gone wrong in it beside what always holds */
  readonly wrong?: (world: World) => readonly string[];
  /** which rule that breaks; that of the approvals when left out */
  readonly rule?: string;
  /** all its schedules are too many for every day: `npm run sim` tries one of so many */
  readonly every?: number;
}

/** One session: what its death leaves, or the isolate that stands. */
interface Member {
  platform: FakePlatform | null;
  left: Outside | null;
}

/** A word between sessions as it arrived, for what always holds. */
export interface Word {
  readonly from: string;
  readonly to: string;
  readonly what: string;
}

export class World {
  now = 1_700_000_000_000;
  readonly choices: Choices;
  readonly faults = new Set<string>();
  readonly words: Word[] = [];
  crashes = 0;
  readonly #script: TreeScript;
  readonly #reach: Reach;
  readonly #members = new Map<string, Member>();
  readonly #dead: FakePlatform[] = [];
  /** words that are on their way, each with the wakes until it arrives */
  #late: readonly { readonly wakes: number; readonly hear: () => Promise<unknown> }[] = [];
  readonly #memory = new Map<string, string>();
  readonly #done = new Set<TreeDeed>();
  /** what is done is done between sessions: every place in it matters to both */
  #between = 0;
  /** a session works in the middle of another one's effect */
  #meanwhile = false;

  constructor(script: TreeScript, plan: Plan, reach: Reach) {
    this.#script = script;
    this.#reach = reach;
    this.choices = new Choices(plan);
  }

  /** Names of the sessions that anyone has ever asked for, in the order in which they were. */
  get names(): readonly string[] {
    return [...this.#members.keys()];
  }

  /** The session of this name; its isolate stands up if it does not. */
  session(name: string): FakePlatform {
    const known = this.#members.get(name);
    const member = known ?? { platform: null, left: null };
    this.#members.set(name, member);
    const platform = member.platform ?? this.#standUp(name, member);
    platform.now = Math.max(platform.now, this.now);
    return platform;
  }

  /** True if anyone ever asked for the session. */
  has(name: string): boolean {
    return this.#members.has(name);
  }

  /** Plays to its end: until nothing is left to do and no alarm stands. */
  async play(): Promise<void> {
    for (let rests = 0; rests < RESTS_MAX; rests++) {
      await this.#settle();
      const deed = this.#script.deeds.find((item) => item.when === "rest" && !this.#done.has(item));
      if (deed !== undefined && (await this.#perform(deed))) continue;
      const next = this.#alarms()[0];
      if (next !== undefined) this.now = Math.max(this.now, next.alarm);
      else if (deed === undefined) return;
      // Nothing will ever come to which it could be done.
      else this.#done.add(deed);
    }
    throw new Endless();
  }

  /** Someone outside asks a session. Throws a Crash when the isolate dies in it. */
  async ask<Answer>(name: string, body: (platform: FakePlatform) => Answer): Promise<Awaited<Answer>> {
    const platform = this.session(name);
    const answer = await body(platform);
    if (this.#isDead(name, platform)) throw new Crash();
    return answer;
  }

  /** How a session speaks to its relatives. */
  reach(from: FakePlatform, to: string): FamilyApi {
    return mapCommands((command) => (actor, ...args) => {
      const said = structuredClone(args);
      return this.send(from, to, command, ({ api }) => {
        const ask = api[command] as (actor: Actor, ...args: readonly unknown[]) => Promise<unknown>;
        return ask(actor, ...structuredClone(said));
      });
    });
  }

  /** A session asks another one. What goes over is a copy; a sender that hears nothing gets an error. */
  async send<Answer>(
    from: FakePlatform,
    to: string,
    what: string,
    deliver: (platform: FakePlatform) => Promise<Answer>,
  ): Promise<Answer> {
    const sender = from.session;
    const hear = async (): Promise<Answer> => {
      const platform = this.session(to);
      this.words.push({ from: sender, to, what });
      this.#between += 1;
      try {
        const answer = await deliver(platform);
        if (this.#isDead(to, platform)) throw new Error("the object was reset");
        return structuredClone(answer);
      } catch (error) {
        throw this.#isDead(to, platform) ? new Error("the object was reset") : error;
      } finally {
        this.#between -= 1;
      }
    };
    const fate = FATES[this.#pick(FATES.length, true)];
    if (fate === "its sender dies before it") this.#die(sender, from);
    if (fate === "lost on its way") throw new Error("the network is gone");
    if (fate === "heard late") {
      this.#late = [...this.#late, { wakes: LATE_WAKES, hear }];
      await this.#midst(sender, from, `late ${what}`);
      throw new Error("no answer in time");
    }
    const answer = await hear();
    if (fate === "heard twice") await hear();
    if (this.#isDead(sender, from)) throw new Crash();
    if (fate === "its sender dies behind it") this.#die(sender, from);
    if (fate === "its answer lost") throw new Error("the connection broke");
    return answer;
  }

  /** Nobody looks at it any more. */
  close(): void {
    for (const { platform } of this.#members.values()) platform?.disk.close();
    for (const platform of this.#dead) platform.disk.close();
  }

  #standUp(name: string, member: Member): FakePlatform {
    const platform = new FakePlatform((request) => this.#script.says(name, request), name, this);
    this.#script.prepare?.(platform);
    if (member.left !== null) becomeAs(platform, member.left);
    platform.now = Math.max(platform.now, this.now);
    platform.restart();
    platform.cross = () => this.#cross(name, platform);
    platform.onModel = ({ step }) => this.#midst(name, platform, `model ${name} ${step}`);
    platform.effects.onTool = (tool) => this.#midst(name, platform, `tool ${name} ${tool}`);
    Object.assign(member, { platform, left: null });
    return platform;
  }

  #isDead(name: string, platform: FakePlatform): boolean {
    return this.#members.get(name)?.platform !== platform;
  }

  /** Whatever is asked of a dead isolate fails. */
  #cross(name: string, platform: FakePlatform): void {
    if (this.#isDead(name, platform)) throw new Crash();
    if (this.#pick(2, this.#between > 0) === 1) this.#die(name, platform);
  }

  #die(name: string, platform: FakePlatform): never {
    const member = this.#members.get(name);
    if (member?.platform === platform) {
      Object.assign(member, { platform: null, left: keepOutside(platform) });
      this.#dead.push(platform);
      this.crashes += 1;
    }
    throw new Crash();
  }

  #pick(options: number, between: boolean): number {
    return between || this.#reach === "all" ? this.choices.pick(options) : 0;
  }

  /** Armed alarms, earliest first. An isolate that died in a wake gets the alarm of that wake again. */
  #alarms(): { readonly name: string; readonly alarm: number }[] {
    return this.names
      .flatMap((name) => {
        const { alarm } = this.session(name).disk;
        return alarm === null || alarm === Number.NEGATIVE_INFINITY ? [] : [{ name, alarm }];
      })
      .toSorted((one, other) => one.alarm - other.alarm);
  }

  /** Lets time run from alarm to alarm, until the next lies far ahead. */
  async #settle(): Promise<void> {
    for (let wakes = 0; wakes < WAKES_MAX; wakes++) {
      await this.#hearLate(false);
      const alarms = this.#alarms();
      const first = alarms[0];
      if (first === undefined || first.alarm > this.now + PATIENCE_MS) {
        if (this.#late.length === 0) return;
        await this.#hearLate(true);
        continue;
      }
      this.now = Math.max(this.now, first.alarm);
      const due = alarms.filter(({ alarm }) => alarm <= this.now).slice(0, ORDERS_MAX);
      await this.#fire((due[this.#pick(due.length, true)] ?? first).name);
    }
    throw new Endless();
  }

  async #fire(name: string): Promise<void> {
    const platform = this.session(name);
    try {
      await platform.fire();
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    }
  }

  async #hearLate(isQuiet: boolean): Promise<void> {
    const late = this.#late.map(({ wakes, hear }) => ({ wakes: wakes - 1, hear }));
    const arrived = late.filter(({ wakes }) => isQuiet || wakes === 0);
    this.#late = late.filter((word) => !arrived.includes(word));
    // Nobody waits for its answer.
    for (const { hear } of arrived) await hear().catch(() => {});
  }

  /** False when there is nothing yet to do it to, or its answer was lost with an isolate. */
  async #perform(deed: TreeDeed): Promise<boolean> {
    try {
      if ((await deed.act(this, this.#memory)) === false) return false;
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      return true;
    }
    this.#done.add(deed);
    return true;
  }

  /** In the middle of an effect people do something, or another session has its turn. */
  async #midst(name: string, platform: FakePlatform, moment: TreeMoment): Promise<void> {
    for (const deed of this.#script.deeds)
      if (deed.when === moment && !this.#done.has(deed)) await this.#perform(deed);
    if (this.#meanwhile) return;
    const others = this.#alarms().filter((each) => each.name !== name && each.alarm <= this.now);
    const other = others[0];
    if (other === undefined || this.#pick(2, true) === 0) return;
    this.#meanwhile = true;
    await this.#fire(other.name);
    this.#meanwhile = false;
    if (this.#isDead(name, platform)) throw new Crash();
  }
}
