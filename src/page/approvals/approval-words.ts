import { ownValue } from "../../cairn/core/log/json.ts";
import type { ApprovalView } from "../../cairn/protocol/approval.ts";

/** Texts of an approval, and the actions that a person may take. Pure: the card draws them. */

/** The person who looks at the card. */
export interface Viewer {
  readonly subject: string;
  readonly mayApprove: boolean;
  readonly admin: boolean;
}

/**
 * The reason why this person cannot decide, or null if they can. The owner of the session, the named approvers and
 * admins see a card, so `owner` among its approvers is the viewer: others would be named too.
 */
export function objectionTo(approval: ApprovalView, viewer: Viewer): string | null {
  if (approval.state !== "pending") return null;
  if (!viewer.mayApprove) return "You can't approve this: your token lacks the scope “approve”.";
  const named = approval.approvers.some((one) => one === "*" || one === "owner" || one === viewer.subject);
  if (!named && !viewer.admin) return `Others decide this: ${approversWords(approval.approvers)}.`;
  if (approval.requesterMayApprove === false && approval.requester === viewer.subject)
    return "You requested this, so someone else must decide.";
  return null;
}

/** `the owner of the session`, `bob or carol`, `anyone who may approve` */
export function approversWords(approvers: readonly string[]): string {
  if (approvers.length === 0) return "an admin";
  if (approvers.includes("*")) return "anyone who may approve";
  const names = approvers.map((one) => (one === "owner" ? "the owner of the session" : one));
  return new Intl.ListFormat("en", { type: "disjunction" }).format(names);
}

/** How many have agreed of how many, or null where one decides. */
export function votesWords({ needed, votes }: ApprovalView): string | null {
  if (needed <= 1) return null;
  const agreed = votes.filter(({ decision }) => decision !== "deny").length;
  return `${agreed} of ${needed} have agreed`;
}

/** True if this person has approved the current proposal and waits for the others. */
export function hasAgreed({ state, votes }: ApprovalView, subject: string): boolean {
  return state === "pending" && votes.some((vote) => vote.subject === subject && vote.decision !== "deny");
}

export type Tone = "waits" | "good" | "bad" | "none";

/** The state in a word and a sentence, once there is nothing to decide any more. */
export function outcomeWords(approval: ApprovalView): { tone: Tone; tag: string; text: string } {
  const { state, result } = approval;
  const by = result === null ? "" : byWords(approval);
  switch (state) {
    case "pending":
      return { tone: "waits", tag: "Needs your approval", text: "" };
    case "approved":
      return result?.decision === "edit"
        ? { tone: "good", tag: "Approved with changes", text: `Changed and approved ${by}.` }
        : { tone: "good", tag: "Approved", text: `Approved ${by}.` };
    case "denied":
      return { tone: "bad", tag: "Denied", text: `Denied ${by}. It was not done.` };
    case "expired":
      return { tone: "none", tag: "Expired", text: "Nobody decided in time, so nothing was done." };
    case "cancelled":
      return { tone: "none", tag: "Cancelled", text: "The run was stopped. It was not done." };
  }
}

const VIA: Readonly<Record<string, string>> = {
  policy: ", as remembered from an earlier decision",
  link: " by a link",
  chat: " in the chat",
};

function byWords({ result, votes }: ApprovalView): string {
  const by = result?.by ?? "somebody";
  const via = votes.findLast(({ subject }) => subject === by)?.via ?? "";
  return `by ${by}${ownValue(VIA, via) ?? ""}`;
}

/**
 * The later of two views of one approval: by its last vote or end, then by its expiry, which only moves forward. A
 * dropped vote is missing from the later view.
 */
export function laterOf(one: ApprovalView, other: ApprovalView): ApprovalView {
  if (hasDropped(one, other)) return other;
  if (hasDropped(other, one)) return one;
  return changedAt(other) > changedAt(one) ? other : one;
}

/** The later view warns of a dropped vote; an earlier one with fewer votes has no such warning. */
function hasDropped(before: ApprovalView, after: ApprovalView): boolean {
  const isSame = before.state === "pending" && after.state === "pending" && before.digest === after.digest;
  if (!isSame || after.warnings.length <= before.warnings.length) return false;
  return after.votes.every((vote) =>
    before.votes.some(({ subject, at }) => subject === vote.subject && at === vote.at),
  );
}

function changedAt(approval: ApprovalView): string {
  const { state, decidedAt, votes, createdAt, expiresAt } = approval;
  const last = votes.map(({ at }) => at).reduce((a, b) => (a > b ? a : b), createdAt);
  return [state === "pending" ? "0" : "1", decidedAt ?? last, expiresAt].join(" ");
}
