import { startOf } from "../../core/text/cut.ts";
import { awaitedChild } from "../../core/family/tree.ts";
import { err, ok } from "../../core/log/result.ts";
import { childName } from "../../core/log/names.ts";
import { complaintOf } from "../../core/text/redact.ts";
import { logError } from "../../operator-log.ts";
import { receiveCancel, receiveSend } from "../../core/loop/receive.ts";
import { newMeta } from "./access.ts";
import { tooSmall } from "./budget.ts";
import { FAMILY_FAILED, NOT_FOUND, NAME_OF_CHILD } from "../api/errors.ts";
import type { SessionLifecycle } from "./lifecycle.ts";
import { loadRunRequest } from "../api/log-reader.ts";
import type { Actor, ApiResult } from "../api/session-api.ts";
import type { Engine } from "../engine/engine.ts";
import type { SentReport } from "../engine/family/take-report.ts";
import type { ChildOrder, Ports } from "../engine/ports.ts";
import type { WakeModule } from "../engine/wake-module.ts";
import { childAsk, resolveChild } from "../runs/resolve-child.ts";
import { loadRunParts } from "../runs/resolve-run.ts";
import type { Meta } from "../storage/meta.ts";
import type { SqlStore } from "../storage/store.ts";
import { sentReport } from "../api/sent-report.ts";
import type { RunDefaults } from "../runs/run-defaults.ts";

/** Credential of a parent: its session, as it was when it started this one, and the call that did. */
export interface ParentKey {
  readonly session: string;
  readonly call: string;
  readonly createdAt: number | null;
}

interface FamilyServiceDeps {
  readonly session: string;
  readonly engine: Engine;
  readonly store: SqlStore;
  readonly defaults: RunDefaults;
  readonly redact: Ports["redact"];
  readonly clock: () => number;
  readonly lifecycle: Pick<SessionLifecycle, "removeWithParent">;
}

/** the run of a child session that its parent has started */
const RUN = "r1";

/**
 * Commands between sessions of a tree. Only a session object can reach them, no interface of the deployment. Each is
 * checked against the names: a child is addressed by the session and the call in its own name.
 */
export class FamilyService {
  readonly #deps: FamilyServiceDeps;

  constructor(deps: FamilyServiceDeps) {
    this.#deps = deps;
  }

  /** Makes this session and its run. The same order again changes nothing. */
  async startChild(
    _actor: Actor,
    order: ChildOrder,
    owner: string,
  ): Promise<ApiResult<{ readonly child: string }>> {
    try {
      return await this.#start(order, owner);
    } catch (error) {
      // A child that was committed before the failure has started.
      return this.#known({ ...order.parent }) === true
        ? ok({ child: this.#deps.session })
        : this.#failed("a run was not started", error);
    }
  }

  async #start(order: ChildOrder, owner: string): Promise<ApiResult<{ readonly child: string }>> {
    const { session, engine, store, defaults, clock } = this.#deps;
    const { parent } = order;
    if (childName(parent.session, parent.call) !== session) return err(NOT_FOUND);
    const known = this.#known({ ...parent });
    if (known !== null) return known ? ok({ child: session }) : err(NAME_OF_CHILD);
    const ask = childAsk(order);
    await loadRunParts(defaults, store.loadMeta(), ask);
    const parts = [{ type: "text", text: order.ask.objective, trusted: true }] as const;
    return engine.record((tx) => {
      const again = this.#known({ ...parent });
      if (again !== null) return again ? ok({ child: session }) : err(NAME_OF_CHILD);
      if (store.seen(STOPPED, keyText(parent)) !== null) return err(NOT_FOUND);
      const resolved = resolveChild(defaults, store, order, ask);
      if (!resolved.ok) return resolved;
      const small = tooSmall(engine, resolved.value, parts);
      if (small !== null) return err({ ...small, code: "share_too_small" });
      const { actor, source, askedAt, imported } = order.from.request;
      const meta: Meta = {
        ...newMeta({ subject: owner, scopes: [], via: "http" }, clock()),
        title: titleOf(order.ask.objective),
        titleSource: "user",
        agent: resolved.value.spec.agent,
        ...(imported === undefined ? {} : { imported }),
      };
      const received = receiveSend(tx.state, {
        id: parent.call,
        author: actor,
        source,
        mode: "queue",
        request: null,
        parts,
        parent,
        ...(askedAt === undefined ? {} : { askedAt }),
        ...resolved.value,
      });
      if (!received.ok) return err({ status: 409, code: received.code, message: received.message });
      store.saveMeta(meta);
      tx.append(received.entries);
      return ok({ child: session });
    });
  }

  /** Returns the report of this session's run, or null while it is live. */
  async askChild(_actor: Actor, key: ParentKey): Promise<ApiResult<{ readonly sent: SentReport | null }>> {
    const { session, store, engine } = this.#deps;
    try {
      if (this.#known(key) !== true) return err(NOT_FOUND);
      return ok({ sent: sentReport(session, store, engine.log.state(), RUN) });
    } catch (error) {
      return this.#failed("a report was not read", error);
    }
  }

  /** Ends everything of it. What it has started stops with its run. One that is not there yet never begins. */
  async stopChild(_actor: Actor, key: ParentKey): Promise<ApiResult<null>> {
    try {
      return this.#stop(key);
    } catch (error) {
      return this.#failed("a run was not stopped", error);
    }
  }

  #stop(key: ParentKey): ApiResult<null> {
    const { session, engine, store } = this.#deps;
    const known = this.#known(key);
    if (known === null && childName(key.session, key.call) === session) this.#refuseLater(key);
    if (known !== true) return err(NOT_FOUND);
    const id = `parent-${key.call}`;
    engine.record((tx) => {
      if (store.seen("cancel", id) !== null) return;
      const request = loadRunRequest(store, tx.state, RUN);
      const actor = request?.actor ?? "";
      const stopped = receiveCancel(tx.state, { id, actor, run: null, all: true, reason: "parent_ended" });
      tx.append(stopped.entries);
      store.remember("cancel", id, JSON.stringify({ digest: null, cancelled: stopped.cancelled }), tx.at);
    });
    return ok(null);
  }

  /** Deletes this session and its descendants together with its parent. */
  async removeChild(_actor: Actor, key: ParentKey): Promise<ApiResult<null>> {
    const { session, store, lifecycle } = this.#deps;
    if (childName(key.session, key.call) !== session) return err(NOT_FOUND);
    try {
      if (store.loadMeta() !== null) return await lifecycle.removeWithParent();
      this.#refuseLater(key);
      return err(NOT_FOUND);
    } catch (error) {
      return this.#failed("a session was not removed with its parent", error);
    }
  }

  /** `later`: the call that started it is not on disk yet as one that has. */
  async takeReport(
    _actor: Actor,
    sent: SentReport,
  ): Promise<ApiResult<{ readonly taken: boolean | "later" }>> {
    try {
      return this.#take(sent, await this.#deps.engine.wakeModule());
    } catch (error) {
      return this.#failed("a report was not taken", error);
    }
  }

  #take(sent: SentReport, { takeReport }: WakeModule): ApiResult<{ readonly taken: boolean | "later" }> {
    const { engine, store, redact } = this.#deps;
    const meta = store.loadMeta();
    if (meta === null || (sent.to.createdAt !== null && sent.to.createdAt !== meta.createdAt))
      return err(NOT_FOUND);
    return engine.record((tx) => {
      const { run } = tx.state;
      const { child } = sent.report;
      const begun = run?.children?.open.find((one) => one.call === sent.to.call && one.child === null);
      if (begun !== undefined && run?.run === sent.to.run) return ok({ taken: "later" as const });
      if (awaitedChild(run, { child }) === null) return ok({ taken: false });
      return ok({ taken: takeReport(tx, sent, { store, redact, words: engine.words }) });
    });
  }

  /** A relative that gets an answer knows that it reached this session: only the transport may throw. */
  #failed(what: string, error: unknown): ApiResult<never> {
    logError(what, complaintOf(error, this.#deps.redact));
    return err(FAMILY_FAILED);
  }

  /** The word that starts it may be on its way. */
  #refuseLater(key: ParentKey): void {
    const { engine, store } = this.#deps;
    engine.record((tx) => {
      if (store.seen(STOPPED, keyText(key)) === null) store.remember(STOPPED, keyText(key), "", tx.at);
    });
  }

  /** True if this session is the child of that call; null if it does not exist, false if it belongs to another call. */
  #known({ session: above, call, createdAt }: ParentKey): boolean | null {
    const { session, store, engine } = this.#deps;
    if (store.loadMeta() === null || childName(above, call) !== session) return null;
    const parent = loadRunRequest(store, engine.log.state(), RUN)?.parent;
    return parent !== undefined && parent.createdAt === createdAt;
  }
}

/** whose start was taken back before it came */
const STOPPED = "stopped";
const keyText = ({ session, createdAt, call }: ParentKey): string => `${session}@${createdAt ?? ""}/${call}`;

const TITLE_CHARS_MAX = 60;

const titleOf = (objective: string): string =>
  startOf(objective.replace(/\s+/g, " ").trim(), TITLE_CHARS_MAX).toWellFormed();
