import { useEffect, useRef } from "react";
import { mutate, type SWRResponse } from "swr";
import type { Answer } from "../../wire/api.ts";
import { useAnswer, type ApiError } from "../api.ts";
import { useMay, useWho } from "../who.tsx";
import { objectionTo } from "./approval-words.ts";

/** Between looks at what waits, while the page is visible. */
const LOOK_MS = 20_000;
/** for whoever has the inbox open */
export const WATCH_MS = 3_000;
/** The inbox is a copy that a session writes when something changed, and that comes a moment later. */
const LAG_MS = 1_500;

type WaitingPage = Answer<"Approvals">;

/** The approvals that wait, over all sessions, the last asked first. Nothing is asked without the scope. */
export function useWaiting(everyMs = LOOK_MS): SWRResponse<WaitingPage, ApiError> {
  const mayApprove = useMay("approve");
  return useAnswer<WaitingPage>(mayApprove ? "/api/approvals?limit=100" : null, {
    refreshInterval: everyMs,
    // While there is an error only this looks again.
    shouldRetryOnError: ({ status }: ApiError) => status === 0 || status === 429 || status >= 500,
    onErrorRetry: ({ retryAfter }, _key, _config, look, options) => {
      setTimeout(() => void look(options), Math.max(everyMs, (retryAfter ?? 0) * 1_000));
    },
  });
}

export const isInbox = (key: unknown): boolean => typeof key === "string" && key.startsWith("/api/approvals");

/** What the open session asks or had decided (`waiting`, any text that changes with it) is looked at in the inbox soon. */
export function useInboxFollows(waiting: string): void {
  const before = useRef("");
  useEffect(() => {
    if (before.current === waiting) return;
    before.current = waiting;
    const looks = [0, LAG_MS].map((ms) => setTimeout(() => void mutate(isInbox), ms));
    return () => looks.forEach(clearTimeout);
  }, [waiting]);
}

/** How many of them this person decides. */
export function useWaitingCount(): number {
  const { me } = useWho();
  const viewer = { subject: me.subject, mayApprove: useMay("approve"), admin: me.scopes.includes("admin") };
  return (useWaiting().data?.items ?? []).filter((approval) => objectionTo(approval, viewer) === null).length;
}

/** The title of the window, which also says from behind other windows that something waits. */
export function useTitle(title: string): void {
  const count = useWaitingCount();
  useEffect(() => {
    document.title = `${count === 0 ? "" : `(${count}) `}${title} · Cairn`;
  }, [title, count]);
}
