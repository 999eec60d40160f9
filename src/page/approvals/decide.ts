import { useCallback, useRef, useState } from "react";
import { mutate } from "swr";
import type { ApprovalView } from "../../cairn/protocol/approval.ts";
import { ask, useAnswer } from "../api.ts";
import { useIsPast } from "../parts/time.tsx";
import { laterOf } from "./approval-words.ts";
import { approvalPath, decisionBody, isOutdated, lookAgainMs, without, type Decision } from "./decision.ts";
import { INBOX } from "./waiting.ts";

export interface Deciding {
  /** the approval as it is now, as far as anybody here knows */
  readonly approval: ApprovalView;
  /** its time is over, and the session has not reported it yet */
  readonly overdue: boolean;
  /** its session was deleted */
  readonly gone: boolean;
  readonly busy: boolean;
  readonly failure: unknown;
  /** True if it was accepted. A second call while the first is in flight does nothing. */
  readonly decide: (decision: Decision) => Promise<boolean>;
}

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
  const lookMs = gone ? null : lookAgainMs(known, over || outdated || doubtful);
  const looked = useAnswer<ApprovalView>(lookMs === null ? null : approvalPath(given), {
    refreshInterval: lookMs ?? 0,
    onError: ({ status }) => setGone(status === 404),
  });
  const approval = looked.data === undefined ? known : laterOf(known, looked.data);

  const decide = useCallback(
    async (decision: Decision): Promise<boolean> => {
      if (sent.current) return false;
      sent.current = true;
      setBusy(true);
      setFailure(null);
      try {
        const now = await ask<ApprovalView>(approvalPath(approval), {
          method: "POST",
          body: decisionBody(approval, decision),
        });
        setAnswered(now);
        await mutate(INBOX, without(now), { revalidate: false });
        return true;
      } catch (error) {
        setFailure(error);
        setOutdated(isOutdated(error));
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
