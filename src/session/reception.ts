import type { Entry } from "../core/entries.ts";
import { digestOf } from "../core/digest.ts";
import type { Json } from "../core/json.ts";
import { roleOf } from "../core/guard/permits.ts";
import { RUN_LIMITS } from "../core/limits.ts";
import type { PromptPart } from "../core/model.ts";
import { localRun, runId, runOf } from "../core/names.ts";
import { questionOf } from "../core/question.ts";
import { receiveCancel, receiveClear, receiveDecision, receiveSay } from "../core/receive.ts";
import type { State } from "../core/state.ts";
import { traceLines, traceRun } from "../core/trace.ts";
import { findApproval, type ApprovalView } from "../wire/approval.ts";
import { takeAnswer } from "./answering.ts";
import { loadEvents, loadMessages, loadRun } from "./chat-log.ts";
import type {
  Actor,
  Answer,
  AnswerCommand,
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
import { splitFiles } from "./files.ts";
import { memoryView } from "./memory-view.ts";
import { questionRow, type Transaction } from "./ledger.ts";
import {
  NO_APPROVAL,
  NOT_FOUND,
  ID_TAKEN,
  MESSAGE_EXISTS,
  DIGEST_MISMATCH,
  missingScope,
} from "./refusals.ts";
import { decidedBefore, isNamed, sessionView } from "./views.ts";
import type { Meta, SqlStore } from "./store.ts";

const TITLE_CHARS_MAX = 60;
const SECONDS_UNTIL_QUEUE_MOVES = 30;

/** What the deployment gives to every session. */
export interface House {
  readonly session: string;
  readonly model: string;
  readonly fallbacks: readonly string[];
  readonly clock: () => number;
  /** who of those with the scope admin is one; null: all of them. An empty list means no admins */
  readonly admins: readonly string[] | null;
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
    if (meta === null || !owns(actor, meta)) return NOT_FOUND;
    return allows(actor, scope) ? null : missingScope(scope);
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
    const { id, parts, source, request, approvers } = command;
    const { session } = this.#house;
    const digest = digestOf(parts);
    const before = this.#store.seen("message", id);
    if (before !== null) {
      const known = JSON.parse(before) as { digest: string; view: SaidView };
      // A webhook is known by its delivery: its words are the mapping's, which another deployment may have changed.
      if (known.digest !== digest && source !== "webhook") return refuse(MESSAGE_EXISTS);
      return { ok: true, value: { ...known.view, duplicate: true } };
    }
    const files = splitFiles(id, parts);
    const open = command.mode === null ? questionOf(tx.state.run, tx.at) : null;
    const asked = open === null ? null : { ...questionRow(tx, open), via: actor.via };
    const received = receiveSay(tx.state, {
      id,
      author: actor.subject,
      source,
      parts: files.parts,
      mode: command.mode ?? "queue",
      asked,
      request,
      model: command.model ?? this.#store.loadMeta()?.model ?? this.#house.model,
      fallbacks: this.#house.fallbacks,
      limits: RUN_LIMITS,
      temperature: null,
      ...(approvers === undefined ? {} : { approvers }),
      role: roleOf(actor, this.#house.admins) ?? "guest",
    });
    if (!received.ok) {
      return refuse({
        status: 429,
        code: received.code,
        message: received.message,
        retryAfter: SECONDS_UNTIL_QUEUE_MOVES,
      });
    }
    for (const { ref, url } of files.kept) tx.keep(ref, url);
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

  async answer(actor: Actor, command: AnswerCommand): Promise<Answer<{ readonly runId: string }>> {
    await this.#engine.touch();
    const refused = this.admit(actor, "send");
    if (refused !== null) return refuse(refused);
    const rowsOf = (run: string): readonly Entry[] => loadRun(this.#store, this.state(), run);
    return this.#engine.record((tx) => takeAnswer(tx, this.#house.session, actor, command, rowsOf));
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
    const { id, all, reason } = command;
    const cancelled = this.#engine.record((tx): readonly string[] => {
      // A repeat must not stop the next run.
      const before = this.#store.seen("cancel", id);
      if (before !== null) return JSON.parse(before) as string[];
      const received = receiveCancel(tx.state, { id, actor: actor.subject, run, all, reason });
      tx.append(received.entries);
      this.#store.remember("cancel", id, JSON.stringify(received.cancelled), tx.at);
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
    const found = this.#find(command.approval);
    const refused = isNamed(actor, found) ? null : this.admit(actor, "approve");
    if (refused !== null) return refuse(refused);
    if (found === null) return refuse(NO_APPROVAL);
    if (found.state !== "pending") {
      return decidedBefore(found, actor, { ...command, args: this.#engine.parse(found.tool, command.args) });
    }
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
    const found = this.#find(id);
    const refused = isNamed(actor, found)
      ? null
      : this.admit(actor, allows(actor, "read") ? "read" : "approve");
    if (refused !== null) return refuse(refused);
    return found === null ? refuse(NO_APPROVAL) : { ok: true, value: found };
  }

  async events(actor: Actor, after: number, limit: number): Promise<Answer<EventsView>> {
    await this.#engine.touch();
    const refused = this.admit(actor, "read");
    if (refused !== null) return refuse(refused);
    const items = loadEvents(this.#store, after, limit);
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
    return { ok: true, value: sessionView(this.#house, meta, this.state()) };
  }

  async trace(actor: Actor, run: string | null, format: "json" | "jsonl"): Promise<Answer<TraceView>> {
    await this.#engine.touch();
    const refused = this.admit(actor, "read");
    if (refused !== null) return refuse(refused);
    const state = this.state();
    const name = run ?? state.run?.run ?? state.ended.at(-1)?.run ?? null;
    if (name === null) return { ok: true, value: { items: [], lines: [] } };
    const rows = loadRun(this.#store, state, name);
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
    const found = findApproval(this.#house.session, loadRun(this.#store, this.state(), run), id);
    return found === null ? null : { ...found, argsSchema: this.#house.inputSchema(found.tool) };
  }
}

function refuse(error: DoorError): { readonly ok: false; readonly error: DoorError } {
  return { ok: false, error };
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
