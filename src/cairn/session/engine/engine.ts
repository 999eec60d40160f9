import type { CallRequest } from "../../core/guards/budget/reserve.ts";
import { settleObjected } from "../../core/guards/check-call.ts";
import { INSTANT_ACTS_MAX, OVERDUE_MS, SLICE_MS, WAKE_MS_MAX } from "../../core/limits.ts";
import type { Entry, EntryDraft } from "../../core/log/entry.ts";
import type { Json } from "../../core/log/json.ts";
import { NO_USAGE, type PromptPart } from "../../core/log/model.ts";
import { stepName } from "../../core/log/names.ts";
import type { Result } from "../../core/log/result.ts";
import type { RunSpec } from "../../core/log/run-spec.ts";
import { complete } from "../../core/loop/answer.ts";
import { createCite } from "./sources.ts";
import { finish } from "../../core/loop/finish.ts";
import { hiddenCards } from "../../core/loop/find-tools.ts";
import { settlePure } from "../../core/loop/internal-tools.ts";
import { next, nextAlarm, type Next } from "../../core/loop/next.ts";
import { lookAgain } from "../../core/loop/retry.ts";
import { beginRun } from "../../core/loop/start-run.ts";
import { priceOf } from "../../core/model-tables.ts";
import { specOf } from "../../core/entries/grant.ts";
import { expireClient } from "../../core/entries/client-call.ts";
import { planOf } from "../../core/entries/plan.ts";
import { askEntry, expireEntries } from "../../core/entries/question.ts";
import { argumentsOf, resultFor, settleCall } from "../../core/entries/settle.ts";
import type { Call } from "../../core/state/run/phase.ts";
import type { LiveRun, QueuedRun, State } from "../../core/state/state.ts";
import { complaintOf } from "../../core/text/redact.ts";
import {
  awaitModel,
  activeCalls,
  liveRunOf,
  openLabel,
  openModelCall,
  openPreview,
  openTools,
  type Claimed,
} from "./claim.ts";
import { weighFirst } from "./compose-request.ts";
import type { EngineBase, Ports } from "./ports.ts";
import { perform, type Performed } from "./perform.ts";
import { recordLabel, recordModel, recordTools } from "./record-outcome.ts";
import { openClientCall, recordClientAnswer, type ClientAnswer } from "./client-call.ts";
import { openChild, recordStart } from "./family/start-child.ts";
import { recordPreview } from "./request-approval.ts";
import { lostEntries, lostLabel } from "./lost-attempts.ts";
import { finishEntries, patchOf, stopEntries } from "./run-hooks.ts";
import { LogWriter, NO_BACKGROUND, questionEntry, readRunEntries, type Transaction } from "./transaction.ts";
import { Watchers } from "./watchers.ts";
import { weighEdit, type Weighed } from "./weigh-edit.ts";
import { complain } from "../../operator-log.ts";

/**
 * The loop's shell: claim, perform, commit. It owns nothing but the handler that is live in this isolate.
 * What always holds: one effect at a time; an effect is on disk before it happens and its outcome before anyone sees it;
 * every transaction leaves the next alarm armed; a wake never throws once its claim is written.
 */
export class Engine {
  readonly log: LogWriter;
  /** everyone who sees committed entries */
  readonly watchers = new Watchers();
  readonly #base: EngineBase;
  #given: Ports | null = null;
  #wake: { readonly abort: AbortController } | null = null;
  /** made once for a run: its entries are read several times a step */
  readonly #parts = new WeakMap<RunSpec, Ports>();

  constructor(base: EngineBase) {
    this.#base = base;
    this.log = new LogWriter(base, this.watchers);
  }

  /** Gives it all that it works with. Until then it can only read and write the log, for the parts that are made of it. */
  equip(equipment: Omit<Ports, keyof EngineBase | "audience">): this {
    this.#given = { ...equipment, ...this.#base, audience: this.watchers };
    this.log.background = equipment.background ?? NO_BACKGROUND;
    return this;
  }

  get #ports(): Ports {
    if (this.#given === null) throw new Error("the engine has nothing to work with yet");
    return this.#given;
  }

  /** Whether an effect is being performed in this isolate. */
  get live(): boolean {
    return this.#wake !== null;
  }

  /** Whether the next wake has something to do at once. */
  get goesOn(): boolean {
    const state = this.log.knownState();
    return (nextAlarm(state, state.at) ?? Infinity) <= state.at;
  }

  /** One alarm: works one step, cut short by a wait or by the time that its tools have. */
  async wake(): Promise<void> {
    if (this.#wake !== null) return;
    const abort = new AbortController();
    this.#wake = { abort };
    const limit = setTimeout(() => abort.abort(), WAKE_MS_MAX);
    try {
      let claimed = this.#claimOrWait();
      let toolMs = 0;
      while (claimed !== null) {
        this.log.publish();
        const { outcome, ms } = await perform(claimed, this.#ports, abort.signal);
        toolMs += claimed.kind === "model" ? 0 : ms;
        const done = claimed;
        try {
          claimed = this.log.transact(true, (tx) => this.#commit(tx, done, outcome, toolMs < SLICE_MS));
        } catch (error) {
          // The recovery alarm stands: the next wake finds the claim and counts it as lost.
          complain("a commit was rolled back", complaintOf(error, this.#ports.redact));
          claimed = null;
        }
      }
    } finally {
      clearTimeout(limit);
      this.#wake = null;
    }
    this.log.publish();
  }

  /** Writes entries from a command: they arm the alarm unless a wake is at work here, whose commit will. */
  record<Value>(body: (tx: Transaction) => Value): Value {
    const value = this.log.transact(this.live, body);
    this.log.publish();
    if (this.#wake !== null && this.log.state().run?.cancel) this.#wake.abort.abort();
    return value;
  }

  /** As `record`, but a refusal undoes everything that the body wrote before it. */
  recordWhole<Value, Fault>(body: (tx: Transaction) => Result<Value, Fault>): Result<Value, Fault> {
    const undone = new Error("a refusal undoes its transaction");
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

  /**
   * After background work, or when one has come up without an entry: arms for what is due then, which may be nothing. While the
   * loop has something to do its alarm stands as it is: a wake is at work, perhaps in another isolate.
   */
  rearm<Value>(body: () => Value): Value {
    return this.log.transact(this.live, (tx) => {
      const value = body();
      const due = nextAlarm(tx.state, tx.at);
      if (due === null || due > tx.at) tx.arm(due);
      return value;
    });
  }

  /** Settles the call that waits for its client, within a transaction. Throws where none waits. */
  answerClient(tx: Transaction, answer: ClientAnswer): void {
    const before = tx.state;
    const run = liveRunOf(before);
    const ports = this.#portsOf(tx, run);
    recordClientAnswer(tx, run, answer, ports);
    tx.append(finishEntries(tx, before, ports));
  }

  /** Ends everything that is live, in one transaction: what `cancel` gives stops it all, so no effect begins. */
  stop(cancel: (state: State) => readonly EntryDraft[]): void {
    this.log.transact(false, (tx) => {
      tx.append(cancel(tx.state));
      if (this.#advance(tx, null) !== null) throw new Error("a run that was stopped goes on");
    });
    this.log.publish();
  }

  /** Gives up whatever is at work: the session is being deleted. What it brings finds no claim of its own. */
  drop(): void {
    this.#wake?.abort.abort();
    this.log.forget();
  }

  /** Weighs arguments that a person wants in place of those asked; decides nothing. */
  weigh(approval: string, args: Json): Promise<Weighed> {
    const state = this.log.state();
    const { run } = state;
    const entries = run === null ? [] : readRunEntries(this.#ports.store, state, run).current;
    return weighEdit(run === null ? this.#ports : this.#partsOf(entries), state, approval, args);
  }

  /** What the first request of a run with these words would weigh. */
  firstRequest(parts: readonly PromptPart[], model: string, spec: RunSpec): Omit<CallRequest, "maxOut"> {
    return weighFirst(parts, model, spec, this.#portsUnder(spec));
  }

  /** The tools that the live run works with; without one those of the deployment. */
  get tools(): Ports["tools"] {
    const { spec } = this;
    return spec === null ? this.#ports.tools : this.#portsUnder(spec).tools;
  }

  /** What the live run was accepted as; null without one. */
  get spec(): RunSpec | null {
    const state = this.log.state();
    return state.run === null ? null : specOf(readRunEntries(this.#ports.store, state, state.run).current);
  }

  /** What the run of these entries works with: its own tools and hooks. */
  #partsOf(entries: readonly Entry[]): Ports {
    return this.#portsUnder(specOf(entries));
  }

  #portsUnder(spec: RunSpec): Ports {
    const { partsOf } = this.#ports;
    if (partsOf === undefined) return this.#ports;
    const known = this.#parts.get(spec);
    if (known !== undefined) return known;
    const made = { ...this.#ports, ...partsOf(spec) };
    this.#parts.set(spec, made);
    return made;
  }

  /**
   * The watchdog: on every touch, what is due now or will be gets its alarm back if the platform has lost it.
   * Not only what is due already: this touch may be the last one before a wait ends. A claim that no wake of this isolate
   * holds is of one that died: only one isolate at a time is the session. Whoever looks need not wait for its recovery alarm.
   */
  async touch(): Promise<void> {
    const at = this.#ports.clock();
    const cursor = this.#ports.store.loadCursor();
    if (!this.live && cursor?.claim && (cursor.armedAt ?? Infinity) > at + 1) {
      this.log.transact(false, (tx) => tx.arm(tx.at));
      return;
    }
    if (this.log.due(this.log.state(), at) === null) return;
    const armed = await this.#ports.store.armedAlarm();
    if (armed !== null && armed > at - OVERDUE_MS) return;
    if (this.live) return;
    this.log.transact(false, (tx) => tx.arm(nextAlarm(tx.state, tx.at)));
  }

  /**
   * A claim that cannot be made is a fault of the deployment (a missing module, a bug), not of the run: it waits, ever
   * longer, for a deployment that can. Throws only when not even that can be written.
   */
  #claimOrWait(): Claimed | null {
    try {
      return this.log.transact(true, (tx) => (tx.blank ? null : this.#claim(tx)));
    } catch (error) {
      complain("a claim was rolled back", complaintOf(error, this.#ports.redact));
      this.log.transact(true, (tx) => {
        tx.wakeUp();
        tx.arm(lookAgain(tx.state.at, tx.at));
      });
      return null;
    }
  }

  #claim(tx: Transaction): Claimed | null {
    tx.wakeUp();
    if (tx.claim !== null) this.#recover(tx, tx.claim.effect);
    this.#ports.background?.fallDue?.(tx, tx.at);
    return this.#advance(tx, null);
  }

  /** The wake of the open claim died in it: say so, and give back what it held. */
  #recover(tx: Transaction, effect: string): void {
    const { run } = tx.state;
    if (run !== null) {
      const { model } = patchOf(tx, run, { step: effect, opened: true }, this.#portsOf(tx, run));
      const price = priceOf(model ?? run.models.current, this.#ports.facts.prices);
      tx.append(lostEntries(tx.state, run, effect, this.#ports.store, price));
    } else tx.append(lostLabel(tx.state));
    tx.release();
    this.#ports.store.dropDrafts();
  }

  /**
   * Does what needs nothing from outside, then claims the next effect or lets the wake end. After an effect of this wake
   * only tools go on in it, while they have `timeLeft`: a model call begins with an alarm of its own.
   */
  #advance(tx: Transaction, after: { readonly timeLeft: boolean } | null): Claimed | null {
    for (let acts = 0; acts < INSTANT_ACTS_MAX; acts++) {
      const then = next(tx.state, tx.at);
      switch (then.do) {
        case "wait":
          tx.arm(then.until);
          return null;
        case "call_model":
        case "preview":
        case "run_tools": {
          if (then.do === "call_model" && this.#ports.model === null)
            return awaitModel(tx, liveRunOf(tx.state));
          if (after !== null && (then.do === "call_model" || !after.timeLeft)) {
            tx.arm(tx.at);
            return null;
          }
          const begins = then.do === "call_model" && !then.opened && then.purpose === "step";
          const run = liveRunOf(tx.state);
          const stop = begins ? stopEntries(tx, run, this.#portsOf(tx, run)) : [];
          if (stop.length > 0) {
            tx.append(stop);
            break;
          }
          const claimed = this.#open(tx, then);
          if (claimed !== null) return claimed;
          break;
        }
        case "begin": {
          const { spec, messages, ports } = this.#beginning(tx, then.queued);
          const isLabelled =
            spec.classLabel && ports.model !== null && tx.state.label?.run !== then.queued.run;
          if ((isLabelled || ports.beginsAnew?.() === true) && after !== null) {
            tx.arm(tx.at);
            return null;
          }
          if (isLabelled) {
            const claimed = openLabel(tx, then.queued, messages, ports);
            if (claimed !== null) return claimed;
          }
          tx.append([beginRun(tx.state, then.queued, spec, messages, ports)]);
          break;
        }
        default:
          tx.append(this.#instant(tx, then));
      }
    }
    throw new Error("the loop does not come to rest");
  }

  #instant(
    tx: Transaction,
    then: Extract<
      Next,
      {
        do:
          | "record"
          | "settle"
          | "settle_pure"
          | "complete"
          | "settle_guarded"
          | "ask"
          | "expire"
          | "expire_client"
          | "finish";
      }
    >,
  ): readonly EntryDraft[] {
    if (then.do === "record") return then.entries;
    const run = liveRunOf(tx.state);
    const { current } = tx.entriesOf(run);
    switch (then.do) {
      case "settle":
        return settleCall(run, activeCalls(run), then.call, resultFor(then.as, then.call));
      case "settle_guarded":
        return settleObjected(run, activeCalls(run), current, then.call, then.objection);
      case "expire":
        return expireEntries(run, then.waiting, questionEntry(tx, then.waiting.question));
      case "expire_client":
        return expireClient(run, then.waiting);
      case "ask":
        return [askEntry(run, then.call, argumentsIn(current, then.call), tx.at)];
      case "complete": {
        const replied = current.findLast((entry) => entry.kind === "model_replied");
        if (replied?.kind !== "model_replied") throw new Error("a call without the reply that makes it");
        const { readTo } = replied.body;
        const context = {
          ...{ state: tx.state, run, readTo, at: tx.at, entries: current, reply: { usage: NO_USAGE } },
          cite: createCite(this.#ports.store, tx.state),
        };
        return complete(context, stepName(run.run, run.step), argumentsIn(current, then.call), (result) =>
          settleCall(run, activeCalls(run), then.call, result),
        );
      }
      case "settle_pure": {
        const hidden = () => hiddenCards(this.#ports.tools.cards(), run, current);
        const view = { memory: tx.state.memory, valueOf: tx.valueOf, plan: planOf(run, current), hidden };
        return settlePure(run, activeCalls(run), then.call, argumentsIn(current, then.call), view);
      }
      case "finish":
        return finish(tx.state, current, then.outcome, then.reason, tx.at);
    }
  }

  /** What the run that begins now is, and what it is classed by. */
  #beginning(tx: Transaction, { seq, request }: QueuedRun) {
    const last = tx.state.ended.at(-1)?.answer ?? null;
    const messages = {
      said: tx.entryAt(request.inputSeq),
      answer: last === null ? null : tx.entryAt(last),
    };
    const queued = tx.entryAt(seq);
    const spec = specOf(queued === null ? [] : [queued]);
    return { spec, messages, ports: this.#portsUnder(spec) };
  }

  #portsOf(tx: Transaction, run: LiveRun): Ports {
    return this.#partsOf(tx.entriesOf(run).current);
  }

  #open(
    tx: Transaction,
    then: Extract<Next, { do: "call_model" | "preview" | "run_tools" }>,
  ): Claimed | null {
    const run = liveRunOf(tx.state);
    const ports = this.#portsOf(tx, run);
    if (then.do === "call_model") return openModelCall(tx, run, then, ports);
    if (then.do === "preview") return openPreview(tx, run, then.call, ports);
    const [call] = then.calls;
    if (call?.client === true) return openClientCall(tx, run, call, ports);
    return call?.starts === true ? openChild(tx, run, call, ports) : openTools(tx, run, then.calls, ports);
  }

  #commit(tx: Transaction, claimed: Claimed, done: Performed, timeLeft: boolean): Claimed | null {
    // Not ours any more: another wake gave this claim up, or the session was deleted. What came meanwhile armed nothing.
    const due = tx.claim === null ? nextAlarm(tx.state, tx.at) : null;
    if (due !== null) tx.arm(due);
    if (tx.claim?.no !== claimed.no) return null;
    const began = tx.claim.at;
    const before = tx.state;
    if (claimed.kind === "label" && done.kind === "label") {
      tx.release();
      recordLabel(tx, claimed, done.outcome);
      this.#ports.background?.fallDue?.(tx, began);
      return this.#advance(tx, { timeLeft });
    }
    const run = liveRunOf(before);
    const ports = this.#portsOf(tx, run);
    tx.release();
    if (claimed.kind === "model" && done.kind === "model") {
      recordModel(tx, run, claimed, done.outcome, ports);
      this.#ports.store.dropDrafts();
    }
    if (done.kind === "tools") recordTools(tx, run, done.results, ports);
    if (claimed.kind === "child" && done.kind === "child") recordStart(tx, run, claimed, done.started);
    if (
      claimed.kind === "preview" &&
      done.kind === "preview" &&
      recordPreview(tx, run, claimed.order, done.outcome, ports)
    ) {
      // Found harmless: its intent stands in the transaction that found so, whatever time is left.
      const call = activeCalls(run).find((item) => item.call === claimed.order.call);
      const opened = call === undefined ? null : this.#open(tx, { do: "run_tools", calls: [call] });
      if (opened !== null) return opened;
    }
    tx.append(finishEntries(tx, before, ports));
    this.#ports.background?.fallDue?.(tx, began);
    return this.#advance(tx, { timeLeft });
  }
}

function argumentsIn(entries: readonly Entry[], call: Call): Json {
  const args = argumentsOf(entries, call);
  if (args === null) throw new Error(`the log lacks the arguments of ${call.call}`);
  return args.input;
}
