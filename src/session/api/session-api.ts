import type { Amounts } from "../../core/guards/budget/amounts.ts";
import type { Decision, Entry, InputMode, Match, Limits, RunSource } from "../../core/log/entry.ts";
import type { Json, JsonObject } from "../../core/log/json.ts";
import type { Result } from "../../core/log/result.ts";
import type { PromptPart } from "../../core/log/model.ts";
import type { Profile } from "../../core/log/verdict.ts";
import type { AskedTiming, CatchUp, Missed, Timing } from "../../core/schedule.ts";
import type { ApprovalView } from "../../wire/approval.ts";
import type { MemoryView, SessionDetail, SessionView, RunView } from "../../wire/views.ts";
import type { DeliveryPage } from "../background/outbox.ts";

/** What HTTP, sockets and links may ask of a session. Plain data, so that it crosses RPC unchanged. */

export type Scope = "read" | "send" | "approve" | "admin";

/** Who asks, from the credential alone. */
export interface Actor {
  readonly subject: string;
  readonly scopes: readonly Scope[];
  readonly via: "http" | "socket" | "link" | "chat";
  /** milliseconds since the epoch when the credential ends; absent when it does not */
  readonly expiresAt?: number;
  /** name of the token's entry in AUTH_TOKENS; absent for who has none */
  readonly grant?: string;
  /** name of the ticket that opens this socket, to be used up by it */
  readonly ticket?: string;
}

/** A refusal with a code of the interface and words that say what to do. */
export interface ApiError {
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

export type ApiResult<Value> = Result<Value, ApiError>;

export interface SayCommand {
  /** the client's id of the message; made by the server when absent */
  readonly id: string;
  readonly parts: readonly PromptPart[];
  readonly mode: InputMode | null;
  readonly source: RunSource;
  /** the client's name for the first segment of the run's stream */
  readonly request: string | null;
  /** the run's model, already checked against what the deployment allows; null takes the session's */
  readonly model: string | null;
  /** absent: what the deployment says */
  readonly budget?: AskedBudget;
  /** who may decide approvals of its run, beside admins; the owner when left out */
  readonly approvers?: readonly string[];
}

/** What a run is asked to keep to, or is given; 0 fields: nothing of its own. */
interface AskedBudget {
  readonly profile: Profile | null;
  readonly limits: Partial<Limits>;
}

export interface ExtendCommand {
  /** one per request: the same one again is given nothing more */
  readonly id: string;
  readonly runId: string;
  readonly wish: Partial<Amounts>;
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

/**
 * A request that its sender may repeat (`Idempotency-Key`). `key` holds the subject and the path too; `digest` is of the
 * body. The same key with another digest is refused 409 `idempotency_conflict`.
 */
export interface Once {
  readonly key: string;
  readonly digest: string;
}

/** A new session under this name. The model has been checked against what the deployment allows. */
export interface CreateCommand {
  /** null takes the first words that are said */
  readonly title: string | null;
  readonly model: string | null;
  readonly metadata: JsonObject;
  readonly once: Once | null;
}

/** What of a session a person may change; a field that is left out stays. */
export interface ChangeCommand {
  readonly title?: string;
  readonly archived?: boolean;
  readonly model?: string | null;
  readonly metadata?: JsonObject;
  /** the version that the change was made for; null for any */
  readonly ifVersion: number | null;
}

export interface SteerCommand {
  readonly id: string;
  readonly parts: readonly PromptPart[];
}

export interface RegenerateCommand {
  /** one per request: a repeat gets the first answer */
  readonly id: string;
  /** the answer, or the words before it, that the client means; null for the last */
  readonly message: string | null;
  readonly request: string | null;
}

/** Where a copy of a session's log ends. */
export interface CopyPoint {
  readonly upTo: number;
  readonly session: SessionView;
  /** SHA-256 over the canonical JSON of the state there, hex */
  readonly stateHash: string;
}

/** What makes a session of rows that were adopted. */
export interface SettleCommand {
  readonly title: string;
  readonly titleSource: "auto" | "user";
  readonly model: string | null;
  readonly metadata: JsonObject;
  readonly forkedFrom: { readonly sessionId: string; readonly seq: number } | null;
  readonly imported: boolean;
  /** what the state of the rows must hash to */
  readonly stateHash: string;
  readonly once: Once | null;
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
  /** of the body that its id stands for, where the caller may repeat it; another body is 409 `idempotency_conflict` */
  readonly digest?: string | null;
}

export interface DecideCommand {
  readonly approval: string;
  readonly decision: Extract<Decision, "approve" | "deny" | "edit">;
  readonly args: Json;
  readonly reason: string | null;
  readonly digest: string | null;
  /** a yes or no that holds for later calls of the session too */
  readonly remember?: { readonly match: Match; readonly seconds: number } | null;
}

export type { SessionDetail, SessionView };

export interface EventsView {
  readonly items: readonly Entry[];
  readonly nextAfter: number;
  readonly lastSeq: number;
  readonly more: boolean;
}

/** The trace of a run: records (core/trace.ts), or the same as lines of JSON with their seal. */
export interface TraceView {
  readonly items: readonly Json[];
  readonly lines: readonly string[];
}

/**
 * The RPC methods of the Session object. Each one checks ownership by itself: a foreign session reads as missing.
 * Streams (sockets, server-sent events) go through its `fetch`, with the actor in a header that only the worker can set.
 */
export interface SessionApi {
  say(actor: Actor, command: SayCommand): Promise<ApiResult<SaidView>>;
  /** Public ids of the runs that were stopped; `replayed` when this very command had come before. */
  cancel(
    actor: Actor,
    command: CancelCommand,
  ): Promise<ApiResult<{ readonly cancelled: readonly string[]; readonly replayed: boolean }>>;
  answer(actor: Actor, command: AnswerCommand): Promise<ApiResult<{ readonly runId: string }>>;
  decide(
    actor: Actor,
    command: DecideCommand,
  ): Promise<ApiResult<{ readonly approval: ApprovalView; readonly replayed: boolean }>>;
  /** More for the live run, once, by a person; the answer is the run as it is now, null when it has ended since. */
  extend(actor: Actor, command: ExtendCommand): Promise<ApiResult<RunView | null>>;
  approval(actor: Actor, id: string): Promise<ApiResult<ApprovalView>>;
  /** Takes back a remembered decision; 404 when there is none of that id. */
  revoke(actor: Actor, policy: string): Promise<ApiResult<null>>;
  events(actor: Actor, after: number, limit: number): Promise<ApiResult<EventsView>>;
  /** newest last, as UI messages of `ai` 7 in JSON */
  messages(
    actor: Actor,
    limit: number,
    before: string | null,
  ): Promise<ApiResult<{ readonly items: readonly Json[]; readonly more: boolean }>>;
  view(actor: Actor): Promise<ApiResult<SessionDetail>>;
  memory(actor: Actor): Promise<ApiResult<MemoryView>>;
  /** One run by its public id, live, queued or ended; 404 for one that never was. */
  readRun(actor: Actor, id: string): Promise<ApiResult<RunView>>;
  /**
   * Of one run by its local name, null for the live one or else the last that ended; NOT_FOUND for one that never was.
   * `prompts` adds to each step the request that its first attempt sent to the model.
   */
  readTrace(
    actor: Actor,
    run: string | null,
    format: "json" | "jsonl",
    prompts?: boolean,
  ): Promise<ApiResult<TraceView>>;
  /** Input for the live run, read before its next model call; 409 `not_running` when there is none. */
  steer(actor: Actor, command: SteerCommand): Promise<ApiResult<SaidView>>;
  /** Answers the last message again; 409 `busy`, 409 `has_effects`, 422 `nothing_new`. */
  regenerate(actor: Actor, command: RegenerateCommand): Promise<ApiResult<SaidView>>;
}

/** What concerns a session as a whole: its making, its facts, its copies and its end. */
export interface LifecycleApi {
  /** `created` is false when the caller owned this name already */
  create(
    actor: Actor,
    command: CreateCommand,
  ): Promise<
    ApiResult<{ readonly session: SessionView; readonly created: boolean; readonly replayed: boolean }>
  >;
  /** 412 `version_mismatch` when the session has moved on */
  change(actor: Actor, command: ChangeCommand): Promise<ApiResult<SessionView>>;
  /** Everything of it goes: rows, texts, alarm, sockets, its place in the index. */
  remove(actor: Actor): Promise<ApiResult<null>>;
  /** The last step boundary at or before `atSeq`, null for the end of the log whatever is live there. */
  copyPoint(actor: Actor, scope: Scope, atSeq: number | null): Promise<ApiResult<CopyPoint>>;
  /** Rows after a seq up to another, oldest first: at least one as long as there is one, at most a page of bytes. */
  copyRows(actor: Actor, scope: Scope, after: number, upTo: number): Promise<ApiResult<readonly Entry[]>>;
  /** Names of the texts that stand apart from the rows, and one of them. */
  copyNames(actor: Actor, scope: Scope): Promise<ApiResult<readonly string[]>>;
  copyText(actor: Actor, scope: Scope, name: string): Promise<ApiResult<string>>;
  /** The session that a repeated request has made before; null when it is new here. */
  recall(actor: Actor, once: Once): Promise<ApiResult<SessionView | null>>;
  /** Takes over rows and texts into a name that nobody has. Rows that are there already are left out. 422 `bad_export`. */
  adopt(
    actor: Actor,
    rows: readonly Entry[],
    texts: readonly (readonly [name: string, text: string])[],
  ): Promise<ApiResult<null>>;
  /** Makes a session of what was adopted, with nothing live in it; 422 `bad_export` and nothing is left when it is not what it was. */
  settle(actor: Actor, command: SettleCommand): Promise<ApiResult<SessionView>>;
}

/** What became of outgoing webhooks: not history, so not of the log. */
export interface DeliveriesApi {
  /** needs `admin` */
  deliveries(actor: Actor, limit: number, cursor: number | null): Promise<ApiResult<DeliveryPage>>;
}

/** The header in which the worker tells the Session object who asks, as JSON of an Actor. Deleted from every request from outside. */
export const ACTOR_HEADER = "x-cairn-actor";

/** Something to say later, once or again and again. */
export interface ScheduleCommand {
  /** one per request: the same one again is no second schedule */
  readonly id: string;
  /** of the body: the same id with another is 409 `idempotency_conflict` */
  readonly digest: string;
  readonly text: string;
  readonly timing: AskedTiming;
  readonly catchUp: CatchUp;
}

export interface ScheduleView {
  readonly id: string;
  readonly kind: Timing["kind"];
  readonly text: string;
  /** of the kind `once` */
  readonly at: string | null;
  /** of the kind `interval` */
  readonly everyMs: number | null;
  /** of the kind `cron`, as the next */
  readonly cron: string | null;
  readonly timeZone: string | null;
  readonly catchUp: CatchUp;
  /** null when it will not come any more */
  readonly nextAt: string | null;
  readonly lastRunId: string | null;
  /** the last time at which nothing was said */
  readonly missed: { readonly at: string; readonly reason: Missed["reason"] } | null;
  readonly createdAt: string;
  /** who made it */
  readonly by: string;
}

/** What a session is to say to itself. Not history: a copy of a session has none of it. */
export interface SchedulesApi {
  /** A name that nobody uses becomes its caller's. 422 `invalid_schedule`. */
  schedule(
    actor: Actor,
    command: ScheduleCommand,
  ): Promise<ApiResult<{ readonly schedule: ScheduleView; readonly replayed: boolean }>>;
  /** the oldest first */
  schedules(actor: Actor): Promise<ApiResult<{ readonly items: readonly ScheduleView[] }>>;
  /** It will not come any more; one that is not there is no refusal. */
  unschedule(actor: Actor, id: string): Promise<ApiResult<null>>;
}
