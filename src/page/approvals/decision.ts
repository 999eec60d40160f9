import type { Json } from "../../cairn/core/log/json.ts";
import type { Answer } from "../../cairn/protocol/api.ts";
import type { ApprovalView } from "../../cairn/protocol/approval.ts";
import { ApiError } from "../api-error.ts";

/** A decision on a card: what is sent, and what its answer means for what is shown. Pure. */

/** How long, and for which calls, a decision holds beyond this one. */
export interface Remember {
  readonly match: "args" | "tool";
  readonly seconds: number;
}

export type Decision =
  | { readonly decision: "approve" | "deny"; readonly reason?: string; readonly remember?: Remember }
  | { readonly decision: "edit"; readonly args: Json };

export const approvalPath = ({ sessionId, id }: Pick<ApprovalView, "sessionId" | "id">): string =>
  `/api/sessions/${sessionId}/approvals/${id}`;

/** The request body of a decision, with the digest of the approval as it is shown. */
export const decisionBody = ({ digest }: Pick<ApprovalView, "digest">, decision: Decision): object => ({
  ...decision,
  digest,
});

/** True if another person decided first, or the approval has changed: the card reloads it. */
export const isOutdated = (error: unknown): boolean =>
  error instanceof ApiError && [404, 409, 410].includes(error.status);

/** The list lags: what was decided here is taken out of it at once. */
export const without =
  (decided: ApprovalView) =>
  (inbox: Answer<"Inbox"> | undefined): Answer<"Inbox"> | undefined =>
    inbox === undefined || decided.state === "pending"
      ? inbox
      : {
          ...inbox,
          approvals: inbox.approvals.filter(
            ({ id, sessionId }) => id !== decided.id || sessionId !== decided.sessionId,
          ),
        };

/** Between looks at an approval that may be over: its alarm may come late. */
const OVER_LOOK_MS = 2_000;
/** also for one that waits for more votes: no entry reports that a voter has lost their rights */
const VOTES_LOOK_MS = 20_000;

/** Milliseconds between looks at an approval, in addition to what the session sends; null: none. */
export function lookAgainMs(
  { state, votes }: Pick<ApprovalView, "state" | "votes">,
  isDoubtful: boolean,
): number | null {
  if (state !== "pending") return null;
  if (isDoubtful) return OVER_LOOK_MS;
  return votes.length > 0 ? VOTES_LOOK_MS : null;
}
