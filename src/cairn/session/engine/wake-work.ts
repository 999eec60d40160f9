import { settleObjected } from "../../core/guards/check-call.ts";
import { INSTANT_ACTS_MAX } from "../../core/limits.ts";
import type { Entry, EntryDraft } from "../../core/log/entry.ts";
import type { Json } from "../../core/log/json.ts";
import { NO_USAGE } from "../../core/log/model.ts";
import { stepName } from "../../core/log/names.ts";
import type { RunSpec } from "../../core/log/run-spec.ts";
import { complete } from "../../core/loop/answer.ts";
import { finish } from "../../core/loop/finish.ts";
import { hiddenCards } from "../../core/loop/find-tools.ts";
import { settlePure } from "../../core/loop/internal-tools.ts";
import { next, nextAlarm, type Next } from "../../core/loop/next.ts";
import { beginRun } from "../../core/loop/start-run.ts";
import { priceOf } from "../../core/model-tables.ts";
import { specOf } from "../../core/entries/grant.ts";
import { expireClient } from "../../core/entries/client-call.ts";
import { planOf } from "../../core/entries/plan.ts";
import { askEntry, expireEntries } from "../../core/entries/question.ts";
import { argumentsOf, resultFor, settleCall } from "../../core/entries/settle.ts";
import type { Call } from "../../core/state/run/phase.ts";
import type { LiveRun, QueuedRun } from "../../core/state/state.ts";
import {
  activeCalls,
  awaitModel,
  liveRunOf,
  openLabel,
  openModelCall,
  openPreview,
  openTools,
  type Claimed,
} from "./claim.ts";
import { openClientCall, recordClientAnswer, type ClientAnswer } from "./client-call.ts";
import { openChild, recordStart } from "./family/start-child.ts";
import { lostEntries, lostLabel } from "./lost-attempts.ts";
import { perform, type Performed } from "./perform.ts";
import type { Ports } from "./ports.ts";
import { recordLabel, recordModel, recordTools } from "./record-outcome.ts";
import { recordPreview } from "./request-approval.ts";
import { finishEntries, patchOf, stopEntries } from "./run-hooks.ts";
import { createCite } from "./sources.ts";
import { questionEntry, type Transaction } from "./transaction.ts";

/**
 * The work of a wake: chooses the next effect, claims and performs it, and records its outcome. Loaded with the first
 * wake of an isolate (build/on-demand/wake.ts): reading or writing a session does not need it.
 */
export class WakeWork {
  readonly #ports: Ports;
  readonly #under: (spec: RunSpec) => Ports;

  /** `under`: the ports that a run of this specification works with */
  constructor(ports: Ports, under: (spec: RunSpec) => Ports) {
    this.#ports = ports;
    this.#under = under;
  }

  /** Settles the call that waits for its client. Throws if none waits. */
  answerClient(tx: Transaction, answer: ClientAnswer): void {
    const before = tx.state;
    const run = liveRunOf(before);
    const ports = this.#portsOf(tx, run);
    recordClientAnswer(tx, run, answer, ports);
    tx.append(finishEntries(tx, before, ports));
  }

  /** Performs a claimed effect, outside of any transaction. */
  perform(claimed: Claimed, signal: AbortSignal): ReturnType<typeof perform> {
    return perform(claimed, this.#ports, signal);
  }

  /** Claims the first effect of a wake; null without one. */
  claim(tx: Transaction): Claimed | null {
    tx.alarmFired();
    if (tx.claim !== null) this.#recover(tx, tx.claim.effect);
    this.#ports.background?.fallDue?.(tx, tx.at);
    return this.advance(tx, null);
  }

  /** Recovers from a wake that crashed during its claim: records it and releases its reservation. */
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
   * Does all work without outside effects, then claims the next effect or lets the wake end. After an effect of this
   * wake only tools continue in it, while they have `timeLeft`: a model call begins with a new alarm.
   */
  advance(tx: Transaction, after: { readonly timeLeft: boolean } | null): Claimed | null {
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
          | "settle_blocked"
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
      case "settle_blocked":
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
          state: tx.state,
          run,
          readTo,
          at: tx.at,
          entries: current,
          reply: { usage: NO_USAGE },
          cite: createCite(this.#ports.store, tx.state),
          words: this.#ports.facts.words,
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

  /** The run that begins now, and the text by which it is classified. */
  #beginning(tx: Transaction, { seq, request }: QueuedRun) {
    const last = tx.state.ended.at(-1)?.answer ?? null;
    const messages = {
      message: tx.entryAt(request.inputSeq),
      answer: last === null ? null : tx.entryAt(last),
    };
    const queued = tx.entryAt(seq);
    const spec = specOf(queued === null ? [] : [queued]);
    return { spec, messages, ports: this.#under(spec) };
  }

  #portsOf(tx: Transaction, run: LiveRun): Ports {
    return this.#under(specOf(tx.entriesOf(run).current));
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

  /** Records the outcome of an effect and claims the next one, in one transaction. */
  commit(tx: Transaction, claimed: Claimed, done: Performed, timeLeft: boolean): Claimed | null {
    // The claim was lost: another wake gave it up, or the session was deleted. Late results set no alarm.
    const due = tx.claim === null ? nextAlarm(tx.state, tx.at) : null;
    if (due !== null) tx.arm(due);
    if (tx.claim?.no !== claimed.no) return null;
    const began = tx.claim.at;
    const before = tx.state;
    if (claimed.kind === "label" && done.kind === "label") {
      tx.release();
      recordLabel(tx, claimed, done.outcome);
      this.#ports.background?.fallDue?.(tx, began);
      return this.advance(tx, { timeLeft });
    }
    const run = liveRunOf(before);
    const ports = this.#portsOf(tx, run);
    tx.release();
    if (claimed.kind === "model" && done.kind === "model") {
      recordModel(tx, run, claimed, done.outcome, ports);
      this.#ports.store.dropDrafts();
    }
    if (done.kind === "tools") recordTools(tx, run, done.results, ports);
    if (claimed.kind === "child" && done.kind === "child")
      recordStart(tx, run, claimed, done.started, ports.facts.words);
    if (
      claimed.kind === "preview" &&
      done.kind === "preview" &&
      recordPreview(tx, run, claimed.order, done.outcome, ports)
    ) {
      // The call was found harmless in this transaction, which also writes its intent, whatever time is left.
      const call = activeCalls(run).find((item) => item.call === claimed.order.call);
      const opened = call === undefined ? null : this.#open(tx, { do: "run_tools", calls: [call] });
      if (opened !== null) return opened;
    }
    tx.append(finishEntries(tx, before, ports));
    this.#ports.background?.fallDue?.(tx, began);
    return this.advance(tx, { timeLeft });
  }
}

function argumentsIn(entries: readonly Entry[], call: Call): Json {
  const args = argumentsOf(entries, call);
  if (args === null) throw new Error(`the log lacks the arguments of ${call.call}`);
  return args.input;
}
