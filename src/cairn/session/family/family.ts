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
import { logError } from "../../operator-log.ts";
import { NOT_FOUND } from "../api/errors.ts";
import { failureOf, inReachTime, FAMILY_ACTOR, UNREACHED, type Reach } from "./reach.ts";
import type { FamilyMember, FamilyMembers } from "./family-members.ts";
import { sentReport } from "../api/sent-report.ts";

export interface FamilyDeps {
  readonly session: string;
  readonly members: FamilyMembers;
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
      const answer = await inReachTime(reach(order.child).startChild(FAMILY_ACTOR, order, owner));
      return answer.ok
        ? { kind: "started", child: order.child }
        : { kind: "failed", failure: failureOf(answer.error), lost: false };
    } catch (error) {
      logError("a child was not reached", complaintOf(error, redact));
      return { kind: "failed", failure: UNREACHED, lost: true };
    }
  }

  /** Sends due messages without awaiting them. Call it after each commit, and by each alarm. */
  kick(): void {
    this.work().catch((error: unknown) => {
      // A claimed message becomes due again, and its alarm is set.
      logError("a relative was not told", complaintOf(error, this.#deps.redact));
    });
  }

  /** Resolves when each of what is due now has its outcome on disk. */
  async work(): Promise<void> {
    const { members, engine, clock } = this.#deps;
    const due = members.due();
    if (due === null || due > clock() + DELIVERY_ALARM_MS_MIN) return;
    const claimed = engine.rearm(() => members.claim(clock()));
    const ended = await Promise.allSettled(claimed.map((member) => this.#send(member)));
    for (const each of ended) if (each.status === "rejected") throw each.reason;
  }

  /** Deletes all that were started from here. Throws where one could not be reached. */
  async removeChildren(): Promise<void> {
    const { members, reach, session } = this.#deps;
    await Promise.all(
      members.children().map(async (name) => {
        const { call } = parentOf(name) ?? { call: "" };
        const removed = await inReachTime(
          reach(name).removeChild(FAMILY_ACTOR, { session, call, ...this.#made() }),
        );
        if (!removed.ok && removed.error.status !== 404) throw new Error(removed.error.message);
      }),
    );
  }

  /** Ends the run of a session that is about to be deleted, and notifies its parent if it can be reached now. */
  async lastWord(): Promise<void> {
    const { session, engine } = this.#deps;
    if (parentOf(session) === null) return;
    const cancel = { id: "deleted", actor: "", run: null, all: true, reason: "child_deleted" };
    const module = await engine.wakeModule();
    if (engine.log.state().run !== null) engine.stop(module, (state) => receiveCancel(state, cancel).entries);
    await this.work();
  }

  async #send(member: FamilyMember): Promise<void> {
    try {
      if (member.state === "working") await this.#ask(member);
      else if (member.state === "stopping") await this.#stop(member);
      else await this.#report(member);
    } catch (error) {
      logError("a relative was not reached", complaintOf(error, this.#deps.redact));
      await this.#gaveUp(member);
    }
  }

  async #ask(member: FamilyMember): Promise<void> {
    const { reach, session, members, engine, clock } = this.#deps;
    const { name, call } = member;
    if (awaitedChild(engine.log.state().run, { child: name }) === null) {
      engine.rearm(() => members.end(member));
      return;
    }
    const answer = await inReachTime(reach(name).askChild(FAMILY_ACTOR, { session, call, ...this.#made() }));
    if (!answer.ok && answer.error.status !== NOT_FOUND.status) throw new Error(answer.error.message);
    if (!answer.ok) await this.#take({ report: this.#lost(name, "child_deleted"), pages: [] }, member);
    else if (answer.value.sent === null) engine.rearm(() => members.pollLater(member, clock()));
    else await this.#take(answer.value.sent, member);
  }

  async #stop(member: FamilyMember): Promise<void> {
    const { reach, session, members, engine, clock } = this.#deps;
    const { name, call } = member;
    const answer = await inReachTime(reach(name).stopChild(FAMILY_ACTOR, { session, call, ...this.#made() }));
    // One that is not there, or has ended, has stopped.
    if (!answer.ok && answer.error.status !== NOT_FOUND.status) throw new Error(answer.error.message);
    const isAwaited = awaitedChild(engine.log.state().run, { child: name }) !== null;
    engine.rearm(() => (isAwaited ? members.awaits(member, clock()) : members.end(member)));
  }

  async #report(member: FamilyMember): Promise<void> {
    const { reach, members, engine, store, session, clock } = this.#deps;
    const sent = sentReport(session, store, engine.log.state(), member.run);
    const taken = sent === null ? null : await inReachTime(reach(member.name).takeReport(FAMILY_ACTOR, sent));
    if (taken?.ok === false && taken.error.status !== NOT_FOUND.status) throw new Error(taken.error.message);
    const isEarly = taken?.ok === true && taken.value.taken === "later";
    engine.rearm(() => (isEarly ? members.again(member, clock()) : members.end(member)));
  }

  /**
   * Handles a call without an answer: it is retried later, or a child counts as lost. A lost child may still be
   * running, so it gets stop messages until it confirms one.
   */
  async #gaveUp(member: FamilyMember): Promise<void> {
    const { members, engine, clock } = this.#deps;
    if (engine.rearm(() => members.failed(member, clock()))) return;
    if (member.state !== "reporting")
      await this.#take({ report: this.#lost(member.name, "child_lost"), pages: [] }, member);
    else engine.rearm(() => members.end(member));
  }

  async #take(
    sent: Omit<SentReport, "to" | "report"> & { readonly report: ChildReport | null },
    member: FamilyMember,
  ): Promise<void> {
    const { engine, store, redact, members } = this.#deps;
    const { report, pages } = sent;
    const { takeReport } = await engine.wakeModule();
    const taken =
      report !== null &&
      engine.record((tx) => takeReport(tx, { report, pages }, { store, redact, words: engine.words }));
    if (!taken && member.state !== "stopping") engine.rearm(() => members.end(member));
  }

  #lost(child: string, reason: "child_lost" | "child_deleted"): ChildReport | null {
    const open = awaitedChild(this.#deps.engine.log.state().run, { child });
    return open === null ? null : lostReport(child, open, reason);
  }

  #made(): { readonly createdAt: number | null } {
    return { createdAt: this.#deps.store.loadMeta()?.createdAt ?? null };
  }
}
