import { err, ok } from "../../core/log/result.ts";
import type { DayCaps } from "../../core/guards/budget/admit.ts";
import type { Entry } from "../../core/log/entry.ts";
import type { Json, JsonObject } from "../../core/log/json.ts";
import { localRun, runId } from "../../core/log/names.ts";
import { receiveCancel, receiveClear } from "../../core/loop/receive.ts";
import type { State } from "../../core/state/state.ts";
import { traceLines, traceRun } from "../../core/trace.ts";
import type { ApprovalView } from "../../wire/approval.ts";
import type { MemoryView, RunView } from "../../wire/views.ts";
import type { Engine } from "../engine/engine.ts";
import type { SqlStore } from "../storage/store.ts";
import { allows, type Gate, newMeta, owns, type RunDefaults } from "./access.ts";
import { linkedApproval, type ApprovalLinkApi, type LinkedApproval } from "./approval-link.ts";
import { Approvals } from "./approvals.ts";
import { extendRun } from "./budget.ts";
import { KEY_CONFLICT, NO_RUN, NOT_FOUND, missingScope } from "./errors.ts";
import { loadEvents, loadMessages, loadRun } from "./log-reader.ts";
import { Messages } from "./messages.ts";
import { takeAnswer } from "./questions.ts";
import type {
  Actor,
  ApiResult,
  AnswerCommand,
  CancelCommand,
  ApiError,
  ExtendCommand,
  EventsView,
  RegenerateCommand,
  SaidView,
  SayCommand,
  Scope,
  SessionDetail,
  SessionApi,
  SteerCommand,
  TraceView,
} from "./session-api.ts";
import { promptsOf, type PromptParts, memoryView, namedRunView, sessionDetail } from "./views.ts";

/** What the deployment gives to every session. */
export interface ServiceDeps extends RunDefaults {
  readonly clock: () => number;
  /** what the session may spend in a day; DAY_CAPS when left out */
  readonly day?: DayCaps;
  /** JSON Schema of a tool's input, null when it is not offered */
  readonly inputSchema: (tool: string) => Json;
  /** what prompts are made of, for who looks into them */
  readonly prompts: Omit<PromptParts, "store"> | null;
}

/**
 * Answers whoever comes to a session: checks that they may, turns what they ask into rows through core/receive, and
 * reads the log back as views. The one way in for HTTP, sockets and links.
 */
export class SessionService implements SessionApi, ApprovalLinkApi {
  readonly #engine: Engine;
  readonly #store: SqlStore;
  readonly #defaults: ServiceDeps;
  readonly #messages: Messages;
  readonly #approvals: Approvals;

  constructor(engine: Engine, store: SqlStore, defaults: ServiceDeps) {
    this.#engine = engine;
    this.#store = store;
    this.#defaults = defaults;
    this.#messages = new Messages(engine, store, defaults);
    const admit = (actor: Actor, scope: Scope): ApiError | null => this.admit(actor, scope);
    this.#approvals = new Approvals({ ...defaults, engine, store, admit });
  }

  /** May this actor be here? A foreign session reads as missing. */
  admit(actor: Actor, scope: Scope): ApiError | null {
    const meta = this.#store.loadMeta();
    if (meta === null || !owns(actor, meta)) return NOT_FOUND;
    return allows(actor, scope) ? null : missingScope(scope);
  }

  /** As `admit`, but a name that nobody uses yet may be taken by whoever may send. */
  admitOrCreate(actor: Actor): ApiError | null {
    const meta = this.#store.loadMeta();
    if (meta !== null) return this.admit(actor, "read");
    if (!allows(actor, "send")) return NOT_FOUND;
    this.#engine.rearm(() => this.#store.saveMeta(newMeta(actor, this.#defaults.clock())));
    return null;
  }

  /** Does what a person asks of their session: an alarm that is overdue is armed again first, then they are admitted. */
  readonly gated: Gate = async (actor, scope, run) => {
    await this.#engine.touch();
    const refused = this.admit(actor, scope);
    return refused === null ? run() : err(refused);
  };

  say(actor: Actor, command: SayCommand): Promise<ApiResult<SaidView>> {
    return this.#messages.say(actor, command);
  }

  steer(actor: Actor, command: SteerCommand): Promise<ApiResult<SaidView>> {
    return this.gated(actor, "send", () => this.#messages.steer(actor, command));
  }

  regenerate(actor: Actor, command: RegenerateCommand): Promise<ApiResult<SaidView>> {
    return this.gated(actor, "send", () => this.#messages.regenerate(actor, command));
  }

  answer(actor: Actor, command: AnswerCommand): Promise<ApiResult<{ readonly runId: string }>> {
    return this.gated(actor, "send", () => {
      const rowsOf = (run: string): readonly Entry[] => loadRun(this.#store, this.state(), run);
      return this.#engine.record((tx) => takeAnswer(tx, this.#defaults.session, actor, command, rowsOf));
    });
  }

  cancel(
    actor: Actor,
    command: CancelCommand,
  ): Promise<ApiResult<{ readonly cancelled: readonly string[]; readonly replayed: boolean }>> {
    return this.gated(actor, "send", () => {
      const { session } = this.#defaults;
      const { id, all, reason, digest = null } = command;
      const run = command.runId === null ? null : localRun(session, command.runId);
      if (command.runId !== null && run === null) return ok({ cancelled: [], replayed: false });
      const done = this.#engine.record((tx): Stopped & { replayed: boolean } => {
        // A repeat must not stop the next run.
        const before = this.#store.seen("cancel", id);
        if (before !== null) return { ...(JSON.parse(before) as Stopped), replayed: true };
        const received = receiveCancel(tx.state, { id, actor: actor.subject, run, all, reason });
        tx.append(received.entries);
        const stopped: Stopped = { digest, cancelled: received.cancelled };
        this.#store.remember("cancel", id, JSON.stringify(stopped), tx.at);
        return { ...stopped, replayed: false };
      });
      if (done.replayed && done.digest !== digest) return err(KEY_CONFLICT);
      const cancelled = done.cancelled.map((name) => runId(session, name));
      return ok({ cancelled, replayed: done.replayed });
    });
  }

  clear(actor: Actor): Promise<ApiResult<Record<string, never>>> {
    return this.gated(actor, "send", () => {
      this.#engine.record((tx) => {
        tx.append(receiveClear(tx.state, { id: `clear-${tx.state.head + 1}`, actor: actor.subject }));
        // What was decided for what is forgotten now holds no more.
        const meta = this.#store.loadMeta();
        if (meta?.policies !== undefined) this.#store.saveMeta({ ...meta, policies: [] });
      });
      return ok({});
    });
  }

  async decide(...[actor, command]: Parameters<SessionApi["decide"]>): ReturnType<SessionApi["decide"]> {
    await this.#engine.touch();
    return this.#approvals.decide(actor, command);
  }

  async revoke(actor: Actor, policy: string): Promise<ApiResult<null>> {
    await this.#engine.touch();
    return this.#approvals.revoke(actor, policy);
  }

  extend(actor: Actor, command: ExtendCommand): Promise<ApiResult<RunView | null>> {
    return this.gated(actor, "approve", () =>
      extendRun(this.#engine, this.#store, this.#defaults, actor, command),
    );
  }

  async approval(actor: Actor, id: string): Promise<ApiResult<ApprovalView>> {
    await this.#engine.touch();
    return this.#approvals.show(actor, id);
  }

  async linked(actor: Actor, id: string): Promise<ApiResult<LinkedApproval>> {
    await this.#engine.touch();
    const voter = this.#approvals.voter(actor);
    return linkedApproval(
      this.#defaults.session,
      id,
      voter,
      this.state(),
      this.#store,
      this.#defaults.clock(),
    );
  }

  events(actor: Actor, after: number, limit: number): Promise<ApiResult<EventsView>> {
    return this.gated(actor, "read", () => {
      const items = loadEvents(this.#store, after, limit);
      const lastSeq = this.state().head;
      const nextAfter = items.at(-1)?.seq ?? after;
      return ok({ items, nextAfter, lastSeq, more: nextAfter < lastSeq });
    });
  }

  messages(
    actor: Actor,
    limit: number,
    before: string | null,
  ): Promise<ApiResult<{ readonly items: readonly Json[]; readonly more: boolean }>> {
    return this.gated(actor, "read", () => {
      const page = loadMessages(this.#store, this.#defaults.session, this.state().cleared, limit, before);
      return ok({ items: page.items as unknown as readonly Json[], more: page.more });
    });
  }

  view(actor: Actor): Promise<ApiResult<SessionDetail>> {
    return this.gated(actor, "read", () => {
      const meta = this.#store.loadMeta();
      if (meta === null) return err(NOT_FOUND);
      return ok(sessionDetail(this.#defaults, meta, this.state(), this.#store, this.#defaults.clock()));
    });
  }

  readTrace(
    actor: Actor,
    run: string | null,
    format: "json" | "jsonl",
    prompts = false,
  ): Promise<ApiResult<TraceView>> {
    return this.gated(actor, "read", (): ApiResult<TraceView> => {
      const state = this.state();
      const name = run ?? state.run?.run ?? state.ended.at(-1)?.run ?? null;
      if (name === null) return ok({ items: [], lines: [] });
      const rows = loadRun(this.#store, state, name);
      if (rows.length === 0) return err(NO_RUN);
      const { session } = this.#defaults;
      const parts = prompts ? this.#defaults.prompts : null;
      const last = rows.at(-1)?.seq ?? 0;
      const asked = parts === null ? null : promptsOf({ ...parts, store: this.#store }, name, last);
      const promptOf = (step: string): JsonObject | null => asked?.get(step) ?? null;
      if (format === "jsonl") return ok({ items: [], lines: traceLines(session, rows, promptOf) });
      return ok({ items: traceRun(session, rows, promptOf), lines: [] });
    });
  }

  readRun(actor: Actor, id: string): Promise<ApiResult<RunView>> {
    return this.gated(actor, "read", () => {
      const { session } = this.#defaults;
      const run = localRun(session, id);
      const view = run === null ? null : namedRunView(session, this.state(), this.#store, run);
      return view === null ? err(NO_RUN) : ok(view);
    });
  }

  memory(actor: Actor): Promise<ApiResult<MemoryView>> {
    return this.gated(actor, "read", () => {
      return ok(memoryView(this.state(), this.#store));
    });
  }

  state(): State {
    return this.#engine.ledger.state();
  }
}

/** What a cancel did, as it is remembered. */
interface Stopped {
  readonly digest: string | null;
  /** local names */
  readonly cancelled: readonly string[];
}
