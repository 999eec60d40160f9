import { Suspense } from "react";
import { rootOf } from "../../cairn/core/log/names.ts";
import type { Answer } from "../../cairn/protocol/api.ts";
import type { ApprovalView } from "../../cairn/protocol/approval.ts";
import { useCards } from "./cards/use-cards.ts";
import { useWaiting, WATCH_MS } from "./waiting.ts";
import { part } from "../parts/part.ts";
import { Boundary } from "../shell/boundary.tsx";

/** Approvals and questions of runs below the open conversation: the cards of the inbox, shown under the conversation. */

const ApprovalCard = part(async () => ({
  default: (await import("./approval-card.tsx")).ApprovalCard,
}));
const WaitingQuestion = part(async () => ({
  default: (await import("./waiting-items.tsx")).WaitingQuestion,
}));
const WaitingBudget = part(async () => ({
  default: (await import("./waiting-items.tsx")).WaitingBudget,
}));

type Inbox = Answer<"Inbox">;

/** Between looks while nothing of the conversation is at work. */
const IDLE_MS = 20_000;

const NONE: readonly ApprovalView[] = [];

/** True if an inbox item belongs to a run below this conversation, and not to the conversation itself. */
export const isBelow = (root: string, { sessionId }: { readonly sessionId: string }): boolean =>
  sessionId !== root && rootOf(sessionId) === root;

/** The inbox items below this conversation. `live`: something of the conversation runs, so the inbox is polled often. */
export function useWaitingBelow(
  root: string,
  live: boolean,
): Pick<Inbox, "approvals" | "questions" | "budgetQuestions"> {
  const { data } = useWaiting(live ? WATCH_MS : IDLE_MS);
  const of = <Item extends { readonly sessionId: string }>(items: readonly Item[] = []): Item[] =>
    items.filter((item) => isBelow(root, item));
  return {
    approvals: of(data?.approvals),
    questions: of(data?.questions),
    budgetQuestions: of(data?.budgetQuestions),
  };
}

export function WaitingBelow({ approvals, questions, budgetQuestions }: ReturnType<typeof useWaitingBelow>) {
  // Decided cards stay in place, with their outcome, while the view is open.
  const cards = useCards(approvals.length === 0 ? NONE : approvals);
  if (cards.length + questions.length + budgetQuestions.length === 0) return null;
  const waits = new Set(approvals.map(({ id }) => id));
  return (
    <section className="waiting-below" aria-label="Requests of sub-runs">
      <Boundary>
        <Suspense fallback={null}>
          {cards.map((approval) => (
            <ApprovalCard
              key={`${approval.sessionId}/${approval.id}`}
              approval={approval}
              session={approval.sessionId}
              doubtful={approval.state === "pending" && !waits.has(approval.id)}
            />
          ))}
          {questions.map((item) => (
            <WaitingQuestion key={`${item.sessionId}/${item.id}`} item={item} />
          ))}
          {budgetQuestions.map((item) => (
            <WaitingBudget key={item.runId} item={item} />
          ))}
        </Suspense>
      </Boundary>
    </section>
  );
}
