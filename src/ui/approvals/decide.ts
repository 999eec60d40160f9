import { useCallback, useRef, useState } from "react";
import { mutate } from "swr";
import type { Answer } from "../../wire/api.ts";
import type { ApprovalView } from "../../wire/approval.ts";
import type { Json } from "../../core/log/json.ts";
import { ApiError, ask, useAnswer } from "../api.ts";
import { useIsPast } from "../parts/time.tsx";
import { laterOf } from "./approval-words.ts";
import { INBOX } from "./waiting.ts";

/** How long, and for which calls, a decision holds beyond this one. */
export interface Remember {
  readonly match: "args" | "tool";
  readonly seconds: number;
}

export type Decision =
  | { readonly decision: "approve" | "deny"; readonly reason?: string; readonly remember?: Remember }
  | { readonly decision: "edit"; readonly args: Json };

export interface Deciding {
  /** the approval as it is now, as far as anybody here knows */
  readonly approval: ApprovalView;
  /** its time is over, and the session has not said so yet */
  readonly overdue: boolean;
  /** its session was deleted */
  readonly gone: boolean;
  readonly busy: boolean;
  readonly failure: unknown;
  /** True when it was heard. A second one while the first is on its way does nothing. */
  readonly decide: (decision: Decision) => Promise<boolean>;
}

/** Between looks at an approval whose time is over: its alarm may come late. */
const LOOK_MS = 2_000;

export const approvalPath = ({ sessionId, id }: Pick<ApprovalView, "sessionId" | "id">): string =>
  `/api/sessions/${sessionId}/approvals/${id}`;

/**
 * Decides for exactly what is shown: the digest goes along, and what has changed meanwhile is refused and shown anew.
 * `doubtful`: it may not be as it was given, so it is asked for.
 */
export function useDecision(given: ApprovalView, doubtful: boolean): Deciding {
  const [answered, setAnswered] = useState<ApprovalView>(given);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [outdated, setOutdated] = useState(false);
  const [gone, setGone] = useState(false);
  const sent = useRef(false);

  const known = laterOf(given, answered);
  const over = useIsPast(Date.parse(known.expiresAt));
  const looked = useAnswer<ApprovalView>(
    known.state === "pending" && (over || outdated || doubtful) && !gone ? approvalPath(given) : null,
    { refreshInterval: LOOK_MS, onError: ({ status }) => setGone(status === 404) },
  );
  const approval = looked.data === undefined ? known : laterOf(known, looked.data);

  const decide = useCallback(
    async (decision: Decision): Promise<boolean> => {
      if (sent.current) return false;
      sent.current = true;
      setBusy(true);
      setFailure(null);
      try {
        const body = { ...decision, digest: approval.digest };
        const now = await ask<ApprovalView>(approvalPath(approval), { method: "POST", body });
        setAnswered(now);
        await mutate(INBOX, without(now), { revalidate: false });
        return true;
      } catch (error) {
        setFailure(error);
        // Somebody was faster, or it has changed: what is shown is looked at again.
        setOutdated(error instanceof ApiError && [404, 409, 410].includes(error.status));
        return false;
      } finally {
        sent.current = false;
        setBusy(false);
      }
    },
    [approval],
  );
  return { approval, overdue: over && approval.state === "pending", gone, busy, failure, decide };
}

/** The list lags: what was decided here is taken out of it at once. */
const without =
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
