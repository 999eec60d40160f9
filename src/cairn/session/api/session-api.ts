import type { objectionToVoter } from "../../core/guards/approval-rules.ts";
import type { ApprovalView } from "../../protocol/approval.ts";
import type { ClientTool } from "../../core/log/client-tool.ts";
import type { ClientResult } from "../../protocol/client-tools.ts";
import type { Address } from "../../core/address.ts";
import type { Heartbeat } from "../../core/heartbeat.ts";
import type { Amounts } from "../../core/guards/budget/amounts.ts";
import type { Decision, Entry, InputMode, Match, RunSource } from "../../core/log/entry.ts";
import type { Json, JsonObject } from "../../core/log/json.ts";
import type { Result } from "../../core/log/result.ts";
import type { PromptPart } from "../../core/log/model.ts";
import type { Targets } from "../../core/log/targets.ts";
import type { TimingRequest, CatchUp, Missed, Timing } from "../../core/schedule.ts";
import type { Answer } from "../../protocol/api.ts";
import type { RunOptions } from "../../protocol/run-spec/run-options.ts";
import type { SessionDetail, SessionView } from "../../protocol/views.ts";

/** Commands of HTTP, sockets and links on a session. Plain data, so that it crosses RPC unchanged. */

export type Scope = "read" | "send" | "approve" | "admin";

/** The caller, from the credential alone. */
export interface Actor {
  readonly subject: string;
  readonly scopes: readonly Scope[];
  readonly via: "http" | "socket" | "link" | "chat" | "channel";
  /** milliseconds since the epoch when the credential ends; absent when it does not */
  readonly expiresAt?: number;
  /** name of the token's entry in AUTH_TOKENS; absent for who has none */
  readonly grant?: string;
  /** name of the grant of the admin whose link lets somebody without a grant decide; absent for everybody else */
  readonly maker?: string;
  /**
   * creation time of the worker version that checked the credential, milliseconds since the epoch; absent if unknown
   */
  readonly version?: number;
  /** name of the ticket that opens this socket, to be used up by it */
  readonly ticket?: string;
  /** `createdAt` of the session for which the ticket was made; absent where no session had its name */
  readonly ticketAt?: number;
}

/** `admin` holds every scope; no other implies another. */
export function allows(actor: Pick<Actor, "scopes">, scope: Scope): boolean {
  return actor.scopes.includes(scope) || actor.scopes.includes("admin");
}

/** A refusal with an API code and a message that names the remedy. */
export interface ApiError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly issues?: readonly {
    readonly path: string;
    readonly code: string;
    readonly message: string;
    readonly suggestion?: string;
  }[];
  /** seconds, with status 429 */
  readonly retryAfter?: number;
  /** further fields of the body next to `error`, such as the approval that was already decided */
  readonly extra?: { readonly [name: string]: Json };
}

export const refusal = (status: number, code: string, message: string, hint?: string): ApiError =>
  hint === undefined ? { status, code, message } : { status, code, message, hint };

export type ApiResult<Value> = Result<Value, ApiError>;

export interface SendCommand {
  /** the client's id of the message; made by the server when absent */
  readonly id: string;
  readonly parts: readonly PromptPart[];
  /**
   * Files of a run specification. A list: each file part must be known in the session, and this is its path in the
   * specification. `waiting`: before the first message, the files uploaded to the session are attached to this one.
   */
  readonly files?: "waiting" | readonly string[];
  /**
   * digest of all content under this ID, if that is more than its parts: different content under the same ID is refused
   */
  readonly digest?: string;
  readonly mode: InputMode | null;
  readonly source: RunSource;
  /** the client's name for the first segment of the run's stream */
  readonly request: string | null;
  readonly ask: RunOptions;
  /** fields of `ask` that its sender named: a run that has been accepted before takes none. Absent: none */
  readonly named?: readonly string[];
  /** where it came from, and its answer goes; absent where that is the page */
  readonly origin?: Address;
  /** id of the message to which it belongs, whose run it joins while that can be */
  readonly follows?: string;
  /** `createdAt` of the session that is meant: another of the same name is 409 `id_taken`. Absent or null: whichever there is */
  readonly sessionAt?: number | null;
}

/** The body of a chat: decisions and answers that are new, then the message. All of it happens, or nothing. */
export interface ChatCommand {
  readonly decisions: readonly ChatDecision[];
  readonly answers: readonly ChatAnswer[];
  /** of tool parts, of which the session knows the ones that a client was asked for; absent: none */
  readonly outputs?: readonly ClientOutput[];
  /** null: the body holds no new message */
  readonly message: SendCommand | null;
}

/** Which session of a name something is put into. */
export interface EnterCommand {
  /** as in `SendCommand` */
  readonly sessionAt?: number | null;
}

/** A session as something is put into it. */
export interface EnteredView {
  /** milliseconds since the epoch; names can be used again, so this is stored next to the name */
  readonly createdAt: number;
  /** what its runs work on; empty: the deployment's own */
  readonly targets: Targets;
}

export interface ChatDecision {
  readonly approval: string;
  readonly approved: boolean;
  readonly reason: string | null;
  /** of the content that the person was shown; null where the client does not send it */
  readonly digest: string | null;
}

export interface ChatAnswer {
  /** the call of `ask_human` */
  readonly call: string;
  /** null: the client sent something else than a text */
  readonly value: string | null;
}

/** The answer of a client to a call of one of its tools. */
export interface ClientOutput {
  readonly call: string;
  readonly result: ClientResult;
}

/** The result of a chat body. */
export interface ChatView {
  /** the run of the last new decision or answer, and true while more people must agree; null where nothing was new */
  readonly decided: { readonly runId: string; readonly pending: boolean } | null;
  readonly sent: SentView | null;
}

export interface ExtendCommand {
  /** one per request: the same one again is given nothing more */
  readonly id: string;
  readonly runId: string;
  readonly amounts: Partial<Amounts>;
}

/** The answer to the question of a run whether it may have more. */
export interface BudgetCommand {
  /** one per request */
  readonly id: string;
  /** such as `r3b1` */
  readonly question: string;
  /** as in `DecideCommand` */
  readonly sessionAt?: number | null;
  /** when the question that is meant was asked: names are used again, and another question of the name is not answered */
  readonly askedAt?: number;
  readonly decision: "extend" | "finish";
}

export interface SentView {
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
export interface IdempotencyKey {
  readonly key: string;
  readonly digest: string;
}

/** A new session under this name. The model has been checked against what the deployment allows. */
export interface CreateCommand {
  /** null takes the beginning of the first message */
  readonly title: string | null;
  readonly model: string | null;
  readonly agent: string | null;
  readonly targets: Targets | null;
  readonly metadata: JsonObject;
  readonly idempotency: IdempotencyKey | null;
}

/** Session fields that a person may change; a missing field stays unchanged. */
export interface ChangeCommand {
  readonly title?: string;
  readonly archived?: boolean;
  readonly model?: string | null;
  readonly agent?: string;
  /** null: those of the agent */
  readonly targets?: Targets | null;
  readonly metadata?: JsonObject;
  /** the version that the change was made for; null for any */
  readonly ifVersion: number | null;
}

export interface SteerCommand {
  readonly id: string;
  readonly parts: readonly PromptPart[];
  readonly traceId?: string;
}

/** No answer is made again together with a decision or an answer that is new: 409 `busy`. */
export interface RegenerateCommand extends Partial<Pick<ChatCommand, "decisions" | "answers" | "outputs">> {
  /** one per request: a repeat gets the first answer */
  readonly id: string;
  /** the answer, or the words before it, that the client means; null for the last */
  readonly message: string | null;
  readonly request: string | null;
  readonly clientTools?: readonly ClientTool[];
  readonly traceId?: string;
}

/** Where a copy of a session's log ends. */
export interface CopyPoint {
  readonly upTo: number;
  readonly session: SessionView;
  /** SHA-256 over the canonical JSON of the state there, hex */
  readonly stateHash: string;
}

/** Completes a session from adopted entries. */
export interface SettleCommand {
  readonly title: string;
  readonly titleSource: "auto" | "user";
  readonly model: string | null;
  /** of a copy that works on the targets of its original */
  readonly targets?: Targets | null;
  readonly metadata: JsonObject;
  readonly forkedFrom: { readonly sessionId: string; readonly seq: number } | null;
  readonly imported: boolean;
  /** what the state of the entries must hash to */
  readonly stateHash: string;
  readonly idempotency: IdempotencyKey | null;
}

/** An answer to a question: to the one of that name, else to the one that is open (of that run, where it is named). */
export interface AnswerCommand {
  readonly runId: string | null;
  readonly question: string | null;
  readonly value: Json;
}

/** Something asked of one run. */
export interface RunCommand {
  /** one per request: the same one again changes nothing more */
  readonly id: string;
  readonly runId: string;
}

export interface CancelCommand {
  /** one per request: the same one again gets the first answer and stops nothing more */
  readonly id: string;
  /** as in `SendCommand`: in another session of the same name nothing is stopped */
  readonly sessionAt?: number | null;
  readonly runId: string | null;
  readonly all: boolean;
  /** what is left in the queue waits until it is let go on */
  readonly hold?: boolean;
  readonly reason: string | null;
  /** digest of the body under this ID, if the caller may repeat it; another body is 409 `idempotency_conflict` */
  readonly digest?: string | null;
}

export interface DecideCommand {
  readonly approval: string;
  /** `createdAt` of the session that asked: a later session of the same name decides nothing. Absent or null: not known */
  readonly sessionAt?: number | null;
  /** when the approval that is meant was asked for: another one of the name is not decided. Absent: not known */
  readonly askedAt?: number;
  readonly decision: Extract<Decision, "approve" | "deny" | "edit">;
  readonly args: Json;
  readonly reason: string | null;
  readonly digest: string | null;
  /** a yes or no that holds for later calls of the session too */
  readonly remember?: { readonly match: Match; readonly seconds: number } | null;
}

/** An approval as the recipient of a link sees it. */
export interface LinkedApproval {
  readonly approval: ApprovalView;
  /** what the run was asked to do; null when it is too long ago */
  readonly objective: string | null;
  /** text of the model in the step that asks; null without any */
  readonly words: string | null;
  /** `createdAt` of the session that asks */
  readonly sessionAt: number | null;
  /** why they have no vote on it; null where they have one */
  readonly objection: ReturnType<typeof objectionToVoter>;
}

/** The reason for a denial, given a little later. */
export interface ExplainCommand {
  /** of the message that it was */
  readonly id: string;
  readonly approval: string;
  /** as in `DecideCommand` */
  readonly sessionAt?: number | null;
  readonly reason: string;
}

/** A read-only link to be made. */
export interface ShareCommand {
  /** one per request: the same one again is no second link */
  readonly id: string;
  /** as a person names it; null: the whole session */
  readonly run: string | null;
  /** milliseconds since the epoch */
  readonly expiresAt: number;
}

/** A read-only link without its address, which the worker signs. */
export type ShareView = Omit<Answer<"Share">, "url">;

/** A stretch of a page that was read. */
export interface SourcePageQuery {
  /** such as `p7` */
  readonly page: string;
  /** such as `e12`; null: none is looked for */
  readonly evidence: string | null;
  /** null: around the evidence, or else from the beginning */
  readonly offset: number | null;
  /** characters; around evidence, half of them on either side of it */
  readonly limit: number;
}

/** Arguments that somebody would put in place of the asked ones. */
export interface PreviewCommand {
  readonly approval: string;
  readonly args: Json;
}

export type EditPreview = Answer<"EditPreview">;

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
 * Header in which the worker passes the caller to the Session object, as JSON of an Actor. Deleted from every request
 * from outside.
 */
export const ACTOR_HEADER = "x-cairn-actor";

/** A message to send later, once or repeatedly. */
export interface ScheduleCommand {
  /** one per request: the same one again is no second schedule */
  readonly id: string;
  /** of the body: the same id with another is 409 `idempotency_conflict` */
  readonly digest: string;
  readonly text: string;
  /** null: the session's, when it comes */
  readonly agent: string | null;
  readonly timing: TimingRequest;
  readonly catchUp: CatchUp;
}

/** How a session looks after itself now and then. */
export interface HeartbeatView {
  readonly enabled: boolean;
  readonly everyMinutes: number;
  /** null while it is disabled */
  readonly nextAt: string | null;
  readonly lastAt: string | null;
  /** looks in a row that came to nothing */
  readonly idle: number;
  /** how often none was taken, by why */
  readonly closed: Heartbeat["closed"];
  /** the last time at which none was taken */
  readonly skipped: { readonly at: string; readonly why: keyof Heartbeat["closed"] } | null;
  /** who enabled it last; null before that */
  readonly by: string | null;
}

export interface HeartbeatCommand {
  readonly enabled: boolean;
  /** as it was, or 15, when left out */
  readonly everyMinutes?: number;
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
  /** last missed time */
  readonly missed: { readonly at: string; readonly reason: Missed["reason"] } | null;
  /** name; null: the session's, when it comes */
  readonly agent: string | null;
  readonly createdAt: string;
  /** who made it */
  readonly by: string;
}
