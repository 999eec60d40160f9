import { err, ok } from "../../core/log/result.ts";
import { digestOf } from "../../core/log/digest.ts";
import { DEFAULT_AGENT, parentOf, runId } from "../../core/log/names.ts";
import { findRegenerable, receiveRegenerate, receiveSend, receiveSteer } from "../../core/loop/receive.ts";
import type { Targets } from "../../core/log/targets.ts";
import { hasFiles } from "../../core/state/safety.ts";
import { questionOf } from "../../core/entries/question.ts";
import type { Engine } from "../engine/engine.ts";
import { splitFiles } from "../engine/files.ts";
import { questionEntry, type Transaction } from "../engine/transaction.ts";
import type { SqlStore } from "../storage/store.ts";
import { isOfAnother, isOwner, claimSession } from "./access.ts";
import { tooSmall } from "./budget.ts";
import { joinsRefused } from "./run-options.ts";
import {
  FILES_UNAVAILABLE,
  ID_TAKEN,
  MESSAGE_EXISTS,
  missingScope,
  NOT_FOUND,
  NOT_THE_LAST,
} from "../api/errors.ts";
import { loadRun } from "../api/log-reader.ts";
import { RUN_FILES_MAX } from "../../protocol/run-spec/files.ts";
import { invalidRun, loadRunParts, resolveRun, type Issue } from "../runs/resolve-run.ts";
import {
  type Actor,
  type ApiResult,
  type ApiError,
  type RegenerateCommand,
  type SentView,
  type SendCommand,
  type SteerCommand,
  allows,
} from "../api/session-api.ts";
import type { RunOptions } from "../../protocol/run-spec/run-options.ts";
import type { RunDefaults } from "../runs/run-defaults.ts";

const SECONDS_UNTIL_QUEUE_MOVES = 30;
const MINUTE_MS = 60_000;

/** Files that a run specification names and its session does not have. */
function unknownFiles({ files, parts }: SendCommand): readonly Issue[] {
  if (files === undefined || files === "waiting") return [];
  const sent = parts.filter((part) => part.type === "file");
  return files.flatMap((path, at) => {
    const part = sent[at];
    if (part === undefined || part.file !== undefined || part.image !== undefined) return [];
    const message = `No file ${part.url} was sent to this session. A file is known only in the session that it was sent to.`;
    return [{ path, code: "unknown_file", message }];
  });
}

/** A message that is ready to be written. */
export interface PreparedSend {
  readonly command: SendCommand;
  /** `createdAt` of the session at the first admission; null if the ID was unused */
  readonly sessionAt: number | null;
}

/** Commands that send to a session: a message, text for the live run, or a request to redo the last answer. */
export class Messages {
  readonly #engine: Engine;
  readonly #store: SqlStore;
  readonly #defaults: RunDefaults;
  /** times of the messages of the last minute, milliseconds */
  #sentTimes: readonly number[] = [];

  constructor(engine: Engine, store: SqlStore, defaults: RunDefaults) {
    this.#engine = engine;
    this.#store = store;
    this.#defaults = defaults;
  }

  /** The first sender of an unused session ID becomes its owner. */
  async send(actor: Actor, command: SendCommand): Promise<ApiResult<SentView>> {
    const prepared = await this.prepare(actor, command);
    if (isOfAnother(this.#store.loadMeta(), command)) return err(ID_TAKEN);
    return prepared.ok ? this.#engine.record((tx) => this.sendWithin(tx, actor, prepared.value)) : prepared;
  }

  /** The part of `send` that waits for storage outside the session: admission, the targets, and the names of files. */
  async prepare(actor: Actor, command: SendCommand): Promise<ApiResult<PreparedSend>> {
    const sessionAt = this.#createdAt();
    const refused = this.#admitSender(actor);
    if (refused !== null) return err(refused);
    const targets = await this.#load(command.ask);
    const asksForFiles = command.files !== undefined;
    let isUnread = false;
    const failed = (): void => {
      isUnread = asksForFiles;
    };
    const known = await this.#identify(await this.#withWaiting(command, failed), targets, failed);
    // A file that could not be looked up is no file that is missing, and a run without it is another run.
    if (isUnread) return err(FILES_UNAVAILABLE);
    const unknown = unknownFiles(known);
    return unknown.length === 0 ? ok({ command: known, sessionAt }) : err(invalidRun(unknown));
  }

  /** Admits the owner of the session, an admin, or the first sender of an unused session ID. */
  #admitSender(actor: Actor): ApiError | null {
    if (!allows(actor, "send")) return missingScope("send");
    const meta = this.#store.loadMeta();
    if (meta !== null && !isOwner(actor, meta)) return ID_TAKEN;
    return meta === null && parentOf(this.#defaults.session) !== null ? NOT_FOUND : null;
  }

  /**
   * Admission inside the transaction that writes. The command has waited since its first admission: the name may have become
   * another person's, or its session may have been deleted.
   */
  admitAgain(actor: Actor, { sessionAt }: Pick<PreparedSend, "sessionAt">): ApiError | null {
    const refused = this.#admitSender(actor);
    return refused ?? (isOfAnother(this.#store.loadMeta(), { sessionAt }) ? NOT_FOUND : null);
  }

  /** The part of `send` that writes. `prepared` comes from `prepare`. */
  sendWithin(tx: Transaction, actor: Actor, prepared: PreparedSend): ApiResult<SentView> {
    const refused = this.admitAgain(actor, prepared);
    return refused === null ? this.#send(tx, actor, prepared.command) : err(refused);
  }

  /** Input for the live run, read before its next model call; 409 `not_running` when there is none. */
  async steer(actor: Actor, { id, parts, traceId }: SteerCommand): Promise<ApiResult<SentView>> {
    const sessionAt = this.#createdAt();
    // The live run keeps its agent and its targets, and no other run begins: those of the session may be deleted.
    const ask = { agent: DEFAULT_AGENT, targets: {}, ...(traceId === undefined ? {} : { traceId }) };
    const command = { id, parts, mode: "join", source: "api", request: null, ask } as const;
    const known = await this.#identify(command, this.#store.loadMeta()?.targets ?? {});
    return this.#engine.record((tx) => {
      const refused = this.admitAgain(actor, { sessionAt });
      return refused === null ? this.#send(tx, actor, known, receiveSteer) : err(refused);
    });
  }

  /** The part of regenerating that waits for storage outside the session. Its caller was admitted. */
  async prepareRegenerate(): Promise<Pick<PreparedSend, "sessionAt">> {
    const sessionAt = this.#createdAt();
    await this.#load({});
    return { sessionAt };
  }

  #createdAt(): number | null {
    return this.#store.loadMeta()?.createdAt ?? null;
  }

  /** Stored targets are read before the transaction, in which nothing is awaited. */
  async #load(ask: RunOptions): Promise<Targets> {
    return loadRunParts(this.#defaults, this.#store.loadMeta(), ask);
  }

  /** Files that were sent to the session before its first message go with that message. */
  async #withWaiting(command: SendCommand, failed: () => void): Promise<SendCommand> {
    const sessionExists = this.#store.loadMeta() !== null;
    if (command.files !== "waiting" || this.#engine.log.state().head > 0) return command;
    // Nothing was sent to a session that does not exist.
    const files = await this.#defaults.files.waiting(RUN_FILES_MAX, sessionExists ? failed : undefined);
    return { ...command, parts: [...command.parts, ...files] };
  }

  /** A repetition is recognized by its content as sent, before any lookup. */
  async #identify(command: SendCommand, targets: Targets, failed?: () => void): Promise<SendCommand> {
    if (!hasFiles(command.parts)) return command;
    const parts = await this.#defaults.files.identify(command.parts, targets, failed);
    return { ...command, parts, digest: command.digest ?? digestOf(command.parts) };
  }

  /** Answers the last message again; 409 `busy`, 409 `has_effects`, 422 `nothing_new`. */
  regenerateWithin(tx: Transaction, actor: Actor, command: RegenerateCommand): ApiResult<SentView> {
    const { id, request } = command;
    const { session } = this.#defaults;
    const before = this.#store.seen("regenerate", id);
    if (before !== null) return ok({ ...(JSON.parse(before) as SentView), duplicate: true });
    const found = findRegenerable(tx.state);
    if (!found.ok) return err({ status: found.code === "busy" ? 409 : 422, ...found });
    const { last } = found;
    const [input] = this.#store.entriesBetween(last.inputs.at(-1) ?? 0, last.inputs.at(-1) ?? 0);
    const message = input?.kind === "user_message" ? input.body.id : last.message;
    if (command.message !== null && ![message, runId(session, last.run)].includes(command.message))
      return err(NOT_THE_LAST);
    const { traceId, clientTools } = command;
    const ask = {
      ...(traceId === undefined ? {} : { traceId }),
      ...(clientTools === undefined ? {} : { clientTools }),
    };
    const resolved = resolveRun(this.#defaults, this.#store, actor, ask);
    if (!resolved.ok) return resolved;
    const limit = this.#overLimit(tx.at);
    if (limit !== null) return err(limit);
    const received = receiveRegenerate(
      tx.state,
      {
        id: message,
        author: actor.subject,
        source: "web",
        request,
        parts: input?.kind === "user_message" ? input.body.parts : [],
        ...resolved.value,
      },
      loadRun(this.#store, tx.state, last.run),
    );
    if (!received.ok) return err({ status: 409, ...received });
    tx.append(received.entries);
    const run = runId(session, received.value.run);
    const seq = tx.state.head;
    const view: SentView = {
      runId: run,
      seq,
      messageId: message,
      mode: "queue",
      queued: 0,
      duplicate: false,
    };
    this.#store.remember("regenerate", id, JSON.stringify(view), tx.at);
    return ok(view);
  }

  /** Counts in any 60 seconds, of this object's life: one that was put away has had no messages for a while. */
  #overLimit(at: number): ApiError | null {
    const recent = this.#sentTimes.filter((time) => time > at - MINUTE_MS);
    const over = recent.length >= this.#defaults.messagesPerMinute;
    this.#sentTimes = over ? recent : [...recent, at];
    if (!over) return null;
    const retryAfter = ((recent[0] ?? at) + MINUTE_MS - at) / 1_000;
    return { status: 429, code: "rate_limited", message: "Too many messages in a minute.", retryAfter };
  }

  #send(
    tx: Transaction,
    actor: Actor,
    command: SendCommand,
    receive: typeof receiveSend = receiveSend,
  ): ApiResult<SentView> {
    const { id, parts, source, request } = command;
    const { session } = this.#defaults;
    const digest = command.digest ?? digestOf(parts);
    const before = this.#store.seen("message", id);
    if (before !== null) {
      const known = JSON.parse(before) as { digest: string; view: SentView };
      // A webhook is known by its delivery: its words are the mapping's, which another deployment may have changed.
      if (known.digest !== digest && source !== "webhook") return err(MESSAGE_EXISTS);
      return ok({ ...known.view, duplicate: true });
    }
    const resolved = resolveRun(this.#defaults, this.#store, actor, command.ask);
    if (!resolved.ok) return resolved;
    // Webhooks are counted by their source.
    const limit = source === "webhook" ? null : this.#overLimit(tx.at);
    if (limit !== null) return err(limit);
    const files = splitFiles(id, parts);
    const open = command.mode === null ? questionOf(tx.state.run, tx.at) : null;
    const openQuestion = open === null ? null : { ...questionEntry(tx, open), via: actor.via };
    const small = tooSmall(this.#engine, resolved.value, files.parts);
    if (small !== null) return err(small);
    const { named = [] } = command;
    const received = receive(tx.state, {
      id,
      author: actor.subject,
      source,
      parts: files.parts,
      mode: command.mode ?? "queue",
      question: openQuestion,
      request,
      ...(command.origin === undefined ? {} : { origin: command.origin }),
      ...(command.follows === undefined ? {} : { follows: command.follows }),
      ...(named.length === 0 ? {} : ({ apart: true } as const)),
      ...resolved.value,
    });
    if (!received.ok) {
      const { code, message } = received;
      if (code === "not_running") return err({ status: 409, code, message, hint: "Send a message instead." });
      return err({ status: 429, code, message, retryAfter: SECONDS_UNTIL_QUEUE_MOVES });
    }
    const into = received.value.mode;
    if (named.length > 0 && (into === "join" || into === "answer")) return err(joinsRefused(named, into));
    for (const { ref, url } of files.split) tx.saveText(ref, url);
    const entries = tx.append(received.entries);
    const userMessage = entries.find((entry) => entry.kind === "user_message");
    const { run, mode, ahead } = received.value;
    const view: SentView = {
      runId: runId(session, run),
      seq: userMessage?.seq ?? tx.state.head,
      messageId: id,
      mode,
      queued: ahead,
      duplicate: false,
    };
    this.#store.remember("message", id, JSON.stringify({ digest, view }), tx.at);
    claimSession(
      this.#store,
      actor,
      userMessage?.kind === "user_message" ? userMessage.body.parts : [],
      tx.at,
    );
    return ok(view);
  }
}
