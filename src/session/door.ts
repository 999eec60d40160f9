import type { Decision, Entry, InputMode, RunSource } from "../core/entries.ts";
import type { Json, JsonObject } from "../core/json.ts";
import type { PromptPart } from "../core/model.ts";
import type { ApprovalView } from "../wire/approval.ts";
import type { DeliveryPage } from "./outbox.ts";

/** What the doors (HTTP, sockets, links) may ask of a session. Plain data, so that it crosses RPC unchanged. */

export type Scope = "read" | "send" | "approve" | "admin";

/** Who asks, from the credential alone. */
export interface Actor {
  readonly subject: string;
  readonly scopes: readonly Scope[];
  readonly via: "http" | "socket" | "link" | "chat";
  /** milliseconds since the epoch when the credential ends; absent when it does not */
  readonly expiresAt?: number;
}

/** A refusal with a code of the interface and words that say what to do. */
export interface DoorError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly issues?: readonly { readonly path: string; readonly code: string; readonly message: string }[];
  /** seconds, with status 429 */
  readonly retryAfter?: number;
  /** further fields of the body beside `error`, such as the approval that was decided already */
  readonly beside?: { readonly [name: string]: Json };
}

export type Answer<Value> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: DoorError };

export interface SayCommand {
  /** the client's id of the message; made by the door when absent */
  readonly id: string;
  readonly parts: readonly PromptPart[];
  readonly mode: InputMode | null;
  readonly source: RunSource;
  /** the client's name for the first segment of the run's stream */
  readonly request: string | null;
  /** the run's model, already checked against what the deployment allows; null takes the session's */
  readonly model: string | null;
  /** who may decide approvals of its run, beside admins; the owner when left out */
  readonly approvers?: readonly string[];
}

export interface SaidView {
  readonly runId: string;
  readonly seq: number;
  readonly messageId: string;
  /** `answer`: it answered the question that was open */
  readonly mode: InputMode | "answer";
  /** runs ahead of it */
  readonly queued: number;
  readonly duplicate: boolean;
}

/** An answer to a question: to the one of that name, else to the one that is open (of that run, where it is named). */
export interface AnswerCommand {
  readonly runId: string | null;
  readonly question: string | null;
  readonly value: Json;
}

export interface CancelCommand {
  /** one per request: the same one again gets the first answer and stops nothing more */
  readonly id: string;
  readonly runId: string | null;
  readonly all: boolean;
  readonly reason: string | null;
}

export interface DecideCommand {
  readonly approval: string;
  readonly decision: Extract<Decision, "approve" | "deny" | "edit">;
  readonly args: Json;
  readonly reason: string | null;
  readonly digest: string | null;
}

/** interface 3, Session */
export interface SessionView {
  readonly id: string;
  readonly title: string;
  readonly titleSource: "auto" | "user";
  readonly owner: string;
  readonly agent: string | null;
  readonly model: string;
  readonly status: "idle" | "running" | "waiting";
  readonly archived: boolean;
  readonly messageCount: number;
  readonly runCount: number;
  readonly queued: number;
  readonly pendingApprovals: number;
  readonly lastSeq: number;
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface EventsView {
  readonly items: readonly Entry[];
  readonly nextAfter: number;
  readonly lastSeq: number;
  readonly more: boolean;
}

/** interface 3, GET S/trace: records (core/trace.ts), or the same as lines of JSON with their seal. */
export interface TraceView {
  readonly items: readonly Json[];
  readonly lines: readonly string[];
}

/** interface 3, GET S/memory: what the session has in mind, as its next prompt will say it, with the whole of each fact. */
export interface MemoryView {
  /** newest first */
  readonly entities: readonly EntityView[];
  /** newest first */
  readonly facts: readonly { readonly key: string; readonly value: string; readonly seq: number }[];
  /** what it takes of a prompt */
  readonly tokens: number;
  /** seq of the last row of the log */
  readonly seq: number;
}

export interface EntityView {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  /** `slug` and `parent {type, id}`, where it has them */
  readonly fields: JsonObject;
  /** it is what "it" and "that page" mean */
  readonly focus: boolean;
  /** null where no tool put it there */
  readonly tool: string | null;
  readonly step: string | null;
  readonly seq: number;
}

/**
 * The RPC methods of the Session object. Each one checks ownership by itself: a foreign session reads as missing.
 * Streams (sockets, server-sent events) go through its `fetch`, with the actor in a header that only the worker can set.
 */
export interface SessionDoor {
  say(actor: Actor, command: SayCommand): Promise<Answer<SaidView>>;
  answer(actor: Actor, command: AnswerCommand): Promise<Answer<{ readonly runId: string }>>;
  cancel(actor: Actor, command: CancelCommand): Promise<Answer<{ readonly cancelled: readonly string[] }>>;
  decide(
    actor: Actor,
    command: DecideCommand,
  ): Promise<Answer<{ readonly approval: ApprovalView; readonly replayed: boolean }>>;
  approval(actor: Actor, id: string): Promise<Answer<ApprovalView>>;
  events(actor: Actor, after: number, limit: number): Promise<Answer<EventsView>>;
  /** newest last, as UI messages of `ai` 7 in JSON */
  messages(
    actor: Actor,
    limit: number,
    before: string | null,
  ): Promise<Answer<{ readonly items: readonly Json[]; readonly more: boolean }>>;
  view(actor: Actor): Promise<Answer<SessionView>>;
  memory(actor: Actor): Promise<Answer<MemoryView>>;
  /** of one run by its local name, null for the live one or else the last that ended; NOT_FOUND for one that never was */
  trace(actor: Actor, run: string | null, format: "json" | "jsonl"): Promise<Answer<TraceView>>;
}

/** What became of outgoing webhooks: not history, so not of the log. */
export interface DeliveryDoor {
  /** needs `admin` */
  deliveries(actor: Actor, limit: number, cursor: number | null): Promise<Answer<DeliveryPage>>;
}

/** The header in which the worker tells the Session object who asks, as JSON of an Actor. Deleted from every request from outside. */
export const ACTOR_HEADER = "x-cairn-actor";
