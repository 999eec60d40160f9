import { digestOf } from "../core/digest.ts";
import { canonicalJson, type Json } from "../core/json.ts";
import { ACTIVE_MS_MAX, OUTPUT_TOKENS_MAX, STEPS_MAX, TOOL_CALLS_MAX } from "../core/limits.ts";
import type { PromptPart } from "../core/model.ts";
import { localRun, runId, runOf } from "../core/names.ts";
import { receiveCancel, receiveClear, receiveDecision, receiveSay } from "../core/receive.ts";
import type { State } from "../core/state.ts";
import { traceLines, traceRun } from "../core/trace.ts";
import { findApproval, type ApprovalView } from "../wire/approval.ts";
import { loadMessages, loadRun } from "./chat-log.ts";
import type {
  Actor,
  Answer,
  CancelCommand,
  DecideCommand,
  DoorError,
  EventsView,
  MemoryView,
  SaidView,
  SayCommand,
  Scope,
  SessionDoor,
  SessionView,
  TraceView,
} from "./door.ts";
import type { Engine } from "./engine.ts";
import { memoryView } from "./memory-view.ts";
import type { Transaction } from "./ledger.ts";
import {
  NO_APPROVAL,
  NOT_FOUND,
  ID_TAKEN,
  MESSAGE_EXISTS,
  ALREADY_DECIDED,
  APPROVAL_CANCELLED,
  APPROVAL_EXPIRED,
  DIGEST_MISMATCH,
  missingScope,
} from "./refusals.ts";
import type { Meta, SqlStore } from "./store.ts";

const TITLE_CHARS_MAX = 60;
const SECONDS_UNTIL_QUEUE_MOVES = 30;

/** What the deployment gives to every session. */
export interface House {
  readonly session: string;
  readonly model: string;
  readonly fallbacks: readonly string[];
  readonly clock: () => number;
  /** JSON Schema of a tool's input, null when it is not offered */
  readonly inputSchema: (tool: string) => Json;
}

/**
 * Answers whoever comes to a session: checks that they may, turns what they ask into rows through core/receive, and
 * reads the log back as views. The one way in for HTTP, sockets and links.
 */
export class Reception implements SessionDoor {
  readonly #engine: Engine;
  readonly #store: SqlStore;
  readonly #house: House;

  constructor(engine: Engine, store: SqlStore, house: House) {
    this.#engine = engine;
    this.#store = store;
    this.#house = house;
  }

  /** May this actor be here? A foreign session reads as missing. */
  admit(actor: Actor, scope: Scope): DoorError | null {
    const meta = this.#store.loadMeta();
    if (!allows(actor, scope)) return missingScope(scope);
    if (meta === null || !owns(actor, meta)) return NOT_FOUND;
    return null;
  }

  /** As `admit`, but a name that nobody uses yet may be taken by whoever may send. */
  admitOrCreate(actor: Actor): DoorError | null {
    const meta = this.#store.loadMeta();
    if (meta !== null) return this.admit(actor, "read");
    if (!allows(actor, "send")) return NOT_FOUND;
    this.#engine.record(() => this.#store.saveMeta(newMeta(actor, this.#house.clock())));
    return null;
  }

  async say(actor: Actor, command: SayCommand): Promise<Answer<SaidView>> {
    await this.#engine.touch();
    if (!allows(actor, "send")) return refuse(missingScope("send"));
    const meta = this.#store.loadMeta();
    if (meta !== null && !owns(actor, meta)) return refuse(ID_TAKEN);
    return this.#engine.record((tx) => this.#say(tx, actor, command));
  }

  #say(tx: Transaction, actor: Actor, command: SayCommand): Answer<SaidView> {
    const { id, parts, source, request } = command;
    const { session } = this.#house;
    const digest = digestOf(parts);
    const before = this.#store.seen("message", id);
    if (before !== null) {
      const known = JSON.parse(before) as { digest: string; view: SaidView };
      if (known.digest !== digest) return refuse(MESSAGE_EXISTS);
      return { ok: true, value: { ...known.view, duplicate: true } };
    }
    const received = receiveSay(tx.state, {
      id,
      author: actor.subject,
      source,
      parts,
      mode: command.mode ?? "queue",
      request,
      model: command.model ?? this.#store.loadMeta()?.model ?? this.#house.model,
      fallbacks: this.#house.fallbacks,
      limits: {
        steps: STEPS_MAX,
        activeMs: ACTIVE_MS_MAX,
        outputTokens: OUTPUT_TOKENS_MAX,
        toolCalls: TOOL_CALLS_MAX,
      },
      temperature: null,
    });
    if (!received.ok) {
      return refuse({
        status: 429,
        code: received.code,
        message: received.message,
        retryAfter: SECONDS_UNTIL_QUEUE_MOVES,
      });
    }
    const entries = tx.append(received.entries);
    const said = entries.find((entry) => entry.kind === "user_said");
    const { run, mode, ahead } = received.value;
    const view: SaidView = {
      runId: runId(session, run),
      seq: said?.seq ?? tx.state.head,
      messageId: id,
      mode,
      queued: ahead,
      duplicate: false,
    };
    this.#store.remember("message", id, JSON.stringify({ digest, view }), tx.at);
    this.#entitle(actor, said?.kind === "user_said" ? said.body.parts : [], tx.at);
    return { ok: true, value: view };
  }

  /** The first message makes the session its author's and gives it a title. */
  #entitle(actor: Actor, parts: readonly PromptPart[], at: number): void {
    const meta = this.#store.loadMeta() ?? newMeta(actor, at);
    if (meta.title !== "") return;
    const text = textOf(parts).replace(/\s+/g, " ").trim();
    // Not half of a pair at the cut.
    const title = text.slice(0, TITLE_CHARS_MAX).replace(/[\uD800-\uDBFF]$/, "");
    this.#store.saveMeta({ ...meta, title });
  }

  async cancel(
    actor: Actor,
    command: CancelCommand,
  ): Promise<Answer<{ readonly cancelled: readonly string[] }>> {
    await this.#engine.touch();
    const refused = this.admit(actor, "send");
    if (refused !== null) return refuse(refused);
    const { session } = this.#house;
    const run = command.runId === null ? null : localRun(session, command.runId);
    if (command.runId !== null && run === null) return { ok: true, value: { cancelled: [] } };
    const cancelled = this.#engine.record((tx) => {
      const id = `cancel-${tx.state.head + 1}`;
      const received = receiveCancel(tx.state, {
        id,
        actor: actor.subject,
        run,
        all: command.all,
        reason: command.reason,
      });
      tx.append(received.entries);
      return received.cancelled;
    });
    return { ok: true, value: { cancelled: cancelled.map((name) => runId(session, name)) } };
  }

  async clear(actor: Actor): Promise<Answer<Record<string, never>>> {
    await this.#engine.touch();
    const refused = this.admit(actor, "send");
    if (refused !== null) return refuse(refused);
    this.#engine.record((tx) =>
      tx.append(receiveClear(tx.state, { id: `clear-${tx.state.head + 1}`, actor: actor.subject })),
    );
    return { ok: true, value: {} };
  }

  async decide(
    actor: Actor,
    command: DecideCommand,
  ): Promise<Answer<{ readonly approval: ApprovalView; readonly replayed: boolean }>> {
    await this.#engine.touch();
    const refused = this.admit(actor, "approve");
    if (refused !== null) return refuse(refused);
    const found = this.#find(command.approval);
    if (found === null) return refuse(NO_APPROVAL);
    if (found.state !== "pending") return decidedBefore(found, actor, command);
    if (command.digest !== null && command.digest !== found.digest) return refuse(DIGEST_MISMATCH);
    const weighed = command.decision === "edit" ? await this.#engine.weigh(found.id, command.args) : null;
    if (weighed !== null && !weighed.ok) return refuse(weighed.error);
    const received = this.#engine.record((tx) => {
      const { approval, decision, reason, digest } = command;
      const by = { actor: actor.subject, via: actor.via };
      const answer = receiveDecision(
        tx.state,
        { approval, decision, ...by, reason, digest, edited: weighed },
        tx.at,
      );
      if (answer.ok) tx.append(answer.entries);
      return answer;
    });
    if (!received.ok)
      return refuse({ status: received.code === "approval_expired" ? 410 : 409, ...received });
    return { ok: true, value: { approval: this.#find(command.approval) ?? found, replayed: false } };
  }

  async approval(actor: Actor, id: string): Promise<Answer<ApprovalView>> {
    await this.#engine.touch();
    const refused = this.admit(actor, allows(actor, "read") ? "read" : "approve");
    if (refused !== null) return refuse(refused);
    const found = this.#find(id);
    return found === null ? refuse(NO_APPROVAL) : { ok: true, value: found };
  }

  async events(actor: Actor, after: number, limit: number): Promise<Answer<EventsView>> {
    await this.#engine.touch();
    const refused = this.admit(actor, "read");
    if (refused !== null) return refuse(refused);
    const items = this.#store.entriesAfter(after, limit);
    const lastSeq = this.state().head;
    const nextAfter = items.at(-1)?.seq ?? after;
    return { ok: true, value: { items, nextAfter, lastSeq, more: nextAfter < lastSeq } };
  }

  async messages(
    actor: Actor,
    limit: number,
    before: string | null,
  ): Promise<Answer<{ readonly items: readonly Json[]; readonly more: boolean }>> {
    await this.#engine.touch();
    const refused = this.admit(actor, "read");
    if (refused !== null) return refuse(refused);
    const page = loadMessages(this.#store, this.#house.session, this.state().cleared, limit, before);
    return { ok: true, value: { items: page.items as unknown as readonly Json[], more: page.more } };
  }

  async view(actor: Actor): Promise<Answer<SessionView>> {
    await this.#engine.touch();
    const refused = this.admit(actor, "read");
    const meta = this.#store.loadMeta();
    if (refused !== null || meta === null) return refuse(refused ?? NOT_FOUND);
    const state = this.state();
    const { createdAt, title, titleSource, owner, version } = meta;
    const waits = state.run?.phase.at === "waiting_approval";
    return {
      ok: true,
      value: {
        id: this.#house.session,
        title,
        titleSource,
        owner,
        agent: null,
        model: meta.model ?? this.#house.model,
        status: waits ? "waiting" : state.run !== null || state.queue.length > 0 ? "running" : "idle",
        archived: false,
        messageCount: state.messages,
        runCount: state.runs,
        queued: state.queue.length,
        pendingApprovals: waits ? 1 : 0,
        lastSeq: state.head,
        version,
        createdAt: new Date(createdAt).toISOString(),
        updatedAt: new Date(Math.max(createdAt, state.at)).toISOString(),
      },
    };
  }

  async trace(actor: Actor, run: string | null, format: "json" | "jsonl"): Promise<Answer<TraceView>> {
    await this.#engine.touch();
    const refused = this.admit(actor, "read");
    if (refused !== null) return refuse(refused);
    const state = this.state();
    const name = run ?? state.run?.run ?? state.ended.at(-1)?.run ?? null;
    if (name === null) return { ok: true, value: { items: [], lines: [] } };
    const rows = loadRun(this.#store, name, state.head);
    if (rows.length === 0) return refuse(NOT_FOUND);
    const { session } = this.#house;
    if (format === "jsonl") return { ok: true, value: { items: [], lines: traceLines(session, rows) } };
    return { ok: true, value: { items: traceRun(session, rows), lines: [] } };
  }

  async memory(actor: Actor): Promise<Answer<MemoryView>> {
    await this.#engine.touch();
    const refused = this.admit(actor, "read");
    if (refused !== null) return refuse(refused);
    return { ok: true, value: memoryView(this.state(), this.#store) };
  }

  state(): State {
    return this.#engine.ledger.state();
  }

  /** An approval by its name, from the rows of its run. */
  #find(id: string): ApprovalView | null {
    const run = runOf(id);
    if (run === null) return null;
    const found = findApproval(this.#house.session, loadRun(this.#store, run, this.state().head), id);
    return found === null ? null : { ...found, argsSchema: this.#house.inputSchema(found.tool) };
  }
}

function refuse(error: DoorError): { readonly ok: false; readonly error: DoorError } {
  return { ok: false, error };
}

/** The same person's same decision again is the first result; any other comes too late. */
function decidedBefore(
  found: ApprovalView,
  actor: Actor,
  command: DecideCommand,
): Answer<{ readonly approval: ApprovalView; readonly replayed: boolean }> {
  const beside = { approval: found };
  if (found.state === "cancelled") return refuse({ ...APPROVAL_CANCELLED, beside });
  if (found.state === "expired") return refuse({ ...APPROVAL_EXPIRED, beside });
  const same =
    command.decision !== "edit" || canonicalJson(found.result?.args) === canonicalJson(command.args);
  if (same && found.result?.decision === command.decision && found.result.by === actor.subject) {
    return { ok: true, value: { approval: found, replayed: true } };
  }
  return refuse({ ...ALREADY_DECIDED, beside });
}

function allows(actor: Actor, scope: Scope): boolean {
  return actor.scopes.includes(scope) || actor.scopes.includes("admin");
}

function owns(actor: Actor, meta: Meta): boolean {
  return meta.owner === actor.subject || actor.scopes.includes("admin");
}

function newMeta(actor: Actor, at: number): Meta {
  return { owner: actor.subject, title: "", titleSource: "auto", model: null, createdAt: at, version: 1 };
}

function textOf(parts: readonly PromptPart[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join(" ");
}
