import * as z from "zod";
import { POLICY_SECONDS_MAX } from "../core/limits.ts";
import type { Batch, ShownImpact } from "../core/log/approval.ts";
import type { Entry } from "../core/log/entry.ts";
import type { Json } from "../core/log/json.ts";
import { runId } from "../core/log/names.ts";
import { decisionLines, decisionText, type DecisionRequest } from "../core/text/decision-text.ts";
import type { Answer } from "./api.ts";
import { isoTime } from "./stream/ui-chunk.ts";

/** An approval as every interface shows it. */
export type ApprovalView = Answer<"Approval">;

const STATES = { approve: "approved", edit: "approved", deny: "denied", expired: "expired" } as const;

/** An approval request and every later entry about it, in order. */
export interface ApprovalEntries {
  readonly request: Entry<"approval_requested">;
  readonly later: readonly LaterEntry[];
  /** voters who may not decide any more; their votes are dropped with the next vote. Absent if not checked */
  readonly lapsed?: readonly string[];
}

type LaterEntry = Entry<
  "approval_voted" | "approval_escalated" | "approval_decided" | "approval_cancelled" | "approval_explained"
>;
type Shown = ShownImpact & Pick<ApprovalView, "args" | "digest" | "votes">;

/**
 * An approval as people are shown it. After an edit, `args` and `digest` are those that are voted on, so that
 * what is shown is what runs, and the votes are those for it. `argsSchema` is the JSON Schema of the tool's input where the
 * caller has it.
 */
export function approvalView(
  session: string,
  { request: asked, later, lapsed = [] }: ApprovalEntries,
  argsSchema: Json = null,
): ApprovalView {
  const { body } = asked;
  const shown = later.reduce<Shown>(changed, { ...body, votes: [] });
  const { title, summary, impact, changes = [], draft = null, args, digest, batch } = shown;
  const votes = shown.votes.filter(({ subject }) => !lapsed.includes(subject));
  const dropped = [...later.flatMap(droppedBy), ...lapsed].filter(
    (subject) => !votes.some((vote) => vote.subject === subject),
  );
  const warnings = [...(shown.warnings ?? []), ...[...new Set(dropped)].map(droppedWarning)];
  const end = later.findLast(
    (entry) => entry.kind === "approval_decided" || entry.kind === "approval_cancelled",
  );
  const decided = end?.kind === "approval_decided" ? end.body : null;
  const why = later.findLast((entry) => entry.kind === "approval_explained");
  const explained = why?.kind === "approval_explained" ? why.body.reason : null;
  const escalated = later.findLast((entry) => entry.kind === "approval_escalated")?.body ?? null;
  const decidedAs = decided === null ? "cancelled" : STATES[decided.decision];
  const askedArgs = digest === body.digest ? null : body.args;
  const tainted = body.tainted ?? false;
  const reasons = {
    title,
    summary,
    impact,
    changes,
    batch,
    warnings,
    tainted,
    tool: body.tool,
    args,
    askedArgs,
  };
  return {
    id: body.approval,
    sessionId: session,
    runId: runId(session, asked.run ?? ""),
    stepId: asked.step ?? "",
    callId: body.call,
    tool: body.tool,
    title,
    summary,
    impact,
    changes: [...changes],
    batch: batchView(batch),
    warnings,
    draft,
    why: body.reason,
    args,
    askedArgs,
    argsSchema,
    editable: true,
    effect: body.effect,
    tainted,
    decision: decisionView(reasons),
    digest,
    state: end === undefined ? "pending" : decidedAs,
    requester: body.requester,
    requesterMayApprove: body.requesterMayApprove ?? true,
    approvers: [...new Set([...body.approvers, ...(escalated?.approvers ?? [])])],
    needed: body.needed,
    votes,
    escalated: escalated !== null,
    remember: body.remember ?? [],
    createdAt: isoTime(asked.at),
    expiresAt: isoTime(escalated?.expiresAt ?? body.expiresAt),
    onExpiry: body.onExpiry,
    decidedAt: end === undefined ? null : isoTime(end.at),
    result:
      decided === null
        ? null
        : {
            decision: decided.decision,
            args,
            digest: decided.digest,
            by: decided.actor,
            reason: explained ?? decided.reason,
          },
  };
}

/** The text of a decision for clients that have no card of their own. There is room for all of it. */
export function decisionView(request: DecisionRequest): ApprovalView["decision"] {
  const text = decisionText(request);
  return { text: decisionLines(text).join("\n"), complete: text.complete };
}

/** Returns a batch as the interfaces show it. */
export const batchView = (batch: Batch | undefined): ApprovalView["batch"] =>
  batch === undefined
    ? null
    : {
        id: batch.id,
        name: batch.name,
        items: batch.items.map(({ what, becomes, changes, draft = null }) => ({
          what,
          becomes,
          draft,
          changes: [...changes],
        })),
      };

/** Adds a vote, one per subject; an edit is a new proposal without votes by others. */
function changed(shown: Shown, entry: LaterEntry): Shown {
  if (entry.kind !== "approval_voted" && entry.kind !== "approval_decided") return shown;
  const { actor: subject, decision, reason, via, digest, args, shown: anew } = entry.body;
  if (decision === "expired") return shown;
  const vote = { subject, decision, reason, via, at: isoTime(entry.at) };
  if (decision === "edit") return { ...(anew ?? shown), args, digest, votes: [vote] };
  const dropped = droppedBy(entry);
  const left = shown.votes.filter((other) => other.subject !== subject && !dropped.includes(other.subject));
  return { ...shown, votes: [...left, vote] };
}

const droppedBy = ({ body }: LaterEntry): readonly string[] =>
  "dropped" in body ? (body.dropped ?? []) : [];

const droppedWarning = (subject: string): string =>
  `The vote of ${subject} is dropped: they may not decide this any more.`;

/** The entries about the approval of that name in a stretch of the log, or null when it was not asked there. */
export function findEntries(entries: readonly Entry[], approval: string): ApprovalEntries | null {
  const request = entries.find(
    (entry) => entry.kind === "approval_requested" && entry.body.approval === approval,
  );
  if (request?.kind !== "approval_requested") return null;
  const later = entries.filter(
    (entry): entry is LaterEntry => isLater(entry) && entry.body.approval === approval,
  );
  return { request, later };
}

function isLater(entry: Entry): entry is LaterEntry {
  const { kind } = entry;
  return (
    kind === "approval_voted" ||
    kind === "approval_escalated" ||
    kind === "approval_decided" ||
    kind === "approval_cancelled" ||
    kind === "approval_explained"
  );
}

/** The approval of that name in a stretch of the log, or null when it was not asked there. */
export function findApproval(
  session: string,
  entries: readonly Entry[],
  approval: string,
  argsSchema: Json = null,
): ApprovalView | null {
  const found = findEntries(entries, approval);
  return found === null ? null : approvalView(session, found, argsSchema);
}

/** That a decision holds for later calls of its session too: those with equal arguments, or all of its tool. */
export const rememberSchema = z.strictObject({
  match: z.enum(["args", "tool"]),
  seconds: z.int().min(1).max(POLICY_SECONDS_MAX),
});

/** A decision that holds for later calls too, until it ends or is revoked. */
export type PolicyView = Answer<"SessionDetail">["policies"][number];
