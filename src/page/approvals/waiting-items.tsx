import type { ReactNode } from "react";
import { mutate } from "swr";
import type { Answer } from "../../cairn/protocol/api.ts";
import { ask } from "../api.ts";
import { Icon } from "../parts/icon.tsx";
import { Ago } from "../parts/time.tsx";
import { useAct } from "../parts/use-act.ts";
import { homeHref } from "../branches/branch.ts";
import { useMay } from "../who.tsx";
import { BudgetCard } from "./cards/budget-card.tsx";
import { QuestionView } from "./question-card.tsx";
import { Revealed } from "../parts/revealed.tsx";
import { isInbox } from "./waiting.ts";

/**
 * Inbox items besides approvals: questions of any session, runs that need a larger budget, and scheduled runs that
 * failed.
 */

type Inbox = Answer<"Inbox">;

export function WaitingQuestion({ item }: { item: Inbox["questions"][number] }) {
  const { id, sessionId, title, runId, context, options } = item;
  const question = {
    questionId: id,
    question: item.question,
    default: item.default,
    expiresAt: item.expiresAt,
    kind: options.length === 0 ? "text" : "choice",
    options,
    by: null,
    state: "open" as const,
    ...(context === null ? {} : { context }),
  };
  const give = async (value: string): Promise<void> => {
    await ask(`/api/runs/${runId}/resume`, { method: "POST", body: { questionId: id, value } });
    await mutate(isInbox);
  };
  return <QuestionView question={question} give={give} home={<Home session={sessionId} title={title} />} />;
}

export function WaitingBudget({ item }: { item: Inbox["budgetQuestions"][number] }) {
  return <BudgetCard question={item} home={<Home session={item.sessionId} title={item.title} />} />;
}

export function FailedRun({ item }: { item: Inbox["failedRuns"][number] }) {
  const { sessionId, title, runId, objective, answer, endedAt } = item;
  const maySend = useMay("send");
  const { busy, fault, run } = useAct();
  const dismiss = (): void =>
    void run(async () => {
      await ask(`/api/inbox/${runId}`, { method: "DELETE" });
      await mutate(isInbox);
    });
  const name = `${runId}-failed`;
  return (
    <article className="card approval" tabIndex={-1} aria-labelledby={name} aria-busy={busy}>
      <header className="approval-head">
        <span className="tag" data-tone="bad">
          <Icon name="warn" />A scheduled run failed
        </span>
        <span className="small soft">
          <Ago at={endedAt} />
        </span>
        <Home session={sessionId} title={title} />
      </header>
      <h2 id={name} className="approval-objective">
        <Revealed text={objective} />
      </h2>
      {answer === null ? null : (
        <p className="soft">
          <Revealed text={answer} />
        </p>
      )}
      {fault === null ? null : <p role="alert">{fault}</p>}
      {maySend ? (
        <div className="row">
          <button className="button" disabled={busy} onClick={dismiss}>
            Dismiss
          </button>
        </div>
      ) : null}
    </article>
  );
}

function Home({ session, title }: { session: string; title: string }): ReactNode {
  return (
    <a className="approval-home small" href={homeHref(session)} aria-label={`Open its session, ${title}`}>
      <Revealed text={title} />
    </a>
  );
}
