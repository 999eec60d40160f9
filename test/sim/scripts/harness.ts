import { Choices, type Choice, type Plan } from "../choices.ts";
import { Client, type KeptClient } from "../platform/client.ts";
import { Crash } from "../../../src/cairn/testing/disk.ts";
import { becomeAs, keepOutside, type Outside } from "../platform/outside.ts";
import type { Deed, Script } from "../play.ts";
import { Endless } from "../platform/observer.ts";
import type { FakePlatform } from "../platform/platform.ts";

/**
 * A place where the isolate dies: everything that its death leaves as it is. The play can be taken up from there as often
 * as one likes, since nothing that is in flight outlives the isolate.
 */
export interface Branch {
  readonly platform: Outside;
  readonly client: KeptClient;
  readonly choices: readonly Choice[];
  readonly crashes: number;
  readonly faults: ReadonlySet<string>;
  readonly memory: ReadonlyMap<string, string>;
  readonly begun: ReadonlySet<Deed>;
  readonly done: ReadonlySet<Deed>;
  readonly rests: number;
  readonly doing: Doing;
  readonly wake: Wake;
}

/** Actions on the session: follow it, let it settle, perform a deed, and catch up with everything. */
type Doing = "follow" | "settle" | "touch" | "catch up" | Deed;

/** How far the wake of an alarm has come, for the platform: its handler has returned, and of the last one for this alarm. */
type Wake = "at work" | "returned" | "last returned";

/** Is told of every place where the isolate could have died, and what would have been left. */
export type Keep = (place: number, branch: Branch) => void;

/** a script that comes to rest so often, or wakes so often in between, has lost its way */
const RESTS_MAX = 60;
const WAKES_MAX = 300;
/** alarms further ahead than this wait for what people do first */
const PATIENCE_MS = 60_000;
const LATE_MS = 5_000;

const isStep = (effect: string): boolean => /s\d+$/.test(effect);

/** How an alarm may fire; the first is the usual way. */
const FIRINGS = ["on time", "late", "twice", "lost"] as const;

/** The platform of one life of the isolate, the people in it, and one client who watches. */
export class Harness {
  readonly platform: FakePlatform;
  readonly client: Client;
  readonly choices: Choices;
  readonly faults: Set<string>;
  readonly crashes: number;
  /** played to its end, and the client has caught up */
  over = false;
  readonly #script: Script;
  readonly #keep: Keep | null;
  readonly #memory: Map<string, string>;
  readonly #begun: Set<Deed>;
  readonly #done: Set<Deed>;
  #rests: number;
  #doing: Doing;
  /** the wake that is at work: whether it is the last one for its alarm, and whether it has committed anything */
  #wake: { readonly last: boolean; committed: boolean } | null = null;
  #died: Branch | null = null;

  /** Where the isolate died, a new one stands up, and who asked asks again. */
  constructor(script: Script, plan: Plan, from: Branch | null, keep: Keep | null) {
    this.#script = script;
    this.#keep = keep;
    this.platform = script.platform();
    this.choices = new Choices(plan, from?.choices);
    this.client = new Client(this.platform, from?.client);
    this.faults = new Set(from?.faults);
    this.crashes = from?.crashes ?? 0;
    this.#memory = new Map(from?.memory);
    this.#begun = new Set(from?.begun);
    this.#done = new Set(from?.done);
    this.#rests = from?.rests ?? 0;
    this.#doing = from?.doing ?? "follow";
    if (from !== null) this.#standUp(from);
    this.platform.cross = (where) => this.#cross(where);
    if (this.platform.chat !== null) this.platform.chat.d1.pick = (options) => this.#pickFault(options);
    this.platform.onModel = (request) => this.#midst(`model ${request.step}`);
    this.platform.effects.onTool = (tool) => this.#midst(`tool ${tool}`);
    this.platform.receiver.onPost = (type) => this.#midst(`post ${type}`);
  }

  #standUp({ platform, wake }: Branch): void {
    becomeAs(this.platform, platform);
    // The platform has seen the handler return. The next alarm may fire before anything stands up: it fires again.
    if (wake !== "at work") this.platform.disk.firing = null;
    if (wake === "last returned" && this.#alarmIsNear && this.#nextAlarm() !== "lost") {
      this.platform.disk.firing = this.platform.disk.alarm;
      this.platform.disk.alarm = null;
      this.platform.wakes++;
    }
    this.platform.restart();
  }

  /** Plays to the end, or until the isolate dies: then says where. */
  async play(): Promise<Branch | null> {
    while (!this.over) {
      try {
        await this.#do(this.#doing);
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
      }
      if (this.#died !== null) return this.#died;
      this.#doing = this.#after(this.#doing);
    }
    return null;
  }

  async #do(doing: Doing): Promise<unknown> {
    switch (doing) {
      case "follow":
        return this.client.follow();
      case "settle":
        return this.#settle();
      case "touch":
        return this.platform.engine.restoreAlarm();
      case "catch up":
        return this.client.catchUp();
      default:
        return this.#perform(doing);
    }
  }

  /** Next action. At rest, perform the next possible deed; a touch heals a lost alarm, as a mere reader would. */
  #after(doing: Doing): Doing {
    if (doing === "follow") return "settle";
    if (doing === "settle") {
      this.#look();
      const { deeds } = this.#script;
      const deed =
        deeds.find((item) => this.#begun.has(item) && !this.#done.has(item)) ??
        deeds.find((item) => item.when === "rest" && !this.#done.has(item));
      if (deed !== undefined) return deed;
      if (this.platform.restless) return "touch";
      if (this.choices.pick(2, "rest") === 1) this.platform.hibernate();
      return "catch up";
    }
    if (doing === "catch up") this.over = true;
    else if (++this.#rests === RESTS_MAX) throw new Endless();
    return "follow";
  }

  /** Checks that hold whenever the session is at rest. */
  #look(): void {
    if (!this.platform.armedAsDue) this.faults.add("an alarm is armed while something is due");
    if (this.client.connected && this.client.lastSeq < this.platform.state.head)
      this.faults.add("what is on disk reaches every client at once");
  }

  /** Whatever is asked of a dead isolate fails. */
  #cross(where: string): void {
    if (this.#died !== null) throw new Crash();
    if (this.#script.dies?.(where) !== true) {
      const place = this.choices.places.length;
      const other = this.choices.pick(2, where) === 1;
      if (!other) {
        this.#keep?.(place, this.#branch());
        if (where === "commit: after" && this.#wake !== null) this.#wake.committed = true;
        return;
      }
    }
    this.#died = this.#branch();
    throw new Crash();
  }

  /** How a call to D1 goes. A dead isolate asks nothing. */
  #pickFault(options: number): number {
    if (this.#died !== null) throw new Crash();
    return this.choices.pick(options, "D1");
  }

  /** State that is left if the isolate dies here. */
  #branch(): Branch {
    return {
      platform: keepOutside(this.platform),
      client: this.client.keep(),
      choices: [...this.choices.places],
      crashes: this.crashes + 1,
      faults: new Set(this.faults),
      memory: new Map(this.#memory),
      begun: new Set(this.#begun),
      done: new Set(this.#done),
      rests: this.#rests,
      doing: this.#doing,
      wake: this.#wakeNow(),
    };
  }

  /** A wake never throws once its claim is written; only a model that is asked takes the handler down with it. */
  #wakeNow(): Wake {
    if (this.#wake === null || !this.#wake.committed) return "at work";
    const claim = this.platform.store.loadCursor()?.claim ?? null;
    if (claim !== null && isStep(claim.effect)) return "at work";
    return this.#wake.last ? "last returned" : "returned";
  }

  async #perform(deed: Deed): Promise<void> {
    this.#begun.add(deed);
    const early = (await deed.act(this.platform, this.#memory)) === false && this.platform.busy;
    if (early && this.platform.restless) await this.platform.engine.restoreAlarm();
    if (!early && this.#died === null) this.#done.add(deed);
  }

  async #midst(moment: string): Promise<void> {
    for (const deed of this.#script.deeds)
      if (deed.when === moment && !this.#done.has(deed)) await this.#perform(deed);
  }

  get #alarmIsNear(): boolean {
    const { alarm } = this.platform.disk;
    return alarm !== null && alarm !== Number.NEGATIVE_INFINITY && alarm <= this.platform.now + PATIENCE_MS;
  }

  /** Lets time run to the alarm that is armed, and says how it fires. */
  #nextAlarm(): (typeof FIRINGS)[number] | undefined {
    const { platform } = this;
    platform.now = Math.max(platform.now, platform.disk.alarm ?? 0);
    const how = FIRINGS[this.choices.pick(FIRINGS.length, "alarm")];
    if (how === "lost") platform.loseAlarm();
    if (how === "late") platform.now += LATE_MS;
    return how;
  }

  /** Lets time run from alarm to alarm until none is armed or the next lies far ahead. */
  async #settle(): Promise<void> {
    for (let wakes = 0; wakes < WAKES_MAX; wakes++) {
      if (!this.#alarmIsNear) return;
      const how = this.#nextAlarm();
      if (how === "lost") return;
      await this.#awake(how !== "twice", () => this.platform.fire());
      if (how === "twice") await this.#awake(true, () => this.platform.engine.wake());
    }
    throw new Endless();
  }

  async #awake(last: boolean, wake: () => Promise<unknown>): Promise<void> {
    this.#wake = { last, committed: false };
    await wake();
    this.#wake = null;
    if (this.#died !== null) throw new Crash();
  }
}
