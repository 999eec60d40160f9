import type { BodyOf } from "../../cairn/core/log/entry.ts";
import { readRunId } from "../../cairn/core/log/names.ts";
import { err, ok } from "../../cairn/core/log/result.ts";
import { decisionLines, decisionText, type DecisionText } from "../../cairn/core/text/decision-text.ts";
import type { Actor, ApiResult } from "../../cairn/session/api/session-api.ts";
import type { ApprovalView } from "../../cairn/protocol/approval.ts";
import type { RunView } from "../../cairn/protocol/views.ts";
import type { Deps } from "../../cairn/http/deps.ts";
import type { SessionClient } from "../../cairn/http/kit/session-client.ts";
import { NOT_FOUND } from "../../cairn/http/kit/responses.ts";
import { readTree } from "../../cairn/http/runs/tree.ts";

/** The state of a run for an assistant: its status, and the data to answer its open approval or question. */

export type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

interface WaitingApproval {
  readonly kind: "approval";
  /** that waits: the run itself, or one below it */
  readonly runId: string;
  readonly approvalId: string;
  /** of exactly what is shown here: a decision names it */
  readonly digest: string;
  readonly title: string;
  readonly summary: string;
  readonly impact: readonly string[];
  /** everything that is approved, to be shown to the person as it is */
  readonly text: string;
  /** false: the text leaves something out, so it is not approved here */
  readonly complete: boolean;
  /** the page on which everything can be seen and decided; null when its address is not known */
  readonly lookAt: string | null;
  readonly tool: string;
  readonly args: unknown;
  /** the run has read text from outside, which may have influenced it */
  readonly tainted: boolean;
  readonly expiresAt: string;
}

interface WaitingQuestion {
  readonly kind: "question";
  /** that waits: the run itself, or one below it */
  readonly runId: string;
  readonly questionId: string;
  readonly question: string;
  readonly context: string | null;
  /** empty where any words will do */
  readonly options: readonly string[];
  readonly expiresAt: string | null;
}

export type WaitingFor = WaitingApproval | WaitingQuestion;

/** The result of the tools, which `agent_get` reads again. A type, so that it is a JSON object. */
export type RunState = {
  readonly runId: string;
  readonly sessionId: string;
  readonly status: TaskStatus;
  /** what the run did, by its log; null until it has ended */
  readonly receipt: RunView["receipt"];
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

type Sessions = Pick<Deps, "sessions"> & { readonly config?: Pick<Deps["config"], "publicUrl"> };

/** The session of a run's ID. An ID of any other form is not found, like another person's run. */
export function sessionOfRun({ sessions }: Sessions, runId: string): ApiResult<SessionClient> {
  const named = readRunId(runId);
  return named === null ? err(NO_SUCH_RUN) : ok(sessions(named.session));
}

export const NO_SUCH_RUN = { ...NOT_FOUND, message: "There is no such run.", hint: "Check its id." };

/** Polling interval: an approval below a run does not wake the client that waits for the run. */
const LOOK_MS = 2_000;

/** The run once it has ended or waits for a person, itself or by a run below it, or after this many milliseconds. */
export async function loadRunState(
  deps: Sessions,
  actor: Actor,
  runId: string,
  waitMs: number,
): Promise<ApiResult<RunState>> {
  const client = sessionOfRun(deps, runId);
  if (!client.ok) return client;
  let left = waitMs;
  let wait = 0;
  for (;;) {
    const found = await client.value.awaitRun(actor, runId, wait);
    if (!found.ok) return found.error.status === 404 ? err(NO_SUCH_RUN) : found;
    const run = found.value;
    const own = await loadWaitingFor(deps, client.value, actor, run);
    if (!own.ok) return own;
    const waitingFor = own.value === null ? await loadWaitingBelow(deps, actor, run) : own;
    if (!waitingFor.ok) return waitingFor;
    const state = stateOf(run, waitingFor.value);
    if (state.status !== "working" || left <= 0) return ok(state);
    wait = Math.min(left, LOOK_MS);
    left -= wait;
  }
}

/** The first run below a live one that waits for a person; each is in its own session. */
async function loadWaitingBelow(
  deps: Sessions,
  actor: Actor,
  { id, sessionId, outcome, childRuns }: RunView,
): Promise<ApiResult<WaitingFor | null>> {
  if (outcome !== null || childRuns.length === 0) return ok(null);
  const tree = await readTree(deps, actor, sessionId, id);
  if (!tree.ok) return tree;
  const waiting = tree.value.items.filter((node) => node.outcome === null && node.depth > 0);
  for (const node of waiting) {
    if (node.waitingFor === null) continue;
    const client = deps.sessions(node.sessionId);
    const child = await client.readRun(actor, node.id);
    // The session may have been deleted since.
    const found = child.ok ? await loadWaitingFor(deps, client, actor, child.value) : ok(null);
    if (!found.ok || found.value !== null) return found;
  }
  return ok(null);
}

function stateOf(run: RunView, waitingFor: WaitingFor | null): RunState {
  return {
    runId: run.id,
    sessionId: run.sessionId,
    status: statusOf(run, waitingFor),
    receipt: run.receipt,
    answer: run.answer,
    partial: run.partial,
    reason: run.reason,
    progress: run.waitingFor?.kind === "client" ? WAITS_FOR_PAGE : (run.progress?.text ?? null),
    waitingFor,
    steps: run.steps,
    createdAt: run.createdAt,
    updatedAt: run.endedAt ?? run.startedAt ?? run.createdAt,
  };
}

/** Nobody here can answer it: the page that registered the tool does. */
const WAITS_FOR_PAGE = "It waits for the chat page that brought the tool which it called.";

function statusOf({ status }: RunView, waitingFor: WaitingFor | null): TaskStatus {
  if (status === "completed" || status === "failed" || status === "cancelled") return status;
  return waitingFor === null ? "working" : "input_required";
}

async function loadWaitingFor(
  { config }: Sessions,
  client: SessionClient,
  actor: Actor,
  { id: runId, waitingFor }: RunView,
): Promise<ApiResult<WaitingFor | null>> {
  if (waitingFor === null || waitingFor.id === null || waitingFor.kind === "client") return ok(null);
  if (waitingFor.kind === "approval") {
    const approval = await client.approval(actor, waitingFor.id);
    if (!approval.ok) return approval;
    // Decided since the run was read: it goes on.
    return ok(
      approval.value.state === "pending"
        ? waitingApproval(runId, approval.value, config?.publicUrl ?? null)
        : null,
    );
  }
  const question = await client.question(actor, waitingFor.id);
  if (!question.ok) return question;
  // Answered since the run was read: it goes on.
  return ok(question.value === null ? null : questionOf(runId, question.value, waitingFor.until));
}

/** A form of a client, or the words of an assistant, have little room: a longer text is read on the page. */
const TEXT_CHARS_MAX = 8_000;

/** An approval as a client of /mcp is shown it, and whether it can be approved there. */
export function waitingApproval(
  runId: string,
  approval: ApprovalView,
  publicUrl: string | null,
): WaitingApproval {
  const { id: approvalId, digest, title, summary, impact, tool, args, tainted, expiresAt } = approval;
  const shown = decisionText(approval, (whole) => plainText(whole).length <= TEXT_CHARS_MAX);
  const lookAt = publicUrl === null ? null : `${publicUrl}/#/approvals`;
  return {
    kind: "approval",
    runId,
    approvalId,
    digest,
    title,
    summary,
    impact,
    tool,
    args,
    tainted,
    expiresAt,
    lookAt,
    text: plainText(shown),
    complete: shown.complete,
  };
}

const plainText = (text: DecisionText): string => decisionLines(text).join("\n");

function questionOf(
  runId: string,
  { question: questionId, text, context, options }: BodyOf<"human_asked">,
  expiresAt: string | null,
): WaitingQuestion {
  return { kind: "question", runId, questionId, question: text, context, options, expiresAt };
}
