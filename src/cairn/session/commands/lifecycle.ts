import { err, ok } from "../../core/log/result.ts";
import { fold } from "../../core/state/apply.ts";
import { roleOf } from "../../core/guards/permissions.ts";
import { parentOf } from "../../core/log/names.ts";
import type { Targets } from "../../core/log/targets.ts";
import { sha256Hex } from "../../core/log/digest.ts";
import type { Entry } from "../../core/log/entry.ts";
import { canonicalJson } from "../../core/log/json.ts";
import { receiveCancel } from "../../core/loop/receive.ts";
import { EMPTY_STATE, type State } from "../../core/state/state.ts";
import { loadEvents, PAGE_BYTES_MAX } from "../api/log-reader.ts";
import type { SessionIndex } from "../background/session-index.ts";
import {
  type Actor,
  type ApiResult,
  type ChangeCommand,
  type CopyPoint,
  type CreateCommand,
  type ApiError,
  type IdempotencyKey,
  type Scope,
  type SessionView,
  type SettleCommand,
  allows,
} from "../api/session-api.ts";
import type { Engine } from "../engine/engine.ts";
import { BAD_EXPORT, ID_TAKEN, KEY_CONFLICT, NOT_FOUND, VERSION_MISMATCH } from "../api/errors.ts";
import { isOfAnother, newMeta } from "./access.ts";
import { missingScope } from "../api/errors.ts";
import type { Agents } from "../../agents/define.ts";
import type { Meta } from "../storage/meta.ts";
import { targetError, type KnownTargets } from "../runs/targets.ts";
import { agentError } from "../runs/resolve-run.ts";
import type { SqlStore } from "../storage/store.ts";
import { sessionView } from "./views.ts";
import type { SentFiles } from "../storage/files.ts";

export interface LifecycleDeps {
  readonly session: string;
  /** the deployment's; null while it cannot be called */
  readonly model: string | null;
  readonly agents: Agents;
  readonly targets: KnownTargets;
  readonly files: Pick<SentFiles, "drop">;
  readonly admins: readonly string[] | null;
  readonly engine: Engine;
  readonly store: SqlStore;
  readonly sessionIndex: Pick<SessionIndex, "flush" | "leave" | "left">;
  /** the sessions above it and below it; absent where there can be none */
  readonly family?:
    | {
        /** deletes all that its runs have started */
        removeChildren(): Promise<void>;
        /** notifies the parent session */
        lastWord(): Promise<void>;
      }
    | undefined;
  readonly clock: () => number;
  /** may this actor be here with this scope? */
  readonly admit: (actor: Actor, scope: Scope) => ApiError | null;
  /** everyone who watches is sent away: the session is gone */
  readonly dismiss: () => void;
}

const COPY_ENTRIES = 500;

/** `created` is false where the caller owned the name already. */
interface Created {
  readonly session: SessionView;
  readonly created: boolean;
  readonly replayed: boolean;
}

/** A session as a whole: how it is made, changed, copied and deleted. Its runs are none of its business but at their end. */
export class SessionLifecycle {
  readonly #deps: LifecycleDeps;

  constructor(deps: LifecycleDeps) {
    this.#deps = deps;
  }

  async create(actor: Actor, command: CreateCommand): Promise<ApiResult<Created>> {
    const { store, clock, engine, agents } = this.#deps;
    if (!allows(actor, "send")) return err(missingScope("send"));
    const before = this.#findCreated(actor, command);
    if (before !== null) return before;
    const { title, model, agent, targets, metadata, idempotency } = command;
    if (agent !== null) {
      await agents.load(agent);
      const found = agents.find(agent);
      if (!found.ok) return err(agentError(agent, found.error, agents));
    }
    const refused = await this.#targetError(actor, targets);
    if (refused !== null) return err(refused);
    // The name may have become somebody's during the wait.
    const meanwhile = this.#findCreated(actor, command);
    if (meanwhile !== null) return meanwhile;
    const made: Meta = {
      ...newMeta(actor, clock()),
      ...(title === null ? {} : { title, titleSource: "user" }),
      ...(agent === null ? {} : { agent }),
      ...(targets === null ? {} : { targets }),
      model,
      metadata,
    };
    const session = engine.rearm(() => {
      store.saveMeta(made);
      return this.#remember(idempotency, this.#view(made));
    });
    await this.#deps.sessionIndex.flush();
    return ok({ session, created: true, replayed: false });
  }

  /** The answer where the name is in use, or was in this request before; null where it is free. */
  #findCreated(actor: Actor, { idempotency }: CreateCommand): ApiResult<Created> | null {
    const meta = this.#deps.store.loadMeta();
    if (meta !== null && meta.owner !== actor.subject) return err(ID_TAKEN);
    if (meta === null && parentOf(this.#deps.session) !== null) return err(NOT_FOUND);
    if (idempotency !== null) {
      const before = this.#recalled(idempotency);
      if (!before.ok) return before;
      if (before.value !== null) return ok({ session: before.value, created: true, replayed: true });
    }
    return meta === null ? null : ok({ session: this.#view(meta), created: false, replayed: false });
  }

  /** 412 `version_mismatch` when the session has moved on */
  async change(actor: Actor, command: ChangeCommand): Promise<ApiResult<SessionView>> {
    const { store, clock, engine, sessionIndex, agents } = this.#deps;
    const { ifVersion, title, ...fields } = command;
    const sessionAt = store.loadMeta()?.createdAt ?? null;
    if (fields.agent !== undefined) await agents.load(fields.agent);
    const refused = await this.#targetError(actor, fields.targets ?? null);
    const meta = store.loadMeta();
    // The session may have been deleted during the wait, and its name used again.
    if (meta === null || isOfAnother(meta, { sessionAt })) return err(NOT_FOUND);
    if (fields.agent !== undefined) {
      const found = agents.find(fields.agent);
      if (!found.ok) return err(agentError(fields.agent, found.error, agents));
    }
    if (refused !== null) return err(refused);
    if (ifVersion !== null && ifVersion !== meta.version) return err(VERSION_MISMATCH);
    const changed: Meta = {
      ...meta,
      ...fields,
      ...(title === undefined ? {} : { title, titleSource: "user" }),
      version: meta.version + 1,
      changedAt: clock(),
    };
    engine.rearm(() => store.saveMeta(changed));
    await sessionIndex.flush();
    return ok(this.#view(changed));
  }

  async #targetError(actor: Actor, targets: Targets | null): Promise<ApiError | null> {
    if (targets === null) return null;
    const { targets: known, admins } = this.#deps;
    await known.load(targets);
    const isAdmin = roleOf(actor, admins) === "admin";
    const found = known.find(targets, { subject: actor.subject, isAdmin });
    return found.ok ? null : targetError(found.error);
  }

  /** Everything of it goes: entries, texts, alarm, sockets, its place in the index. */
  async remove(_actor: Actor): Promise<ApiResult<null>> {
    const isThere = this.#watchName();
    await this.#deps.family?.lastWord();
    return this.#remove(isThere);
  }

  /** Removes a child together with its parent, which needs no notification. */
  async removeWithParent(): Promise<ApiResult<null>> {
    return this.#remove(this.#watchName());
  }

  /** Each step waits. Another deletion may have been faster, and the name may be the next session's since. */
  async #remove(isThere: () => boolean): Promise<ApiResult<null>> {
    const { sessionIndex, files, family } = this.#deps;
    try {
      if (isThere()) await family?.removeChildren();
    } catch {
      const message = "The runs that it has started could not be deleted, so nothing else was.";
      return err({ status: 503, code: "children_unavailable", message, hint: "Try again." });
    }
    try {
      if (isThere()) await files.drop();
    } catch {
      const message = "The files of the session could not be deleted, so nothing else was.";
      return err({ status: 503, code: "files_unavailable", message, hint: "Try again." });
    }
    if (!isThere()) return ok(null);
    try {
      await sessionIndex.leave();
    } catch {
      const message = "The index of sessions could not be written, so the session is still there.";
      return err({ status: 503, code: "index_unavailable", message, hint: "Try again." });
    }
    if (isThere()) this.#erase();
    sessionIndex.left();
    return ok(null);
  }

  /** True as long as the name belongs to the session that it belongs to now. */
  #watchName(): () => boolean {
    const { store } = this.#deps;
    const sessionAt = store.loadMeta()?.createdAt;
    return () => store.loadMeta()?.createdAt === sessionAt;
  }

  /** The last step boundary at or before `atSeq`, null for the end of the log whatever is live there. */
  copyPoint(actor: Actor, scope: Scope, atSeq: number | null): ApiResult<CopyPoint> {
    const refused = this.#deps.admit(actor, scope);
    const meta = this.#deps.store.loadMeta();
    if (refused !== null || meta === null) return err(refused ?? NOT_FOUND);
    const state = atSeq === null ? this.#state() : this.#boundary(atSeq);
    return ok({ upTo: state.head, session: this.#view(meta), stateHash: hashOf(state) });
  }

  /** Entries after a seq up to another, oldest first: at least one as long as there is one, at most a page of bytes. */
  copyEntries(actor: Actor, scope: Scope, after: number, upTo: number): ApiResult<readonly Entry[]> {
    const refused = this.#deps.admit(actor, scope);
    if (refused !== null) return err(refused);
    const entries = loadEvents(this.#deps.store, after, Math.min(COPY_ENTRIES, upTo - after), PAGE_BYTES_MAX);
    return ok(entries);
  }

  /** Returns names of the texts stored separately from the entries. */
  copyNames(actor: Actor, scope: Scope): ApiResult<readonly string[]> {
    const refused = this.#deps.admit(actor, scope);
    return refused === null ? ok(this.#deps.store.blobNames()) : err(refused);
  }

  copyText(actor: Actor, scope: Scope, name: string): ApiResult<string> {
    const refused = this.#deps.admit(actor, scope);
    if (refused !== null) return err(refused);
    return ok(this.#deps.store.loadBlob(name) ?? "");
  }

  /** The session that a repeated request has made before; null when it is new here. */
  recall(actor: Actor, idempotency: IdempotencyKey): ApiResult<SessionView | null> {
    const meta = this.#deps.store.loadMeta();
    if (meta === null) return ok(null);
    return meta.owner === actor.subject ? this.#recalled(idempotency) : err(ID_TAKEN);
  }

  /** Imports entries and texts into an unused session ID. Entries that already exist are skipped. 422 `bad_export`. */
  adopt(
    actor: Actor,
    entries: readonly Entry[],
    texts: readonly (readonly [name: string, text: string])[],
  ): ApiResult<null> {
    if (!allows(actor, "send")) return err(missingScope("send"));
    const { store, session } = this.#deps;
    if (store.loadMeta() !== null) return err(ID_TAKEN);
    if (parentOf(session) !== null) return err(NOT_FOUND);
    try {
      store.transaction(() => {
        const cursor = store.loadCursor();
        const state = cursor?.state ?? EMPTY_STATE;
        const fresh = entries.filter((entry) => entry.seq > state.head);
        const reached = fold(state, fresh);
        store.appendEntries(fresh);
        for (const [name, text] of texts) store.saveBlob(name, text);
        const claims = { claimNo: 0, claim: null, armedAt: null, alarmFloor: 0 };
        store.saveCursor({ ...(cursor ?? claims), state: reached });
      });
    } catch {
      // Entries that do not follow from each other: no log of ours.
      this.#erase();
      return err(BAD_EXPORT);
    }
    return ok(null);
  }

  /** Makes a session of what was adopted, with nothing live in it; 422 `bad_export` and nothing is left when it is not what it was. */
  async settle(actor: Actor, command: SettleCommand): Promise<ApiResult<SessionView>> {
    const { store, clock, engine, sessionIndex } = this.#deps;
    if (!allows(actor, "send")) return err(missingScope("send"));
    const module = await engine.wakeModule();
    if (store.loadMeta() !== null) return err(ID_TAKEN);
    const { idempotency, stateHash, ...facts } = command;
    if (hashOf(this.#state()) !== stateHash) {
      this.#erase();
      return err(BAD_EXPORT);
    }
    const at = clock();
    const meta: Meta = { ...newMeta(actor, at), ...facts, changedAt: at };
    engine.stop(module, (state) => {
      store.saveMeta(meta);
      const id = `copy-${state.head}`;
      const { entries } = receiveCancel(state, {
        id,
        actor: actor.subject,
        run: null,
        all: true,
        reason: "copied",
      });
      return entries;
    });
    const view = engine.rearm(() => this.#remember(idempotency, this.#view(meta)));
    await sessionIndex.flush();
    return ok(view);
  }

  /** The state at the last entry, up to `atSeq`, at which no step was under way. */
  #boundary(atSeq: number): State {
    const { store } = this.#deps;
    let state = EMPTY_STATE;
    let boundary = state;
    for (;;) {
      const entries = loadEvents(store, state.head, COPY_ENTRIES).filter((entry) => entry.seq <= atSeq);
      if (entries.length === 0) return boundary;
      for (const entry of entries) {
        state = fold(state, [entry]);
        if (isBetweenSteps(state)) boundary = state;
      }
    }
  }

  #erase(): void {
    const { engine, store, dismiss } = this.#deps;
    store.erase();
    engine.drop();
    dismiss();
  }

  #recalled({ key, digest }: IdempotencyKey): ApiResult<SessionView | null> {
    const before = this.#deps.store.seen("made", key);
    if (before === null) return ok(null);
    const known = JSON.parse(before) as { digest: string; view: SessionView };
    return known.digest === digest ? ok(known.view) : err(KEY_CONFLICT);
  }

  #remember(idempotency: IdempotencyKey | null, view: SessionView): SessionView {
    const { store, clock } = this.#deps;
    if (idempotency !== null)
      store.remember("made", idempotency.key, JSON.stringify({ digest: idempotency.digest, view }), clock());
    return view;
  }

  #state(): State {
    return this.#deps.engine.log.state();
  }

  #view(meta: Meta): SessionView {
    return sessionView(this.#deps, meta, this.#state());
  }
}

const hashOf = (state: State): string => sha256Hex(canonicalJson(state));

function isBetweenSteps({ run }: State): boolean {
  return run === null || (run.phase.at === "thinking" && run.phase.open === null);
}
