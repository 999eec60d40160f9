import { startOf } from "../../core/text/cut.ts";
import { ORIGIN } from "../../core/address.ts";
import { err, ok } from "../../core/log/result.ts";
import type { DayCaps } from "../../core/guards/budget/admit.ts";
import type { BodyOf, Entry } from "../../core/log/entry.ts";
import type { Json, JsonObject } from "../../core/log/json.ts";
import { PREVIOUS_CHARS_MAX, RUN_WAIT_MS } from "../../core/limits.ts";
import { localRun, parentOf, runId } from "../../core/log/names.ts";
import type { PreviousRun } from "../../core/log/run-spec.ts";
import { renderFacts, renderMemory, storeFact } from "../../core/state/memory.ts";
import { factValue } from "../engine/transaction.ts";
import { loadTargets } from "../runs/resolve-run.ts";
import { RunWaiters } from "../runs/run-waiters.ts";
import { receiveCancel, receiveClear, receiveContinue } from "../../core/loop/receive.ts";
import type { State } from "../../core/state/state.ts";
import { receiveRetry } from "../../core/loop/retry.ts";
import { traceLines, traceRun } from "../../core/trace.ts";
import type { FactView, MemoryView, RunView, SourcePageView } from "../../protocol/views.ts";
import type { DeliveryPage, SessionOutbox } from "../background/outbox.ts";
import type { Engine } from "../engine/engine.ts";
import { readSourcePage } from "../storage/source-page.ts";
import type { SqlStore } from "../storage/store.ts";
import { isOfAnother, newMeta, isOwner } from "./access.ts";
import { answerBudget, extendRun, type BudgetAnswered } from "./budget.ts";
import {
  ID_TAKEN,
  KEY_CONFLICT,
  MEMORY_FULL,
  NO_BUDGET_QUESTION,
  NO_FACT,
  NO_PROVIDER_WAIT,
  NO_RUN,
  NOT_FOUND,
  RUN_ACTIVE,
  WAITING_FOR_APPROVAL,
  missingScope,
} from "../api/errors.ts";
import { loadEvents, loadMessages, loadRun, readableBy, type Log } from "../api/log-reader.ts";
import { takeOutput } from "./client-outputs.ts";
import { takeAnswer } from "../api/questions.ts";
import {
  type Actor,
  type ApiResult,
  type AnswerCommand,
  type CancelCommand,
  type ApiError,
  type BudgetCommand,
  type ClientOutput,
  type ExtendCommand,
  type EnterCommand,
  type EnteredView,
  type EventsView,
  type RunCommand,
  type SourcePageQuery,
  type Scope,
  type SessionDetail,
  type TraceView,
  allows,
} from "../api/session-api.ts";
import { promptsOf, type PromptParts, memoryView, namedRunView, sessionDetail } from "./views.ts";
import type { RunDefaults } from "../runs/run-defaults.ts";

/** Settings that the deployment gives to every session. */
export interface ServiceDeps extends RunDefaults {
  readonly engine: Engine;
  readonly store: SqlStore;
  readonly clock: () => number;
  /** what the session may spend in a day; DAY_CAPS when left out */
  readonly day?: DayCaps | undefined;
  /** JSON Schema of a tool's input, null when it is not offered */
  readonly inputSchema: (tool: string) => Json;
  /** what prompts are made of, for who looks into them */
  readonly prompts: Omit<PromptParts, "store"> | null;
  /** what became of outgoing webhooks: not history, so not of the log */
  readonly outbox: Pick<SessionOutbox, "page"> & { readonly held: Pick<SessionOutbox["held"], "note"> };
}

/** Access to a session, commands on its runs, and views of its log. */
export class SessionService {
  readonly #engine: Engine;
  readonly #store: SqlStore;
  readonly #defaults: ServiceDeps;
  readonly #waiters = new RunWaiters();

  constructor(deps: ServiceDeps) {
    this.#engine = deps.engine;
    this.#store = deps.store;
    this.#defaults = deps;
  }

  /** May this actor be here? A foreign session reads as missing. */
  admit(actor: Actor, scope: Scope): ApiError | null {
    const meta = this.#store.loadMeta();
    if (meta === null || !isOwner(actor, meta)) return NOT_FOUND;
    return allows(actor, scope) ? null : missingScope(scope);
  }

  /** Like `admit`, but any sender may take an unused session ID. */
  admitOrCreate(actor: Actor): ApiError | null {
    const meta = this.#store.loadMeta();
    if (meta !== null) return this.admit(actor, "read");
    if (!allows(actor, "send") || parentOf(this.#defaults.session) !== null) return NOT_FOUND;
    this.#engine.rearm(() => this.#store.saveMeta(newMeta(actor, this.#defaults.clock())));
    return null;
  }

  /**
   * Admits an upload or other input from outside: the session is the actor's, or becomes theirs if its ID is unused.
   * Refuses with 403 `missing_scope`, 409 `id_taken`, 404 for the name of a missing child, and like its next run if its
   * agent is unreadable.
   */
  async enter(actor: Actor, command: EnterCommand = {}): Promise<ApiResult<EnteredView>> {
    const meta = this.#store.loadMeta();
    if (!allows(actor, "send")) return err(missingScope("send"));
    // Before a session is made in the name of one that was deleted.
    if (isOfAnother(meta, command)) return err(ID_TAKEN);
    if (meta !== null && !isOwner(actor, meta)) return err(ID_TAKEN);
    const refused = meta === null ? this.admitOrCreate(actor) : null;
    if (refused !== null) return err(refused);
    const entered = this.#store.loadMeta();
    if (entered === null) throw new Error("a session that was entered is not there");
    const targets = await loadTargets(this.#defaults, entered);
    if (!targets.ok) return targets;
    return ok({ createdAt: entered.createdAt, targets: targets.value });
  }

  /** Sets an overdue alarm again. Does nothing for an unused session ID. */
  async touch(): Promise<void> {
    if (this.#store.loadMeta() !== null) await this.#engine.restoreAlarm();
  }

  /** The run that goes on. */
  answer(actor: Actor, command: AnswerCommand): ApiResult<RunView> {
    const entriesOf = (run: string): readonly Entry[] => loadRun(this.#store, this.state(), run);
    const taken = this.#engine.record((tx) =>
      takeAnswer(tx, this.#defaults.session, actor, command, entriesOf),
    );
    return taken.ok ? this.readRun(actor, taken.value.runId) : taken;
  }

  /** Takes the answer of a client to a call of one of its tools; a repeat of the same changes nothing. Refuses as `takeOutput` does. */
  async answerCall(
    actor: Actor,
    output: ClientOutput,
  ): Promise<ApiResult<{ readonly runId: string } | null>> {
    const { session } = this.#defaults;
    const module = await this.#engine.wakeModule();
    return this.#engine.record((tx) => {
      const entriesOf = (run: string): readonly Entry[] => loadRun(this.#store, tx.state, run);
      return takeOutput(tx, { session, engine: this.#engine, module, entriesOf }, actor, output);
    });
  }

  /** Ends the wait of a run for a provider. Refuses 409 `not_waiting` and `waiting_for_approval`. */
  retryNow(actor: Actor, { id, runId: named }: RunCommand): ApiResult<RunView> {
    const found = this.readRun(actor, named);
    const run = localRun(this.#defaults.session, named);
    if (!found.ok || run === null) return found;
    const refused = this.#engine.record((tx): ApiError | null => {
      // A repeat finds the run at work.
      if (this.#store.seen("retry", id) !== null) return null;
      const { state } = tx;
      if (state.run?.run === run && state.run.phase.at === "waiting_approval") return WAITING_FOR_APPROVAL;
      const entry = receiveRetry(state, { id, actor: actor.subject, run });
      if (entry === null) return NO_PROVIDER_WAIT;
      tx.append([entry]);
      this.#store.remember("retry", id, "", tx.at);
      return null;
    });
    return refused === null ? this.readRun(actor, named) : err(refused);
  }

  /** Stops a run that is live or waits in the queue. `ended`: it was over before, so nothing is stopped. */
  stopRun(actor: Actor, command: RunCommand): ApiResult<{ readonly run: RunView; readonly ended: boolean }> {
    const before = this.readRun(actor, command.runId);
    if (!before.ok) return before;
    if (before.value.outcome !== null) return ok({ run: before.value, ended: true });
    const stopped = this.cancel(actor, { ...command, all: false, reason: null });
    if (!stopped.ok) return stopped;
    const run = this.readRun(actor, command.runId);
    return run.ok ? ok({ run: run.value, ended: false }) : run;
  }

  cancel(
    actor: Actor,
    command: CancelCommand,
  ): ApiResult<{ readonly cancelled: readonly string[]; readonly replayed: boolean }> {
    const { session } = this.#defaults;
    const { id, all, hold = false, reason, digest = null } = command;
    const run = command.runId === null ? null : localRun(session, command.runId);
    const isElsewhere = isOfAnother(this.#store.loadMeta(), command);
    if (isElsewhere || (command.runId !== null && run === null))
      return ok({ cancelled: [], replayed: false });
    const done = this.#engine.record((tx): Stopped & { replayed: boolean } => {
      // A repeat must not stop the next run.
      const before = this.#store.seen("cancel", id);
      if (before !== null) return { ...(JSON.parse(before) as Stopped), replayed: true };
      const received = receiveCancel(tx.state, { id, actor: actor.subject, run, all, hold, reason });
      tx.append(received.entries);
      const stopped: Stopped = { digest, cancelled: received.cancelled };
      this.#store.remember("cancel", id, JSON.stringify(stopped), tx.at);
      return { ...stopped, replayed: false };
    });
    if (done.replayed && done.digest !== digest) return err(KEY_CONFLICT);
    const cancelled = done.cancelled.map((name) => runId(session, name));
    return ok({ cancelled, replayed: done.replayed });
  }

  /** Lets a held queue go on; false where nothing was held. */
  continueQueue(actor: Actor): ApiResult<{ readonly continued: boolean }> {
    return this.#engine.record((tx) => {
      const entries = receiveContinue(tx.state, actor.subject);
      tx.append(entries);
      return ok({ continued: entries.length > 0 });
    });
  }

  clear(actor: Actor): ApiResult<Record<string, never>> {
    this.#engine.record((tx) => {
      tx.append(receiveClear(tx.state, { id: `clear-${tx.state.head + 1}`, actor: actor.subject }));
      // Remembered decisions end with the conversation that they were made in.
      const meta = this.#store.loadMeta();
      if (meta?.policies !== undefined) this.#store.saveMeta({ ...meta, policies: [] });
    });
    return ok({});
  }

  extend(actor: Actor, command: ExtendCommand): ApiResult<RunView | null> {
    return extendRun(this.#engine, this.#store, this.#defaults, actor, command);
  }

  answerBudget(actor: Actor, command: BudgetCommand): BudgetAnswered {
    if (isOfAnother(this.#store.loadMeta(), command)) return err(NO_BUDGET_QUESTION);
    return answerBudget(this.#engine, this.#store, this.#defaults, actor, command);
  }

  events(actor: Actor, after: number, limit: number): ApiResult<EventsView> {
    const items = loadEvents(this.#logFor(actor), after, limit);
    const lastSeq = this.state().head;
    const nextAfter = items.at(-1)?.seq ?? after;
    return ok({ items, nextAfter, lastSeq, more: nextAfter < lastSeq });
  }

  messages(
    actor: Actor,
    limit: number,
    before: string | null,
  ): ApiResult<{ readonly items: readonly Json[]; readonly more: boolean }> {
    const log = this.#logFor(actor);
    const page = loadMessages(log, this.#defaults.session, this.state().cleared, limit, before);
    return ok({ items: page.items as unknown as readonly Json[], more: page.more });
  }

  view(_actor: Actor): ApiResult<SessionDetail> {
    const meta = this.#store.loadMeta();
    if (meta === null) return err(NOT_FOUND);
    return ok(sessionDetail(this.#defaults, meta, this.state(), this.#store, this.#defaults.clock()));
  }

  async readTrace(
    actor: Actor,
    run: string | null,
    format: "json" | "jsonl",
    prompts = false,
  ): Promise<ApiResult<TraceView>> {
    const parts = prompts ? this.#defaults.prompts : null;
    const composing = parts === null ? null : { ...parts, ...(await this.#engine.wakeModule()) };
    const state = this.state();
    const name = run ?? state.run?.run ?? state.ended.at(-1)?.run ?? null;
    if (name === null) return ok({ items: [], lines: [] });
    const entries = loadRun(this.#logFor(actor), state, name);
    if (entries.length === 0) return err(NO_RUN);
    const { session } = this.#defaults;
    const last = entries.at(-1)?.seq ?? 0;
    const whole = allows(actor, "admin");
    const promptsByStep =
      composing === null ? null : promptsOf({ ...composing, store: this.#store }, name, last, whole);
    const promptOf = (step: string): JsonObject | null => promptsByStep?.get(step) ?? null;
    if (format === "jsonl") return ok({ items: [], lines: traceLines(session, entries, promptOf) });
    return ok({ items: traceRun(session, entries, promptOf), lines: [] });
  }

  readRun(_actor: Actor, id: string): ApiResult<RunView> {
    const { session } = this.#defaults;
    const run = localRun(session, id);
    const view = run === null ? null : namedRunView(session, this.state(), this.#store, run);
    return view === null ? err(NO_RUN) : ok(view);
  }

  /** The run once it has ended or waits for a person, or after this many milliseconds. */
  async awaitRun(actor: Actor, id: string, ms: number): Promise<ApiResult<RunView>> {
    const found = this.readRun(actor, id);
    const run = localRun(this.#defaults.session, id);
    if (!found.ok || run === null || ms <= 0 || !MOVES.has(found.value.status)) return found;
    await this.#waiters.until(run, Math.min(ms, RUN_WAIT_MS));
    return this.readRun(actor, id);
  }

  /** Called with what has been committed. */
  committed(entries: readonly Entry[]): void {
    this.#waiters.committed(entries);
  }

  /** Returns the summary of an ended run for a later one; 409 `run_active` while the run is live. */
  recap(actor: Actor, id: string): ApiResult<PreviousRun> {
    const found = this.readRun(actor, id);
    if (!found.ok) return found;
    const { objective, answer } = found.value;
    const state = this.state();
    const run = localRun(this.#defaults.session, id);
    const ended = loadRun(this.#store, state, run ?? "").findLast((entry) => entry.kind === "run_ended");
    if (ended === undefined) return err(RUN_ACTIVE);
    // The taint of a run that is no longer known cannot be determined.
    const taint = state.ended.find((one) => one.run === run)?.taint;
    const { facts } = state.memory;
    const memory = [
      renderMemory(state.memory),
      ...renderFacts(facts, (fact) => factValue(this.#store, fact)),
    ];
    return ok({
      run: id,
      objective: startOf(objective, PREVIOUS_CHARS_MAX).toWellFormed(),
      answer: startOf(answer ?? "", PREVIOUS_CHARS_MAX).toWellFormed(),
      outcome: ended.body.outcome,
      memory: state.memory.entities.length + facts.length === 0 ? [] : memory,
      tainted: taint === undefined || taint.tainted !== null,
    });
  }

  sourcePage(_actor: Actor, query: SourcePageQuery): ApiResult<SourcePageView> {
    return readSourcePage(this.#store, query);
  }

  memory(_actor: Actor): ApiResult<MemoryView> {
    return ok(memoryView(this.state(), this.#store));
  }

  /** Stores a fact for a person, as `store_memory` does; an equal value is not written again. 422 `memory_full`. */
  remember(actor: Actor, key: string, value: string): ApiResult<FactView> {
    return this.#engine.record((tx) => {
      const { facts } = tx.state.memory;
      const known = facts.find((fact) => fact.key === key);
      if (known !== undefined && tx.valueOf(known) === value) return ok({ key, value, seq: known.seq });
      const written = storeFact(facts, key, value);
      if (!written.ok) return err(MEMORY_FULL);
      const body = { call: null, tool: null, changes: [], facts: written.changes, by: actor.subject };
      tx.append([{ kind: "memory_changed", run: null, step: null, body }]);
      // As it was written: a secret is in neither.
      const [fact] = tx.state.memory.facts;
      if (fact === undefined) throw new Error("a fact was not kept");
      return ok({ key: fact.key, value: tx.valueOf(fact), seq: fact.seq });
    });
  }

  /** Deletes a stored fact for a person; 404 for an unknown key. */
  forget(actor: Actor, key: string): ApiResult<null> {
    return this.#engine.record((tx) => {
      if (!tx.state.memory.facts.some((fact) => fact.key === key)) return err(NO_FACT);
      const facts = [{ op: "forget", key }] as const;
      const body = { call: null, tool: null, changes: [], facts, by: actor.subject };
      tx.append([{ kind: "memory_changed", run: null, step: null, body }]);
      return ok(null);
    });
  }

  /** An admin sees what went to webhooks too. */
  deliveries(actor: Actor, limit: number, cursor: number | null): ApiResult<DeliveryPage> {
    const whose = allows(actor, "admin") ? "all" : "people";
    return ok(this.#defaults.outbox.page(limit, cursor, whose));
  }

  /** The question that the live run waits with, by its name; null where it waits with none of this name. */
  question(_actor: Actor, id: string): ApiResult<BodyOf<"human_asked"> | null> {
    const { run } = this.state();
    if (run?.phase.at !== "waiting_human" || run.phase.question.question !== id) return ok(null);
    const { seq } = run.phase.question;
    const request = this.#store.entriesBetween(seq, seq)[0];
    return ok(request?.kind === "human_asked" ? request.body : null);
  }

  /**
   * Stores a message about work that this session had scheduled, once. Its owner gets it with their next message, or on
   * their channel. False if the session is deleted, or is a younger one of the same name.
   */
  notice(_actor: Actor, { id, text, createdBefore }: NoticeCommand): ApiResult<{ readonly stored: boolean }> {
    const { outbox, clock } = this.#defaults;
    const meta = this.#store.loadMeta();
    if (meta === null || meta.createdAt > createdBefore) return ok({ stored: false });
    this.#engine.rearm(() => {
      if (this.#store.seen("notice", id) !== null) return;
      this.#store.remember("notice", id, "kept", clock());
      outbox.held.note({ id, to: ORIGIN, text }, clock());
    });
    return ok({ stored: true });
  }

  state(): State {
    return this.#engine.log.state();
  }

  #logFor(actor: Actor): Log {
    return readableBy(actor, this.#store, this.state());
  }
}

export interface NoticeCommand {
  readonly id: string;
  readonly text: string;
  /** ms; a session that was made later is another one */
  readonly createdBefore: number;
}

/** Where a run goes on by itself. */
const MOVES: ReadonlySet<RunView["status"]> = new Set(["queued", "running"]);

/** The effect of a cancel, stored for its repetition. */
interface Stopped {
  readonly digest: string | null;
  /** local names */
  readonly cancelled: readonly string[];
}
