import type { BodyOf } from "../../core/log/entry.ts";
import { err, ok } from "../../core/log/result.ts";
import type { Actor, ApiResult } from "../../session/api/session-api.ts";
import { decisionLines, type ApprovalView } from "../../wire/approval.ts";
import type { RunView } from "../../wire/views.ts";
import type { Deps } from "../kit/deps.ts";
import type { SessionClient } from "../kit/session-client.ts";
import { NOT_FOUND } from "../kit/responses.ts";

/** A run as an assistant is told of it: where it stands, and all that it takes to answer what it waits for. */

export type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

interface WaitingApproval {
  readonly kind: "approval";
  readonly approvalId: string;
  /** of exactly what is shown here: a decision names it */
  readonly digest: string;
  readonly title: string;
  readonly summary: string;
  readonly impact: readonly string[];
  readonly tool: string;
  readonly args: unknown;
  /** the run has read text from outside, which may have influenced it */
  readonly tainted: boolean;
  readonly expiresAt: string;
}

interface WaitingQuestion {
  readonly kind: "question";
  readonly questionId: string;
  readonly question: string;
  readonly context: string | null;
  /** empty where any words will do */
  readonly options: readonly string[];
  readonly expiresAt: string | null;
}

export type WaitingFor = WaitingApproval | WaitingQuestion;

/** What the tools answer with, and what `agent_get` reads again. A type, so that it is an object of JSON. */
export type RunState = {
  readonly runId: string;
  readonly sessionId: string;
  readonly status: TaskStatus;
  readonly answer: string | null;
  /** it ended with less than was asked for */
  readonly partial: boolean;
  readonly reason: string | null;
  readonly progress: string | null;
  readonly waitingFor: WaitingFor | null;
  readonly steps: number;
  readonly createdAt: string;
  readonly updatedAt: string;
};

const RUN_ID = /^([A-Za-z0-9_-]{1,64})\.r[1-9]\d{0,8}$/;

/** The session of a run's id. A name of any other form is as missing as a run of somebody else. */
export function sessionOfRun({ sessions }: Pick<Deps, "sessions">, runId: string): ApiResult<SessionClient> {
  const session = RUN_ID.exec(runId)?.[1];
  return session === undefined ? err(NO_SUCH_RUN) : ok(sessions(session));
}

export const NO_SUCH_RUN = { ...NOT_FOUND, message: "There is no such run.", hint: "Check its id." };

/** The run once it has ended or waits for a person, or after this many milliseconds. */
export async function loadRunState(
  client: SessionClient,
  actor: Actor,
  runId: string,
  waitMs: number,
): Promise<ApiResult<RunState>> {
  const found = await client.awaitRun(actor, runId, waitMs);
  if (!found.ok) return found.error.status === 404 ? err(NO_SUCH_RUN) : found;
  const run = found.value;
  const waitingFor = await loadWaitingFor(client, actor, run);
  if (!waitingFor.ok) return waitingFor;
  return ok(stateOf(run, waitingFor.value));
}

function stateOf(run: RunView, waitingFor: WaitingFor | null): RunState {
  return {
    runId: run.id,
    sessionId: run.sessionId,
    status: statusOf(run, waitingFor),
    answer: run.answer,
    partial: run.partial,
    reason: run.reason,
    progress: run.progress?.text ?? null,
    waitingFor,
    steps: run.steps,
    createdAt: run.createdAt,
    updatedAt: run.endedAt ?? run.startedAt ?? run.createdAt,
  };
}

function statusOf({ status }: RunView, waitingFor: WaitingFor | null): TaskStatus {
  if (status === "completed" || status === "failed" || status === "cancelled") return status;
  return waitingFor === null ? "working" : "input_required";
}

async function loadWaitingFor(
  client: SessionClient,
  actor: Actor,
  { waitingFor, firstSeq, lastSeq }: RunView,
): Promise<ApiResult<WaitingFor | null>> {
  if (waitingFor?.id === undefined || waitingFor.id === null) return ok(null);
  if (waitingFor.kind === "approval") {
    const approval = await client.approval(actor, waitingFor.id);
    if (!approval.ok) return approval;
    // Decided since the run was read: it goes on.
    return ok(approval.value.state === "pending" ? approvalOf(approval.value) : null);
  }
  const after = Math.max(firstSeq - 1, lastSeq - EVENTS_MAX);
  const events = await client.events(actor, after, EVENTS_MAX);
  if (!events.ok) return events;
  const asked = events.value.items.findLast(
    (entry) => entry.kind === "human_asked" && entry.body.question === waitingFor.id,
  );
  return ok(asked?.kind === "human_asked" ? questionOf(asked.body, waitingFor.until) : null);
}

/** A run writes nothing while it waits, so its question is one of its last entries. */
const EVENTS_MAX = 100;

function approvalOf(approval: ApprovalView): WaitingApproval {
  const { id: approvalId, digest, title, summary, tool, args, tainted, expiresAt } = approval;
  const impact = [...decisionLines(approval), ...(approval.batch === null ? approval.warnings : [])];
  return { kind: "approval", approvalId, digest, title, summary, impact, tool, args, tainted, expiresAt };
}

function questionOf(
  { question: questionId, text, context, options }: BodyOf<"human_asked">,
  expiresAt: string | null,
): WaitingQuestion {
  return { kind: "question", questionId, question: text, context, options, expiresAt };
}
