import { readFileSync } from "node:fs";
import path from "node:path";
import { APPROVAL_MS, OBSERVATION_CHARS_MAX, QUEUE_MAX } from "../../../src/cairn/core/limits.ts";
import type { ApprovalRules, Match } from "../../../src/cairn/core/log/approval.ts";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import type { Json } from "../../../src/cairn/core/log/json.ts";
import type { ModelRequest } from "../../../src/cairn/core/log/model.ts";
import type { State } from "../../../src/cairn/core/state/state.ts";
import { findBrokenLine, traceLines } from "../../../src/cairn/core/trace.ts";
import type { Actor, ScheduleCommand } from "../../../src/cairn/session/api/session-api.ts";
import { checkPlatform } from "../invariants/invariants.ts";
import { Chance } from "../platform/chance.ts";
import { Client } from "../platform/client.ts";
import { Crash } from "../../../src/cairn/testing/disk.ts";
import { WHERE } from "../platform/client-tool.ts";
import type { Line } from "../platform/fake-model.ts";
import { failure, proposal, providerFailure } from "../platform/mishaps.ts";
import { Endless } from "../platform/observer.ts";
import { FakePlatform } from "../platform/platform.ts";
import { dropSchedule, makeSchedule } from "./scheduling.ts";

/**
 * A long day of one session, made of a seed: people write, join, replace, stop, clear, decide and make schedules whenever
 * they like, some of them twice; clients come and go; the model and the tools are slow or fail; alarms are late, come twice or never; the
 * isolate dies at any crossing, and its clock may be behind after that. Then the sky clears, and everything must hold.
 */
export interface Day {
  readonly platform: FakePlatform;
  readonly faults: readonly string[];
  readonly crashes: number;
  readonly acts: number;
}

const person = (subject: string): Actor => ({ subject, scopes: ["approve"], via: "http" });
const SEVERAL: ApprovalRules = {
  approvers: ["owner", "bob", "carol"],
  needed: 2,
  onExpiry: "escalate",
  escalateTo: ["eve"],
  expiresMs: 3_600_000,
};

const ADA = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" } as const;
const SECRET = "sentinel-secret-value";
const CLIENTS = 3;
/** how far ahead a single time is wanted */
const SCHEDULED_MS_MAX = 600_000;

export async function liveThrough(seed: number, acts: number): Promise<Day> {
  const chance = new Chance(seed);
  const day = new RandomDay(chance);
  await day.storm(acts);
  const faults = await day.clear();
  return { platform: day.platform, faults, crashes: day.crashes, acts };
}

class RandomDay {
  readonly platform: FakePlatform;
  crashes = 0;
  readonly #chance: Chance;
  readonly #clients: readonly Client[];
  readonly #decided: string[] = [];
  readonly #said: string[] = [];
  /** calls that a client was asked for */
  readonly #returned: string[] = [];
  /** schedules that somebody wanted, known to stand or not */
  readonly #wanted: ScheduleCommand[] = [];
  #stormy = true;
  #dead = false;
  #ids = 0;
  #inside = 0;

  constructor(chance: Chance) {
    this.#chance = chance;
    this.platform = new FakePlatform((request) => this.#line(request));
    this.platform.approvals = chance.once(3) ? { publish: SEVERAL } : {};
    this.platform.protect([{ name: "SENTINEL", value: SECRET }]);
    if (chance.once(4)) inherit(this.platform, "v1-waiting");
    this.platform.receiver.listen("run.*", "approval.*");
    this.platform.receiver.answers = () =>
      this.#stormy && chance.once(3) ? Array.from({ length: 9 }, () => ({ status: 503 })) : [];
    this.platform.receiver.onPost = () => this.#midst();
    this.platform.service.admitOrCreate(ADA);
    this.platform.effects.bulk = `${SECRET} ${"word ".repeat(OBSERVATION_CHARS_MAX)}`;
    this.#clients = Array.from({ length: CLIENTS }, () => new Client(this.platform));
    this.platform.cross = () => {
      if (this.#dead) throw new Crash();
      if (!this.#stormy || !chance.once(80)) return;
      this.#dead = true;
      throw new Crash();
    };
    this.platform.onPiece = () => void (this.platform.now += chance.once(3) ? chance.below(900) : 0);
    this.platform.onModel = () => this.#midst();
    this.platform.effects.onTool = async (tool) => {
      if (!this.#stormy) return;
      if (chance.once(6)) this.platform.now += chance.below(20_000);
      if (chance.once(8)) throw failure(chance, tool);
      await this.#midst();
    };
  }

  async storm(acts: number): Promise<void> {
    for (let act = 0; act < acts; act++) {
      await this.#alive(() => this.#act());
      await this.#alive(() => this.#pass());
    }
  }

  /** No more faults: what is open is decided, everyone catches up, and everything that always holds must hold. */
  async clear(): Promise<string[]> {
    this.#stormy = false;
    const faults: string[] = [];
    try {
      await this.#alive(() => this.platform.engine.restoreAlarm());
      await this.#tidy();
      await this.#alive(() => this.platform.api.continueQueue(ADA));
      await this.#alive(() => this.platform.settle(SCHEDULED_MS_MAX));
      for (let rests = 0; this.platform.state.run !== null || this.platform.state.queue.length > 0; rests++) {
        if (rests > 400) throw new Endless();
        await this.#alive(() => this.platform.engine.restoreAlarm());
        await this.#alive(() => this.platform.settle(APPROVAL_MS - 1));
        for (const who of [ADA, person("bob"), person("carol")])
          await this.#alive(() => this.#decide("approve", who));
      }
      await this.#alive(() => this.platform.settle());
      for (const client of this.#clients) {
        await this.#alive(() => client.catchUp());
        faults.push(...client.faults(this.platform.log), ...checkPlatform(this.platform, client));
      }
      if (!sealsHold(this.platform)) faults.push("the seal of every run's trace verifies");
    } catch (error) {
      if (!(error instanceof Endless) && !/come to rest/.test(String(error))) throw error;
      faults.push("every run ends in a bounded number of wakes");
    }
    return [...new Set(faults)];
  }

  async #alive(body: () => Promise<unknown>): Promise<void> {
    try {
      await body();
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    }
    while (this.#dead) {
      this.#dead = false;
      this.crashes++;
      for (const client of this.#clients) client.lose();
      if (this.#chance.once(3)) this.platform.now -= this.#chance.below(3_000);
      try {
        this.platform.restart();
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
      }
    }
  }

  /** Time goes on, and an alarm may fire as it should, late, twice or not at all. */
  async #pass(): Promise<void> {
    const { platform } = this;
    const chance = this.#chance;
    for (let wakes = chance.below(4); wakes > 0; wakes--) {
      const { alarm } = platform.disk;
      if (alarm === null || alarm === Number.NEGATIVE_INFINITY) return;
      if (alarm > platform.now + 30 * 60_000 && !chance.once(10)) return;
      platform.now = Math.max(platform.now, alarm) + (chance.once(5) ? chance.below(8_000) : 0);
      if (chance.once(15)) return platform.loseAlarm();
      await platform.fire();
      if (chance.once(10)) await platform.engine.wake();
      if (chance.once(12) && !platform.engine.isAwake) platform.hibernate();
    }
  }

  /** In the middle of an effect someone may do something too. */
  async #midst(): Promise<void> {
    if (!this.#stormy || this.#inside > 0 || !this.#chance.once(4)) return;
    this.#inside++;
    try {
      await this.#act();
    } finally {
      this.#inside--;
    }
  }

  async #act(): Promise<void> {
    const chance = this.#chance;
    const client = this.#clients[chance.below(CLIENTS)];
    const { api } = this.platform;
    switch (chance.below(19)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return this.#say(null);
      case 4:
        return this.#say("join");
      case 5:
        return this.#say("replace");
      case 6:
        return this.#again();
      case 7:
      case 8:
        return this.#decide(
          chance.pick(["approve", "approve", "deny", "edit"]),
          chance.pick([ADA, ADA, person("bob"), person("carol"), person("eve")]),
        );
      case 9:
        return void (await api.cancel(ADA, {
          id: `c${++this.#ids}`,
          runId: null,
          all: chance.once(2),
          hold: chance.once(2),
          reason: null,
        }));
      case 10:
        return client?.lose();
      case 11:
        return client?.follow();
      case 12:
        return client?.catchUp();
      case 13:
        return this.#schedule();
      case 14:
        return this.#scheduleAgain();
      case 15:
      case 16:
      case 17:
        return this.#return();
      default:
        switch (chance.below(6)) {
          case 0:
            return void (await api.clear(ADA));
          case 1:
            return this.#revoke();
          case 2:
            return void (await api.continueQueue(ADA));
          default:
            this.platform.now += chance.below(60_000);
        }
    }
  }

  async #say(mode: "join" | "replace" | null, id = `w${++this.#ids}`): Promise<void> {
    if (!this.#said.includes(id)) this.#said.push(id);
    const parts = [{ type: "text", text: `Words of ${id}.` }] as const;
    // A repeat brings what it brought before.
    const ask = id.length % 2 === 0 ? {} : { clientTools: [WHERE] };
    await this.platform.api.send(ADA, { id, parts, mode, source: "api", request: null, ask });
  }

  /** A client answers the call that waits for it, or one of before; now and then otherwise than the first time. */
  async #return(): Promise<void> {
    const phase = this.platform.state.run?.phase;
    if (phase?.at === "waiting_client") this.#returned.push(phase.client.call);
    const call = this.#chance.once(5)
      ? this.#returned[this.#chance.below(this.#returned.length)]
      : this.#returned.at(-1);
    if (call === undefined) return;
    const text = this.#chance.once(3) ? `there ${SECRET}` : "here";
    const result = this.#chance.once(5)
      ? ({ kind: "error", text } as const)
      : ({ kind: "output", value: text } as const);
    await this.platform.api.answerCall(ADA, { call, result });
  }

  /** Repeats a message, as a client without an answer would. */
  async #again(): Promise<void> {
    const id = this.#said[this.#chance.below(this.#said.length)];
    if (id !== undefined) await this.#say(null, id);
  }

  async #schedule(): Promise<void> {
    const chance = this.#chance;
    const id = `sch_${++this.#ids}`;
    const timing = chance.once(2)
      ? { at: new Date(this.platform.now + 1 + chance.below(SCHEDULED_MS_MAX)).toISOString() }
      : { everyMs: 60_000 + chance.below(1_200_000) };
    const command = {
      id,
      digest: id,
      text: `Words of ${id}.`,
      timing,
      catchUp: "once",
      agent: null,
    } as const;
    this.#wanted.push(command);
    await makeSchedule(this.platform, command);
  }

  /**
   * Repeats a schedule command, as a client without an answer would; a stored schedule may also be dropped, for good.
   */
  async #scheduleAgain(): Promise<void> {
    const command = this.#wanted[this.#chance.below(this.#wanted.length)];
    if (command === undefined) return;
    const drop = this.#stands(command) && (this.#isDropped(command) || this.#chance.once(2));
    await (drop ? dropSchedule(this.platform, command.id) : makeSchedule(this.platform, command));
  }

  #stands({ id }: ScheduleCommand): boolean {
    return this.platform.scheduled.some((each) => each.id === id);
  }

  #isDropped({ id }: ScheduleCommand): boolean {
    return this.platform.dropped.some((each) => each.id === id);
  }

  /** Everybody knows what stands. What comes again and again would never rest, nor what finds the queue full each time. */
  async #tidy(): Promise<void> {
    const full = this.platform.state.queue.length + this.#wanted.length >= QUEUE_MAX;
    for (const command of this.#wanted) {
      await this.#alive(() => makeSchedule(this.platform, command));
      if (full || this.#isDropped(command) || command.timing.everyMs !== undefined)
        await this.#alive(() => dropSchedule(this.platform, command.id));
    }
  }

  async #revoke(): Promise<void> {
    const [policy] = this.platform.store.loadMeta()?.policies ?? [];
    if (policy !== undefined) await this.platform.api.revoke(ADA, policy.id);
  }

  async #decide(decision: "approve" | "deny" | "edit", who: Actor): Promise<void> {
    const phase = this.platform.state.run?.phase;
    if (phase?.at === "waiting_approval") this.#decided.push(phase.approval.approval);
    // Now and then one that was decided long ago.
    const approval =
      this.#chance.once(5) && this.#stormy
        ? this.#decided[this.#chance.below(this.#decided.length)]
        : this.#decided.at(-1);
    if (approval === undefined) return;
    const args = decision === "edit" ? { name: `edited-${++this.#ids}` } : null;
    const digest =
      phase?.at === "waiting_approval" && phase.approval.needed > 1 ? phase.approval.digest : null;
    const match: Match = this.#chance.once(2) ? "args" : "tool";
    const remember =
      decision !== "edit" && this.#stormy && this.#chance.once(4)
        ? { match, seconds: 1 + this.#chance.below(4_000) }
        : null;
    await this.platform.api.decide(who, { approval, decision, reason: null, digest, args, remember });
  }

  #line(request: ModelRequest): Line {
    const chance = this.#chance;
    if (!this.#stormy) return { text: `The end of ${request.step}.` };
    if (chance.once(7))
      return { fail: providerFailure(chance), ...(chance.once(2) ? { text: "Half of it" } : {}) };
    if (request.tools.length === 0 || chance.once(3))
      return { text: `An answer in ${request.step}, no ${SECRET}.` };
    if (chance.once(15)) return { text: "" };
    const hasClient = request.tools.some(({ name }) => name === WHERE.name);
    const calls = Array.from({ length: 1 + chance.below(3) }, () =>
      hasClient && chance.once(3) ? place(chance) : proposal(chance),
    );
    return { calls, ...(chance.once(3) ? { text: `I try this in ${request.step}.` } : {}) };
  }
}

const place = (chance: Chance): [tool: string, input: Json] => [WHERE.name, { name: `n${chance.below(2)}` }];

/** True if the exported trace of every ended run passes its seal. */
function sealsHold({ log }: FakePlatform): boolean {
  const runs = log.flatMap((entry) => (entry.kind === "run_ended" ? [entry.run] : []));
  return runs.every((run) => {
    const entries = log.filter((entry) => entry.run === run);
    return findBrokenLine(traceLines("ses", entries)) === null;
  });
}

/** The session was begun by another deployment of the code, and waits for a person. */
function inherit(platform: FakePlatform, name: string): void {
  const file = path.join(import.meta.dirname, `../../fixtures/persisted/${name}.json`);
  const { entries, state } = JSON.parse(readFileSync(file, "utf8")) as {
    readonly entries: readonly Entry[];
    readonly state: State;
  };
  platform.inherit(entries, state);
}
