import { useEffect, useRef } from "react";
import { mutate, type SWRResponse } from "swr";
import type { Answer } from "../../cairn/protocol/api.ts";
import { useAnswer, type ApiError } from "../api.ts";
import { useMay, useWho } from "../who.tsx";
import { hasAgreed, objectionTo } from "./approval-words.ts";

/** Between looks at what waits, while the page is visible. */
const LOOK_MS = 20_000;
/** while the inbox is open */
export const WATCH_MS = 3_000;
/** The inbox is a copy that a session writes when something changed, and that comes a moment later. */
const LAG_MS = 1_500;

/** open items of the current person */
export const INBOX = "/api/inbox";

type WaitingPage = Answer<"Inbox">;

/** All that waits for this person, over all sessions, the last asked first. Nothing is asked without a scope for any of it. */
export function useWaiting(everyMs = LOOK_MS): SWRResponse<WaitingPage, ApiError> {
  return useAnswer<WaitingPage>(useMaySeeInbox() ? INBOX : null, {
    refreshInterval: everyMs,
    // While there is an error only this looks again.
    shouldRetryOnError: ({ status }: ApiError) => status === 0 || status === 429 || status >= 500,
    onErrorRetry: ({ retryAfter }, _key, _config, look, options) => {
      setTimeout(() => void look(options), Math.max(everyMs, (retryAfter ?? 0) * 1_000));
    },
  });
}

export function useMaySeeInbox(): boolean {
  const [mayRead, mayApprove] = [useMay("read"), useMay("approve")];
  return mayRead || mayApprove;
}

export const isInbox = (key: unknown): boolean =>
  typeof key === "string" && (key === INBOX || key.startsWith("/api/approvals"));

/** Reloads the inbox soon after the open session's approvals change. `waiting`: any text that changes with them. */
export function useInboxFollows(waiting: string): void {
  const before = useRef("");
  useEffect(() => {
    if (before.current === waiting) return;
    before.current = waiting;
    const looks = [0, LAG_MS].map((ms) => setTimeout(() => void mutate(isInbox), ms));
    return () => looks.forEach(clearTimeout);
  }, [waiting]);
}

/** How many of them are for this person to decide, to answer, or to look at. */
export function useWaitingCount(): number {
  const { me } = useWho();
  const viewer = { subject: me.subject, mayApprove: useMay("approve"), admin: me.scopes.includes("admin") };
  const maySend = useMay("send");
  const { data } = useWaiting();
  if (data === undefined) return 0;
  const theirs = data.approvals.filter(
    (approval) => objectionTo(approval, viewer) === null && !hasAgreed(approval, me.subject),
  );
  const budgets = viewer.mayApprove ? data.budgetQuestions.length : 0;
  return theirs.length + budgets + (maySend ? data.questions.length + data.failedRuns.length : 0);
}

/** The title of the window, which also shows behind other windows that something waits. */
export function useTitle(title: string): void {
  const count = useWaitingCount();
  useEffect(() => {
    document.title = `${count === 0 ? "" : `(${count}) `}${title} · Cairn`;
  }, [title, count]);
}
