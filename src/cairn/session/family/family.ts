import { awaitedChild, lostReport } from "../../core/family/tree.ts";
import { DELIVERY_ALARM_MS_MIN } from "../../core/limits.ts";
import type { ChildReport } from "../../core/log/child.ts";
import { complaintOf } from "../../core/text/redact.ts";
import { parentOf } from "../../core/log/names.ts";
import { receiveCancel } from "../../core/loop/receive.ts";
import type { Engine } from "../engine/engine.ts";
import type { SentReport } from "../engine/family/take-report.ts";
import type { Ports } from "../engine/ports.ts";
import type { ChildOrder, ChildStarted, Family } from "../engine/ports.ts";
import type { SqlStore } from "../storage/store.ts";
import { complain } from "../../operator-log.ts";
import { NOT_FOUND } from "../api/errors.ts";
import { failureOf, inReachTime, RELATIVE, UNREACHED, type Reach } from "./reach.ts";
import type { Relative, Relatives } from "./relatives.ts";
import { sentReport } from "./sent-report.ts";

export interface FamilyDeps {
  readonly session: string;
  readonly relatives: Relatives;
  readonly store: SqlStore;
  readonly engine: Pick<Engine, "log" | "record" | "rearm" | "stop" | "wakeModule" | "words">;
  readonly reach: Reach;
  readonly redact: Ports["redact"];
  readonly clock: () => number;
}

/**
 * Messages between a session and its parent and children: starts, polls, stops and deletes children, and reports to the
 * parent. All but the start run outside the loop: claimed on disk, sent, and the outcome written.
 */
export class SessionFamily implements Family {
  readonly #deps: FamilyDeps;

  constructor(deps: FamilyDeps) {
    this.#deps = deps;
  }

  async start(order: ChildOrder): Promise<ChildStarted> {
    const { store, reach, redact } = this.#deps;
    const owner = store.loadMeta()?.owner ?? order.from.request.actor;
    try {
      const answer = await inReachTime(reach(order.child).startChild(RELATIVE, order, owner));
      return answer.ok
        ? { kind: "started", child: order.child }
        : { kind: "failed", failure: failureOf(answer.error), lost: false };
    } catch (error) {
      complain("a child was not reached", complaintOf(error, redact));
      return { kind: "failed", failure: UNREACHED, lost: true };
    }
  }

  /** Says what is due, and nobody waits for it. To be called after each commit, and by each alarm. */
  kick(): void {
    this.work().catch((error: unknown) => {
      // A claimed message becomes due again, and its alarm is set.
      complain("a relative was not told", complaintOf(error, this.#deps.redact));
    });
  }

  /** Resolves when each of what is due now has its outcome on disk. */
  async work(): Promise<void> {
    const { relatives, engine, clock } = this.#deps;
    const due = relatives.due();
    if (due === null || due > clock() + DELIVERY_ALARM_MS_MIN) return;
    const claimed = engine.rearm(() => relatives.claim(clock()));
    const ended = await Promise.allSettled(claimed.map((relative) => this.#speak(relative)));
    for (const each of ended) if (each.status === "rejected") throw each.reason;
  }

  /** Deletes all that were started from here. Throws where one could not be reached. */
  async removeChildren(): Promise<void> {
    const { relatives, reach, session } = this.#deps;
    await Promise.all(
      relatives.children().map(async (name) => {
        const { call } = parentOf(name) ?? { call: "" };
        const removed = await inReachTime(
          reach(name).removeChild(RELATIVE, { session, call, ...this.#made() }),
        );
        if (!removed.ok && removed.error.status !== 404) throw new Error(removed.error.message);
      }),
    );
  }

  /** This session is about to be deleted: its run ends, and its parent is told, where that can be reached now. */
  async lastWord(): Promise<void> {
    const { session, engine } = this.#deps;
    if (parentOf(session) === null) return;
    const cancel = { id: "deleted", actor: "", run: null, all: true, reason: "child_deleted" };
    const module = await engine.wakeModule();
    if (engine.log.state().run !== null) engine.stop(module, (state) => receiveCancel(state, cancel).entries);
    await this.work();
  }

  async #speak(relative: Relative): Promise<void> {
    try {
      if (relative.state === "working") await this.#ask(relative);
      else if (relative.state === "stopping") await this.#stop(relative);
      else await this.#report(relative);
    } catch (error) {
      complain("a relative was not reached", complaintOf(error, this.#deps.redact));
      await this.#gaveUp(relative);
    }
  }

  async #ask(relative: Relative): Promise<void> {
    const { reach, session, relatives, engine, clock } = this.#deps;
    const { name, call } = relative;
    if (awaitedChild(engine.log.state().run, { child: name }) === null) {
      engine.rearm(() => relatives.end(relative));
      return;
    }
    const answer = await inReachTime(reach(name).askChild(RELATIVE, { session, call, ...this.#made() }));
    if (!answer.ok && answer.error.status !== NOT_FOUND.status) throw new Error(answer.error.message);
    if (!answer.ok) await this.#take({ report: this.#lost(name, "child_deleted"), pages: [] }, relative);
    else if (answer.value.sent === null) engine.rearm(() => relatives.asked(relative, clock()));
    else await this.#take(answer.value.sent, relative);
  }

  async #stop(relative: Relative): Promise<void> {
    const { reach, session, relatives, engine, clock } = this.#deps;
    const { name, call } = relative;
    const answer = await inReachTime(reach(name).stopChild(RELATIVE, { session, call, ...this.#made() }));
    // One that is not there, or has ended, has stopped.
    if (!answer.ok && answer.error.status !== NOT_FOUND.status) throw new Error(answer.error.message);
    const isAwaited = awaitedChild(engine.log.state().run, { child: name }) !== null;
    engine.rearm(() => (isAwaited ? relatives.awaits(relative, clock()) : relatives.end(relative)));
  }

  async #report(relative: Relative): Promise<void> {
    const { reach, relatives, engine, store, session, clock } = this.#deps;
    const sent = sentReport(session, store, engine.log.state(), relative.run);
    const taken = sent === null ? null : await inReachTime(reach(relative.name).takeReport(RELATIVE, sent));
    if (taken?.ok === false && taken.error.status !== NOT_FOUND.status) throw new Error(taken.error.message);
    const isEarly = taken?.ok === true && taken.value.taken === "later";
    engine.rearm(() => (isEarly ? relatives.again(relative, clock()) : relatives.end(relative)));
  }

  /**
   * Nobody has answered: it is tried again later, or a child counts as lost. One that is lost may be at work all the same,
   * so it is told to stop until it has answered that.
   */
  async #gaveUp(relative: Relative): Promise<void> {
    const { relatives, engine, clock } = this.#deps;
    if (engine.rearm(() => relatives.failed(relative, clock()))) return;
    if (relative.state !== "reporting")
      await this.#take({ report: this.#lost(relative.name, "child_lost"), pages: [] }, relative);
    else engine.rearm(() => relatives.end(relative));
  }

  async #take(
    sent: Omit<SentReport, "to" | "report"> & { readonly report: ChildReport | null },
    relative: Relative,
  ): Promise<void> {
    const { engine, store, redact, relatives } = this.#deps;
    const { report, pages } = sent;
    const { takeReport } = await engine.wakeModule();
    const taken =
      report !== null &&
      engine.record((tx) => takeReport(tx, { report, pages }, { store, redact, words: engine.words }));
    if (!taken && relative.state !== "stopping") engine.rearm(() => relatives.end(relative));
  }

  #lost(child: string, reason: "child_lost" | "child_deleted"): ChildReport | null {
    const open = awaitedChild(this.#deps.engine.log.state().run, { child });
    return open === null ? null : lostReport(child, open, reason);
  }

  #made(): { readonly createdAt: number | null } {
    return { createdAt: this.#deps.store.loadMeta()?.createdAt ?? null };
  }
}
