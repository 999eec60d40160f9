import type { Entry } from "../core/entries.ts";
import type { Json } from "../core/json.ts";
import { runId } from "../core/names.ts";
import { isoTime } from "./ui-chunk.ts";

/** interface 7, Approval */
export type ApprovalView = {
  readonly id: string;
  readonly sessionId: string;
  readonly runId: string;
  readonly stepId: string;
  readonly callId: string;
  readonly tool: string;
  readonly title: string;
  readonly summary: string;
  readonly impact: readonly string[];
  readonly args: Json;
  readonly argsSchema: Json;
  readonly editable: boolean;
  readonly effect: string;
  readonly tainted: boolean;
  readonly digest: string;
  readonly state: "pending" | "approved" | "denied" | "expired" | "cancelled";
  readonly requester: string;
  readonly approvers: readonly string[];
  readonly needed: number;
  readonly votes: readonly {
    readonly subject: string;
    readonly decision: string;
    readonly reason: string | null;
    readonly via: string;
    readonly at: string;
  }[];
  readonly escalated: boolean;
  readonly remember: readonly string[];
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly onExpiry: "deny" | "escalate";
  readonly decidedAt: string | null;
  readonly result: {
    readonly decision: string;
    readonly args: Json;
    readonly digest: string;
    readonly by: string;
    readonly reason: string | null;
  } | null;
};

const STATES = { approve: "approved", edit: "approved", deny: "denied", expired: "expired" } as const;

/**
 * An approval as people are shown it (interface 7). After an edit, `args` and `digest` are those that were decided, so that
 * what is shown is what runs. `argsSchema` is the JSON Schema of the tool's input where the caller has it.
 */
export function approvalView(
  session: string,
  asked: Entry<"approval_requested">,
  end: Entry<"approval_decided"> | Entry<"approval_cancelled"> | null,
  argsSchema: Json = null,
): ApprovalView {
  const { body } = asked;
  const run = asked.run ?? "";
  const decided = end?.kind === "approval_decided" ? end.body : null;
  const edited = decided?.decision === "edit";
  const args = edited ? decided.args : body.args;
  const shown = (edited ? decided.shown : null) ?? body;
  const byPerson = decided !== null && decided.decision !== "expired" && end !== null;
  return {
    id: body.approval,
    sessionId: session,
    runId: runId(session, run),
    stepId: asked.step ?? "",
    callId: body.call,
    tool: body.tool,
    title: shown.title,
    summary: shown.summary,
    impact: shown.impact,
    args,
    argsSchema,
    editable: true,
    effect: body.effect,
    tainted: false,
    digest: edited ? decided.digest : body.digest,
    state: end === null ? "pending" : decided === null ? "cancelled" : STATES[decided.decision],
    requester: body.requester,
    approvers: body.approvers,
    needed: body.needed,
    votes: byPerson
      ? [
          {
            subject: decided.actor,
            decision: decided.decision,
            reason: decided.reason,
            via: decided.via,
            at: isoTime(end.at),
          },
        ]
      : [],
    escalated: false,
    remember: [],
    createdAt: isoTime(asked.at),
    expiresAt: isoTime(body.expiresAt),
    onExpiry: body.onExpiry,
    decidedAt: end === null ? null : isoTime(end.at),
    result:
      decided === null
        ? null
        : {
            decision: decided.decision,
            args,
            digest: decided.digest,
            by: decided.actor,
            reason: decided.reason,
          },
  };
}

/** The approval of that name in a stretch of the log, or null when it was not asked there. */
export function findApproval(
  session: string,
  entries: readonly Entry[],
  approval: string,
  argsSchema: Json = null,
): ApprovalView | null {
  let asked: Entry<"approval_requested"> | null = null;
  let end: Entry<"approval_decided"> | Entry<"approval_cancelled"> | null = null;
  for (const entry of entries) {
    if (entry.kind === "approval_requested" && entry.body.approval === approval) asked = entry;
    if (entry.kind === "approval_decided" && entry.body.approval === approval) end = entry;
    if (entry.kind === "approval_cancelled" && entry.body.approval === approval) end = entry;
  }
  return asked === null ? null : approvalView(session, asked, end, argsSchema);
}
