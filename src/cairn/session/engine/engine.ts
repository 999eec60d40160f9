import type { CallRequest } from "../../core/guards/budget/reserve.ts";
import type { PlainWords } from "../../core/guards/words.ts";
import { OVERDUE_MS, SLICE_MS, WAKE_MS_MAX } from "../../core/limits.ts";
import type { Entry, EntryDraft } from "../../core/log/entry.ts";
import type { Json } from "../../core/log/json.ts";
import type { PromptPart } from "../../core/log/model.ts";
import type { Result } from "../../core/log/result.ts";
import type { RunSpec } from "../../core/log/run-spec.ts";
import { nextAlarm } from "../../core/loop/next.ts";
import { lookAgain } from "../../core/loop/retry.ts";
import { specOf } from "../../core/entries/grant.ts";
import type { State } from "../../core/state/state.ts";
import { complaintOf } from "../../core/text/redact.ts";
import { logError } from "../../operator-log.ts";
import type { OnDemand } from "../../core/on-demand.ts";
import type { Claimed } from "./claim.ts";
import type { ClientAnswer } from "./client-call.ts";
import { estimateFirstRequest } from "./first-request.ts";
import type { EngineBase, Ports } from "./ports.ts";
import { LogWriter, NO_BACKGROUND, readRunEntries, type Transaction } from "./transaction.ts";
import type { WakeModule } from "./wake-module.ts";
import type { WakeWork } from "./wake-work.ts";
import { Watchers } from "./watchers.ts";
import type { PreviewedEdit } from "./preview-edit.ts";

/** Dependencies of an engine besides its log. `wakeModule`: the code of a wake, loaded with the first one. */
export type EngineDependencies = Omit<Ports, keyof EngineBase | "audience"> & {
  readonly wakeModule: OnDemand<WakeModule>;
};

const UNCONNECTED = "the engine has no dependencies: call Engine.connect first";

/**
 * Runs the loop: claim, perform, commit. A claim is the stored intent of one effect, with a number: a commit whose claim is gone or
 * has another number writes nothing, so two processes cannot both commit. Its only own state is the wake that runs in this isolate.
 * Invariants: one effect at a time; its intent is stored before it runs, and its outcome before anyone sees it; work that is due
 * always has an alarm. `WakeWork.perform` does not throw.
 */
export class Engine {
  readonly log: LogWriter;
  /** everyone who sees committed entries */
  readonly watchers = new Watchers();
  readonly #base: EngineBase;
  #connected: Ports | null = null;
  #wakeModule: OnDemand<WakeModule> | null = null;
  #work: WakeWork | null = null;
  #wake: { readonly abort: AbortController } | null = null;
  /** tools and hooks of each run, created once, because they are needed several times a step */
  readonly #portsBySpec = new WeakMap<RunSpec, Ports>();

  constructor(base: EngineBase) {
    this.#base = base;
    this.log = new LogWriter(base, this.watchers);
  }

  /** Gives the engine its dependencies. Before that it can only read and write the log, for the parts that depend on it. */
  connect({ wakeModule, ...dependencies }: EngineDependencies): this {
    this.#wakeModule = wakeModule;
    this.#connected = { ...dependencies, ...this.#base, audience: this.watchers };
    this.log.background = dependencies.background ?? NO_BACKGROUND;
    return this;
  }

  get #ports(): Ports {
    if (this.#connected === null) throw new Error(UNCONNECTED);
    return this.#connected;
  }

  /** Returns the code of a wake, for a command that needs a part of it. Rejects if it cannot be loaded. */
  async wakeModule(): Promise<WakeModule> {
    if (this.#wakeModule === null) throw new Error(UNCONNECTED);
    return this.#wakeModule.loaded ?? (await this.#wakeModule.load());
  }

  #workWith(module: WakeModule): WakeWork {
    this.#work ??= new module.WakeWork(this.#ports, (spec) => this.#portsForSpec(spec));
    return this.#work;
  }

  /** True while a wake runs in this isolate. */
  get isAwake(): boolean {
    return this.#wake !== null;
  }

  /** True if the next wake has work at once. */
  get goesOn(): boolean {
    const state = this.log.cachedState();
    return (nextAlarm(state, state.at) ?? Infinity) <= state.at;
  }

  /**
   * Handles one alarm: claims, performs and commits until the run waits, its tools have used their time, or a model call would follow
   * another effect. Such a call gets an alarm of its own.
   */
  async wake(): Promise<void> {
    if (this.#wake !== null) return;
    const loaded = this.#wakeModule?.loaded ?? null;
    const work = loaded === null ? await this.#loadWork() : this.#workWith(loaded);
    if (work === null || this.isAwake) return;
    const abort = new AbortController();
    this.#wake = { abort };
    const limit = setTimeout(() => abort.abort(), WAKE_MS_MAX);
    try {
      let claimed = this.#claimOrWait(work);
      let toolMs = 0;
      while (claimed !== null) {
        this.log.publish();
        const { outcome, ms } = await work.perform(claimed, abort.signal);
        toolMs += claimed.kind === "model" ? 0 : ms;
        const done = claimed;
        try {
          claimed = this.log.transact(true, (tx) => work.commit(tx, done, outcome, toolMs < SLICE_MS));
        } catch (error) {
          // The recovery alarm is set: the next wake finds the claim and counts it as lost.
          logError("a commit was rolled back", complaintOf(error, this.#ports.redact));
          claimed = null;
        }
      }
    } finally {
      clearTimeout(limit);
      this.#wake = null;
    }
    this.log.publish();
  }

  /** Writes the entries of a command, and sets the alarm unless a wake runs, whose commit sets it. Aborts the effect of a cancelled run. */
  record<Value>(body: (tx: Transaction) => Value): Value {
    const value = this.log.transact(this.isAwake, body);
    this.log.publish();
    if (this.#wake !== null && this.log.state().run?.cancel) this.#wake.abort.abort();
    return value;
  }

  /** Like `record`, but rolls back all that the body wrote if it returns a failure. */
  recordOrRollBack<Value, Fault>(body: (tx: Transaction) => Result<Value, Fault>): Result<Value, Fault> {
    const undone = new Error("a failure rolls back its transaction");
    let refused: Result<Value, Fault> | null = null;
    try {
      return this.record((tx) => {
        const result = body(tx);
        if (result.ok) return result;
        refused = result;
        throw undone;
      });
    } catch (error) {
      if (error === undone && refused !== null) return refused;
      throw error;
    }
  }

  /** Sets the alarm after a change to background work. Keeps it if the loop has work now, because a wake runs or is due. */
  rearm<Value>(body: () => Value): Value {
    return this.log.transact(this.isAwake, (tx) => {
      const value = body();
      const due = nextAlarm(tx.state, tx.at);
      if (due === null || due > tx.at) tx.arm(due);
      return value;
    });
  }

  /** Settles the call that waits for its client, within a transaction. Throws where none waits. */
  answerClient(module: WakeModule, tx: Transaction, answer: ClientAnswer): void {
    this.#workWith(module).answerClient(tx, answer);
  }

  /** Cancels the live run and all that waits, in one transaction. Throws if an effect would still begin. */
  stop(module: WakeModule, cancel: (state: State) => readonly EntryDraft[]): void {
    const work = this.#workWith(module);
    this.log.transact(false, (tx) => {
      tx.append(cancel(tx.state));
      if (work.advance(tx, null) !== null) throw new Error("an effect was claimed after the stop");
    });
    this.log.publish();
  }

  /** Aborts the live effect, because the session is being deleted. Its commit finds no claim and writes nothing. */
  drop(): void {
    this.#wake?.abort.abort();
    this.log.forget();
  }

  /** Computes the impact of arguments edited by a person; decides nothing. */
  async previewEdit(approval: string, args: Json): Promise<PreviewedEdit> {
    const { previewEdit } = await this.wakeModule();
    const state = this.log.state();
    const { run } = state;
    const entries = run === null ? [] : readRunEntries(this.#ports.store, state, run).current;
    return previewEdit(run === null ? this.#ports : this.#portsOfEntries(entries), state, approval, args);
  }

  /** Returns the estimated size of the first request of a run with these parts. */
  estimateFirstRequest(
    parts: readonly PromptPart[],
    model: string,
    spec: RunSpec,
  ): Omit<CallRequest, "maxOut"> {
    return estimateFirstRequest(parts, model, spec, this.#portsForSpec(spec));
  }

  get words(): PlainWords {
    return this.#ports.facts.words;
  }

  /** The tools of the live run; without one those of the deployment. */
  get tools(): Ports["tools"] {
    const { spec } = this;
    return spec === null ? this.#ports.tools : this.#portsForSpec(spec).tools;
  }

  /** The specification of the live run; null without one. */
  get spec(): RunSpec | null {
    const state = this.log.state();
    return state.run === null ? null : specOf(readRunEntries(this.#ports.store, state, state.run).current);
  }

  /** Returns the tools and hooks of the run that these entries belong to. */
  #portsOfEntries(entries: readonly Entry[]): Ports {
    return this.#portsForSpec(specOf(entries));
  }

  #portsForSpec(spec: RunSpec): Ports {
    const { partsOf } = this.#ports;
    if (partsOf === undefined) return this.#ports;
    const known = this.#portsBySpec.get(spec);
    if (known !== undefined) return known;
    const made = { ...this.#ports, ...partsOf(spec) };
    this.#portsBySpec.set(spec, made);
    return made;
  }

  /**
   * Restores an alarm that the platform lost, even one for later, because no other request might come before it is due. A claim
   * without a wake in this isolate belongs to a process that died: the next wake then starts at once.
   */
  async restoreAlarm(): Promise<void> {
    const at = this.#ports.clock();
    const cursor = this.#ports.store.loadCursor();
    if (!this.isAwake && cursor?.claim && (cursor.armedAt ?? Infinity) > at + 1) {
      this.log.transact(false, (tx) => tx.arm(tx.at));
      return;
    }
    if (this.log.due(this.log.state(), at) === null) return;
    const armed = await this.#ports.store.armedAlarm();
    if (armed !== null && armed > at - OVERDUE_MS) return;
    if (this.isAwake) return;
    this.log.transact(false, (tx) => tx.arm(nextAlarm(tx.state, tx.at)));
  }

  /** Null if the code cannot be loaded. The session tries again later, as after a failed claim. */
  async #loadWork(): Promise<WakeWork | null> {
    try {
      return this.#workWith(await this.wakeModule());
    } catch (error) {
      logError("the code of a wake was not loaded", complaintOf(error, this.#ports.redact));
      this.#waitLonger();
      return null;
    }
  }

  /**
   * A claim that cannot be made is a fault of the deployment (a missing module, a bug), not of the run: the session waits,
   * ever longer, for a deployment that can make it. Throws only if that alarm cannot be stored either.
   */
  #claimOrWait(work: WakeWork): Claimed | null {
    try {
      return this.log.transact(true, (tx) => (tx.isEmpty ? null : work.claim(tx)));
    } catch (error) {
      logError("a claim was rolled back", complaintOf(error, this.#ports.redact));
      this.#waitLonger();
      return null;
    }
  }

  #waitLonger(): void {
    this.log.transact(true, (tx) => {
      if (tx.isEmpty) return;
      tx.alarmFired();
      tx.arm(lookAgain(tx.state.at, tx.at));
    });
  }
}
